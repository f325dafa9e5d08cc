package present

import (
	"strconv"

	"alcove/record"
)

// PreviewState tells the state of a file's preview.
func PreviewState(f *record.File) string {
	switch {
	case f.Linked():
		return "preview_not_supported"
	case !f.Finished():
		return "preview_not_available"
	case !f.Picture():
		return "preview_not_supported"
	case f.Preview == record.PreviewMade:
		return "preview_available"
	case f.Preview == record.PreviewFailed:
		return "preview_error"
	}
	return "preview_in_progress"
}

// viewer is what shows a preview, blank as long as there is none.
func (s Settings) viewer(f *record.File) *string {
	if f.Preview == record.PreviewMade {
		return s.text("image")
	}
	return s.text("")
}

// thumb is the address of a file's thumbnail, blank for no file. The preview of a file has the
// file's own id.
func (s Settings) thumb(file int64) *string {
	if file == 0 {
		return s.text("")
	}
	return s.text(s.download(file, "") + "/preview/" + strconv.FormatInt(file, 10) + "/thumb.png")
}

package site

import (
	"errors"

	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/site/preview"
	"alcove/site/preview/library"
	"alcove/site/preview/sandbox"
)

// shown is what a page shows of a file.
type shown struct {
	*preview.Preview        // nil where there is nothing to see
	Notice           string // why it is not shown as its kind is, or not at all
	Passing          bool   // it may be another the next time
}

// shownOf is the preview of a file, of a kind that a library reads, too. Where that fails the file is
// shown as the text that it is, if it is one, and the page says so.
func (s *Site) shownOf(c *endpoint.Call, w *Words, file *handlers.Opened) (v shown, err error) {
	broken := false
	f := preview.File{ReaderAt: file, Name: file.Name, MIME: file.MIME, Size: file.Size}
	if library.Reads(f.Name) && f.Size > 0 {
		made, fresh, err := s.libraries.Of(c.Context, f, file.SHA256)
		switch {
		case err == nil:
			return shown{Preview: made}, nil
		case errors.Is(err, preview.ErrBroken):
			broken = true // it is of this kind by its name alone
		case errors.Is(err, sandbox.ErrOff):
			v.Notice = w.PreviewOff
			s.off.Do(func() {
				s.api.Log.Warn("Markdown, code, notebooks, XLSX and Parquet have no previews of their kind", "error", err)
			})
		case errors.Is(err, sandbox.ErrBusy):
			v.Notice, v.Passing = w.PreviewBusy, true
		case errors.Is(err, sandbox.ErrFailed):
			v.Notice = w.PreviewFailed
			if fresh {
				s.api.Log.Warn("a preview failed, and is not tried again", "file", file.ID, "error", err)
			}
		default:
			return v, err
		}
	}
	v.Preview, err = preview.Of(f)
	none := errors.Is(err, preview.ErrNone)
	broken = broken && none || errors.Is(err, preview.ErrBroken)
	switch {
	case err != nil && !none && !broken:
		return v, err
	case err == nil && v.Notice != "":
		v.Notice += " " + w.PreviewAsText
	case v.Notice != "":
	case broken:
		v.Notice = w.PreviewBroken
	case none:
		v.Notice = w.PreviewNone
	}
	return v, nil
}

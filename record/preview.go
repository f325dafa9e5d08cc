package record

import (
	"time"
)

// Preview is what became of the thumbnail of a file.
type Preview string

// The states of a preview. The blank one is that of a file whose thumbnail is due, when it is a
// picture.
const (
	PreviewMade   Preview = "made"
	PreviewFailed Preview = "failed" // there is none and will be none
)

// pictures are the media types of which thumbnails are made.
var pictures = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/tiff": true,
}

// Picture reports whether the file is one of which a thumbnail is made, by its content.
func (f *File) Picture() bool { return !f.Linked() && pictures[f.MIME] }

// PreviewDue reports whether the thumbnail of a picture has not been tried yet.
func (f *File) PreviewDue() bool { return f.Finished() && f.Picture() && f.Preview == "" }

// Thumb is the file that stands for an item in pictures: the first that has a thumbnail, unless
// another one was chosen. The zero Thumb is none.
type Thumb struct {
	File   int64 `json:"file"`
	Chosen bool  `json:"chosen"`
}

// Offer makes a file with a thumbnail stand for the item when none does that comes before it or
// was chosen, and reports whether that changed anything.
func (t *Thumb) Offer(file int64) bool {
	if t.Chosen || t.File != 0 && t.File <= file {
		return false
	}
	t.File = file
	return true
}

// ThumbBody chooses the thumbnail of a public version.
type ThumbBody struct {
	FileID *int64 `json:"file_id"`
}

// Check refuses a body without a file, or with null (422).
func (b *ThumbBody) Check() error {
	if b.FileID == nil || *b.FileID == 0 {
		return Wrong("file_id", "is required")
	}
	return nil
}

// NoThumb is the refusal to choose a file that has no thumbnail (422); state is that of its
// preview.
func NoThumb(state string) *Error {
	return Wrong("file_id", "names a file without a thumbnail").With("preview_state", state)
}

// MaxPicture is the longest side of the picture of a profile, in pixels.
const MaxPicture = 256

// Picture is what a profile shows of its person.
type Picture struct {
	PNG      []byte    `json:"png"` // no side is longer than MaxPicture
	Modified time.Time `json:"modified"`
}

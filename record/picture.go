package record

import "time"

// MaxPicture is the longest side of the picture of a profile, in pixels.
const MaxPicture = 256

// Picture is what a profile shows of its person.
type Picture struct {
	PNG      []byte    `json:"png"` // no side is longer than MaxPicture
	Modified time.Time `json:"modified"`
}

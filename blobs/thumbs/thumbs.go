// Package thumbs makes small pictures of large ones, and keeps them.
//
// On disk, below the data directory DIR:
//
//	DIR/thumbs/             0700
//	    2c/                 0700, the first two hex digits of the SHA-256 of the large picture
//	        f24dba….png     0600, the other 62 digits; its thumbnail
//	    tmp/                0700, what is being written; emptied by Open
//	    begun/              0700
//	        2cf24dba…       0600, a byte for each time that decoding this picture was begun and
//	                        not ended: the process died of it, or with it
//
// All of it is derived and may be deleted at any time: what is missing is made again. Nothing is
// synced; a thumbnail that a power failure has cut short has no end mark and counts as missing.
//
// Pictures that users send are decoded here and nowhere else, by Go's and x/image's decoders of
// PNG, JPEG, GIF (the first frame), WebP and TIFF. Before anything is decoded the header must
// promise a picture of at most MaxPixels, MaxSide and an estimated MaxMemory; then the decoder
// gets at most MaxRead bytes and MaxTime; and a decoder that panics has refused the picture.
package thumbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// Limits of what is decoded.
const (
	MaxPixels = 50_000_000       // of the whole picture
	MaxSide   = 30_000           // pixels
	MaxMemory = 96 << 20         // bytes that the decoder needs, as estimated from the header
	MaxRead   = 256 << 20        // bytes read of the file, those that are read twice counted twice
	MaxTime   = 30 * time.Second // until the last byte is read
)

// Side is the longest side of a thumbnail in pixels.
const Side = 640

// The reasons why there is no thumbnail. They stay true however often one tries, unlike
// errors of the disk.
var (
	ErrNoPicture = errors.New("cannot make a thumbnail: not a picture that can be read")
	ErrTooLarge  = errors.New("cannot make a thumbnail: the picture is too large")
)

// Source is an open file with a picture: *os.File is one.
type Source interface {
	io.ReadSeeker
	io.ReaderAt
}

// Make returns the PNG of a thumbnail: the whole picture, upright, shrunk in its proportions until
// no side is longer than Side, never enlarged, and at least one pixel in each direction. The same
// file always gives the same bytes. A file that is no picture, or a damaged one, is ErrNoPicture; one
// beyond the bounds is ErrTooLarge. Errors of reading are returned wrapped, and so is the cause of
// ctx.
func Make(ctx context.Context, src Source) ([]byte, error) { return makeWithin(ctx, src, Side) }

// makeWithin is Make for a longest side of so many pixels.
func makeWithin(ctx context.Context, src Source, side int) ([]byte, error) {
	r := &reader{src: src, ctx: ctx, left: MaxRead, until: time.Now().Add(MaxTime)}
	h, err := readHeader(r)
	if err != nil {
		return nil, r.verdict(err)
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	if h.memory > generous {
		defer frugal(h.memory)()
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, r.verdict(err)
	}
	img, err := h.decode(r)
	if err != nil {
		return nil, r.verdict(err)
	}
	if b := img.Bounds(); b.Dx() < 1 || b.Dy() < 1 || b.Dx() > h.width || b.Dy() > h.height {
		return nil, fmt.Errorf("%w: it is not of the size that its header says", ErrNoPicture)
	}
	small, err := shrink(ctx, img, h.turn, side)
	if err != nil {
		return nil, fmt.Errorf("cannot make a thumbnail: %w", err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		return nil, fmt.Errorf("cannot write a thumbnail: %w", err)
	}
	return out.Bytes(), nil
}

// header is what a file says of its picture before it is decoded.
type header struct {
	format        string // png, jpeg, gif, webp, tiff
	width, height int
	memory        float64 // bytes that decoding takes at most, an estimate
	turn          int     // EXIF orientation, 1 to 8
}

func (h *header) check() error {
	switch {
	case h.width < 1 || h.height < 1:
		return fmt.Errorf("%w: it has no pixels", ErrNoPicture)
	case h.width > MaxSide || h.height > MaxSide || h.width*h.height > MaxPixels:
		return fmt.Errorf("%w: %d×%d pixels", ErrTooLarge, h.width, h.height)
	case h.memory > MaxMemory:
		return fmt.Errorf("%w: decoding it takes %d MiB", ErrTooLarge, int(h.memory)>>20)
	}
	return nil
}

// decode decodes the picture. A decoder that panics has met what it cannot read.
func (h *header) decode(r *reader) (img image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			img, err = nil, fmt.Errorf("the decoder panicked: %v", p)
		}
	}()
	switch h.format {
	case "png":
		return png.Decode(r)
	case "jpeg":
		return jpeg.Decode(r)
	case "gif":
		return gif.Decode(r)
	case "webp":
		return webp.Decode(r)
	}
	return tiff.Decode(r)
}

// generous is how many bytes of memory a decoder may use without further ado, and spare how many
// the rest of the process may take while a larger picture is decoded.
const (
	generous = 32 << 20
	spare    = 32 << 20
)

// frugal keeps the process small while a picture that takes so many bytes is decoded: without it
// the collector would let the heap grow to twice as much. The function it returns gives the memory
// back to the system and restores the limit.
func frugal(bytes float64) (end func()) {
	debug.FreeOSMemory()
	if debug.SetMemoryLimit(-1) < math.MaxInt64 { // the operator has chosen a limit
		return debug.FreeOSMemory
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + int64(bytes) + spare)
	return func() {
		debug.SetMemoryLimit(before)
		debug.FreeOSMemory()
	}
}

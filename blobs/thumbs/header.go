package thumbs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"

	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// readHeader finds out what picture a file says it holds. The estimates of memory are those of the
// decoders of this build: what they allocate for the pixels and beside them.
func readHeader(r *reader) (*header, error) {
	var magic [16]byte
	n, err := io.ReadFull(r, magic[:])
	if err != nil && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	start := magic[:n]
	begins := func(text string) bool { return bytes.HasPrefix(start, []byte(text)) }
	switch {
	case begins("\x89PNG\r\n\x1a\n"):
		return pngHeader(r)
	case begins("\xff\xd8\xff"):
		return jpegHeader(r)
	case begins("GIF87a"), begins("GIF89a"):
		return measured(r, "gif", gif.DecodeConfig, map[color.Model]float64{}, 2)
	case begins("RIFF") && n >= 12 && string(start[8:12]) == "WEBP":
		// A palette or a transformation is a second picture, alpha one of its own.
		return measured(r, "webp", webp.DecodeConfig, map[color.Model]float64{color.YCbCrModel: 2, color.NYCbCrAModel: 12}, 8)
	case begins("II\x2a\x00"), begins("MM\x00\x2a"):
		// A strip may hold the whole picture, decompressed beside the pixels, in a buffer that
		// is twice as large while it grows.
		return measured(r, "tiff", tiff.DecodeConfig, map[color.Model]float64{
			color.Gray16Model: 6, color.RGBAModel: 12, color.NRGBAModel: 12,
			color.RGBA64Model: 24, color.NRGBA64Model: 24,
		}, 3)
	}
	return nil, fmt.Errorf("%w: its format is none that is known", ErrNoPicture)
}

// measured reads the header with the format's own reader; a pixel of a colour model that is
// not named takes the last number of bytes.
func measured(r *reader, format string, config func(io.Reader) (image.Config, error), cost map[color.Model]float64, other float64) (h *header, err error) {
	defer func() {
		if p := recover(); p != nil {
			h, err = nil, fmt.Errorf("the decoder panicked: %v", p)
		}
	}()
	c, err := config(r)
	if err != nil {
		return nil, err
	}
	each := other
	if _, palette := c.ColorModel.(color.Palette); !palette { // which cannot be looked up
		if n, ok := cost[c.ColorModel]; ok {
			each = n
		}
	}
	return &header{format, c.Width, c.Height, each * float64(c.Width) * float64(c.Height), 1}, nil
}

// maxChunks bounds how many chunks of a PNG come before its pixels.
const maxChunks = 1000

// pngHeader reads the chunks before the pixels: whether a picture of greys or colours is decoded
// with an alpha of its own depends on one of them.
func pngHeader(r *reader) (*header, error) {
	var b [8 + 8 + 13]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return nil, err
	}
	if string(b[12:16]) != "IHDR" {
		return nil, fmt.Errorf("%w: a PNG without a header", ErrNoPicture)
	}
	wide, high := binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:])
	if wide > MaxSide || high > MaxSide {
		return nil, fmt.Errorf("%w: %d×%d pixels", ErrTooLarge, wide, high)
	}
	depth, kind, interlaced := b[24], b[25], b[28] != 0
	h := &header{format: "png", width: int(wide), height: int(high), turn: 1}
	clear, err := pngClear(r)
	if err != nil {
		return nil, err
	}
	each := 4.0
	switch {
	case kind == 3, kind == 0 && depth <= 8 && !clear:
		each = 1
	case kind == 0 && !clear:
		each = 2
	case depth == 16:
		each = 8
	}
	if interlaced { // each pass is a picture, too
		each *= 2
	}
	h.memory = each * float64(h.width) * float64(h.height)
	return h, nil
}

// pngClear reports whether a colour of the picture is said to be transparent.
func pngClear(r *reader) (bool, error) {
	at := int64(8 + 8 + 13 + 4)
	for range maxChunks {
		var b [8]byte
		if _, err := r.ReadAt(b[:], at); err != nil {
			return false, err
		}
		switch string(b[4:]) {
		case "tRNS":
			return true, nil
		case "IDAT":
			return false, nil
		}
		at += 8 + int64(binary.BigEndian.Uint32(b[:])) + 4
	}
	return false, fmt.Errorf("%w: a PNG with too many chunks", ErrNoPicture)
}

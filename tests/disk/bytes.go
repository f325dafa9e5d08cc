package disk

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// Random is n bytes that look random and are the same for a seed.
func Random(n int, seed uint64) []byte {
	b := make([]byte, n)
	for i := range b {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		b[i] = byte(seed)
	}
	return b
}

// OnePixel is the smallest picture.
var OnePixel = Picture(1, 1, color.White)

// Picture is a PNG of one colour.
func Picture(w, h int, c color.Color) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, Painted(w, h, c)); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func Painted(w, h int, c color.Color) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	return img
}

// PNGBomb is a PNG that says it has 50,000×50,000 pixels.
func PNGBomb() []byte {
	b := bytes.Clone(Picture(8, 8, color.Black))
	copy(b[16:], "\x00\x00\xc3\x50\x00\x00\xc3\x50")
	return b
}

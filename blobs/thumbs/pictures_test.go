package thumbs

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/tiff"
)

var (
	red   = color.NRGBA{255, 0, 0, 255}
	blue  = color.NRGBA{0, 0, 255, 255}
	green = color.NRGBA{0, 128, 0, 255}
)

// flag is a picture whose top left quarter is red, whose top right one is green and whose lower
// half is blue.
func flag(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			switch {
			case y >= h/2:
				img.SetNRGBA(x, y, blue)
			case x < w/2:
				img.SetNRGBA(x, y, red)
			default:
				img.SetNRGBA(x, y, green)
			}
		}
	}
	return img
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asGIF(t testing.TB, frames ...image.Image) []byte {
	t.Helper()
	g := &gif.GIF{}
	for _, f := range frames {
		p := image.NewPaletted(f.Bounds(), color.Palette{red, green, blue, color.Black})
		for y := range f.Bounds().Dy() {
			for x := range f.Bounds().Dx() {
				p.Set(x, y, f.At(x, y))
			}
		}
		g.Image, g.Delay = append(g.Image, p), append(g.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asTIFF(t testing.TB, img image.Image, c tiff.CompressionType) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tiff.Encode(&b, img, &tiff.Options{Compression: c}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// asWebP is a WebP of one colour: a lossless bit stream in which each channel has a code of a
// single symbol, so that the pixels take no bits.
func asWebP(w, h int, c color.NRGBA) []byte {
	var bits uint64
	var n uint
	var out []byte
	put := func(v uint64, width uint) {
		bits |= v << n
		for n += width; n >= 8; n -= 8 {
			out, bits = append(out, byte(bits)), bits>>8
		}
	}
	put(0x2f, 8)
	put(uint64(w-1), 14)
	put(uint64(h-1), 14)
	put(1, 1) // alpha
	put(0, 3) // version
	put(0, 1) // no transformation
	put(0, 1) // no cache of colours
	put(0, 1) // one group of codes
	for _, v := range []uint8{c.G, c.R, c.B, c.A, 0} {
		put(1, 1) // a simple code
		put(0, 1) // of one symbol
		put(1, 1) // of eight bits
		put(uint64(v), 8)
	}
	put(0, 7)
	if len(out)%2 == 1 {
		out = append(out, 0)
	}
	b := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(12+len(out)))...)
	b = append(b, "WEBPVP8L"...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(out))), out...)
}

// bomb is a PNG that says it is w×h and has next to no bytes.
func bomb(w, h uint32, depth, kind byte) []byte {
	chunk := func(name string, data []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		b = append(append(b, name...), data...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, depth, kind, 0, 0, 0))...)
	return append(append(out, chunk("IDAT", []byte("\x78\x9c\x03\x00\x00\x00\x00\x01"))...), chunk("IEND", nil)...)
}

// turned is a JPEG with an EXIF orientation in front.
func turned(b []byte, turn byte) []byte {
	exif := append([]byte("Exif\x00\x00II\x2a\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00"), turn, 0, 0, 0, 0, 0, 0, 0)
	head := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	return append(head, b[2:]...)
}

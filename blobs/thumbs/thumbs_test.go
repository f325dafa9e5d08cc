package thumbs

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/tiff"
)

// made is the thumbnail of a picture.
func made(t *testing.T, what string, data []byte) image.Image {
	t.Helper()
	b, err := Make(t.Context(), bytes.NewReader(data))
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return image.NewNRGBA(image.Rect(0, 0, 1, 1))
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Errorf("%s: the thumbnail is no PNG: %v", what, err)
		return image.NewNRGBA(image.Rect(0, 0, 1, 1))
	}
	return img
}

// near reports whether a pixel has a colour but for what compressing does to it.
func near(img image.Image, x, y int, want color.Color) bool {
	r, g, b, a := img.At(x, y).RGBA()
	wr, wg, wb, wa := want.RGBA()
	off := func(p, q uint32) bool { return max(p, q)-min(p, q) > 0x1800 }
	return !off(r, wr) && !off(g, wg) && !off(b, wb) && !off(a, wa)
}

func TestFormats(t *testing.T) {
	paper := image.NewGray16(image.Rect(0, 0, 900, 300))
	for i := range paper.Pix {
		paper.Pix[i] = 0x80
	}
	for name, c := range map[string]struct {
		data []byte
		w, h int
		at   map[image.Point]color.Color
	}{
		"png":              {asPNG(t, flag(1280, 960)), 640, 480, map[image.Point]color.Color{{5, 5}: red, {635, 5}: green, {320, 470}: blue}},
		"small png":        {asPNG(t, flag(40, 20)), 40, 20, map[image.Point]color.Color{{2, 2}: red, {37, 2}: green, {20, 18}: blue}},
		"odd png":          {asPNG(t, flag(1921, 1279)), 640, 426, map[image.Point]color.Color{{5, 5}: red, {635, 5}: green, {320, 420}: blue}},
		"jpeg":             {asJPEG(t, flag(1280, 960)), 640, 480, map[image.Point]color.Color{{5, 5}: red, {635, 5}: green, {320, 470}: blue}},
		"gif":              {asGIF(t, flag(900, 900)), 640, 640, map[image.Point]color.Color{{5, 5}: red, {635, 5}: green, {320, 630}: blue}},
		"moving gif":       {asGIF(t, flag(60, 40), image.NewNRGBA(image.Rect(0, 0, 60, 40))), 60, 40, map[image.Point]color.Color{{2, 2}: red}},
		"webp":             {asWebP(2000, 1000, green), 640, 320, map[image.Point]color.Color{{0, 0}: green, {639, 319}: green}},
		"tiff":             {asTIFF(t, flag(1280, 960), tiff.Uncompressed), 640, 480, map[image.Point]color.Color{{5, 5}: red, {635, 5}: green}},
		"deflated tiff":    {asTIFF(t, flag(1280, 960), tiff.Deflate), 640, 480, map[image.Point]color.Color{{5, 5}: red, {320, 470}: blue}},
		"grey 16 bit tiff": {asTIFF(t, paper, tiff.Uncompressed), 640, 213, map[image.Point]color.Color{{100, 100}: color.Gray{0x80}}},
		"grey 16 bit png":  {asPNG(t, paper), 640, 213, map[image.Point]color.Color{{100, 100}: color.Gray{0x80}}},
		"wide":             {asPNG(t, image.NewGray(image.Rect(0, 0, 20_000, 1))), 640, 1, nil},
		"high":             {asPNG(t, image.NewGray(image.Rect(0, 0, 3, 29_999))), 1, 640, nil},
		"one pixel":        {asPNG(t, flag(1, 1)), 1, 1, map[image.Point]color.Color{{0, 0}: blue}},
		"clear":            {asPNG(t, image.NewNRGBA(image.Rect(0, 0, 1300, 1300))), 640, 640, map[image.Point]color.Color{{9, 9}: color.NRGBA{}}},
	} {
		img := made(t, name, c.data)
		if b := img.Bounds(); b.Dx() != c.w || b.Dy() != c.h {
			t.Errorf("%s: %v, want %d×%d", name, b, c.w, c.h)
		}
		for p, want := range c.at {
			if !near(img, p.X, p.Y, want) {
				t.Errorf("%s: %v at %v, want %v", name, img.At(p.X, p.Y), p, want)
			}
		}
	}
}

// CIPA DC-008, 4.6.5: where the first row and column of the file belong.
func TestOrientation(t *testing.T) {
	plain := asJPEG(t, flag(320, 160))
	for turn, want := range map[byte][4]color.Color{ // top left, top right, bottom left, bottom right
		0: {red, green, blue, blue}, 1: {red, green, blue, blue}, 2: {green, red, blue, blue},
		3: {blue, blue, green, red}, 4: {blue, blue, red, green}, 5: {red, blue, green, blue},
		6: {blue, red, blue, green}, 7: {blue, green, blue, red}, 8: {green, blue, red, blue}, 9: {red, green, blue, blue},
	} {
		img := made(t, "turned", turned(plain, turn))
		b := img.Bounds()
		if lying := turn >= 5 && turn <= 8; lying != (b.Dy() == 320) {
			t.Errorf("orientation %d: %v", turn, b)
		}
		for i, p := range []image.Point{{8, 8}, {b.Dx() - 8, 8}, {8, b.Dy() - 8}, {b.Dx() - 8, b.Dy() - 8}} {
			if !near(img, p.X, p.Y, want[i]) {
				t.Errorf("orientation %d: corner %d is %v, want %v", turn, i, img.At(p.X, p.Y), want[i])
			}
		}
	}
}

// A too large picture is refused by its header, other bytes by their content (security.md F25).
func TestRefused(t *testing.T) {
	whole := asPNG(t, flag(200, 100))
	huge := asJPEG(t, flag(16, 16))
	frame := bytes.Index(huge, []byte{0xff, 0xc0}) + 5
	copy(huge[frame:], []byte{0xff, 0xff, 0xff, 0xff})
	wide := asGIF(t, flag(8, 8))
	copy(wide[6:], []byte{0xff, 0xff, 0xff, 0xff})
	var progressive = asJPEG(t, flag(16, 16))
	progressive[bytes.Index(progressive, []byte{0xff, 0xc0})+1] = 0xc2
	copy(progressive[frame:], []byte{0x18, 0x00, 0x18, 0x00}) // 6144×6144, less than 50 megapixels
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"bomb":              {bomb(50_000, 50_000, 8, 2), ErrTooLarge},
		"bomb of sides":     {bomb(1, 30_001, 1, 0), ErrTooLarge},
		"bomb of memory":    {bomb(7000, 7000, 16, 6), ErrTooLarge},
		"largest header":    {bomb(0xffffffff, 0xffffffff, 8, 6), ErrTooLarge},
		"jpeg bomb":         {huge, ErrTooLarge},
		"progressive bomb":  {progressive, ErrTooLarge},
		"gif bomb":          {wide, ErrTooLarge},
		"webp bomb":         {asWebP(16_384, 16_384, red), ErrTooLarge},
		"empty":             {nil, ErrNoPicture},
		"text":              {[]byte("a,b\n1,2\n"), ErrNoPicture},
		"svg":               {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), ErrNoPicture},
		"no pixels":         {bomb(0, 10, 8, 2), ErrNoPicture},
		"promises too much": {bomb(10, 10, 8, 2), ErrNoPicture},
		"truncated":         {whole[:len(whole)/2], ErrNoPicture},
		"head only":         {whole[:33], ErrNoPicture},
		"truncated jpeg":    {asJPEG(t, flag(500, 500))[:700], ErrNoPicture},
		"jpeg of padding":   {append([]byte{0xff, 0xd8}, bytes.Repeat([]byte{0xff}, 5000)...), ErrNoPicture},
		"tiff loop":         {[]byte("II\x2a\x00\x08\x00\x00\x00\x00\x00\x08\x00\x00\x00"), ErrNoPicture},
		"webp head":         {asWebP(10, 10, red)[:20], ErrNoPicture},
	} {
		start := time.Now()
		b, err := Make(t.Context(), bytes.NewReader(c.data))
		if !errors.Is(err, c.want) || b != nil || !strings.HasPrefix(err.Error(), "cannot ") {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// Reading stops with the context, and an error of the disk is none of the picture's.
func TestReading(t *testing.T) {
	data := asPNG(t, flag(300, 300))
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := Make(ctx, bytes.NewReader(data)); !errors.Is(err, why) || Final(err) {
		t.Error(err)
	}
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := Make(t.Context(), f); err == nil || Final(err) {
		t.Errorf("a directory: %v", err)
	}
	for name, r := range map[string]*reader{
		"bytes": {src: bytes.NewReader(data), ctx: t.Context(), left: 100, until: time.Now().Add(time.Hour)},
		"time":  {src: bytes.NewReader(data), ctx: t.Context(), left: MaxRead, until: time.Now()},
	} {
		_, err := (&header{format: "png"}).decode(r)
		if err := r.verdict(err); !errors.Is(err, ErrTooLarge) {
			t.Errorf("bound of %s: %v", name, err)
		}
	}
	if _, err := (&header{format: "png"}).decode(nil); err == nil {
		t.Error("a panic went unnoticed")
	}
}

func FuzzMake(f *testing.F) {
	f.Add(asPNG(f, flag(20, 10)))
	f.Add(turned(asJPEG(f, flag(20, 10)), 6))
	f.Add(asGIF(f, flag(20, 10)))
	f.Add(asWebP(20, 10, red))
	f.Add(asTIFF(f, flag(20, 10), tiff.Deflate))
	f.Add(bomb(50_000, 50_000, 8, 2))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := readHeader(&reader{src: bytes.NewReader(data), ctx: t.Context(), left: MaxRead, until: time.Now().Add(time.Minute)})
		if err != nil || h.memory > 4<<20 {
			return // the fuzzer is to look for more than slow ones
		}
		b, err := Make(t.Context(), bytes.NewReader(data))
		if err != nil {
			if !Final(err) {
				t.Errorf("what came from the picture is told as a fault: %v", err)
			}
			return
		}
		c, err := png.DecodeConfig(bytes.NewReader(b))
		if err != nil || c.Width < 1 || c.Height < 1 || max(c.Width, c.Height) > Side {
			t.Errorf("a thumbnail of %d×%d, %v", c.Width, c.Height, err)
		}
	})
}

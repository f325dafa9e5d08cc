package samples

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strconv"
)

// canvas is a small picture in few colours that lines and numbers are drawn on.
type canvas struct{ *image.Paletted }

// The colours of every canvas, by position in its palette.
const (
	paper = iota
	rule
	ink
	pale
	strong
)

func newCanvas(width, height int) canvas {
	return canvas{image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{
		paper:  color.RGBA{0xff, 0xff, 0xff, 0xff},
		rule:   color.RGBA{0xdd, 0xe2, 0xe6, 0xff},
		ink:    color.RGBA{0x33, 0x3d, 0x47, 0xff},
		pale:   color.RGBA{0x9c, 0xc9, 0xdd, 0xff},
		strong: color.RGBA{0x0b, 0x5c, 0x8a, 0xff},
	})}
}

// block fills the rectangle with its upper left corner at x, y. Points outside the picture are
// left out.
func (c canvas) block(x, y, width, height int, colour uint8) {
	area := image.Rect(x, y, x+width, y+height).Intersect(c.Bounds())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c.SetColorIndex(x, y, colour)
		}
	}
}

// stroke joins two points of a curve that are at most a column apart: it fills
// from the one height to the other, thick pixels wide.
func (c canvas) stroke(x, y0, y1, thick int, colour uint8) {
	c.block(x, min(y0, y1), thick, max(y0, y1)-min(y0, y1)+thick, colour)
}

// glyphs are 3 by 5 pixels; a row is three bits, the left pixel the highest.
var glyphs = map[rune][5]uint8{
	'0': {7, 5, 5, 5, 7}, '1': {2, 6, 2, 2, 7}, '2': {7, 1, 7, 4, 7}, '3': {7, 1, 7, 1, 7},
	'4': {5, 5, 7, 1, 1}, '5': {7, 4, 7, 1, 7}, '6': {7, 4, 7, 5, 7}, '7': {7, 1, 2, 2, 2},
	'8': {7, 5, 7, 5, 7}, '9': {7, 5, 7, 1, 7}, '°': {6, 6, 0, 0, 0}, 'C': {7, 4, 4, 4, 7},
}

// label writes s, which is made of the glyphs above, in letters of 5 times scale
// pixels height.
func (c canvas) label(x, y, scale int, s string) {
	for _, r := range s {
		for row, bits := range glyphs[r] {
			for column := range 3 {
				if bits>>(2-column)&1 == 1 {
					c.block(x+column*scale, y+row*scale, scale, scale, ink)
				}
			}
		}
		x += 4 * scale
	}
}

// encode returns the picture as PNG.
func encode(m image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// pondChart draws the ten simulated years: three days share a column of pixels.
func pondChart() ([]byte, error) {
	const left, top, height, perDegree = 70, 30, 500, 20
	days := pond()
	width := len(days) / 3
	c := newCanvas(left+width+30, top+height+50)
	c.block(0, 0, c.Bounds().Dx(), c.Bounds().Dy(), paper)

	for degrees := 0; degrees <= 25; degrees += 5 {
		y := top + height - degrees*perDegree
		c.block(left, y, width, 1, rule)
		c.label(left-36, y-7, 3, strconv.Itoa(degrees))
	}
	c.label(left-36, top-28, 3, "°C")
	for i, r := range days {
		if r.day.YearDay() == 1 {
			x := left + i/3
			c.block(x, top, 1, height, rule)
			c.label(x+36, top+height+18, 3, strconv.Itoa(r.day.Year()))
		}
	}

	at := func(celsius float64) int { return top + height - int(celsius*perDegree) }
	for i := 1; i < len(days); i++ {
		c.stroke(left+i/3, at(days[i-1].celsius), at(days[i].celsius), 1, pale)
	}
	const half = 15 // days on each side of a mean of 31
	mean := func(i int) float64 {
		sum := 0.0
		for _, r := range days[i-half : i+half+1] {
			sum += r.celsius
		}
		return sum / (2*half + 1)
	}
	for i := half + 1; i < len(days)-half; i++ {
		c.stroke(left+i/3, at(mean(i-1)), at(mean(i)), 3, strong)
	}
	c.block(left, top+height, width, 2, ink)
	return encode(c)
}

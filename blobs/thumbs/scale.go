package thumbs

import (
	"context"
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

// shrink fits a picture into side×side and turns it upright. It first takes the mean of whole
// boxes of pixels, until the picture is less than twice too large, and then scales the rest: that
// looks at every pixel once, takes no memory to speak of and leaves no jagged edges.
func shrink(ctx context.Context, img image.Image, turn, side int) (image.Image, error) {
	wide, high := fit(img.Bounds().Dx(), img.Bounds().Dy(), side)
	coarse, err := means(ctx, pixels(img), wide, high)
	if err != nil {
		return nil, err
	}
	small := image.NewNRGBA(image.Rect(0, 0, wide, high))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), coarse, coarse.Bounds(), draw.Src, nil)
	return upright(small, turn), nil
}

// fit is the size of a thumbnail.
func fit(wide, high, side int) (int, int) {
	longest := max(wide, high)
	if longest <= side {
		return wide, high
	}
	scaled := func(n int) int { return max(1, (n*side+longest/2)/longest) }
	return scaled(wide), scaled(high)
}

// pixels gives access to the pixels without an allocation for each.
func pixels(img image.Image) image.RGBA64Image {
	if p, ok := img.(image.RGBA64Image); ok {
		return p
	}
	return slow{img}
}

// slow is a picture of a kind that the standard library does not have.
type slow struct{ image.Image }

func (s slow) RGBA64At(x, y int) color.RGBA64 {
	r, g, b, a := s.At(x, y).RGBA()
	return color.RGBA64{uint16(r), uint16(g), uint16(b), uint16(a)}
}

// means shrinks a picture by whole numbers to less than twice a size, or not at all.
func means(ctx context.Context, img image.RGBA64Image, wide, high int) (image.Image, error) {
	b := img.Bounds()
	across, down := max(1, b.Dx()/wide), max(1, b.Dy()/high)
	if across == 1 && down == 1 {
		return img, nil
	}
	out := image.NewRGBA(image.Rect(0, 0, (b.Dx()+across-1)/across, (b.Dy()+down-1)/down))
	sums := make([][4]uint64, out.Rect.Dx())
	for row := range out.Rect.Dy() {
		clear(sums)
		top := b.Min.Y + row*down
		bottom := min(top+down, b.Max.Y)
		for y := top; y < bottom; y++ {
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			for x := range b.Dx() {
				c, s := img.RGBA64At(b.Min.X+x, y), &sums[x/across]
				s[0] += uint64(c.R)
				s[1] += uint64(c.G)
				s[2] += uint64(c.B)
				s[3] += uint64(c.A)
			}
		}
		for x, s := range sums {
			n := uint64(min((x+1)*across, b.Dx())-x*across) * uint64(bottom-top)
			mean := func(i int) uint8 { return uint8(s[i] / n >> 8) }
			out.SetRGBA(x, row, color.RGBA{mean(0), mean(1), mean(2), mean(3)})
		}
	}
	return out, nil
}

// upright turns a picture as its EXIF orientation says.
func upright(in *image.NRGBA, turn int) *image.NRGBA {
	if turn <= 1 {
		return in
	}
	w, h := in.Rect.Dx(), in.Rect.Dy()
	from := map[int]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return w - 1 - x, y },
		3: func(x, y int) (int, int) { return w - 1 - x, h - 1 - y },
		4: func(x, y int) (int, int) { return x, h - 1 - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, h - 1 - x },
		7: func(x, y int) (int, int) { return w - 1 - y, h - 1 - x },
		8: func(x, y int) (int, int) { return w - 1 - y, x },
	}[turn]
	size := image.Rect(0, 0, w, h)
	if turn >= 5 { // lying on its side
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewNRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			out.SetNRGBA(x, y, in.NRGBAAt(from(x, y)))
		}
	}
	return out
}

package samples

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math"
)

func pictures() []Item {
	return []Item{
		{
			Title: "The Mandelbrot set, 640 × 480 points",
			Description: `<p>The points <i>c</i> of the complex plane from −2.2 to 1.0 and from −1.2<i>i</i> to 1.2<i>i</i> for which ` +
				`<i>z</i> → <i>z</i>² + <i>c</i> stays small for 200 steps, in black; the others by the step in which |<i>z</i>| passed 2.</p>` +
				`<p><em>Computed for demonstration; anybody can draw the same.</em></p>`,
			Tags:        []string{"fractal", "Mandelbrot set", "complex numbers"},
			References:  []string{"https://doi.org/10.1111/j.1749-6632.1980.tb29690.x"},
			CategoryIDs: []int64{490409, 460702},
			DefinedType: "figure",
			LicenseID:   2,
			Authors:     []string{"Ipsum Loremsen"},
			Files:       []File{{Name: "mandelbrot-640x480.png", Data: mandelbrot}},
			Publish:     true,
		},
		{
			Title: "Stars over Vell: a map of an invented sky",
			Description: `<p>Four hundred stars that nobody will ever see, scattered by a seeded generator, brighter ones rarer by a factor of about three a magnitude. ` +
				`The map looks straight up from the island of Vell: the zenith is in the middle, the rim is 5° above the horizon.</p>` +
				`<ul><li><code>stars.tsv</code>: azimuth (°), altitude (°), magnitude</li><li><code>star-map.png</code>: the same as a picture</li></ul>` +
				`<p><em>Synthetic data, made for demonstration.</em></p>`,
			Tags:         []string{"star map", "astronomy", "synthetic data"},
			CategoryIDs:  []int64{510109, 5101},
			DefinedType:  "figure",
			LicenseID:    1,
			Authors:      []string{"Séraphine Buvard", "Ipsum Loremsen"},
			CustomFields: []Field{{"Faintest magnitude", "6.0 mag"}, {"Projection", "azimuthal equidistant"}},
			Files: []File{
				{Name: "star-map.png", Data: starMap},
				{Name: "stars.tsv", Data: starTable},
			},
			Owner:   1,
			Publish: true,
		},
		{
			Title: "Test chart: 65,536 greys in one picture",
			Description: `<p>A PNG picture of 256 × 256 points with 16 bits of grey, each value once, to see what a viewer or a thumbnail makes of more than 8 bits.</p>` +
				`<p><em>Made for demonstration.</em></p>`,
			Tags:        []string{"test chart", "greyscale", "16 bit"},
			CategoryIDs: []int64{460306},
			DefinedType: "figure",
			LicenseID:   2,
			Authors:     []string{"Fenella Inkwell"},
			Files:       []File{{Name: "grey16.png", Data: greys}},
			Publish:     true,
		},
		{
			Title: "A glider on a torus (Game of Life)",
			Description: `<p>An animation in 96 steps: the glider of Conway's Game of Life crosses a field of 24 × 24 cells whose edges are joined, ` +
				`and arrives where it started, so that the film has no end.</p><p><em>Computed for demonstration.</em></p>`,
			Tags:        []string{"cellular automaton", "Game of Life", "animation"},
			References:  []string{"https://doi.org/10.1038/scientificamerican1070-120"},
			CategoryIDs: []int64{490105},
			DefinedType: "media",
			LicenseID:   2,
			Authors:     []string{"Tobias Nullstein"},
			Files:       []File{{Name: "glider.gif", Data: glider}},
			Publish:     true,
		},
	}
}

func mandelbrot() ([]byte, error) {
	const width, height, steps = 640, 480, 200
	palette := make(color.Palette, steps+1)
	for i := range steps {
		t := math.Sqrt(float64(i) / steps)
		palette[i] = color.RGBA{uint8(9 + 246*t*t), uint8(20 + 200*t), uint8(60 + 150*math.Sin(math.Pi*t)), 0xff}
	}
	palette[steps] = color.RGBA{0, 0, 0, 0xff}
	m := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	for py := range height {
		y := 1.2 - 2.4*(float64(py)+0.5)/height
		for px := range width {
			x := -2.2 + 3.2*(float64(px)+0.5)/width
			m.Pix[py*m.Stride+px] = uint8(escape(x, y, steps))
		}
	}
	return encode(m)
}

// escape returns in which step the orbit of 0 leaves the circle of radius 2, or
// limit if it does not within that many.
func escape(x, y float64, limit int) int {
	// The large heart and the disc to its left never escape; testing them
	// first spares most of the work.
	q := (x-0.25)*(x-0.25) + y*y
	if q*(q+x-0.25) <= y*y/4 || (x+1)*(x+1)+y*y <= 1.0/16 {
		return limit
	}
	a, b := 0.0, 0.0
	for i := range limit {
		a, b = a*a-b*b+x, 2*a*b+y
		if a*a+b*b > 4 {
			return i
		}
	}
	return limit
}

// star is one light of the invented sky; angles in degrees.
type star struct{ azimuth, altitude, magnitude float64 }

// stars are spread evenly over the sky from 5° of altitude upwards. A magnitude
// of m or less is met with probability 10^((m-6)/2): a little over three times
// as many stars for each further magnitude.
func stars() []star {
	d := roll(5)
	low := math.Sin(5 * math.Pi / 180)
	all := make([]star, 400)
	for i := range all {
		all[i] = star{
			azimuth:   360 * d.unit(),
			altitude:  math.Asin(low+(1-low)*d.unit()) * 180 / math.Pi,
			magnitude: max(-1.5, 6+2*math.Log10(1-d.unit())),
		}
	}
	return all
}

func starTable() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("star\tazimuth_deg\taltitude_deg\tmagnitude\n")
	for i, s := range stars() {
		fmt.Fprintf(&out, "V%03d\t%.3f\t%.3f\t%.2f\n", i+1, s.azimuth, s.altitude, s.magnitude)
	}
	return out.Bytes(), nil
}

// starMap draws the stars as discs with soft edges on a dark round sky.
func starMap() ([]byte, error) {
	const size, radius = 700, 330.0
	m := image.NewGray(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			grey := uint8(235)
			if math.Hypot(float64(x)-size/2, float64(y)-size/2) < radius+8 {
				grey = 18
			}
			m.SetGray(x, y, color.Gray{grey})
		}
	}
	for _, s := range stars() {
		far := radius * (90 - s.altitude) / 85
		// North is up and, as on every map of the sky, east is left.
		sin, cos := math.Sincos(s.azimuth * math.Pi / 180)
		cx, cy := size/2-far*sin, size/2-far*cos
		disc := 0.6 + 0.7*(6-s.magnitude)
		for y := int(cy - disc - 1); y <= int(cy+disc+1); y++ {
			for x := int(cx - disc - 1); x <= int(cx+disc+1); x++ {
				light := min(1, disc+0.5-math.Hypot(float64(x)-cx, float64(y)-cy))
				if light > 0 {
					m.SetGray(x, y, color.Gray{max(m.GrayAt(x, y).Y, uint8(18+237*light))})
				}
			}
		}
	}
	return encode(m)
}

func greys() ([]byte, error) {
	m := image.NewGray16(image.Rect(0, 0, 256, 256))
	for y := range 256 {
		for x := range 256 {
			m.SetGray16(x, y, color.Gray16{uint16(y<<8 | x)})
		}
	}
	return encode(m)
}

// glider plays 96 generations: the figure moves by one cell in four of them, so
// on a field of 24 it is back after 96.
func glider() ([]byte, error) {
	const n, cell, generations = 24, 8, 4 * 24
	palette := color.Palette{color.RGBA{0xf4, 0xf1, 0xe8, 0xff}, color.RGBA{0x1d, 0x4e, 0x89, 0xff}}
	var now [n][n]bool
	for _, p := range [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}} {
		now[p[0]][p[1]] = true
	}
	film := &gif.GIF{}
	for range generations {
		frame := image.NewPaletted(image.Rect(0, 0, n*cell, n*cell), palette)
		var next [n][n]bool
		for y := range n {
			for x := range n {
				around := 0
				for dy := n - 1; dy <= n+1; dy++ {
					for dx := n - 1; dx <= n+1; dx++ {
						if (dy != n || dx != n) && now[(y+dy)%n][(x+dx)%n] {
							around++
						}
					}
				}
				next[y][x] = around == 3 || around == 2 && now[y][x]
				if !now[y][x] {
					continue
				}
				for i := range (cell - 1) * (cell - 1) {
					frame.SetColorIndex(x*cell+i%(cell-1), y*cell+i/(cell-1), 1)
				}
			}
		}
		film.Image = append(film.Image, frame)
		film.Delay = append(film.Delay, 8) // hundredths of a second
		now = next
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, film); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

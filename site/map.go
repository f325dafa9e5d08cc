package site

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"alcove/site/preview"
)

// mapShown is a map with its words.
type mapShown struct {
	*preview.Map
	About                string // what it shows, for those who do not see it
	Meridians, Parallels []mapLine
}

// mapLine is a meridian or a parallel, in pixels.
type mapLine struct {
	At    int
	Label string
}

func (w *Words) drawn(m *preview.Map) *mapShown {
	if m == nil {
		return nil
	}
	v := &mapShown{Map: m, About: fmt.Sprintf(w.MapText, w.Number(m.Points), w.Number(m.Strings), w.Number(m.Shapes),
		w.degrees(m.West, w.West, w.East), w.degrees(m.East, w.West, w.East), w.degrees(m.South, w.South, w.North), w.degrees(m.North, w.South, w.North))}
	for _, l := range m.Meridians {
		v.Meridians = append(v.Meridians, mapLine{l.At, w.degrees(l.Degrees, w.West, w.East)})
	}
	for _, l := range m.Parallels {
		v.Parallels = append(v.Parallels, mapLine{l.At, w.degrees(l.Degrees, w.South, w.North)})
	}
	return v
}

// degrees is a place on a circle, to a thousandth.
func (w *Words) degrees(n float64, below, above string) string {
	side := above
	if n < 0 {
		side = below
	}
	n = math.Round(math.Abs(n)*1000) / 1000
	text := strings.Replace(strconv.FormatFloat(n, 'f', -1, 64), ".", w.DecimalPoint, 1) + "°"
	if n == 0 {
		return text
	}
	return text + " " + side
}

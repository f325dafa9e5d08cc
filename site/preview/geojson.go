package preview

import (
	"encoding/json"
	"math"
	"strconv"
)

// Map is what GeoJSON (RFC 7946) draws, each degree of longitude as wide as it is at the latitude in the
// middle. Paths are in the language of SVG, in pixels of a picture of Width and Height.
type Map struct {
	Width, Height            int
	Dots, Lines, Areas       string // paths, "" for none
	Meridians, Parallels     []Mark
	West, South, East, North float64 // degrees, of all that is drawn
	Points, Strings, Shapes  int     // how many points, lines and areas are drawn
}

// Mark is a meridian or a parallel: its place in pixels, and its degrees.
type Mark struct {
	At      int
	Degrees float64
}

const (
	mapPoints = 20_000 // of all paths
	mapDepth  = 16     // of collections in one another
	mapWidth  = 960    // pixels
	mapHeight = 600
	mapMargin = 24
	mapLines  = 8 // meridians, and parallels
)

// geoJSON is the tree of a file, and its map where all of it can be drawn.
func geoJSON(f File) (*Preview, error) {
	p, err := jsonTree(f)
	if err != nil || p.Tree == nil {
		return p, err
	}
	b, _, err := head(f, headBytes)
	if err != nil {
		return nil, err
	}
	var root feature
	m := mapping{}
	if json.Unmarshal(b, &root) == nil && m.gather(&root, 0) {
		p.Map = m.draw()
	}
	return p, nil
}

type feature struct {
	Type        string          `json:"type"`
	Features    []feature       `json:"features"`
	Geometry    *feature        `json:"geometry"`
	Geometries  []feature       `json:"geometries"`
	Coordinates json.RawMessage `json:"coordinates"`
}

// mapping gathers what is drawn: parts that consist of positions in degrees.
type mapping struct {
	points, lines [][][]float64
	areas         [][][][]float64 // rings, the first of which is the outer one
}

// gather takes a feature in, and reports whether it could be read.
func (m *mapping) gather(f *feature, depth int) bool {
	if f == nil {
		return true // a feature without a place
	}
	if depth > mapDepth {
		return false
	}
	switch f.Type {
	case "FeatureCollection", "GeometryCollection":
		for i := range f.Features {
			if !m.gather(&f.Features[i], depth+1) {
				return false
			}
		}
		for i := range f.Geometries {
			if !m.gather(&f.Geometries[i], depth+1) {
				return false
			}
		}
		return true
	case "Feature":
		return m.gather(f.Geometry, depth+1)
	case "Point":
		var p []float64
		ok := json.Unmarshal(f.Coordinates, &p) == nil
		m.points = append(m.points, [][]float64{p})
		return ok
	case "MultiPoint", "LineString":
		var l [][]float64
		ok := json.Unmarshal(f.Coordinates, &l) == nil
		if f.Type == "LineString" {
			m.lines = append(m.lines, l)
		} else {
			m.points = append(m.points, l)
		}
		return ok
	case "MultiLineString", "Polygon":
		var rings [][][]float64
		ok := json.Unmarshal(f.Coordinates, &rings) == nil
		if f.Type == "Polygon" {
			m.areas = append(m.areas, rings)
		} else {
			m.lines = append(m.lines, rings...)
		}
		return ok
	case "MultiPolygon":
		var areas [][][][]float64
		ok := json.Unmarshal(f.Coordinates, &areas) == nil
		m.areas = append(m.areas, areas...)
		return ok
	}
	return false
}

// all are the parts, whatever they are.
func (m *mapping) all() [][][]float64 {
	parts := append(append([][][]float64{}, m.points...), m.lines...)
	for _, rings := range m.areas {
		parts = append(parts, rings...)
	}
	return parts
}

// draw is the map, nil where a position is none on Earth, or where there is nothing or too much.
func (m *mapping) draw() *Map {
	d := &Map{West: math.Inf(1), South: math.Inf(1), East: math.Inf(-1), North: math.Inf(-1)}
	for _, part := range m.all() {
		for _, p := range part {
			if len(p) < 2 || math.Abs(p[0]) > 360 || math.Abs(p[1]) > 90 {
				return nil
			}
			d.West, d.East = min(d.West, p[0]), max(d.East, p[0])
			d.South, d.North = min(d.South, p[1]), max(d.North, p[1])
		}
	}
	if d.West > d.East {
		return nil
	}
	plot := newPlot(d)
	for _, part := range m.points {
		d.Points += len(part)
		plot.dots(part)
	}
	d.Dots = plot.take()
	for _, part := range m.lines {
		d.Strings++
		plot.line(part, false)
	}
	d.Lines = plot.take()
	for _, rings := range m.areas {
		d.Shapes++
		for _, ring := range rings {
			plot.line(ring, true)
		}
	}
	d.Areas = plot.take()
	if plot.count > mapPoints {
		return nil
	}
	return d
}

// plot turns degrees into paths.
type plot struct {
	west, north, x, y float64 // pixels a degree
	path              []byte
	count             int
	seen              map[[2]int]bool
}

// newPlot sets the size of a map, and its meridians and parallels.
func newPlot(d *Map) *plot {
	wide, high := max(d.East-d.West, 0.01), max(d.North-d.South, 0.01)
	squeeze := max(math.Cos((d.North+d.South)/2*math.Pi/180), 0.05)
	y := min((mapWidth-2*mapMargin)/(wide*squeeze), (mapHeight-2*mapMargin)/high)
	x := y * squeeze
	d.Width, d.Height = max(int(wide*x)+2*mapMargin, 320), max(int(high*y)+2*mapMargin, 160)
	p := &plot{x: x, y: y, seen: map[[2]int]bool{}}
	p.west = (d.West+d.East)/2 - float64(d.Width)/2/x
	p.north = (d.North+d.South)/2 + float64(d.Height)/2/y
	for _, degrees := range between(p.west, p.west+float64(d.Width)/x, 360) {
		d.Meridians = append(d.Meridians, Mark{int((degrees - p.west) * x), degrees})
	}
	for _, degrees := range between(p.north-float64(d.Height)/y, p.north, 90) {
		d.Parallels = append(d.Parallels, Mark{int((p.north - degrees) * y), degrees})
	}
	return p
}

// between are round degrees between two others, of at most so many.
func between(from, to, most float64) (list []float64) {
	for _, step := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45, 90, 180} {
		if (to-from)/step > mapLines {
			continue
		}
		for n := math.Ceil(from / step); n*step <= to; n++ {
			if math.Abs(n*step) <= most {
				list = append(list, math.Round(n*step*1000)/1000)
			}
		}
		return list
	}
	return nil
}

func (p *plot) at(position []float64) (x, y int) {
	return int(math.Round((position[0] - p.west) * p.x)), int(math.Round((p.north - position[1]) * p.y))
}

func (p *plot) take() string {
	path := string(p.path)
	p.path = p.path[:0]
	return path
}

// write adds a step to the path, while there are not too many.
func (p *plot) write(command byte, x, y int) {
	if p.count++; p.count <= mapPoints {
		p.path = strconv.AppendInt(append(p.path, command), int64(x), 10)
		p.path = strconv.AppendInt(append(p.path, ' '), int64(y), 10)
	}
}

// dots draws points, each pixel once.
func (p *plot) dots(part [][]float64) {
	for _, position := range part {
		x, y := p.at(position)
		if p.count > mapPoints || p.seen[[2]int{x, y}] {
			continue
		}
		p.seen[[2]int{x, y}] = true
		p.write('M', x, y)
		p.path = append(p.path, "h0"...)
	}
}

// line draws positions one after another, without those that do not leave a pixel.
func (p *plot) line(part [][]float64, closed bool) {
	lastX, lastY := 0, 0
	for i, position := range part {
		x, y := p.at(position)
		switch {
		case i == 0:
			p.write('M', x, y)
		case x != lastX || y != lastY:
			p.write('l', x-lastX, y-lastY)
		}
		lastX, lastY = x, y
	}
	if closed && len(part) > 0 && p.count <= mapPoints {
		p.path = append(p.path, 'z')
	}
}

package samples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

func island() []Item {
	return []Item{
		{
			Title: "The island of Vell: coast, springs and paths of a place that is not there",
			Description: `<p>An invented island, put at 0° N 0° E, where there is only sea. One GeoJSON file (WGS&nbsp;84, degrees) with the coast as a polygon, ` +
				`two paths as lines and four springs as points, whose yield is given in L/min, and the same as an SVG drawing.</p>` +
				`<p><em>Synthetic data, made for demonstration.</em></p>`,
			Tags:        []string{"GeoJSON", "map", "island", "synthetic data"},
			References:  []string{"https://doi.org/10.17487/RFC7946"},
			CategoryIDs: []int64{401302, 401301},
			DefinedType: "dataset",
			LicenseID:   1,
			Authors:     []string{"Łucja Żabińska", "Nguyễn Hư Cấu"},
			Files: []File{
				{Name: "vell.geojson", FolderPath: "map", Data: vellGeoJSON},
				{Name: "vell.svg", FolderPath: "map/drawing", Data: vellSVG},
				{Name: "README.txt", Data: fixed("vell-readme.txt")},
			},
			Owner:   1,
			Publish: true,
		},
		{
			Title: "Sea-surface height in Vell Bay over two tides (simulated grid)",
			Description: `<p>A small netCDF file in the classic format: height of the sea surface (m) every hour for 25&nbsp;h, ` +
				`on 12 × 16 points 0.005° and 0.01° apart. The tide is one wave of 12.42&nbsp;h written down as a formula.</p>` +
				`<p><em>Synthetic data, made for demonstration; not for navigation, not even by imaginary ships.</em></p>`,
			Tags:         []string{"netCDF", "tide", "sea level", "synthetic data"},
			References:   []string{"https://doi.org/10.5065/D6H70CW6"},
			CategoryIDs:  []int64{370803},
			DefinedType:  "dataset",
			LicenseID:    2,
			Authors:      []string{"Nguyễn Hư Cấu", "Søren Papirhav"},
			Funding:      "Society for Seas That Are Not There (self-entered, invented)",
			CustomFields: []Field{{"Time step", "1 h"}, {"Grid spacing", "0.005° × 0.01°"}},
			Files:        []File{{Name: "vell-bay-height.nc", Data: vellBay}},
			Owner:        1,
			Publish:      true,
		},
	}
}

// place is a longitude and a latitude in degrees, in this order as in GeoJSON.
type place [2]float64

// at is the place in a direction from the island's middle, at a distance in
// degrees; five decimals are about a metre.
func at(angle, distance float64) place {
	sin, cos := math.Sincos(angle)
	return place{math.Round(distance*cos*1e5) / 1e5, math.Round(distance*sin*1e5) / 1e5}
}

// coast is a closed ring of 121 places, the last equal to the first, anticlockwise as RFC 7946,
// 3.1.6 asks for an outer ring.
func coast() []place {
	ring := make([]place, 0, 121)
	for i := range 120 {
		a := 2 * math.Pi * float64(i) / 120
		ring = append(ring, at(a, 0.05+0.009*math.Sin(3*a+1)+0.005*math.Cos(5*a)+0.0015*math.Sin(17*a)))
	}
	return append(ring, ring[0])
}

// feature is one thing on the map. Coordinates is a place, a line of places or
// a list of rings, as kind has it.
type feature struct {
	name        string
	kind        string // GeoJSON's name of the geometry
	coordinates any
	litres      float64 // a minute, of a spring
}

func vell() []feature {
	all := []feature{{name: "Coast of Vell", kind: "Polygon", coordinates: [][]place{coast()}}}
	for i, name := range []string{"Ridge path", "Shore path"} {
		var line []place
		for j := range 25 {
			a := float64(i)*2.5 + 0.09*float64(j)
			line = append(line, at(a, 0.012+0.016*float64(i)+0.004*math.Sin(4*a)))
		}
		all = append(all, feature{name: name, kind: "LineString", coordinates: line})
	}
	for i, name := range []string{"Cold Spring", "Deep Well", "Źródełko", "Moss Spring"} {
		all = append(all, feature{name: name, kind: "Point",
			coordinates: at(0.7+1.6*float64(i), 0.02+0.004*float64(i)), litres: 3.5 + 2.25*float64(i)})
	}
	return all
}

func vellGeoJSON() ([]byte, error) {
	type geometry struct {
		Type        string `json:"type"`
		Coordinates any    `json:"coordinates"`
	}
	type properties struct {
		Name   string  `json:"name"`
		Litres float64 `json:"yield_l_per_min,omitempty"`
	}
	type member struct {
		Type       string     `json:"type"`
		Properties properties `json:"properties"`
		Geometry   geometry   `json:"geometry"`
	}
	var members []member
	for _, f := range vell() {
		members = append(members, member{"Feature", properties{f.name, f.litres}, geometry{f.kind, f.coordinates}})
	}
	return json.Marshal(struct {
		Type     string   `json:"type"`
		Features []member `json:"features"`
	}{"FeatureCollection", members})
}

// vellSVG draws the same features, a thousandth of a degree to 5 units, north up.
func vellSVG() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-350 -350 700 700" font-family="sans-serif" font-size="18">` + "\n" +
		`<title>The island of Vell (invented)</title>` + "\n" +
		`<rect x="-350" y="-350" width="700" height="700" fill="#cfe6f2"/>` + "\n")
	points := func(line []place) {
		for _, p := range line {
			fmt.Fprintf(&out, "%.1f,%.1f ", 5000*p[0], -5000*p[1])
		}
	}
	for _, f := range vell() {
		switch c := f.coordinates.(type) {
		case [][]place:
			out.WriteString(`<polygon fill="#e9e2c4" stroke="#6b6246" stroke-width="2" points="`)
			points(c[0])
			out.WriteString(`"/>` + "\n")
		case []place:
			out.WriteString(`<polyline fill="none" stroke="#9a5b32" stroke-width="2" stroke-dasharray="6 4" points="`)
			points(c)
			out.WriteString(`"/>` + "\n")
		case place:
			x, y := 5000*c[0], -5000*c[1]
			fmt.Fprintf(&out, `<circle cx="%.1f" cy="%.1f" r="6" fill="#1d6fa5"/><text x="%.1f" y="%.1f">%s</text>`+"\n",
				x, y, x+10, y+6, f.name)
		}
	}
	out.WriteString("</svg>\n")
	return out.Bytes(), nil
}

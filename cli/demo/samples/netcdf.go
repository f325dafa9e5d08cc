package samples

import (
	"bytes"
	"encoding/binary"
	"math"
)

// A grid is what a small netCDF file holds: named axes, and variables of float
// numbers over them. It is written in the classic format (CDF-1) of the netCDF
// User's Guide, appendix "File Format Specifications": everything big-endian and
// padded to four bytes, no record dimension.
type grid struct {
	axes       []axis
	attributes []Field // of the whole file; text only
	variables  []variable
}

type axis struct {
	name   string
	length int
}

type variable struct {
	name       string
	axes       []int // positions in the grid's axes, the slowest first
	attributes []Field
	values     []float32 // as many as the lengths of the axes multiplied
}

// The format's tags and its codes of the two types used here.
const (
	ncDimension = 0x0a
	ncVariable  = 0x0b
	ncAttribute = 0x0c
	ncChar      = 2
	ncFloat     = 5
)

// bytes returns the file. Its data must lie below 2 GiB, the reach of the
// format's offsets; the grids here are a thousandth of one.
func (g grid) bytes() []byte {
	// The header's length does not depend on the offsets it contains, so it is
	// laid out once with zeros to learn where the data begin.
	start := len(g.header(make([]int, len(g.variables))))
	offsets := make([]int, len(g.variables))
	for i, v := range g.variables {
		offsets[i] = start
		start += 4 * len(v.values)
	}
	out := g.header(offsets)
	for _, v := range g.variables {
		for _, value := range v.values {
			out = binary.BigEndian.AppendUint32(out, math.Float32bits(value))
		}
	}
	return out
}

func (g grid) header(offsets []int) []byte {
	out := []byte("CDF\x01")
	out = appendNumber(out, 0) // records
	out = appendList(out, ncDimension, len(g.axes))
	for _, a := range g.axes {
		out = appendName(out, a.name)
		out = appendNumber(out, a.length)
	}
	out = appendAttributes(out, g.attributes)
	out = appendList(out, ncVariable, len(g.variables))
	for i, v := range g.variables {
		out = appendName(out, v.name)
		out = appendNumber(out, len(v.axes))
		for _, a := range v.axes {
			out = appendNumber(out, a)
		}
		out = appendAttributes(out, v.attributes)
		out = appendNumber(out, ncFloat)
		out = appendNumber(out, 4*len(v.values))
		out = appendNumber(out, offsets[i])
	}
	return out
}

func appendNumber(out []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(out, uint32(n))
}

// appendList opens a list of n things. An empty list is two zeros, whatever it
// would be a list of.
func appendList(out []byte, tag, n int) []byte {
	if n == 0 {
		tag = 0
	}
	return appendNumber(appendNumber(out, tag), n)
}

// appendName writes a length, the bytes of s, and zeros up to a multiple of four.
func appendName(out []byte, s string) []byte {
	out = append(appendNumber(out, len(s)), s...)
	return append(out, bytes.Repeat([]byte{0}, (4-len(s)%4)%4)...)
}

func appendAttributes(out []byte, attributes []Field) []byte {
	out = appendList(out, ncAttribute, len(attributes))
	for _, a := range attributes {
		out = appendName(out, a.Name)
		out = appendNumber(out, ncChar)
		out = appendName(out, a.Value)
	}
	return out
}

// vellBay is the height of the sea in an invented bay: a wave of the half-day
// tide runs in from the west and slows towards the shore in the east.
func vellBay() ([]byte, error) {
	const hours, rows, columns = 25, 12, 16
	times, lats, lons := make([]float32, hours), make([]float32, rows), make([]float32, columns)
	for i := range times {
		times[i] = float32(i)
	}
	for i := range lats {
		lats[i] = float32(i) * 0.005
	}
	for i := range lons {
		lons[i] = -0.2 + float32(i)*0.01
	}
	heights := make([]float32, 0, hours*rows*columns)
	for t := range hours {
		for y := range rows {
			for x := range columns {
				phase := float64(t)/12.42 - math.Pow(float64(x)/columns, 1.5)/4 - float64(y)/rows/20
				swell := 0.7 + 0.3*float64(x)/columns
				heights = append(heights, float32(swell*math.Cos(2*math.Pi*phase)))
			}
		}
	}
	return grid{
		axes: []axis{{"time", hours}, {"lat", rows}, {"lon", columns}},
		attributes: []Field{
			{"Conventions", "CF-1.8"},
			{"title", "Sea-surface height in Vell Bay (simulated)"},
			{"source", "A formula. There is no Vell Bay; made for demonstration."},
		},
		variables: []variable{
			{"time", []int{0}, []Field{
				{"standard_name", "time"}, {"units", "hours since 2024-06-21 00:00:00"}}, times},
			{"lat", []int{1}, []Field{{"standard_name", "latitude"}, {"units", "degrees_north"}}, lats},
			{"lon", []int{2}, []Field{{"standard_name", "longitude"}, {"units", "degrees_east"}}, lons},
			{"zos", []int{0, 1, 2}, []Field{
				{"long_name", "height of the sea surface above its mean"}, {"units", "m"}}, heights},
		},
	}.bytes(), nil
}

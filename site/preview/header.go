package preview

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Field is a line of what a file says of itself.
type Field struct{ Name, Value string }

const fieldsMost = 400

// fitsHeader reads the cards of the first header: 80 characters each, to END (FITS 4.0, 3.3 and 4.1).
func fitsHeader(f File) (*Preview, error) {
	b, _, err := head(f, 2880*36)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(b, []byte("SIMPLE  =")) {
		return nil, ErrBroken
	}
	p := &Preview{}
	for ; len(b) >= 80; b = b[80:] {
		name := strings.TrimSpace(string(b[:8]))
		if name == "END" {
			return p, nil
		}
		if len(p.Fields) == fieldsMost {
			break
		}
		value := strings.TrimSpace(strings.TrimPrefix(string(b[8:80]), "="))
		if name != "" || value != "" {
			p.Fields = append(p.Fields, Field{clean(name, 8), clean(value, 72)})
		}
	}
	p.Cut = true
	return p, nil
}

var netCDFTypes = map[uint32]struct {
	name string
	size int
}{1: {"byte", 1}, 2: {"char", 1}, 3: {"short", 2}, 4: {"int", 4}, 5: {"float", 4}, 6: {"double", 8}}

// netCDFHeader reads dimensions, attributes and variables of the classic formats (NetCDF classic format
// specification: CDF-1 and CDF-2).
func netCDFHeader(f File) (*Preview, error) {
	b, _, err := head(f, headBytes)
	if err != nil {
		return nil, err
	}
	if len(b) < 8 || string(b[:3]) != "CDF" || b[3] != 1 && b[3] != 2 {
		return hdf5(f) // netCDF-4
	}
	r := &netCDF{b: b, wide: b[3] == 2}
	r.at = 8 // behind the number of records
	var dimensions []string
	r.list(10, func(name string) {
		size := fmt.Sprint(r.number())
		if size == "0" {
			size = "unlimited"
		}
		dimensions = append(dimensions, name)
		r.field(name, size)
	})
	r.attributes("")
	r.list(11, func(name string) {
		var of []string
		for range min(r.number(), 1000) {
			if d := r.number(); int(d) < len(dimensions) {
				of = append(of, dimensions[d])
			}
		}
		r.attributes(name + ": ")
		kind := netCDFTypes[r.number()].name
		r.number() // the size of its values
		r.number() // where they begin
		if r.wide {
			r.number()
		}
		r.field(name, kind+"("+strings.Join(of, ", ")+")")
	})
	if len(r.fields) == 0 {
		return nil, ErrBroken
	}
	return &Preview{Fields: r.fields, Cut: r.broken || len(r.fields) == fieldsMost}, nil
}

// netCDF reads a header; after its end everything is zero.
type netCDF struct {
	b      []byte
	at     int
	wide   bool
	broken bool
	fields []Field
}

func (r *netCDF) number() uint32 {
	if r.at+4 > len(r.b) {
		r.broken = true
		return 0
	}
	r.at += 4
	return binary.BigEndian.Uint32(r.b[r.at-4:])
}

// bytes are some bytes, behind which zeros fill up to a multiple of four.
func (r *netCDF) bytes(n uint32) []byte {
	if int64(n) > int64(len(r.b)-r.at) {
		r.broken = true
		return nil
	}
	from := r.at
	r.at = min(from+int(n+3)&^3, len(r.b))
	return r.b[from : from+int(n)]
}

func (r *netCDF) field(name, value string) {
	if len(r.fields) < fieldsMost && !r.broken {
		r.fields = append(r.fields, Field{clean(name, 200), clean(value, 500)})
	}
}

// list reads a list of things of a kind, each with its name.
func (r *netCDF) list(tag uint32, each func(name string)) {
	got, n := r.number(), r.number()
	if got != tag {
		r.broken = r.broken || got != 0 || n != 0
		return
	}
	for i := uint32(0); i < n && !r.broken && len(r.fields) < fieldsMost; i++ {
		each(string(r.bytes(r.number())))
	}
}

func (r *netCDF) attributes(of string) {
	r.list(12, func(name string) {
		kind, n := r.number(), r.number()
		size := netCDFTypes[kind].size
		if size == 0 || int64(n)*int64(size) > int64(len(r.b)) {
			r.broken = true
			return
		}
		value := r.bytes(n * uint32(size))
		if kind == 2 {
			r.field(of+name, string(value))
			return
		}
		r.field(of+name, fmt.Sprintf("%d × %s", n, netCDFTypes[kind].name))
	})
}

// hdf5 names the format, of which no suitable library reads more (HDF5 file format specification, II.A).
func hdf5(f File) (*Preview, error) {
	b, _, err := head(f, 8)
	if err != nil {
		return nil, err
	}
	if string(b) != "\x89HDF\r\n\x1a\n" {
		return nil, ErrBroken
	}
	return &Preview{Fields: []Field{{"HDF5", ""}}}, nil
}

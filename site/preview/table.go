package preview

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// Table is the beginning of a table.
type Table struct {
	Header  []string
	Rows    [][]string // of as many cells as the header
	Columns []Column   // what they hold, in all rows that were read
	Read    int        // rows that were read
	More    int        // columns that are not shown
}

// Column is what the cells of a column are. Min and Max are "" where there is no order.
type Column struct {
	Type     string // "number", "date" or "text"
	Count    int    // of cells with something in them
	Missing  int
	Min, Max string
	Distinct int // values; those of long columns are counted up to distinctMost
}

const (
	tableRows     = 200
	tableColumns  = 60
	tableCell     = 120 // characters
	tableText     = 150 << 10
	distinctMost  = 10_000
	distinctTotal = 100_000
)

// table reads values with a mark between them. The first row names the columns.
func table(comma rune) family {
	return func(f File) (*Preview, error) {
		b, cut, err := lines(f)
		if err != nil {
			return nil, err
		}
		if bytes.IndexByte(b, 0) >= 0 || len(bytes.TrimSpace(b)) == 0 {
			return nil, ErrBroken
		}
		r := csv.NewReader(bytes.NewReader(b))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator(b, comma), true, -1, true
		first, err := r.Read()
		if err != nil {
			return nil, ErrBroken
		}
		t, err := TableOf(first, r.Read)
		if err != nil {
			return nil, err
		}
		return &Preview{Table: t, Cut: cut || t.Read > len(t.Rows)}, nil
	}
}

// separator is the mark between values: a semicolon where the first line has no comma.
func separator(b []byte, comma rune) rune {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	if comma != ',' || bytes.ContainsRune(line, ',') {
		return comma
	}
	for _, other := range ";\t" {
		if bytes.ContainsRune(line, other) {
			return other
		}
	}
	return comma
}

// TableOf is the beginning of a table with these names of columns, whose rows come from a function until
// its error is io.EOF; after any other the table is ErrBroken. A row is not kept.
func TableOf(header []string, next func() ([]string, error)) (*Table, error) {
	t := &Table{More: max(0, len(header)-tableColumns)}
	for _, name := range header[:min(len(header), tableColumns)] {
		t.Header = append(t.Header, clean(strings.TrimSpace(name), tableCell))
	}
	columns := make([]summary, len(t.Header))
	for i := range columns {
		columns[i].values = map[string]bool{}
	}
	size, distinct := 0, 0
	for {
		row, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, ErrBroken
		}
		t.Read++
		shown := make([]string, len(t.Header))
		for i := range t.Header {
			cell := ""
			if i < len(row) {
				cell = strings.TrimSpace(row[i])
			}
			distinct += columns[i].add(cell, distinct < distinctTotal)
			if len(t.Rows) < tableRows && size < tableText {
				shown[i] = clean(cell, tableCell)
				size += len(shown[i])
			}
		}
		if len(t.Rows) < tableRows && size < tableText {
			t.Rows = append(t.Rows, shown)
		}
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.column())
	}
	return t, nil
}

// summary gathers what a column holds.
type summary struct {
	Column
	numbers, dates int
	low, high      float64
	early, late    string
	values         map[string]bool
}

// add takes a cell in, and tells how many values it has not seen before it keeps.
func (s *summary) add(cell string, keep bool) (kept int) {
	switch strings.ToLower(cell) {
	case "", "na", "n/a", "nan", "null", "-":
		s.Missing++
		return 0
	}
	s.Count++
	if n, err := strconv.ParseFloat(cell, 64); err == nil && !math.IsInf(n, 0) {
		if s.numbers == 0 || n < s.low {
			s.low, s.Min = n, cell
		}
		if s.numbers == 0 || n > s.high {
			s.high, s.Max = n, cell
		}
		s.numbers++
	}
	if len(cell) >= 10 {
		if _, err := time.Parse(time.DateOnly, cell[:10]); err == nil {
			if s.dates == 0 || cell < s.early {
				s.early = cell
			}
			if s.dates == 0 || cell > s.late {
				s.late = cell
			}
			s.dates++
		}
	}
	if keep && len(s.values) < distinctMost && !s.values[cell] {
		s.values[cell] = true
		return 1
	}
	return 0
}

func (s *summary) column() Column {
	c := s.Column
	c.Type, c.Distinct = "text", len(s.values)
	switch {
	case s.Count > 0 && s.numbers == s.Count:
		c.Type = "number"
	case s.Count > 0 && s.dates == s.Count:
		c.Type, c.Min, c.Max = "date", s.early, s.late
	default:
		c.Min, c.Max = "", ""
	}
	c.Min, c.Max = clean(c.Min, tableCell), clean(c.Max, tableCell)
	return c
}

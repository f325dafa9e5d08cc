package preview

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"path"
	"strings"
)

// Glance is what the page of an item shows of one of its files: the first rows of a table or the first
// lines of a text. It costs less than a preview, as many more readers ask for it.
type Glance struct {
	Header []string
	Rows   [][]string // of as many cells as the header
	More   int        // columns that are not shown
	Lines  []string
	Total  int // rows of the table, or lines of the text, 0 for unknown
}

const (
	glanceBytes   = 16 << 10 // that are read of a file
	glanceRows    = 10
	glanceColumns = 10
	glanceCell    = 40 // characters
	glanceLines   = 12
	glanceWidth   = 160     // characters of a line
	glanceText    = 6 << 10 // bytes of all cells or lines
)

// Rank is how well the beginning of a file stands for an item, by its name and type alone: 0 for not
// at all, more for data than for a text that says what it is, and for that more than for other texts.
func Rank(name, mime string, size int64) int {
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case !Possible(name, mime, size):
		return 0
	case glanceMark(name) != 0:
		return 3
	case families[path.Ext(base)] != nil, markup[path.Ext(base)], stem == "license", stem == "licence", stem == "changelog", stem == "makefile", stem == "dockerfile", stem == "authors", stem == "notice":
		return 0
	case stem == "readme":
		return 2
	}
	return 1
}

// markup are texts that tell little when they are not drawn.
var markup = map[string]bool{".svg": true, ".html": true, ".htm": true, ".css": true, ".asc": true, ".obj": true, ".pdb": true, ".cif": true, ".sam": true}

// glanceMark is the mark between the values of a table with such a name, 0 for no table.
func glanceMark(name string) rune {
	return map[string]rune{".csv": ',', ".tsv": '\t', ".tab": '\t'}[strings.ToLower(path.Ext(name))]
}

// GlanceOf is a glance at a file that has a rank. It is ErrBroken where there is nothing to see, and the
// error of reading where the file cannot be read.
func GlanceOf(f File) (*Glance, error) {
	b, cut, err := head(f, glanceBytes)
	if err != nil {
		return nil, err
	}
	if end := bytes.LastIndexByte(b, '\n'); cut && end >= 0 {
		b = b[:end+1]
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(b, 0) >= 0 || len(bytes.TrimSpace(b)) == 0 {
		return nil, ErrBroken
	}
	g := &Glance{}
	if mark := glanceMark(f.Name); mark != 0 {
		err = g.table(b, mark, cut)
	} else {
		g.text(b)
	}
	if cut {
		g.Total = 0
	}
	return g, err
}

// table reads rows: all, to count them, where all of the table is there.
func (g *Glance) table(b []byte, mark rune, cut bool) error {
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator(b, mark), true, -1, true
	size := 0
	for {
		row, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && len(g.Rows) > 0:
			return nil
		case err != nil:
			return ErrBroken
		case g.Header == nil:
			g.More = max(0, len(row)-glanceColumns)
			g.Header = make([]string, min(len(row), glanceColumns))
			size += fillRow(g.Header, row)
			continue
		}
		more := len(g.Rows) < glanceRows && size < glanceText
		if !more && cut {
			return nil
		}
		if g.Total++; more {
			shown := make([]string, len(g.Header))
			size += fillRow(shown, row)
			g.Rows = append(g.Rows, shown)
		}
	}
}

// fillRow fills the cells of a row that is shown, and tells how many bytes they take.
func fillRow(shown, row []string) (size int) {
	for i := range shown {
		if i < len(row) {
			shown[i] = clean(strings.TrimSpace(row[i]), glanceCell)
			size += len(shown[i])
		}
	}
	return size
}

func (g *Glance) text(b []byte) {
	size := 0
	for line := range bytes.Lines(b) {
		if g.Total++; len(g.Lines) < glanceLines && size < glanceText {
			shown := clean(strings.ReplaceAll(string(bytes.TrimRight(line[:min(len(line), 4*glanceWidth+4)], "\r\n")), "\t", "    "), glanceWidth)
			size += len(shown)
			g.Lines = append(g.Lines, shown)
		}
	}
}

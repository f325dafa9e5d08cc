package library

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"alcove/site/preview"
)

// XLSX is read by code of ours: the first sheet of a workbook, the texts that sheets share, and which
// styles make a number a date (ECMA-376, part 1, SpreadsheetML). Nothing is computed: a cell shows the
// value that was stored with its formula. Rows and cells that are not there take no room, whatever
// numbers they have.
const (
	xlsxPart    = 8 << 20 // bytes of a part, unpacked, that are read
	xlsxStrings = 200_000 // texts that sheets share
	xlsxStyles  = 65_000
	xlsxCell    = 1 << 10 // bytes of the text of a cell
	xlsxRows    = 10_000  // rows that the summaries are of
	xlsxColumns = 256     // columns that are counted
)

// xlsx shows the first sheet of a workbook as a table.
func xlsx(f preview.File) (*preview.Preview, error) {
	z, err := zip.NewReader(f, f.Size)
	if err != nil {
		return nil, preview.ErrBroken
	}
	w := &workbook{parts: map[string]*zip.File{}, from: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	for _, m := range z.File {
		w.parts[strings.ToLower(m.Name)] = m
	}
	sheet, err := w.first()
	if err == nil {
		err = errors.Join(w.readStyles(), w.readStrings())
	}
	if err != nil {
		return nil, err
	}
	rows, err := w.rows(sheet)
	if err != nil || len(rows) == 0 {
		return nil, errors.Join(preview.ErrBroken, err)
	}
	header := rows[0]
	for _, r := range rows {
		for i := len(header); i < len(r); i++ {
			header = append(header, columnName(i))
		}
	}
	next := 0
	t, err := preview.TableOf(header, func() ([]string, error) {
		if next++; next >= len(rows) {
			return nil, io.EOF
		}
		return rows[next], nil
	})
	if err != nil {
		return nil, err
	}
	return &preview.Preview{Table: t, Cut: w.cut || t.Read > len(t.Rows)}, nil
}

// workbook is what is known of one while a sheet is read.
type workbook struct {
	parts  map[string]*zip.File // by name, in small letters
	shared []string
	dates  []bool    // whether a number of a style is a date
	from   time.Time // day 0
	cut    bool      // there is more than is shown
}

var errStop = errors.New("enough was read")

// read calls a function for each token of a part until it fails; errStop is no failure. A part that is
// not there has no tokens.
func (w *workbook) read(name string, each func(xml.Token) error) error {
	part := w.parts[strings.ToLower(strings.TrimPrefix(name, "/"))]
	if part == nil {
		return nil
	}
	r, err := part.Open()
	if err != nil {
		return preview.ErrBroken
	}
	defer r.Close()
	limited := &io.LimitedReader{R: r, N: xlsxPart}
	d := xml.NewDecoder(limited)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		t, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && limited.N <= 0:
			w.cut = true
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", preview.ErrBroken, err)
		}
		if err := each(t); errors.Is(err, errStop) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// elements is read, of the elements alone.
func (w *workbook) elements(name string, each func(name string, attr func(string) string) error) error {
	return w.read(name, func(t xml.Token) error {
		if e, ok := t.(xml.StartElement); ok {
			return each(e.Name.Local, func(name string) string { return attribute(e, name) })
		}
		return nil
	})
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// first is the name of the part with the first sheet that is not hidden.
func (w *workbook) first() (string, error) {
	const folder = "xl/"
	id, found, sheets := "", false, 0
	err := w.elements(folder+"workbook.xml", func(name string, attr func(string) string) error {
		switch {
		case name == "workbookPr" && (attr("date1904") == "1" || attr("date1904") == "true"):
			w.from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
		case name == "sheet":
			if sheets++; !found && (attr("state") == "" || attr("state") == "visible") {
				id, found = attr("id"), true
			}
		}
		return nil
	})
	w.cut = w.cut || sheets > 1
	target := "worksheets/sheet1.xml"
	if err == nil {
		err = w.elements(folder+"_rels/workbook.xml.rels", func(name string, attr func(string) string) error {
			if name == "Relationship" && attr("Id") == id && id != "" {
				target = attr("Target")
				return errStop
			}
			return nil
		})
	}
	if strings.HasPrefix(target, "/") {
		return target, err
	}
	return path.Join(folder, target), err
}

// readStyles learns which styles are those of dates.
func (w *workbook) readStyles() error {
	own, cells := map[string]bool{}, false
	return w.elements("xl/styles.xml", func(name string, attr func(string) string) error {
		switch name {
		case "numFmt":
			if len(own) < xlsxStyles {
				own[attr("numFmtId")] = dateFormat(attr("formatCode"))
			}
		case "cellXfs", "cellStyleXfs", "cellStyles", "dxfs":
			cells = name == "cellXfs"
		case "xf":
			if !cells || len(w.dates) == xlsxStyles {
				return nil
			}
			id := attr("numFmtId")
			n, _ := strconv.Atoi(id) // what is no number is General
			date, known := own[id]
			w.dates = append(w.dates, known && date || !known && (n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58))
		}
		return nil
	})
}

// dateFormat reports whether the code of a number's format has parts of a date outside its quotes,
// brackets and escapes.
func dateFormat(code string) bool {
	code, _, _ = strings.Cut(strings.ToLower(code), ";")
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '"', '[':
			end := strings.IndexByte(code[i+1:], map[byte]byte{'"': '"', '[': ']'}[code[i]])
			if end < 0 {
				return false
			}
			i += end + 1
		case '\\', '_', '*':
			i++
		case 'y', 'm', 'd', 'h', 's':
			return true
		}
	}
	return false
}

// readStrings reads the texts that sheets share.
func (w *workbook) readStrings() error {
	var text reading
	return w.read("xl/sharedStrings.xml", func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local == "si" {
				text = reading{}
			}
			text.start(t.Name.Local)
		case xml.EndElement:
			if text.end(t.Name.Local); t.Name.Local == "si" {
				if len(w.shared) == xlsxStrings {
					w.cut = true
					return errStop
				}
				w.shared = append(w.shared, string(text.text))
			}
		case xml.CharData:
			text.add(t)
		}
		return nil
	})
}

// reading gathers the text of t and v elements, but for how to pronounce it.
type reading struct {
	text        []byte
	open, spell bool
}

func (r *reading) start(name string) {
	r.open = name == "t" || name == "v"
	r.spell = r.spell || name == "rPh"
}

func (r *reading) end(name string) {
	r.open = false
	r.spell = r.spell && name != "rPh"
}

func (r *reading) add(b []byte) {
	if r.open && !r.spell {
		r.text = append(r.text, b[:min(len(b), xlsxCell-len(r.text))]...)
	}
}

// rows are the rows of a sheet that have something in them.
func (w *workbook) rows(sheet string) (rows [][]string, err error) {
	var row []string
	var text reading
	column, kind, style := 0, "", 0
	err = w.read(sheet, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				row, column = nil, 0
			case "c":
				if at, ok := columnNumber(attribute(t, "r")); ok {
					column = at
				}
				kind, text = attribute(t, "t"), reading{}
				style, _ = strconv.Atoi(attribute(t, "s")) // the first, where there is none
			}
			text.start(t.Name.Local)
		case xml.CharData:
			text.add(t)
		case xml.EndElement:
			text.end(t.Name.Local)
			switch t.Name.Local {
			case "c":
				if value := w.value(kind, style, string(text.text)); value != "" && column < xlsxColumns {
					row = append(row, make([]string, max(0, column+1-len(row)))...)
					row[column] = value
				}
				column++
			case "row":
				if len(rows) == xlsxRows {
					w.cut = true
					return errStop
				}
				if row != nil {
					rows = append(rows, row)
				}
			}
		}
		return nil
	})
	return rows, err
}

// value is what a cell shows.
func (w *workbook) value(kind string, style int, text string) string {
	switch kind {
	case "s":
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= len(w.shared) {
			return "…"
		}
		return w.shared[n]
	case "b":
		return map[string]string{"0": "FALSE", "1": "TRUE"}[text]
	case "", "n":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		if style >= 0 && style < len(w.dates) && w.dates[style] && n >= 0 && n < 2_958_466 { // to the year 9999
			return w.date(n)
		}
		return strconv.FormatFloat(n, 'g', 15, 64) // as many digits as a spreadsheet has
	}
	return text
}

// date is a number of days as a date, as a time, or as both.
func (w *workbook) date(days float64) string {
	whole := int(days)
	at := w.from.AddDate(0, 0, whole).Add(time.Duration((days-float64(whole))*86400+0.5) * time.Second)
	switch {
	case days < 1:
		return at.Format(time.TimeOnly)
	case at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0:
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}

// columnNumber is the number of the column of a cell, from 0: that of AB12 is 27.
func columnNumber(cell string) (n int, ok bool) {
	for i := range len(cell) {
		c := cell[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			return n - 1, i > 0
		}
		if n = n*26 + int(c-'A') + 1; n > xlsxColumns {
			return xlsxColumns, true
		}
	}
	return 0, false
}

// columnName is the opposite.
func columnName(n int) (name string) {
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

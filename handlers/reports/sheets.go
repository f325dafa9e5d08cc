package reports

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"io"
	"strconv"
	"unicode/utf8"
)

// csvSheet is a table as CSV (RFC 4180).
type csvSheet struct{ w *csv.Writer }

func newCSV(out *bytes.Buffer) csvSheet {
	w := csv.NewWriter(out)
	w.UseCRLF = true
	return csvSheet{w}
}

func (s csvSheet) Row(cells []string) {
	s.w.Write(cells)
	s.w.Flush()
}

func (s csvSheet) End() {}

// workbook is a table as an Office Open XML workbook (ECMA-376) with one sheet: a few fixed parts and the rows, in a
// zip that is written as it is sent. Each cell is a text of its own, which no program takes for a formula, or a whole
// number. The libraries for workbooks keep all rows, or write them to a temporary file; nothing here needs more of the
// format than this.
type workbook struct {
	zip *zip.Writer
	out io.Writer // of the sheet
}

// bookParts are the parts of a workbook but for its rows.
var bookParts = []struct{ name, text string }{
	{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Items" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`},
}

// newWorkbook begins a workbook. Writing to a buffer does not fail.
func newWorkbook(out *bytes.Buffer) *workbook {
	w := &workbook{zip: zip.NewWriter(out)}
	for _, part := range bookParts {
		f, _ := w.zip.Create(part.name)
		io.WriteString(f, xml.Header+part.text)
	}
	w.out, _ = w.zip.Create("xl/worksheets/sheet1.xml")
	io.WriteString(w.out, xml.Header+`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	return w
}

// mostCell is how many characters a cell of a workbook may have.
const mostCell = 32767

func (w *workbook) Row(cells []string) {
	var b bytes.Buffer
	b.WriteString("<row>")
	for _, cell := range cells {
		if n, err := strconv.ParseInt(cell, 10, 64); err == nil && strconv.FormatInt(n, 10) == cell && len(cell) < 16 {
			b.WriteString("<c><v>" + cell + "</v></c>")
			continue
		}
		b.WriteString(`<c t="inlineStr"><is><t xml:space="preserve">`)
		xml.EscapeText(&b, []byte(cut(cell)))
		b.WriteString("</t></is></c>")
	}
	b.WriteString("</row>")
	w.out.Write(b.Bytes())
	w.zip.Flush()
}

// cut is the beginning of a text that a cell has room for.
func cut(cell string) string {
	if utf8.RuneCountInString(cell) > mostCell {
		return string([]rune(cell)[:mostCell])
	}
	return cell
}

func (w *workbook) End() {
	io.WriteString(w.out, "</sheetData></worksheet>")
	w.zip.Close()
}

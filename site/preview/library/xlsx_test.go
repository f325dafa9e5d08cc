package library

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"alcove/site/preview"
)

// workbookOf puts the parts of a workbook into an archive, always in the same order.
func workbookOf(t testing.TB, parts map[string]string) preview.File {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, parts[name])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return preview.File{ReaderAt: bytes.NewReader(b.Bytes()), Name: "a.xlsx", Size: int64(b.Len())}
}

const (
	bookXML   = `<workbook xmlns:r="x"><sheets><sheet name="no" state="hidden" r:id="rId1"/><sheet name="yes" r:id="rId2"/></sheets></workbook>`
	relsXML   = `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/other.xml"/></Relationships>`
	stylesXML = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;day&quot;0.0"/><numFmt numFmtId="165" formatCode="[Red]yyyy\-mm"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`
	stringsXML = `<sst><si><t>station</t></si><si><r><t>N</t></r><r><t>YA</t></r><rPh><t>spoken</t></rPh></si></sst>`
	sheetXML   = `<worksheet><sheetData><row r="1"/><row r="3"><c r="A3" t="s"><v>0</v></c><c r="C3" t="inlineStr"><is><t>when</t></is></c></row>` +
		`<row r="1048576"><c r="A9" t="s"><v>1</v></c><c t="str"><f>A1&amp;B1</f><v>x</v></c><c s="1"><v>45000.5</v></c><c r="D9" s="2"><v>0.30000000000000004</v></c></row>` +
		`<row><c r="A1" t="s"><v>99</v></c><c r="B1" t="b"><v>1</v></c><c r="C1" s="3"><v>45001</v></c><c r="D1" t="e"><v>#DIV/0!</v></c><c r="XFD1"><v>1</v></c></row></sheetData></worksheet>`
)

// A sheet is read as a spreadsheet shows it: texts, dates, values of formulas.
func TestXLSX(t *testing.T) {
	p, err := xlsx(workbookOf(t, map[string]string{"xl/workbook.xml": bookXML, "xl/_rels/workbook.xml.rels": relsXML, "xl/styles.xml": stylesXML,
		"xl/sharedStrings.xml": stringsXML, "xl/worksheets/other.xml": sheetXML, "xl/worksheets/sheet1.xml": "<worksheet/>"}))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%q", append([][]string{p.Table.Header}, p.Table.Rows...))
	want := `[["station" "" "when" "D"] ["NYA" "x" "2023-03-15 12:00:00" "0.3"] ["…" "TRUE" "2023-03-16" "#DIV/0!"]]`
	if got != want || !p.Cut || p.Table.Columns[2].Type != "date" {
		t.Errorf("got  %s\nwant %s, cut %v, %v", got, want, p.Cut, p.Table.Columns[2])
	}
	old, err := xlsx(workbookOf(t, map[string]string{"xl/workbook.xml": `<workbook><workbookPr date1904="1"/></workbook>`, "xl/styles.xml": stylesXML,
		"xl/worksheets/sheet1.xml": `<sheetData><row><c s="1"><v>0.25</v></c><c s="1"><v>1</v></c></row></sheetData>`}))
	if err != nil || fmt.Sprint(old.Table.Header) != "[06:00:00 1904-01-02]" || old.Cut {
		t.Errorf("%v, %v", old, err)
	}
	for _, parts := range []map[string]string{{}, {"xl/worksheets/sheet1.xml": "<a"}, {"xl/worksheets/sheet1.xml": "<worksheet/>"}} {
		if p, err := xlsx(workbookOf(t, parts)); !errors.Is(err, preview.ErrBroken) {
			t.Errorf("%v is %v, %v", parts, p, err)
		}
	}
}

// What is packed so that it grows is read in part.
func TestXLSXIsBounded(t *testing.T) {
	for name, parts := range map[string]map[string]string{
		"rows":    {"xl/worksheets/sheet1.xml": "<sheetData>" + strings.Repeat(`<row><c><v>1</v></c></row>`, 2_000_000) + "</sheetData>"},
		"strings": {"xl/sharedStrings.xml": "<sst>" + strings.Repeat("<si><t>x</t></si>", 3_000_000), "xl/worksheets/sheet1.xml": `<row><c t="s"><v>0</v></c></row>`},
		"text":    {"xl/worksheets/sheet1.xml": "<row><c t='str'><v>" + strings.Repeat("x", 40<<20)},
		"deep":    {"xl/worksheets/sheet1.xml": strings.Repeat("<row>", 8<<20)},
	} {
		start := time.Now()
		p, err := xlsx(workbookOf(t, parts))
		t.Logf("%s took %v", name, time.Since(start))
		if err == nil && (len(p.Table.Rows) > 200 || !p.Cut) || err != nil && !errors.Is(err, preview.ErrBroken) {
			t.Errorf("%s: %v, cut %v", name, err, p.Cut)
		}
	}
}

// Whatever the parts of a workbook hold, they are a bounded table, or broken.
func FuzzXLSX(f *testing.F) {
	f.Add(bookXML, relsXML, stylesXML, stringsXML, sheetXML)
	f.Fuzz(func(t *testing.T, book, rels, styles, shared, sheet string) {
		p, err := xlsx(workbookOf(t, map[string]string{"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": rels, "xl/styles.xml": styles,
			"xl/sharedStrings.xml": shared, "xl/worksheets/other.xml": sheet, "xl/worksheets/sheet1.xml": sheet}))
		if err != nil {
			if !errors.Is(err, preview.ErrBroken) {
				t.Fatal(err)
			}
			return
		}
		if len(p.Table.Rows) > 200 || len(p.Table.Header) > 60 {
			t.Fatalf("%d rows of %d columns", len(p.Table.Rows), len(p.Table.Header))
		}
		for _, row := range append(p.Table.Rows, p.Table.Header) {
			if len(row) != len(p.Table.Header) || !utf8.ValidString(strings.Join(row, "")) {
				t.Fatalf("a row is %q", row)
			}
		}
	})
}

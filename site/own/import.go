package own

import (
	"encoding/csv"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/site"
)

// importing is the form that takes a table.
type importing struct {
	*site.Frame
	site.Form
	Columns []string
}

// ImportPage is the form that takes a table.
func (s *Pages) ImportPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.importPage(c, http.StatusOK, "")
}

func (s *Pages) importPage(c *endpoint.Call, status int, wrong string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	v := importing{Frame: f}
	f.Title = f.Bulk.ImportTitle
	if wrong != "" {
		v.Fields = []site.Field{{Name: "file", Error: wrong}}
	}
	for _, k := range tableColumns {
		v.Columns = append(v.Columns, k.name)
	}
	v.Columns = append(v.Columns, customPrefix+f.Bulk.FieldName)
	f.Main = v
	return s.formPage(c, "import", status, f)
}

// Import shows what a table would change, and changes it once that is confirmed.
func (s *Pages) Import(c *endpoint.Call) (endpoint.Reply, error) {
	w := &site.WordsOf(c).Bulk
	table, apply := c.Sent("table"), c.Field("do") == "apply"
	if !apply {
		table = strings.TrimPrefix(c.Sent("file"), byteOrderMark)
	}
	p, err := s.batch(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list, notes, wrong, err := p.read(table)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if wrong != "" {
		return s.importPage(c, http.StatusUnprocessableEntity, wrong)
	}
	v := outcome{Back: site.Link{Text: w.BackToItems, URL: own[0]}, Notes: notes, File: true}
	if apply {
		shown, err := url.ParseQuery(c.Field("shown"))
		if err != nil || len(shown) == 0 {
			return s.importPage(c, http.StatusUnprocessableEntity, w.NotShown)
		}
		p.apply(list, shown)
		return s.outcomePage(c, v, list, true)
	}
	v.Kept = []carried{{"table", table}}
	return s.outcomePage(c, v, list, false)
}

// read reads what a table intends, or says what is wrong with all of it.
func (p *batch) read(table string) (list []intended, notes []string, wrong string, err error) {
	w := &p.Bulk
	switch {
	case strings.TrimSpace(table) == "":
		return nil, nil, w.NoTable, nil
	case len(table) > tableBytes:
		return nil, nil, w.TableLong, nil
	case !utf8.ValidString(table):
		return nil, nil, w.TableEncoding, nil
	}
	r := csv.NewReader(strings.NewReader(table))
	r.FieldsPerRecord = -1
	if first, _, _ := strings.Cut(table, "\n"); strings.Count(first, ";") > strings.Count(first, ",") {
		r.Comma = ';'
	}
	head, err := r.Read()
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return nil, nil, strings.Replace(w.TableBroken, "%d", strconv.Itoa(bad.Line), 1), nil
	}
	if err != nil {
		return nil, nil, w.NoTable, nil
	}
	columns, id := make([]*column, len(head)), -1
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(plainCell(name)))
		if field, is := strings.CutPrefix(name, customPrefix); is {
			if slices.ContainsFunc(columns[:i], func(k *column) bool { return k != nil && k.name == name }) {
				return nil, nil, strings.Replace(w.ColumnTwice, "%s", site.Short(name, 60), 1), nil
			}
			one := customColumn(field)
			columns[i] = &one
			continue
		}
		at := slices.IndexFunc(tableColumns, func(k column) bool { return k.name == name })
		switch {
		case at < 0:
			notes = append(notes, strings.Replace(w.ColumnUnknown, "%s", site.Short(name, 60), 1))
		case slices.Contains(columns[:i], &tableColumns[at]):
			return nil, nil, strings.Replace(w.ColumnTwice, "%s", name, 1), nil
		default:
			columns[i] = &tableColumns[at]
		}
		if name == idColumn {
			id = i
		}
	}
	if id < 0 {
		return nil, nil, w.NoIDs, nil
	}
	type row struct {
		line  int
		cells []string
	}
	var rows []row
	for {
		cells, err := r.Read()
		if errors.As(err, &bad) {
			return nil, nil, strings.Replace(w.TableBroken, "%d", strconv.Itoa(bad.Line), 1), nil
		}
		if err != nil {
			break
		}
		if len(rows) == tableLines {
			return nil, nil, w.TableLong, nil
		}
		line, _ := r.FieldPos(0)
		rows = append(rows, row{line, cells})
	}
	if len(rows) == 0 {
		return nil, nil, w.NoTable, nil
	}
	seen := map[int64]int{}
	for part := range slices.Chunk(rows, bulkMost) {
		err = p.s.api.DB.View(func(tx *bucket.Tx) error {
			for _, row := range part {
				one, err := p.line(tx, columns, id, row.cells, seen, row.line)
				if err != nil {
					return err
				}
				list = append(list, one)
			}
			return nil
		})
		if err != nil {
			return nil, nil, "", err
		}
	}
	return list, notes, "", nil
}

// line reads a line of a table.
func (p *batch) line(tx *bucket.Tx, columns []*column, idAt int, cells []string, seen map[int64]int, line int) (intended, error) {
	w := &p.Bulk
	refused := func(why string) (intended, error) {
		return intended{Line: line, Refused: []string{why}}, nil
	}
	if len(cells) != len(columns) {
		return refused(w.CellsWrong)
	}
	id, err := strconv.ParseInt(strings.TrimSpace(cells[idAt]), 10, 64)
	if err != nil || id < 1 {
		return refused(w.IDWrong)
	}
	if before := seen[id]; before > 0 {
		return refused(strings.Replace(w.IDTwice, "%d", strconv.Itoa(before), 1))
	}
	seen[id] = line
	one, err := p.intend(tx, id, func(doc *present.ArticlePrivate, d *draft) (wrong []string) {
		before := draftOf(doc) // a cell that says what it said, says so of the draft as it was
		for i, k := range columns {
			if k == nil || k.name == idColumn {
				continue
			}
			cell := unified(cells[i])
			if cell == p.cell(k, doc, before) {
				continue
			}
			if k.into == nil {
				wrong = append(wrong, w.TableOld)
			} else if said := k.into(p, d, plainCell(cell)); said != "" {
				wrong = append(wrong, k.name+": "+said)
			}
		}
		return wrong
	})
	one.Line = line
	return one, err
}

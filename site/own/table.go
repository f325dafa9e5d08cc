package own

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/handlers/wire"
	"alcove/record/catalogue"
	"alcove/site"
)

// The descriptions of own items can be taken out as a table, changed elsewhere and brought in again. A cell that says
// what it would say now changes nothing, so that a table that comes back as it was is understood whatever it says.

// Bounds of a table that comes in.
const (
	tableBytes = 768 << 10
	tableLines = 1000
)

// byteOrderMark is that of UTF-8, without which some programs take a table for another encoding.
const byteOrderMark = "\ufeff"

// column is one of the table.
type column struct {
	name string
	of   func(*batch, *present.ArticlePrivate, *draft) string
	// into takes another text of the cell into a draft, or says what is wrong with it; nil where it only tells.
	into func(*batch, *draft, string) (wrong string)
}

func textColumn(name string, of func(*draft) *string) column {
	return column{name,
		func(_ *batch, _ *present.ArticlePrivate, d *draft) string { return *of(d) },
		func(_ *batch, d *draft, cell string) string {
			*of(d) = cell
			return ""
		}}
}

func listColumn(name string, of func(*draft) *[]string) column {
	return column{name,
		func(_ *batch, _ *present.ArticlePrivate, d *draft) string { return joinedCell(*of(d)) },
		func(_ *batch, d *draft, cell string) string {
			*of(d) = splitCell(cell)
			return ""
		}}
}

// The first column names the item; the last one tells whether its description is still the one of the table.
const idColumn, stateColumn = "id", "state"

var tableColumns = []column{
	{idColumn, func(_ *batch, doc *present.ArticlePrivate, _ *draft) string { return strconv.FormatInt(doc.ID, 10) }, nil},
	textColumn("title", func(d *draft) *string { return &d.Title }),
	textColumn("description", func(d *draft) *string { return &d.Description }),
	textColumn("type", func(d *draft) *string { return &d.Type }),
	{"license", func(p *batch, doc *present.ArticlePrivate, _ *draft) string { return doc.License.Name }, func(p *batch, d *draft, cell string) string {
		for _, l := range p.choices.licences {
			if strings.EqualFold(l.Name, cell) || strconv.FormatInt(l.Value, 10) == cell {
				d.License = strconv.FormatInt(l.Value, 10)
				return ""
			}
		}
		return p.Edit.Wrong["license"]
	}},
	{"categories", func(_ *batch, doc *present.ArticlePrivate, _ *draft) string {
		var list []string
		for _, k := range doc.Categories {
			list = append(list, fmt.Sprintf("%d %s", k.ID, k.Title))
		}
		return joinedCell(list)
	}, func(p *batch, d *draft, cell string) string {
		d.Categories = nil
		for _, one := range splitCell(cell) {
			id, ok := categoryOf(one)
			if !ok {
				return p.Edit.Wrong["categories"] + " (" + site.Short(one, 60) + ")"
			}
			d.Categories = append(d.Categories, id)
		}
		return ""
	}},
	listColumn("tags", func(d *draft) *[]string { return &d.Tags }),
	listColumn("grants", func(d *draft) *[]string { return &d.Grants }),
	textColumn("funding", func(d *draft) *string { return &d.Funding }),
	{"group", func(p *batch, _ *present.ArticlePrivate, d *draft) string {
		return cmp.Or(p.groups[d.Group], d.Group)
	}, func(p *batch, d *draft, cell string) string {
		for _, g := range p.choices.groups {
			if id := strconv.FormatInt(g.ID, 10); strings.EqualFold(g.Name, cell) || id == cell {
				d.Group = id
				return ""
			}
		}
		return p.Edit.Wrong["group_id"]
	}},
	{"authors", func(_ *batch, _ *present.ArticlePrivate, d *draft) string {
		var list []string
		for i := range d.Authors {
			list = append(list, d.Authors[i].cell())
		}
		return joinedCell(list)
	}, func(_ *batch, d *draft, cell string) string {
		d.Authors = authorsOfCell(splitCell(cell), d.Authors)
		return ""
	}},
	textColumn("publication_doi", func(d *draft) *string { return &d.ResourceDOI }),
	textColumn("publication_title", func(d *draft) *string { return &d.ResourceTitle }),
	{stateColumn, func(_ *batch, _ *present.ArticlePrivate, d *draft) string { return site.Sum(d.keys(false)) }, nil},
}

// customPrefix stands before the name of a custom field in the name of its column.
const customPrefix = "field: "

// customColumn is that of a custom field. Items of groups that do not have it have a blank cell.
func customColumn(name string) column {
	row := func(d *draft) *customRow {
		if i := slices.IndexFunc(d.Custom, func(f customRow) bool { return strings.EqualFold(f.Name, name) }); i >= 0 {
			return &d.Custom[i]
		}
		return nil
	}
	return column{customPrefix + name,
		func(_ *batch, _ *present.ArticlePrivate, d *draft) string {
			switch f := row(d); {
			case f == nil:
				return ""
			case f.area():
				return strings.Join(f.Values, "\n")
			default:
				return joinedCell(f.Values)
			}
		},
		func(p *batch, d *draft, cell string) string {
			switch f := row(d); {
			case f == nil:
				return p.Bulk.FieldNone
			case f.area() && cell != "":
				f.Values = []string{cell}
			default:
				f.Values = splitCell(cell)
			}
			return ""
		}}
}

// columns are those of a table that has custom fields: they stand before the last one.
func columns(custom []string) []column {
	list := slices.Clone(tableColumns[:len(tableColumns)-1])
	for _, name := range custom {
		list = append(list, customColumn(name))
	}
	return append(list, tableColumns[len(tableColumns)-1])
}

// categoryOf is the id of a category that begins with it, or has the title.
func categoryOf(cell string) (string, bool) {
	first, _, _ := strings.Cut(cell, " ")
	if n, err := strconv.ParseInt(first, 10, 64); err == nil {
		_, known := catalogue.CategoryByID(n)
		return first, known
	}
	id, known := categoriesByTitle()[strings.ToLower(cell)]
	return id, known
}

var categoriesByTitle = sync.OnceValue(func() map[string]string {
	ids := map[string]string{}
	for _, k := range catalogue.Categories() {
		if title := strings.ToLower(k.Title); ids[title] == "" {
			ids[title] = strconv.FormatInt(k.ID, 10)
		}
	}
	return ids
})

// joinedCell is a list in a cell, with a bar between. A bar in a value has a backslash before it, and a backslash too.
func joinedCell(list []string) string {
	quoted := make([]string, len(list))
	for i, one := range list {
		quoted[i] = strings.NewReplacer(`\`, `\\`, "|", `\|`).Replace(one)
	}
	return strings.Join(quoted, " | ")
}

// splitCell reads what joinedCell wrote.
func splitCell(cell string) (list []string) {
	var one strings.Builder
	flush := func() {
		if value := strings.TrimSpace(one.String()); value != "" {
			list = append(list, value)
		}
		one.Reset()
	}
	escaped := false
	for _, r := range cell {
		switch {
		case escaped:
			one.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '|':
			flush()
		default:
			one.WriteRune(r)
		}
	}
	flush()
	return list
}

// neutral is a cell that no program takes for a formula: an apostrophe stands before one that could be.
func neutral(cell string) string {
	if formula(cell) {
		return "'" + cell
	}
	return cell
}

// formula reports whether a program could take a cell for one, or for a cell that neutral has changed.
func formula(cell string) bool {
	rest := strings.TrimLeft(cell, "'")
	return rest != "" && strings.ContainsRune("=+-@\t\r", rune(rest[0]))
}

// plainCell undoes neutral.
func plainCell(cell string) string {
	if rest, is := strings.CutPrefix(cell, "'"); is && formula(rest) {
		return rest
	}
	return cell
}

// cell is what a column says of an item.
func (p *batch) cell(k *column, doc *present.ArticlePrivate, d *draft) string {
	return neutral(unified(k.of(p, doc, d)))
}

// own reads items, but those that are gone meanwhile or never were; no transaction is open for long.
func (p *batch) own(ids []int64, each func(doc *present.ArticlePrivate)) error {
	for part := range slices.Chunk(ids, bulkMost) {
		err := p.s.api.DB.View(func(tx *bucket.Tx) error {
			for _, id := range part {
				doc, err := p.s.api.OwnMetadata(p.c.WithID("id", id), tx)
				if site.Refusal(err) != nil {
					continue
				}
				if err == nil {
					err = p.fields(tx, &doc)
				}
				if err != nil {
					return err
				}
				each(&doc)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Table is the table of own items: those that are chosen, or all.
func (s *Pages) Table(c *endpoint.Call) (endpoint.Reply, error) {
	at := c.Address()
	ids := chosenItems(at.Query()["item"])
	if len(ids) == 0 {
		for page := 1; page <= maxMine; page++ {
			list, err := s.api.Articles.Mine(c, "", page) // the button says how many they are at most
			if err != nil {
				return endpoint.Reply{}, err
			}
			for _, m := range list {
				ids = append(ids, m.ID)
			}
			if len(list) < handlers.MineOnPage {
				break
			}
		}
		slices.Sort(ids)
	}
	p, err := s.batch(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	out := bytes.NewBufferString(byteOrderMark)
	w := csv.NewWriter(out)
	w.UseCRLF = true
	var names []string
	custom := map[string]bool{}
	err = p.own(ids, func(doc *present.ArticlePrivate) {
		for _, f := range doc.CustomFields {
			custom[f.Name] = true
		}
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	list := columns(slices.Sorted(maps.Keys(custom)))
	for _, k := range list {
		names = append(names, neutral(k.name))
	}
	w.Write(names)
	err = p.own(ids, func(doc *present.ArticlePrivate) {
		d, line := draftOf(doc), make([]string, len(list))
		for i := range list {
			line[i] = p.cell(&list[i], doc, d)
		}
		w.Write(line)
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	w.Flush()
	return endpoint.Reply{
		Raw: out.Bytes(), Type: "text/csv; charset=utf-8",
		Header: http.Header{"Content-Disposition": {"attachment; " + wire.FileName("items.csv")}, "Cache-Control": {"private, no-store"}},
	}, nil
}

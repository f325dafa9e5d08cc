package reports

import (
	"bytes"
	"fmt"
	"strconv"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/audit"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/handlers/wire"
	"alcove/record"
)

// sheet is what the rows of a table are written to.
type sheet interface {
	Row(cells []string)
	End() // behind the last row
}

// table is rows that are made as they are sent.
type table struct {
	out   bytes.Buffer
	sheet sheet
	// more writes some rows, and reports whether they are the last ones.
	more func(write func([]string), full func() bool) (done bool, err error)
}

// Close has nothing to end.
func (p *table) Close() {}

// Next is some rows.
func (p *table) Next() ([]byte, bool, error) {
	p.out.Reset()
	seen := 0
	full := func() bool {
		seen++
		return seen >= pieceRows || p.out.Len() >= wire.WriteChunk
	}
	done, err := p.more(p.sheet.Row, full)
	if err == nil && done {
		p.sheet.End()
	}
	return bytes.Clone(p.out.Bytes()), done, err
}

// asTable is a reply with rows as CSV, or as a workbook (XLSX).
func (a *Reports) asTable(c *endpoint.Call, name string, workbook bool, more func(write func([]string), full func() bool) (bool, error)) endpoint.Reply {
	p := &table{more: more}
	r := endpoint.Reply{Pieces: p, Modified: c.Changed, Tag: endpoint.ETag(fmt.Appendf(nil, "%s %d %d %t", name, c.Account.ID, a.DB.Sequence(), workbook))}
	if workbook {
		p.sheet = newWorkbook(&p.out)
		r.Name, r.Type = name+".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
		return r
	}
	p.sheet = newCSV(&p.out)
	r.Name, r.Type = name+".csv", "text/csv; charset=utf-8"
	return r
}

var exportColumns = []string{
	"kind", "id", "title", "status", "item_type", "doi", "handle", "version", "created_date", "modified_date", "published_date",
	"authors", "categories", "tags", "license", "group_id", "project_id", "embargo_type", "embargo_date", "resource_doi",
	"group", "owner", "files", "bytes",
}

// ItemTable is all articles of an admin scope and its public collections, by id: working copies of collections are
// their owners' alone, and so are the authors of an article before it is public.
func (a *Reports) ItemTable(c *endpoint.Call, scope lists.Scope, workbook bool) endpoint.Reply {
	e := itemTable{api: a, scope: scope, owners: map[int64]string{}}
	return a.asTable(c, "items", workbook, e.more)
}

// itemTable is where an export is.
type itemTable struct {
	api         *Reports
	scope       lists.Scope
	begun       bool
	collections bool  // the articles are done
	last        int64 // id
	owners      map[int64]string
}

func (e *itemTable) more(write func([]string), full func() bool) (done bool, err error) {
	if !e.begun {
		e.begun = true
		write(exportColumns)
	}
	err = e.api.DB.View(func(tx *bucket.Tx) error {
		if !e.collections {
			for row, err := range working.Articles.From(tx, e.last+1) {
				if err != nil {
					return err
				}
				art := row.Record
				if e.last = art.ID; e.includes(&art.Working) {
					authors, err := publicAuthors(tx, art)
					if err != nil {
						return err
					}
					if err := e.write(tx, write, "article", articleCells(art, authors), &art.Working, art.Files, art.Size); err != nil {
						return err
					}
				}
				if full() {
					return nil
				}
			}
			e.collections, e.last = true, 0
		}
		for row, err := range working.Collections.From(tx, e.last+1) {
			if err != nil {
				return err
			}
			col := row.Record
			if e.last = col.ID; col.Public() && e.includes(&col.Working) {
				v, err := published.CollectionVersions.Get(tx, bucket.Pair{A: col.ID, B: int64(col.Version)})
				if err != nil {
					return fmt.Errorf("cannot export collection %d: %w", col.ID, err)
				}
				w := col.Working
				w.Metadata = v.Metadata
				if err := e.write(tx, write, "collection", workingCells(&w, "", fullNames(v.Authors)), &w, 0, 0); err != nil {
					return err
				}
			}
			if full() {
				return nil
			}
		}
		done = true
		return nil
	})
	return done, err
}

// publicAuthors are the authors of the latest public version of an article, none where there is none.
func publicAuthors(tx *bucket.Tx, art *record.Article) ([]string, error) {
	if !art.Public() {
		return nil, nil
	}
	v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: art.ID, B: int64(art.Version)})
	if err != nil {
		return nil, fmt.Errorf("cannot export article %d: %w", art.ID, err)
	}
	return fullNames(v.Authors), nil
}

func fullNames(people []record.Person) (list []string) {
	for _, p := range people {
		list = append(list, p.FullName)
	}
	return list
}

func (e *itemTable) includes(w *record.Working) bool {
	return w.InstitutionID == e.scope.Institution && e.scope.Includes(w.GroupID)
}

// mostOwners bounds how many addresses of owners an export remembers.
const mostOwners = 10_000

func (e *itemTable) write(tx *bucket.Tx, write func([]string), kind string, cells []string, w *record.Working, files int, size int64) error {
	group := ""
	if w.GroupID != 0 {
		if g, err := users.Groups.Get(tx, w.GroupID); err == nil {
			group = g.Name
		}
	}
	owner, known := e.owners[w.AccountID]
	if !known {
		acc, err := users.Accounts.Get(tx, w.AccountID)
		if err != nil {
			return fmt.Errorf("cannot export item %d: %w", w.ID, err)
		}
		owner = acc.Email
		if len(e.owners) < mostOwners {
			e.owners[w.AccountID] = owner
		}
	}
	row := append(append([]string{kind}, cells...), group, owner, strconv.Itoa(files), strconv.FormatInt(size, 10))
	for i := range row {
		row[i] = inert(row[i])
	}
	write(row)
	return nil
}

// AuditExport is the lines of the audit trail that a query asks for, the oldest first.
func (a *Reports) AuditExport(c *endpoint.Call, q audit.Query) endpoint.Reply {
	begun := false
	return a.asTable(c, "audit", false, func(write func([]string), full func() bool) (bool, error) {
		if !begun {
			begun = true
			write([]string{"sequence", "time", "who", "way", "for", "operation", "kind", "id", "title", "token", "address", "request", "hash"})
		}
		page, err := audit.Read(a.DB, q)
		if err != nil {
			return false, err
		}
		for _, l := range page.Lines {
			row := []string{strconv.FormatUint(l.Sequence, 10), moment(&l.Time), l.Who, l.Way, l.ForWhom, l.Op, l.Kind, l.ID, l.Title, l.Token, l.Address, l.Request, l.Hash}
			for i := range row {
				row[i] = inert(row[i])
			}
			write(row)
		}
		q.After, q.End = page.Next, page.End
		return page.Done, nil
	})
}

package reports

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/facts"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// ReportList is the reports of the caller, the newest first, of all groups or of one.
func (a *Reports) ReportList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	group, err := c.Query.Integer("group_id")
	if err != nil {
		return endpoint.Reply{}, err
	}
	reports, err := reportsOf(tx, c.Account.ID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list := []present.AccountReport{}
	for _, r := range slices.Backward(reports) {
		if group == nil || *group == r.GroupID {
			list = append(list, a.Settings.AccountReport(r))
		}
	}
	return endpoint.Reply{Body: list, Modified: c.Changed}, nil
}

// ReportCreate makes a report of the caller's articles, or of those in a group. It is done at once.
func (a *Reports) ReportCreate(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	group, err := c.Query.Integer("group_id")
	if err != nil {
		return endpoint.Reply{}, err
	}
	reports, err := reportsOf(tx, c.Account.ID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if n := len(reports); n > 0 {
		if wait := Waits(tx, reports[n-1].Created, record.ReportEvery); wait > 0 {
			return endpoint.Reply{}, endpoint.TooMany(record.ErrReportSoon, wait)
		}
	}
	for _, old := range reports[:max(0, len(reports)-record.MaxReports+1)] {
		if err := exchange.Reports.Delete(tx, bucket.Pair{A: c.Account.ID, B: old.ID}); err != nil {
			return endpoint.Reply{}, err
		}
	}
	r := &record.Report{AccountID: c.Account.ID, Created: tx.Clock()}
	if group != nil {
		r.GroupID = *group
	}
	if r.ID, err = exchange.Reports.NextID(tx); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.AccountReport(r)}, exchange.Reports.Put(tx, bucket.Pair{A: r.AccountID, B: r.ID}, r)
}

// Waits is how long it is until something may be done again, by the clock. An action by a clock
// that ran ahead of it delays nothing.
func Waits(tx *bucket.Tx, done time.Time, every time.Duration) time.Duration {
	if passed := tx.Clock().Sub(done); passed >= 0 {
		return every - passed
	}
	return 0
}

// reportsOf is the reports of an account, the oldest first.
func reportsOf(tx *bucket.Tx, account int64) (list []*record.Report, err error) {
	for row, err := range exchange.Reports.All(tx, bucket.Prefix(account)) {
		if err != nil {
			return nil, err
		}
		list = append(list, row.Record)
	}
	return list, nil
}

// ReportRead sends the table of a report of the caller's. Its tag changes with every change of the
// repository, since the articles are read while it is sent.
func (a *Reports) ReportRead(c *endpoint.Call) (endpoint.Reply, error) {
	var r *record.Report
	err := a.DB.View(func(tx *bucket.Tx) (err error) {
		r, err = exchange.Reports.Get(tx, bucket.Pair{A: c.Account.ID, B: c.ID("report_id")})
		if errors.Is(err, bucket.ErrNotFound) {
			return record.ErrReportNotFound
		}
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.asTable(c, fmt.Sprintf("report-%d", r.ID), false, (&articleTable{api: a, report: r}).more), nil
}

// articleTable is the articles of an account, oldest first.
type articleTable struct {
	api    *Reports
	report *record.Report
	from   []byte // the place in the index after which the next piece begins, nil at the beginning
}

// pieceRows bounds how many articles a piece looks at; one that has enough bytes for a write ends sooner.
const pieceRows = 200

var tableColumns = []string{
	"id", "title", "status", "item_type", "doi", "handle", "version", "created_date", "modified_date", "published_date",
	"authors", "categories", "tags", "license", "group_id", "project_id", "embargo_type", "embargo_date", "resource_doi",
}

// more writes the next rows.
func (t *articleTable) more(write func([]string), full func() bool) (done bool, err error) {
	err = t.api.DB.View(func(tx *bucket.Tx) error {
		if t.from == nil {
			write(tableColumns)
		}
		for hit := range working.ArticlesByCreated.Walk(tx, bucket.SortKey(t.report.AccountID), t.from, true) {
			t.from = append(indexPlace(hit), 0)
			if g := t.report.GroupID; g == 0 || facts.Indexed(hit.Value).Group == g {
				row, err := articleRow(tx, hit.Key)
				if err != nil {
					return err
				}
				write(row)
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

// indexPlace is the whole key of an entry.
func indexPlace(hit bucket.Hit[int64]) []byte {
	return append(bytes.Clone(hit.Sort), bucket.Prefix(hit.Key)...)
}

func articleRow(tx *bucket.Tx, id int64) ([]string, error) {
	art, err := working.Articles.Get(tx, id)
	if err != nil {
		return nil, fmt.Errorf("cannot put article %d into a report: %w", id, err)
	}
	authors, err := authorNames(tx, &art.Working)
	row := articleCells(art, authors)
	for i := range row {
		row[i] = inert(row[i])
	}
	return row, err
}

// authorNames are the authors of a working copy.
func authorNames(tx *bucket.Tx, w *record.Working) (authors []string, err error) {
	for _, id := range w.Authors {
		p, err := users.People.Get(tx, id)
		if err != nil {
			return nil, fmt.Errorf("cannot put item %d into a table: %w", w.ID, err)
		}
		authors = append(authors, p.FullName)
	}
	return authors, nil
}

// articleCells are the cells of an article below tableColumns.
func articleCells(art *record.Article, authors []string) []string {
	kind, _ := catalogue.ItemTypeByID(art.Type)
	return workingCells(&art.Working, kind.Name, authors)
}

// workingCells are the same of any item.
func workingCells(w *record.Working, kind string, authors []string) []string {
	var categories []string
	for _, id := range w.Categories {
		c, _ := catalogue.CategoryByID(id)
		categories = append(categories, c.Title)
	}
	license, _ := catalogue.LicenseByValue(w.License)
	return []string{
		number(w.ID), w.Title, w.Status(), kind, w.DOI, w.Handle, number(int64(w.Version)), moment(&w.Created), moment(&w.Modified), moment(w.Published),
		strings.Join(authors, "; "), strings.Join(categories, "; "), strings.Join(w.Tags, "; "), license.Name, number(w.GroupID), number(w.ProjectID),
		string(w.Embargo.Kind), moment(&w.Embargo.Until), w.ResourceDOI,
	}
}

// number is an id or a version, blank for none.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// moment is a time in UTC, blank for none.
func moment(t *time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// inert is a cell that no spreadsheet takes for a formula: people other than the reader of a table
// write what is in it.
func inert(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

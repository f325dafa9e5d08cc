package admin

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/site"
)

// ExportPage leads to the tables of all items that the person administers.
func (a *Admin) ExportPage(c *endpoint.Call) (endpoint.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		r, err := a.scope(c, tx)
		if err == nil {
			v = a.begin(c, r, root+"/export", site.WordsOf(c).Admin.Export)
		}
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	w := &v.Admin
	used := part{Text: w.UsageText}
	for _, year := range []int{a.api.DB.Time().UTC().Year() - 1, a.api.DB.Time().UTC().Year()} {
		for _, as := range []struct{ words, name string }{{w.UsageCSV, "usage.csv"}, {w.UsageXLSX, "usage.xlsx"}, {w.DatasetReport, "dataset-report.json"}} {
			text := strings.Replace(as.words, "%d", strconv.Itoa(year), 1)
			used.Links = append(used.Links, site.Link{Text: text, URL: fmt.Sprintf("%s/%s?from=%d-01&to=%d-12", root, as.name, year, year)})
		}
	}
	v.Parts = []part{{Text: w.ExportText, Links: []site.Link{{Text: w.ItemsCSV, URL: root + "/items.csv"}, {Text: w.ItemsXLSX, URL: root + "/items.xlsx"}}}, used}
	return a.show(c, http.StatusOK, v)
}

// ItemsCSV is that table as CSV, and ItemsXLSX as a workbook.
func (a *Admin) ItemsCSV(c *endpoint.Call) (endpoint.Reply, error)  { return a.items(c, false) }
func (a *Admin) ItemsXLSX(c *endpoint.Call) (endpoint.Reply, error) { return a.items(c, true) }

func (a *Admin) items(c *endpoint.Call, workbook bool) (endpoint.Reply, error) {
	return a.scoped(c, func(r *people.AdminScope) (endpoint.Reply, error) {
		return a.api.ItemTable(c, r.Scope, workbook), nil
	})
}

// UsageCSV is how often the public items that the person administers were used, as CSV, UsageXLSX as a workbook, and
// DatasetReport as COUNTER has it.
func (a *Admin) UsageCSV(c *endpoint.Call) (endpoint.Reply, error)  { return a.usage(c, false) }
func (a *Admin) UsageXLSX(c *endpoint.Call) (endpoint.Reply, error) { return a.usage(c, true) }

func (a *Admin) usage(c *endpoint.Call, workbook bool) (endpoint.Reply, error) {
	return a.scoped(c, func(r *people.AdminScope) (endpoint.Reply, error) { return a.api.UsageTable(c, r.Scope, workbook) })
}

func (a *Admin) DatasetReport(c *endpoint.Call) (endpoint.Reply, error) {
	return a.scoped(c, func(r *people.AdminScope) (endpoint.Reply, error) { return a.api.DatasetReport(c, r.Scope) })
}

// scoped answers with what the person administers.
func (a *Admin) scoped(c *endpoint.Call, answer func(*people.AdminScope) (endpoint.Reply, error)) (endpoint.Reply, error) {
	var r *people.AdminScope
	err := a.api.DB.View(func(tx *bucket.Tx) (err error) {
		r, err = a.scope(c, tx)
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	return answer(r)
}

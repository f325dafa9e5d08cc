package admin

import (
	"net/http"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/site"
)

// ExportPage leads to the tables of all items that the person administers.
func (a *Admin) ExportPage(c *handlers.Call) (handlers.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		r, err := a.scope(c, tx)
		if err == nil {
			v = a.begin(c, r, root+"/export", site.WordsOf(c).Admin.Export)
		}
		return err
	})
	if err != nil {
		return handlers.Reply{}, err
	}
	w := &v.Admin
	v.Parts = []part{{Text: w.ExportText, Links: []site.Link{{Text: w.ItemsCSV, URL: root + "/items.csv"}, {Text: w.ItemsXLSX, URL: root + "/items.xlsx"}}}}
	return a.show(c, http.StatusOK, v)
}

// ItemsCSV is that table as CSV, and ItemsXLSX as a workbook.
func (a *Admin) ItemsCSV(c *handlers.Call) (handlers.Reply, error)  { return a.items(c, false) }
func (a *Admin) ItemsXLSX(c *handlers.Call) (handlers.Reply, error) { return a.items(c, true) }

func (a *Admin) items(c *handlers.Call, workbook bool) (handlers.Reply, error) {
	var r *handlers.AdminScope
	err := a.api.DB.View(func(tx *bucket.Tx) (err error) {
		r, err = a.scope(c, tx)
		return err
	})
	if err != nil {
		return handlers.Reply{}, err
	}
	return a.api.ItemExport(c, r.Scope, workbook), nil
}

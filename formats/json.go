package formats

import (
	"encoding/json"
	"strconv"
	"strings"
)

// object is JSON that can stand inside a script element: <, > and & are escaped, and empty values
// are left out.
func object(o map[string]any) string {
	text, err := json.MarshalIndent(filled(o), "", "  ")
	if err != nil {
		return "{}" // no value here can be refused
	}
	return string(text) + "\n"
}

func filled(o map[string]any) map[string]any {
	for k, v := range o {
		switch v := v.(type) {
		case string:
			if v == "" {
				delete(o, k)
			}
		case []string:
			if len(v) == 0 {
				delete(o, k)
			}
		case []map[string]any:
			if len(v) == 0 {
				delete(o, k)
			}
		case map[string]any:
			if v == nil {
				delete(o, k)
			}
		}
	}
	return o
}

// csl is an item of CSL-JSON.
func csl(it *Item) string {
	authors := []map[string]any{}
	for _, a := range it.Authors {
		if a.Organisation || a.Family == "" {
			authors = append(authors, map[string]any{"literal": a.Full})
			continue
		}
		particle, family := a.apart()
		authors = append(authors, filled(map[string]any{"family": family, "given": a.Given, "non-dropping-particle": particle, "suffix": a.Suffix}))
	}
	var issued map[string]any
	if t := it.Published.UTC(); !it.Published.IsZero() {
		issued = map[string]any{"date-parts": [][]int{{t.Year(), int(t.Month()), t.Day()}}}
	}
	version := ""
	if it.Version > 0 {
		version = strconv.Itoa(it.Version)
	}
	return object(map[string]any{
		"id": bibtexKey(it), "type": it.kind().csl, "title": it.Title, "author": authors, "issued": issued,
		"publisher": it.Publisher, "DOI": it.DOI, "URL": it.where(), "version": version,
		"abstract": it.abstract(), "keyword": strings.Join(it.Keywords, ", "), "license": it.LicenseURL,
	})
}

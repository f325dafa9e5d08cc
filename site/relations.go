package site

import (
	"cmp"
	"encoding/json"
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"alcove/handlers/described"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/markup"
)

// relations are what an item is about, and what it is related to.
func (s *Site) relations(v *item, doc *present.ArticleComplete) {
	for _, k := range doc.Categories {
		v.Subjects = append(v.Subjects, Link{markup.Title(k.Title).String(), "/search?category=" + url.QueryEscape(k.SourceID)})
	}
	for _, t := range doc.Tags {
		v.Tags = append(v.Tags, Choice{Words: t, URL: "/search?q=" + url.QueryEscape(":tag: \""+strings.ReplaceAll(t, `"`, "")+`"`)})
	}
	for _, g := range doc.FundingList {
		v.Grants = append(v.Grants, Link{markup.Title(g.Title).String(), Web(Text(g.URL))})
	}
	if len(v.Grants) == 0 && Text(doc.Funding) != "" {
		v.Grants = []Link{{Text: markup.Title(Text(doc.Funding)).String()}}
	}
	v.works(doc)
	if title, doi := markup.Title(Text(doc.ResourceTitle)).String(), Text(doc.ResourceDOI); doi != "" {
		if title == "" {
			title = doi
		}
		v.Publication = Link{title, resolver(doi)}
	}
	for _, field := range doc.CustomFields {
		custom := customField{Name: markup.Title(field.Name).String()}
		for _, is := range FieldValues(field.Value, v.Words) {
			custom.Values = append(custom.Values, value{linesOf(is.Text), is.URL})
		}
		if len(custom.Values) > 0 {
			v.Custom = append(v.Custom, custom)
		}
	}
}

// works lists the references and related works, each once. The publication has a place of its own.
func (v *item) works(doc *present.ArticleComplete) {
	publication := record.ReadWork(Text(doc.ResourceDOI), "DOI")
	seen := map[record.Work]bool{publication: true}
	for _, r := range described.Works(doc) {
		work := record.Work{Type: r.Type, Value: r.Identifier, URL: r.URL}
		if seen[work] {
			continue
		}
		seen[work] = true
		to := Link{cmp.Or(r.Title, work.Label()), Web(r.URL)}
		if work.Type == "DOI" && record.ForTests(work.Value) {
			to.URL = "" // it leads nowhere
		}
		if r.Relation == record.DefaultRelation {
			v.Cited = append(v.Cited, to)
		} else {
			v.Near = append(v.Near, to)
		}
	}
}

// linesOf returns a text of one line as a title has it, one of several as a description.
func linesOf(text string) template.HTML {
	if strings.Contains(strings.TrimSpace(text), "\n") {
		return markup.Description(text).HTML()
	}
	return markup.Title(text).HTML()
}

// FieldValues are the values of a custom field, of whichever kind.
func FieldValues(raw json.RawMessage, w *Words) (values []Link) {
	var one any
	if json.Unmarshal(raw, &one) != nil {
		return nil
	}
	list, several := one.([]any)
	if !several {
		list = []any{one}
	}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			if v != "" {
				values = append(values, Link{v, Web(v)})
			}
		case float64:
			values = append(values, Link{Text: strconv.FormatFloat(v, 'f', -1, 64)})
		case bool:
			values = append(values, Link{Text: map[bool]string{true: w.Yes, false: w.No}[v]})
		}
	}
	return values
}

// Web is an address on the web, and "" for any other text: only these are made links.
func Web(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return address
}

// resolver is the address that a DOI leads from, "" for none and for one of the prefix that is reserved for tests.
func resolver(doi string) string {
	if doi == "" || record.ForTests(doi) {
		return ""
	}
	return "https://doi.org/" + (&url.URL{Path: doi}).EscapedPath()
}

func orcid(id string) string {
	if id == "" {
		return ""
	}
	return "https://orcid.org/" + url.PathEscape(strings.TrimPrefix(id, "https://orcid.org/"))
}

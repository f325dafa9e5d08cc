package site

import (
	"encoding/json"
	"html/template"
	"net/url"
	"strconv"
	"strings"

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
	for _, r := range doc.References {
		v.Cited = append(v.Cited, Link{r, Web(r)})
	}
	for _, r := range doc.RelatedMaterials {
		if Web(r.Identifier) != "" && contains(v.Cited, r.Identifier) {
			continue
		}
		title := markup.Title(Text(r.Title)).String()
		if title == "" {
			title = r.Identifier
		}
		v.Near = append(v.Near, Link{title, Web(Text(r.Link))})
	}
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

func contains(list []Link, text string) bool {
	for _, l := range list {
		if l.Text == text {
			return true
		}
	}
	return false
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

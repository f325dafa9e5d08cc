package people

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// formFields are the fields of the form with an id, as a browser sends them that presses no button.
func formFields(t *testing.T, page []byte, id string) url.Values {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	fields := url.Values{}
	found := false
	attr := func(n *html.Node, name string) (string, bool) {
		i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
		if i < 0 {
			return "", false
		}
		return n.Attr[i].Val, true
	}
	for n := range doc.Descendants() {
		at, _ := attr(n, "action")
		if v, _ := attr(n, "id"); n.Type != html.ElementNode || n.Data != "form" || v != id && at != id {
			continue
		}
		found = true
		for e := range n.Descendants() {
			name, named := attr(e, "name")
			value, _ := attr(e, "value")
			if !named {
				continue
			}
			kind, _ := attr(e, "type")
			_, on := attr(e, "checked")
			switch {
			case e.Data == "textarea":
				if e.FirstChild != nil {
					fields.Add(name, strings.ReplaceAll(e.FirstChild.Data, "\n", "\r\n"))
				} else {
					fields.Add(name, "")
				}
			case e.Data == "select":
				for o := range e.Descendants() {
					if _, on := attr(o, "selected"); o.Data == "option" && (on || !fields.Has(name)) {
						v, has := attr(o, "value")
						if !has && o.FirstChild != nil {
							v = o.FirstChild.Data
						}
						fields.Set(name, v)
					}
				}
			case e.Data != "input", (kind == "checkbox" || kind == "radio") && !on:
			default:
				fields.Add(name, value)
			}
		}
	}
	if !found {
		t.Fatalf("the page has no form %s:\n%s", id, page)
	}
	return fields
}

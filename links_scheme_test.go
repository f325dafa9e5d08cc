package main

import (
	"fmt"
	"strings"
	"testing"
)

// Nothing that a browser runs is taken where it would be given as a link, and only addresses
// of http, https and ftp and DOIs are.
func TestLinkSchemes(t *testing.T) {
	t.Parallel()
	s := start(t)
	at, col := s.Root.article(`{"title": "An article", "authors": [{"name": "A B"}]}`), s.Root.newCollection("A collection")
	project := strings.TrimPrefix(s.Root.send("POST", "/v2/account/projects", `{"title": "A project"}`).is(201).Header.Get("Location"), s.URL)
	s.Root.do("POST", at+"/publish", nil).is(201)
	fields := []string{`"references": [%q]`, `"related_materials": [{"identifier": %q}]`, `"related_materials": [{"identifier": %q, "identifier_type": "ISSN"}]`,
		`"funding": %q`, `"funding_list": [{"title": %q}]`}
	for _, bad := range []string{"javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\\nscript:x", "vbscript:x", "data:text/html,x", "file:///etc/passwd"} {
		for _, f := range fields {
			body := `{"title": "A title", ` + strings.ReplaceAll(fmt.Sprintf(f, bad), `\\n`, `\n`) + `}`
			field := strings.SplitN(f, `"`, 3)[1]
			for _, call := range [][2]string{{"POST", "/v2/account/articles"}, {"PUT", at}, {"PATCH", at + "/versions/1"}, {"POST", "/v2/account/collections"}, {"PUT", col}} {
				s.Root.send(call[0], call[1], body).refuses(422, field)
			}
			if strings.HasPrefix(field, "funding") {
				s.Root.send("PUT", project, body).refuses(422, field)
			}
		}
		quoted := strings.ReplaceAll(fmt.Sprintf("%q", bad), `\\n`, `\n`)
		s.Root.send("PUT", col, `{"resource_link": `+quoted+`}`).refuses(422, "resource_link")
		s.Root.send("POST", at+"/resource", `{"link": `+quoted+`}`).refuses(422, "link")
		s.Root.send("POST", at+"/files", `{"link": `+quoted+`}`).refuses(422, "link")
	}
	s.Root.send("PUT", at, `{"title": "A title", "related_materials": [{"identifier": "no doi", "identifier_type": "DOI"}]}`).refuses(422, "related_materials")
	s.Root.send("PUT", at, `{"title": "A title", "related_materials": [{"identifier": "x", "identifier_type": "Handle"}]}`).refuses(422, "related_materials")
	// Other texts are kept as they are, and are no links.
	s.Root.send("PUT", at, `{"title": "A title", "references": ["Smith 2020, p. 7", "ftp://example.org/x", "10.1234/x", "mailto:a@example.org", "https://example.org"]}`).is(205)
	own := s.Root.get(at).object()
	if got := fmt.Sprint(own["references"]); got != "[Smith 2020, p. 7 ftp://example.org/x 10.1234/x mailto:a@example.org https://example.org]" {
		t.Errorf("references %s", got)
	}
	for i, want := range []any{nil, "ftp://example.org/x", "https://doi.org/10.1234/x", nil, "https://example.org"} {
		if got := own["related_materials"].([]any)[i].(map[string]any)["link"]; got != want {
			t.Errorf("material %d leads to %v, want %v", i, got, want)
		}
	}
	// ORCID iDs.
	for _, bad := range []string{"x", "0000-0002-1825-0098", "0000000218250097", "https://example.org/0000-0002-1825-0097"} {
		s.Root.send("PUT", at+"/authors", fmt.Sprintf(`{"authors": [{"name": "A B", "orcid_id": %q}]}`, bad)).refuses(422, "ORCID")
		s.Root.send("POST", col+"/authors", fmt.Sprintf(`{"authors": [{"name": "A B", "orcid_id": %q}]}`, bad)).refuses(422, "ORCID")
	}
	s.Root.send("PUT", at+"/authors", `{"authors": [{"name": "A B", "orcid_id": "https://orcid.org/0000-0002-1825-0097"}]}`).is(205)
	if got := s.Root.get(at + "/authors").list()[0]["orcid_id"]; got != "0000-0002-1825-0097" {
		t.Errorf("the ORCID iD is %v", got)
	}
}

// All names that :author: asks for are those of one person.
func TestSearchAuthorNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, authors := range []string{`{"name": "Jane Doe"}, {"name": "John Smith"}`, `{"name": "Bob Roe"}, {"first_name": "Jane", "last_name": "Smith"}`} {
		s.Ada.do("POST", s.Ada.article(`{"title": "An article", "authors": [`+authors+`]}`)+"/publish", nil).is(201)
	}
	for text, want := range map[string]int{"Jane Smith": 1, "Smith Jane": 1, "John Jane": 0, "Jane": 2, "John Smith": 1, "jane AND :author: smith": 2} {
		body := fmt.Sprintf(`{"search_for": ":author: %s"}`, text)
		if got := len(s.Anon.send("POST", "/v2/articles/search", body).is(200).list()); got != want {
			t.Errorf("%s: %d items", text, got)
		}
		if got := len(s.Ada.send("POST", "/v2/account/articles/search", body).is(200).list()); got != want {
			t.Errorf("own search of %s: %d items", text, got)
		}
	}
}

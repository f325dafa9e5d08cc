package search

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// Nothing that a browser runs is taken where it would be given as a link, and only addresses
// of http, https and ftp and DOIs are.
func TestLinkSchemes(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at, col := s.Root.Article(`{"title": "An article", "authors": [{"name": "A B"}]}`), s.Root.NewCollection("A collection")
	project := strings.TrimPrefix(s.Root.Send("POST", "/v2/account/projects", `{"title": "A project"}`).Is(201).Header.Get("Location"), s.URL)
	s.Root.Do("POST", at+"/publish", nil).Is(201)
	fields := []string{`"references": [%q]`, `"related_materials": [{"identifier": %q}]`, `"related_materials": [{"identifier": %q, "identifier_type": "ISSN"}]`,
		`"funding": %q`, `"funding_list": [{"title": %q}]`}
	for _, bad := range []string{"javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\\nscript:x", "vbscript:x", "data:text/html,x", "file:///etc/passwd"} {
		for _, f := range fields {
			body := `{"title": "A title", ` + strings.ReplaceAll(fmt.Sprintf(f, bad), `\\n`, `\n`) + `}`
			field := strings.SplitN(f, `"`, 3)[1]
			for _, call := range [][2]string{{"POST", "/v2/account/articles"}, {"PUT", at}, {"PATCH", at + "/versions/1"}, {"POST", "/v2/account/collections"}, {"PUT", col}} {
				s.Root.Send(call[0], call[1], body).Refuses(422, field)
			}
			if strings.HasPrefix(field, "funding") {
				s.Root.Send("PUT", project, body).Refuses(422, field)
			}
		}
		quoted := strings.ReplaceAll(fmt.Sprintf("%q", bad), `\\n`, `\n`)
		s.Root.Send("PUT", col, `{"resource_link": `+quoted+`}`).Refuses(422, "resource_link")
		s.Root.Send("POST", at+"/resource", `{"link": `+quoted+`}`).Refuses(422, "link")
		s.Root.Send("POST", at+"/files", `{"link": `+quoted+`}`).Refuses(422, "link")
	}
	s.Root.Send("PUT", at, `{"title": "A title", "related_materials": [{"identifier": "no doi", "identifier_type": "DOI"}]}`).Refuses(422, "related_materials")
	s.Root.Send("PUT", at, `{"title": "A title", "related_materials": [{"identifier": "x", "identifier_type": "Handle"}]}`).Refuses(422, "related_materials")
	// Other texts are kept as they are, and are no links.
	s.Root.Send("PUT", at, `{"title": "A title", "references": ["Smith 2020, p. 7", "ftp://example.org/x", "10.1234/x", "mailto:a@example.org", "https://example.org"]}`).Is(205)
	own := s.Root.Get(at).Object()
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
		s.Root.Send("PUT", at+"/authors", fmt.Sprintf(`{"authors": [{"name": "A B", "orcid_id": %q}]}`, bad)).Refuses(422, "ORCID")
		s.Root.Send("POST", col+"/authors", fmt.Sprintf(`{"authors": [{"name": "A B", "orcid_id": %q}]}`, bad)).Refuses(422, "ORCID")
	}
	s.Root.Send("PUT", at+"/authors", `{"authors": [{"name": "A B", "orcid_id": "https://orcid.org/0000-0002-1825-0097"}]}`).Is(205)
	if got := s.Root.Get(at + "/authors").List()[0]["orcid_id"]; got != "0000-0002-1825-0097" {
		t.Errorf("the ORCID iD is %v", got)
	}
}

// All names that :author: asks for are those of one person.
func TestSearchAuthorNames(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for _, authors := range []string{`{"name": "Jane Doe"}, {"name": "John Smith"}`, `{"name": "Bob Roe"}, {"first_name": "Jane", "last_name": "Smith"}`} {
		s.Ada.Do("POST", s.Ada.Article(`{"title": "An article", "authors": [`+authors+`]}`)+"/publish", nil).Is(201)
	}
	for text, want := range map[string]int{"Jane Smith": 1, "Smith Jane": 1, "John Jane": 0, "Jane": 2, "John Smith": 1, "jane AND :author: smith": 2} {
		body := fmt.Sprintf(`{"search_for": ":author: %s"}`, text)
		if got := len(s.Anon.Send("POST", "/v2/articles/search", body).Is(200).List()); got != want {
			t.Errorf("%s: %d items", text, got)
		}
		if got := len(s.Ada.Send("POST", "/v2/account/articles/search", body).Is(200).List()); got != want {
			t.Errorf("own search of %s: %d items", text, got)
		}
	}
}

package pages

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// leads follows a redirect of an address, as a browser would.
func leads(t *testing.T, c world.Client, from, to string) {
	t.Helper()
	r := c.Get(from, "Accept", browser).Is(302)
	if got := strings.TrimPrefix(r.Header.Get("Location"), c.Server.URL); got != to {
		t.Errorf("%s leads to %s, not to %s", from, got, to)
	}
}

// The page of a collection shows its public items, version by version, and each address of it leads
// there.
func TestCollectionPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	var ids []string
	for n := range 22 {
		id, _ := published(s, fmt.Sprintf(`{"title": "Member %02d", "defined_type": "dataset", "authors": [{"name": "Grace Hopper"}]}`, n))
		ids = append(ids, fmt.Sprint(id))
	}
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "A draft member"}`))
	made := s.Ada.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": "Arctic <i>rain</i>", "description": "<p>All of it</p>", "authors": [{"name": "Ada Lovelace"}],
		"tags": ["rain"], "categories": [37], "articles": [%d]}`, draft))
	for len(ids) > 0 {
		n := min(len(ids), 10)
		s.Ada.Send("POST", made+"/articles", `{"articles": [`+strings.Join(ids[:n], ", ")+`]}`).Is(201)
		ids = ids[n:]
	}
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	id := world.LastNumber(t, made)
	at := fmt.Sprintf("/collections/Arctic_rain/%d", id)
	text := page(t, s.Anon, at, 200)
	holds(t, text, "Collection", "Arctic <i>rain</i>", "Ada Lovelace", "All of it", "Member 00", "Member 19", `rel="next"`, "Version 1", "BibTeX", `"@type": "Collection"`,
		`<link rel="canonical" href="`+s.URL+at+`">`)
	lacks(t, text, "A draft member", "Member 20", "Download all")
	holds(t, page(t, s.Anon, at+"?page=2", 200), "Member 21")
	for _, none := range []string{at + "?page=0", at + "?page=x", at + "/9", at + "/x", "/collections/x", "/collections/999", "/collections/a/999"} {
		page(t, s.Anon, none, 404)
	}
	leads(t, s.Anon, fmt.Sprintf("/collections/%d", id), at)
	leads(t, s.Anon, fmt.Sprintf("/collections/other/%d?page=2", id), at+"?page=2")
	s.Ada.Send("PATCH", made, `{"title": "Arctic snow"}`).Is(205)
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	now := fmt.Sprintf("/collections/Arctic_snow/%d", id)
	leads(t, s.Anon, at, now)
	holds(t, page(t, s.Anon, at+"/1", 200), "earlier version", "The newest version is 2", now)
	doi, ok := s.Anon.Get(fmt.Sprintf("/v2/collections/%d", id)).Is(200).Object()["doi"].(string)
	if ok && doi != "" {
		leads(t, s.Anon, "/doi/"+doi, now+"/2")
	}
	s.Ada.Send("POST", made+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	gone := page(t, s.Anon, now, 410)
	holds(t, gone, "Arctic snow", "Ada Lovelace", "Withdrawn on", "noindex")
	lacks(t, gone, "Member", "It was wrong", "All of it")
}

// The page of a project shows its public items and members.
func TestProjectPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Wrote("/v2/account/projects", `{"title": "Weather of the north", "description": "Stations", "funding": "A fund"}`)
	inside := s.Ada.Wrote(made+"/articles", `{"title": "Station one", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Wrote(made+"/articles", `{"title": "A draft station"}`)
	id := world.LastNumber(t, made)
	at := fmt.Sprintf("/projects/Weather_of_the_north/%d", id)
	page(t, s.Anon, at, 404)
	s.Ada.Send("POST", "/v2/account/articles/"+fmt.Sprint(world.LastNumber(t, inside))+"/publish", "").Is(201)
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	text := page(t, s.Anon, at, 200)
	holds(t, text, "Project", "Weather of the north", "Stations", "A fund", "Station one")
	lacks(t, text, "A draft station", "BibTeX", "Version")
	leads(t, s.Anon, fmt.Sprintf("/projects/%d", id), at)
	page(t, s.Anon, at+"/2", 404)
	s.Ada.Send("POST", made+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	holds(t, page(t, s.Anon, at, 410), "Weather of the north")
}

// An item that was public and is not any more answers 410 at each of its addresses, and nothing else does.
func TestWithdrawnPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "Gone soon", "description": "Too much", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	doi := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()["doi"].(string)
	leads(t, s.Anon, "/doi/"+strings.ToUpper(doi), at+"/1")
	leads(t, s.Anon, "/doi/"+strings.TrimSuffix(doi, ".v1"), at)
	article := fmt.Sprintf("/v2/account/articles/%d", id)
	s.Ada.Send("POST", article+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	for _, was := range []string{at, at + "/1", fmt.Sprintf("/articles/%d", id)} {
		text := page(t, s.Anon, was, 410)
		holds(t, text, "Gone soon", "Ada Lovelace", strings.TrimSuffix(doi, ".v1"), "Withdrawn on", "noindex")
		lacks(t, text, "Too much", "It was wrong")
	}
	leads(t, s.Anon, "/doi/"+doi, fmt.Sprintf("/articles/%d", id))
	s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(404)
	s.Ada.Send("POST", article+"/publish", "").Is(201)
	page(t, s.Anon, at, 200)
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "Never public"}`))
	page(t, s.Anon, fmt.Sprintf("/articles/%d", draft), 404)
	page(t, s.Anon, "/doi/10.1234/none", 404)
	page(t, s.Anon, "/doi/none", 404)
}

// Every form of an item can be had, as a file of its type; what readers do not know has none.
func TestExports(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "Rain & snow", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`, "a.csv")
	text := page(t, s.Anon, at, 200)
	for _, f := range []struct{ name, media, holds string }{
		{"apa", "text/plain; charset=utf-8", "Lovelace, A. ("}, {"bibtex", "application/x-bibtex", `Rain \& snow`}, {"ris", "application/x-research-info-systems", "TI  - Rain & snow"},
		{"csl", "application/vnd.citationstyles.csl+json", `"type": "dataset"`}, {"schemaorg", "application/ld+json", "a.csv"},
	} {
		export := fmt.Sprintf("/export/articles/%d/1/%s", id, f.name)
		r := s.Anon.Get(export).Is(200)
		if got := r.Header.Get("Content-Type"); got != f.media || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment; ") {
			t.Errorf("%s is %q, %q", f.name, got, r.Header.Get("Content-Disposition"))
		}
		holds(t, string(r.Bytes), f.holds)
		if strings.Contains(f.media, "json") && !json.Valid(r.Bytes) {
			t.Errorf("%s is no JSON", f.name)
		}
		if f.name != "apa" {
			holds(t, text, export)
		}
	}
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "Never public"}`))
	for _, none := range []string{fmt.Sprintf("/export/articles/%d/1/word", id), fmt.Sprintf("/export/articles/%d/2/ris", id), fmt.Sprintf("/export/articles/%d/1/ris", draft), "/export/collections/1/1/ris"} {
		s.Anon.Get(none).Is(404)
	}
}

// The page of an item names the public items here that cite it, in whatever version, and no others.
func TestCitedBy(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "The source", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	lacks(t, page(t, s.Anon, at, 200), "Cited by")
	doi := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()["doi"].(string)
	naming := fmt.Sprintf(`"authors": [{"name": "Ada Lovelace"}], "references": ["https://doi.org/%s"]}`, doi)
	published(s, `{"title": "A paper <i>on</i> it", `+naming)
	s.Ada.Article(`{"title": "A draft on it", ` + naming)
	set := s.Ada.Wrote("/v2/account/collections", `{"title": "All on it", "categories": [37], "tags": ["rain"], "description": "x", `+naming)
	s.Ada.Send("POST", set+"/publish", "").Is(201)
	text := page(t, s.Anon, at, 200)
	holds(t, text, "Cited by", ">A paper on it</a>", ">All on it</a>")
	lacks(t, text, "A draft on it")
	s.Ada.Send("POST", set+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	lacks(t, page(t, s.Anon, at, 200), "All on it")
}

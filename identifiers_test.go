package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"alcove/config"
)

// reserve_doi and reserve_handle: 200 with the identifier, the same each time, and the one that
// publishing uses.
func TestIdentifiersReserve(t *testing.T) {
	s := start(t, func(c *config.Config) { c.DOIPrefix, c.HandlePrefix = "10.1234/repo", "20.500/repo" })
	for _, kind := range []struct{ item, public, doi, handle, absent string }{
		{s.Ada.article(`{"title": "An article", "authors": [{"name": "A B"}]}`), "/v2/articles/1", "10.1234/repo.1", "20.500/repo.1", "rticle not found"},
		{s.Ada.newCollection("A collection"), "/v2/collections/1", "10.1234/repo.c.1", "20.500/repo.c.1", "Collection not found"},
	} {
		if own := s.Ada.get(kind.item).object(); own["doi"] != nil || own["handle"] != nil {
			t.Errorf("%s has identifiers before: %v, %v", kind.item, own["doi"], own["handle"])
		}
		for range 2 {
			if got := string(s.Ada.do("POST", kind.item+"/reserve_doi", nil).is(200).body); got != `{"doi": "`+kind.doi+`"}` {
				t.Errorf("reserve_doi answered %s", got)
			}
			if got := string(s.Ada.do("POST", kind.item+"/reserve_handle", nil).is(200).body); got != `{"handle": "`+kind.handle+`"}` {
				t.Errorf("reserve_handle answered %s", got)
			}
		}
		// No other account sees or reserves them.
		s.Anon.get(kind.public).refuses(404, "")
		for _, call := range []string{"/reserve_doi", "/reserve_handle"} {
			s.Anon.do("POST", kind.item+call, nil).refuses(401, "")
			s.Ben.do("POST", kind.item+call, nil).refuses(404, kind.absent)
			s.Ada.do("POST", kind.item+"0"+call, nil).refuses(404, kind.absent)
			s.Ada.do("POST", strings.TrimSuffix(kind.item, "1")+"x"+call, nil).refuses(400, "")
		}
		// A blank in a body does not take back what was given out.
		s.Ada.send("PATCH", kind.item, `{"title": "Another title", "doi": null, "handle": ""}`).is(205)
		if own := s.Ada.get(kind.item).object(); own["doi"] != kind.doi || own["handle"] != kind.handle {
			t.Errorf("%s has %v and %v", kind.item, own["doi"], own["handle"])
		}
		s.Ada.send("PUT", kind.item+"/authors", `{"authors": [{"name": "A B"}]}`).is(205)
		s.Ada.do("POST", kind.item+"/publish", nil).is(201)
		public := s.Anon.get(kind.public).is(200).object()
		if public["doi"] != kind.doi+".v1" || public["handle"] != kind.handle {
			t.Errorf("published as %v and %v", public["doi"], public["handle"])
		}
		if got := s.Ada.do("POST", kind.item+"/reserve_doi", nil).is(200).object()["doi"]; got != kind.doi {
			t.Errorf("after publishing the DOI is %v", got)
		}
	}
	// Published without reserving: the same DOI, and no handle.
	id := s.Ada.published("Not reserved")
	public := s.Anon.get(fmt.Sprintf("/v2/articles/%d", id)).object()
	if public["doi"] != fmt.Sprintf("10.1234/repo.%d.v1", id) || public["handle"] != nil {
		t.Errorf("not reserved: %v and %v", public["doi"], public["handle"])
	}
	if got := s.Ada.do("POST", fmt.Sprintf("/v2/account/articles/%d/reserve_doi", id), nil).object()["doi"]; got != fmt.Sprintf("10.1234/repo.%d", id) {
		t.Errorf("the DOI of a published article is %v", got)
	}
	// An identifier set by an administrator is the reserved one.
	at := s.Root.article(`{"title": "From elsewhere", "doi": "10.9999/elsewhere"}`)
	if got := s.Root.do("POST", at+"/reserve_doi", nil).object()["doi"]; got != "10.9999/elsewhere" {
		t.Errorf("a DOI that was set is reserved as %v", got)
	}
}

// Reserving ten times at once gives one DOI, and changes the item once (security.md J14).
func TestIdentifiersReserveAtOnce(t *testing.T) {
	s := start(t)
	at := s.Ada.article(`{"title": "An article"}`)
	before := s.DB().Sequence()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if got := s.Ada.do("POST", at+"/reserve_doi", nil).object()["doi"]; got != "10.5072/alcove.1" {
				t.Errorf("the DOI is %v", got)
			}
		})
	}
	all.Wait()
	if n := s.DB().Sequence() - before; n != 1 {
		t.Errorf("%d changes", n)
	}
}

// resource: 205, Location of the own details, the limits of the body; shown in the item,
// published with it.
func TestResource(t *testing.T) {
	s := start(t)
	whole := `{"id": "aaaa23512", "title": "A paper on tides", "doi": "10.9999/paper.1", "link": "https://example.org/paper", "status": "frozen", "version": 3}`
	for _, kind := range []struct{ item, public, absent string }{
		{s.Ada.article(`{"title": "An article"}`), "/v2/articles/1", "Article not found"},
		{s.Ada.newCollection("A collection"), "/v2/collections/1", "Collection not found"},
	} {
		r := s.Ada.send("POST", kind.item+"/resource", whole).is(205)
		if at := s.URL + kind.item; r.Header.Get("Location") != at || string(r.body) != `{"location": "`+at+`", "warnings": []}` {
			t.Errorf("resource answered %s, Location %s", r.body, r.Header.Get("Location"))
		}
		shows := func(o map[string]any, want map[string]any) {
			t.Helper()
			for key, want := range want {
				if got, shown := o[key]; got != want && (shown || strings.Contains(kind.item, "collections")) {
					t.Errorf("%s: %s is %v, want %v", kind.item, key, got, want)
				}
			}
		}
		full := map[string]any{
			"resource_title": "A paper on tides", "resource_doi": "10.9999/paper.1", "resource_id": "aaaa23512",
			"resource_link": "https://example.org/paper", "resource_version": 3.0,
		}
		shows(s.Ada.get(kind.item).is(200).object(), full)
		for _, c := range []struct{ body, field string }{
			{`{"id": "` + strings.Repeat("é", 256) + `"}`, "id"}, {`{"title": "` + strings.Repeat("é", 1001) + `"}`, "title"},
			{`{"doi": "` + strings.Repeat("é", 256) + `"}`, "doi"}, {`{"link": "` + strings.Repeat("é", 256) + `"}`, "link"},
			{`{"status": "` + strings.Repeat("é", 101) + `"}`, "status"}, {`{"version": -1}`, "version"},
			{`{"version": "3"}`, "version"}, {`{"id": 7}`, "id"}, {`{"title": ["x"]}`, "title"},
		} {
			s.Ada.send("POST", kind.item+"/resource", c.body).refuses(422, c.field)
			s.Ben.send("POST", kind.item+"/resource", c.body).refuses(404, kind.absent)
		}
		s.Ada.do("POST", kind.item+"/resource", nil).refuses(400, "")
		s.Ada.send("POST", kind.item+"/resource", "{").refuses(400, "")
		s.Anon.send("POST", kind.item+"/resource", whole).refuses(401, "")
		s.Ben.send("POST", kind.item+"/resource", whole).refuses(404, kind.absent)
		s.Ada.send("POST", kind.item+"/resource", `{"id": "`+strings.Repeat("é", 255)+`", "title": "`+strings.Repeat("é", 1000)+`", "link": "`+
			strings.Repeat("é", 255)+`", "status": "`+strings.Repeat("é", 100)+`"}`).is(205)
		s.Ada.send("POST", kind.item+"/resource", whole).is(205)
		s.Ada.send("PUT", kind.item+"/authors", `{"authors": [{"name": "A B"}]}`).is(205)
		s.Ada.do("POST", kind.item+"/publish", nil).is(201)
		shows(s.Anon.get(kind.public).is(200).object(), full)
		// The body is the whole resource: what is not sent is blank. Readers see it when
		// it is published.
		s.Ada.send("POST", kind.item+"/resource", `{"title": "Another paper"}`).is(205)
		own := s.Ada.get(kind.item).is(200).object()
		if own["resource_title"] != "Another paper" || own["resource_doi"] != nil {
			t.Errorf("%s: after the second resource %v, %v", kind.item, own["resource_title"], own["resource_doi"])
		}
		shows(s.Anon.get(kind.public).is(200).object(), full)
	}
}

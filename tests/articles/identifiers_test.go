package articles

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// reserve_doi and reserve_handle: 200 with the identifier, the same each time, and the one that
// publishing uses.
func TestIdentifiersReserve(t *testing.T) {
	s := world.Start(t, func(c *config.Config) { c.DOIPrefix, c.HandlePrefix = "10.1234/repo", "20.500/repo" })
	for _, kind := range []struct{ item, public, doi, handle, absent string }{
		{s.Ada.Article(`{"title": "An article", "authors": [{"name": "A B"}]}`), "/v2/articles/1", "10.1234/repo.1", "20.500/repo.1", "rticle not found"},
		{s.Ada.NewCollection("A collection"), "/v2/collections/1", "10.1234/repo.c.1", "20.500/repo.c.1", "Collection not found"},
	} {
		if own := s.Ada.Get(kind.item).Object(); own["doi"] != nil || own["handle"] != nil {
			t.Errorf("%s has identifiers before: %v, %v", kind.item, own["doi"], own["handle"])
		}
		for range 2 {
			if got := string(s.Ada.Do("POST", kind.item+"/reserve_doi", nil).Is(200).Bytes); got != `{"doi": "`+kind.doi+`"}` {
				t.Errorf("reserve_doi answered %s", got)
			}
			if got := string(s.Ada.Do("POST", kind.item+"/reserve_handle", nil).Is(200).Bytes); got != `{"handle": "`+kind.handle+`"}` {
				t.Errorf("reserve_handle answered %s", got)
			}
		}
		// No other account sees or reserves them.
		s.Anon.Get(kind.public).Refuses(404, "")
		for _, call := range []string{"/reserve_doi", "/reserve_handle"} {
			s.Anon.Do("POST", kind.item+call, nil).Refuses(401, "")
			s.Ben.Do("POST", kind.item+call, nil).Refuses(404, kind.absent)
			s.Ada.Do("POST", kind.item+"0"+call, nil).Refuses(404, kind.absent)
			s.Ada.Do("POST", strings.TrimSuffix(kind.item, "1")+"x"+call, nil).Refuses(400, "")
		}
		// A blank in a body does not take back what was given out.
		s.Ada.Send("PATCH", kind.item, `{"title": "Another title", "doi": null, "handle": ""}`).Is(205)
		if own := s.Ada.Get(kind.item).Object(); own["doi"] != kind.doi || own["handle"] != kind.handle {
			t.Errorf("%s has %v and %v", kind.item, own["doi"], own["handle"])
		}
		s.Ada.Send("PUT", kind.item+"/authors", `{"authors": [{"name": "A B"}]}`).Is(205)
		s.Ada.Do("POST", kind.item+"/publish", nil).Is(201)
		public := s.Anon.Get(kind.public).Is(200).Object()
		if public["doi"] != kind.doi+".v1" || public["handle"] != kind.handle {
			t.Errorf("published as %v and %v", public["doi"], public["handle"])
		}
		if got := s.Ada.Do("POST", kind.item+"/reserve_doi", nil).Is(200).Object()["doi"]; got != kind.doi {
			t.Errorf("after publishing the DOI is %v", got)
		}
	}
	// Published without reserving: the same DOI, and no handle.
	id := s.Ada.Published("Not reserved")
	public := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Object()
	if public["doi"] != fmt.Sprintf("10.1234/repo.%d.v1", id) || public["handle"] != nil {
		t.Errorf("not reserved: %v and %v", public["doi"], public["handle"])
	}
	if got := s.Ada.Do("POST", fmt.Sprintf("/v2/account/articles/%d/reserve_doi", id), nil).Object()["doi"]; got != fmt.Sprintf("10.1234/repo.%d", id) {
		t.Errorf("the DOI of a published article is %v", got)
	}
	// An identifier set by an administrator is the reserved one.
	at := s.Root.Article(`{"title": "From elsewhere", "doi": "10.9999/elsewhere"}`)
	if got := s.Root.Do("POST", at+"/reserve_doi", nil).Object()["doi"]; got != "10.9999/elsewhere" {
		t.Errorf("a DOI that was set is reserved as %v", got)
	}
}

// Reserving ten times at once gives one DOI, and changes the item once (security.md J14).
func TestIdentifiersReserveAtOnce(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "An article"}`)
	before := s.Sequence()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if got := s.Ada.Do("POST", at+"/reserve_doi", nil).Object()["doi"]; got != "10.5072/alcove.1" {
				t.Errorf("the DOI is %v", got)
			}
		})
	}
	all.Wait()
	if n := s.Sequence() - before; n != 1 {
		t.Errorf("%d changes", n)
	}
}

// resource: 205, Location of the own details, the limits of the body; shown in the item,
// published with it.
func TestResource(t *testing.T) {
	s := world.Start(t)
	whole := `{"id": "aaaa23512", "title": "A paper on tides", "doi": "10.9999/paper.1", "link": "https://example.org/paper", "status": "frozen", "version": 3}`
	for _, kind := range []struct{ item, public, absent string }{
		{s.Ada.Article(`{"title": "An article"}`), "/v2/articles/1", "Article not found"},
		{s.Ada.NewCollection("A collection"), "/v2/collections/1", "Collection not found"},
	} {
		r := s.Ada.Send("POST", kind.item+"/resource", whole).Is(205)
		if at := s.URL + kind.item; r.Header.Get("Location") != at || string(r.Bytes) != `{"location": "`+at+`", "warnings": []}` {
			t.Errorf("resource answered %s, Location %s", r.Bytes, r.Header.Get("Location"))
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
		shows(s.Ada.Get(kind.item).Is(200).Object(), full)
		for _, c := range []struct{ body, field string }{
			{`{"id": "` + strings.Repeat("é", 256) + `"}`, "id"}, {`{"title": "` + strings.Repeat("é", 1001) + `"}`, "title"},
			{`{"doi": "` + strings.Repeat("é", 256) + `"}`, "doi"}, {`{"link": "` + strings.Repeat("é", 256) + `"}`, "link"},
			{`{"status": "` + strings.Repeat("é", 101) + `"}`, "status"}, {`{"version": -1}`, "version"},
			{`{"version": "3"}`, "version"}, {`{"id": 7}`, "id"}, {`{"title": ["x"]}`, "title"},
		} {
			s.Ada.Send("POST", kind.item+"/resource", c.body).Refuses(422, c.field)
			s.Ben.Send("POST", kind.item+"/resource", c.body).Refuses(404, kind.absent)
		}
		s.Ada.Do("POST", kind.item+"/resource", nil).Refuses(400, "")
		s.Ada.Send("POST", kind.item+"/resource", "{").Refuses(400, "")
		s.Anon.Send("POST", kind.item+"/resource", whole).Refuses(401, "")
		s.Ben.Send("POST", kind.item+"/resource", whole).Refuses(404, kind.absent)
		s.Ada.Send("POST", kind.item+"/resource", `{"id": "`+strings.Repeat("é", 255)+`", "title": "`+strings.Repeat("é", 1000)+`", "link": "`+
			strings.Repeat("é", 255)+`", "status": "`+strings.Repeat("é", 100)+`"}`).Is(205)
		s.Ada.Send("POST", kind.item+"/resource", whole).Is(205)
		s.Ada.Send("PUT", kind.item+"/authors", `{"authors": [{"name": "A B"}]}`).Is(205)
		s.Ada.Do("POST", kind.item+"/publish", nil).Is(201)
		shows(s.Anon.Get(kind.public).Is(200).Object(), full)
		// The body is the whole resource: what is not sent is blank. Readers see it when
		// it is published.
		s.Ada.Send("POST", kind.item+"/resource", `{"title": "Another paper"}`).Is(205)
		own := s.Ada.Get(kind.item).Is(200).Object()
		if own["resource_title"] != "Another paper" || own["resource_doi"] != nil {
			t.Errorf("%s: after the second resource %v, %v", kind.item, own["resource_title"], own["resource_doi"])
		}
		shows(s.Anon.Get(kind.public).Is(200).Object(), full)
	}
}

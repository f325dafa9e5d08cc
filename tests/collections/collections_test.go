package collections

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// A collection is made, filled, published in versions.
func TestCollectionLife(t *testing.T) {
	s := world.Start(t)
	one, two := s.Ada.Published("First member"), s.Ada.Published("Second member")
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "Hidden zebra member"}`))
	r := s.Ada.Send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "All about members", "articles": [%d, %d], "tags": ["a"],
		"description": "<p>d</p>", "categories": [37], "colour": 1}`, one, draft)).Is(201)
	at := s.URL + "/v2/account/collections/1"
	if r.Header.Get("Location") != at || string(r.Bytes) != `{"entity_id": 1, "location": "`+at+`", "warnings": ["Unknown key \"colour\" was ignored"]}` {
		t.Errorf("create answered %s, Location %s", r.Bytes, r.Header.Get("Location"))
	}
	own := s.Ada.Get(at).Is(200).Object()
	for key, want := range map[string]any{
		"id": 1.0, "title": "All about members", "url": at, "doi": nil, "published_date": nil, "version": 0.0, "public": false,
		"articles_count": 2.0, "account_id": 1.0, "resource_version": 0.0, "resource_id": nil, "group_resource_id": nil,
	} {
		if got, ok := own[key]; !ok || got != want {
			t.Errorf("own %s is %v (present: %v), want %v", key, got, ok, want)
		}
	}
	r = s.Ada.Send("POST", at+"/articles", fmt.Sprintf(`{"articles": [%d, %d]}`, two, one)).Is(201)
	if r.Header.Get("Location") != at+"/articles" || string(r.Bytes) != `{"location": "`+at+`/articles", "warnings": []}` {
		t.Errorf("adding articles answered %s", r.Bytes)
	}
	if got := len(s.Ada.Get(at + "/articles").Is(200).List()); got != 3 {
		t.Errorf("%d own members", got)
	}
	s.Anon.Get("/v2/collections/1").Refuses(404, "Collection not found")
	s.Ada.Do("POST", at+"/publish", nil).Refuses(428, "Collection has no associated authors")

	r = s.Ada.Send("POST", at+"/authors", `{"authors": [{"name": "Grace Hopper"}]}`).Is(201)
	if r.Header.Get("Location") != at+"/authors" {
		t.Errorf("adding authors: Location %s", r.Header.Get("Location"))
	}
	r = s.Ada.Send("PUT", at, `{"description": "new"}`).Is(205)
	if r.Header.Get("Location") != at || string(r.Bytes) != `{"location": "`+at+`", "warnings": []}` {
		t.Errorf("PUT answered %s", r.Bytes)
	}
	public := s.URL + "/v2/collections/1"
	r = s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if r.Header.Get("Location") != public {
		t.Errorf("publish: Location %s", r.Header.Get("Location"))
	}
	v1 := s.Anon.Get(public).Is(200)
	for key, want := range map[string]any{
		"version": 1.0, "public": true, "doi": "10.5072/alcove.c.1.v1", "url": public, "articles_count": 2.0, "description": "new",
	} {
		if got := v1.Object()[key]; got != want {
			t.Errorf("public %s is %v, want %v", key, got, want)
		}
	}
	if _, leaked := v1.Object()["account_id"]; leaked {
		t.Error("the public form has account_id")
	}
	members := s.Anon.Get(public + "/articles").Is(200)
	if len(members.List()) != 2 || strings.Contains(string(members.Bytes), "zebra") {
		t.Errorf("public members: %s", members.Bytes)
	}
	if got := len(s.Anon.Get(public + "/articles?page=2&page_size=1").Is(200).List()); got != 1 {
		t.Errorf("page 2 has %d", got)
	}

	s.Ada.Do("DELETE", fmt.Sprintf("%s/articles/%d", at, one), nil).Is(204)
	if again := s.Anon.Get(public); string(again.Bytes) != string(v1.Bytes) {
		t.Error("an update changed the public version")
	}
	s.Ada.Send("PATCH", at, `{"title": "Second thoughts"}`).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := s.Anon.Get(public + "/versions/1").Is(200); string(got.Bytes) != string(v1.Bytes) {
		t.Error("version 1 changed")
	}
	want := fmt.Sprintf(`[{"id": 1, "version": 1, "url": "%s/versions/1", "funding": []}, {"id": 2, "version": 2, "url": "%s/versions/2", "funding": []}]`, public, public)
	if got := string(s.Anon.Get(public + "/versions").Is(200).Bytes); got != want {
		t.Errorf("versions %s", got)
	}
	s.Anon.Get(public+"/versions/3").Refuses(404, "Entity not found: CollectionVersion")
	if got := s.Anon.Get("/v2/collections").Is(200).List(); len(got) != 1 || got[0]["title"] != "Second thoughts" || got[0]["articles"] != nil {
		t.Errorf("list %v", got)
	}
	if got := s.Ada.Get("/v2/account/collections").Is(200).List(); len(got) != 1 || got[0]["url"] != at {
		t.Errorf("own list %v", got)
	}
	s.Ada.Do("DELETE", at, nil).Is(204) // what is public is withdrawn (unpublish_more_test.go)
	s.Anon.Get(public).Is(404)
	s.Ada.Get(at).Refuses(404, "Collection not found")
}

// The refusals of a collection's sub-resources; articles of other accounts do not exist for it
// (security.md A07).
func TestCollectionRefusals(t *testing.T) {
	s := world.Start(t)
	at := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "Picky"}`).Is(201).Header.Get("Location"), s.URL)
	foreign := world.LastNumber(t, s.Ben.Article(`{"title": "Ben's secret"}`))
	mine := world.LastNumber(t, s.Ada.Article(`{"title": "Ada's draft"}`))
	eleven := strings.Repeat("1, ", 10) + "1"
	for _, c := range []struct {
		method, path, body string
		status             int
		message            string
	}{
		{"POST", "/v2/account/collections", `{}`, 422, "title is required"},
		{"POST", "/v2/account/collections", `{"title": "ab"}`, 422, "title"},
		{"POST", "/v2/account/collections", fmt.Sprintf(`{"title": "Grabby", "articles": [%d]}`, foreign), 422, "Article not found"},
		{"POST", "/v2/account/collections", `{"title": "Grabby", "articles": [` + eleven + `]}`, 422, "10"},
		{"POST", "/v2/account/collections", `{"title": "Grabby", "resource_id": "x"}`, 403, "resource_id"},
		{"PUT", at, `{"articles": [99]}`, 422, "Article not found"},
		{"PUT", at, `{"authors": [{"id": 99}]}`, 422, "Author not found"},
		{"PUT", at, `{"categories": [1]}`, 422, "Category not found"},
		{"POST", at + "/articles", fmt.Sprintf(`{"articles": [%d]}`, foreign), 422, "Article not found"},
		{"PUT", at + "/articles", fmt.Sprintf(`{"articles": [%d, %d]}`, mine, foreign), 422, "Article not found"},
		{"POST", at + "/articles", `{"articles": [` + eleven + `]}`, 422, "at most 10"},
		{"POST", at + "/articles", `{}`, 422, "articles is required"},
		{"DELETE", at + "/articles/77", ``, 404, "not found"},
		{"POST", at + "/authors", `{"authors": [{"id": 99}]}`, 422, "Author not found"},
		{"PUT", at + "/authors", `{"authors": [{"id": 99}]}`, 422, "Author not found"},
		{"DELETE", at + "/authors/99", ``, 422, "Author not found"},
		{"POST", at + "/categories", `{"categories": [1]}`, 422, "Category not found"},
		{"PUT", at + "/categories", `{"categories": [1]}`, 422, "Category not found"},
		{"DELETE", at + "/categories/37", ``, 404, "Category not found"},
		{"PUT", "/v2/account/collections/99", `{"title": "abc"}`, 404, "Collection not found"},
		{"DELETE", "/v2/account/collections/99", ``, 404, "Collection not found"},
		{"POST", "/v2/account/collections/99/publish", ``, 404, "Collection not found"},
	} {
		before := s.Sequence()
		s.Ada.Send(c.method, c.path, c.body).Refuses(c.status, c.message)
		if s.Sequence() != before {
			t.Errorf("%s %s %s was refused and changed something", c.method, c.path, c.body)
		}
	}
	for _, c := range []struct{ method, path, body string }{{"GET", at, ""}, {"PUT", at, `{"title": "Taken"}`}, {"DELETE", at, ""}, {"GET", at + "/articles", ""}} {
		s.Ben.Send(c.method, c.path, c.body).Refuses(404, "Collection not found")
	}
	s.Ada.Send("PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, mine)).Is(205)
	s.Ada.Send("POST", at+"/categories", `{"categories": [37]}`).Is(201)
	s.Ada.Send("PUT", at+"/categories", `{"categories": [3702]}`).Is(205)
	s.Ada.Do("DELETE", at+"/categories/3702", nil).Is(204)
	s.Ada.Do("DELETE", at, nil).Is(204)
	s.Ada.Get(at).Refuses(404, "Collection not found")
}

package main

import (
	"fmt"
	"strings"
	"testing"
)

// A collection is made, filled, published in versions.
func TestCollectionLife(t *testing.T) {
	s := start(t)
	one, two := s.Ada.published("First member"), s.Ada.published("Second member")
	draft := lastNumber(t, s.Ada.article(`{"title": "Hidden zebra member"}`))
	r := s.Ada.send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "All about members", "articles": [%d, %d], "tags": ["a"],
		"description": "<p>d</p>", "categories": [37], "colour": 1}`, one, draft)).is(201)
	at := s.URL + "/v2/account/collections/1"
	if r.Header.Get("Location") != at || string(r.body) != `{"entity_id": 1, "location": "`+at+`", "warnings": ["Unknown key \"colour\" was ignored"]}` {
		t.Errorf("create answered %s, Location %s", r.body, r.Header.Get("Location"))
	}
	own := s.Ada.get(at).is(200).object()
	for key, want := range map[string]any{
		"id": 1.0, "title": "All about members", "url": at, "doi": nil, "published_date": nil, "version": 0.0, "public": false,
		"articles_count": 2.0, "account_id": 1.0, "resource_version": 0.0, "resource_id": nil, "group_resource_id": nil,
	} {
		if got, ok := own[key]; !ok || got != want {
			t.Errorf("own %s is %v (present: %v), want %v", key, got, ok, want)
		}
	}
	r = s.Ada.send("POST", at+"/articles", fmt.Sprintf(`{"articles": [%d, %d]}`, two, one)).is(201)
	if r.Header.Get("Location") != at+"/articles" || string(r.body) != `{"location": "`+at+`/articles", "warnings": []}` {
		t.Errorf("adding articles answered %s", r.body)
	}
	if got := len(s.Ada.get(at + "/articles").is(200).list()); got != 3 {
		t.Errorf("%d own members", got)
	}
	s.Anon.get("/v2/collections/1").refuses(404, "Collection not found")
	s.Ada.do("POST", at+"/publish", nil).refuses(428, "Collection has no associated authors")

	r = s.Ada.send("POST", at+"/authors", `{"authors": [{"name": "Grace Hopper"}]}`).is(201)
	if r.Header.Get("Location") != at+"/authors" {
		t.Errorf("adding authors: Location %s", r.Header.Get("Location"))
	}
	r = s.Ada.send("PUT", at, `{"description": "new"}`).is(205)
	if r.Header.Get("Location") != at || string(r.body) != `{"location": "`+at+`", "warnings": []}` {
		t.Errorf("PUT answered %s", r.body)
	}
	public := s.URL + "/v2/collections/1"
	r = s.Ada.do("POST", at+"/publish", nil).is(201)
	if r.Header.Get("Location") != public {
		t.Errorf("publish: Location %s", r.Header.Get("Location"))
	}
	v1 := s.Anon.get(public).is(200)
	for key, want := range map[string]any{
		"version": 1.0, "public": true, "doi": "10.5072/alcove.c.1.v1", "url": public, "articles_count": 2.0, "description": "new",
	} {
		if got := v1.object()[key]; got != want {
			t.Errorf("public %s is %v, want %v", key, got, want)
		}
	}
	if _, leaked := v1.object()["account_id"]; leaked {
		t.Error("the public form has account_id")
	}
	members := s.Anon.get(public + "/articles").is(200)
	if len(members.list()) != 2 || strings.Contains(string(members.body), "zebra") {
		t.Errorf("public members: %s", members.body)
	}
	if got := len(s.Anon.get(public + "/articles?page=2&page_size=1").is(200).list()); got != 1 {
		t.Errorf("page 2 has %d", got)
	}

	s.Ada.do("DELETE", fmt.Sprintf("%s/articles/%d", at, one), nil).is(204)
	if again := s.Anon.get(public); string(again.body) != string(v1.body) {
		t.Error("an update changed the public version")
	}
	s.Ada.send("PATCH", at, `{"title": "Second thoughts"}`).is(205)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if got := s.Anon.get(public + "/versions/1").is(200); string(got.body) != string(v1.body) {
		t.Error("version 1 changed")
	}
	want := fmt.Sprintf(`[{"id": 1, "version": 1, "url": "%s/versions/1", "funding": []}, {"id": 2, "version": 2, "url": "%s/versions/2", "funding": []}]`, public, public)
	if got := string(s.Anon.get(public + "/versions").is(200).body); got != want {
		t.Errorf("versions %s", got)
	}
	s.Anon.get(public+"/versions/3").refuses(404, "Entity not found: CollectionVersion")
	if got := s.Anon.get("/v2/collections").is(200).list(); len(got) != 1 || got[0]["title"] != "Second thoughts" || got[0]["articles"] != nil {
		t.Errorf("list %v", got)
	}
	if got := s.Ada.get("/v2/account/collections").is(200).list(); len(got) != 1 || got[0]["url"] != at {
		t.Errorf("own list %v", got)
	}
	s.Ada.do("DELETE", at, nil).is(204) // what is public is withdrawn (unpublish_more_test.go)
	s.Anon.get(public).is(404)
	s.Ada.get(at).refuses(404, "Collection not found")
}

// The refusals of a collection's sub-resources; articles of other accounts do not exist for it
// (security.md A07).
func TestCollectionRefusals(t *testing.T) {
	s := start(t)
	at := strings.TrimPrefix(s.Ada.send("POST", "/v2/account/collections", `{"title": "Picky"}`).is(201).Header.Get("Location"), s.URL)
	foreign := lastNumber(t, s.Ben.article(`{"title": "Ben's secret"}`))
	mine := lastNumber(t, s.Ada.article(`{"title": "Ada's draft"}`))
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
		before := s.DB().Sequence()
		s.Ada.send(c.method, c.path, c.body).refuses(c.status, c.message)
		if s.DB().Sequence() != before {
			t.Errorf("%s %s %s was refused and changed something", c.method, c.path, c.body)
		}
	}
	for _, c := range []struct{ method, path, body string }{{"GET", at, ""}, {"PUT", at, `{"title": "Taken"}`}, {"DELETE", at, ""}, {"GET", at + "/articles", ""}} {
		s.Ben.send(c.method, c.path, c.body).refuses(404, "Collection not found")
	}
	s.Ada.send("PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, mine)).is(205)
	s.Ada.send("POST", at+"/categories", `{"categories": [37]}`).is(201)
	s.Ada.send("PUT", at+"/categories", `{"categories": [3702]}`).is(205)
	s.Ada.do("DELETE", at+"/categories/3702", nil).is(204)
	s.Ada.do("DELETE", at, nil).is(204)
	s.Ada.get(at).refuses(404, "Collection not found")
}

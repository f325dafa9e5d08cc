package main

import (
	"fmt"
	"strings"
	"testing"
)

// Ten authors fit into a body, eleven do not; more are added through the authors of the item.
func TestItemTenAuthors(t *testing.T) {
	s := start(t)
	authors := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name": "Author Number%d"}`, i))
		}
		return `{"title": "Written by many", "authors": [` + strings.Join(list, ", ") + `]}`
	}
	const message = "authors may hold at most 10"
	s.Ada.send("POST", "/v2/account/articles", authors(11)).refuses(422, message)
	at := s.Ada.article(authors(10))
	for _, method := range []string{"PUT", "PATCH"} {
		s.Ada.send(method, at, authors(11)).refuses(422, message)
		s.Ada.send(method, at, authors(10)).is(205)
	}
	s.Ada.send("POST", at+"/authors", `{"authors": [{"name": "The Eleventh"}]}`).is(205)
	if n := len(s.Ada.get(at + "/authors").list()); n != 11 {
		t.Errorf("%d authors", n)
	}
}

// The keys that only a publisher sets are refused to other accounts, on every route that takes
// the body, and nothing changes.
func TestItemPublisherFields(t *testing.T) {
	s := start(t)
	article := s.Ada.article(`{"title": "Somebody's", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.do("POST", article+"/publish", nil).is(201)
	col := strings.TrimPrefix(s.Ada.send("POST", "/v2/account/collections", `{"title": "Somebody's too"}`).is(201).Header.Get("Location"), s.URL)
	body := func(field string, value any) string {
		return fmt.Sprintf(`{"title": "Changed", %q: %#v}`, field, value)
	}
	before := s.DB().Sequence()
	for field, value := range map[string]any{"doi": "10.5555/own", "resource_doi": "10.5555/paper", "resource_title": "A paper"} {
		for _, at := range []string{"POST /v2/account/articles", "PUT " + article, "PATCH " + article, "PUT " + article + "/versions/1/", "PATCH " + article + "/versions/1"} {
			method, at, _ := strings.Cut(at, " ")
			s.Ada.send(method, at, body(field, value)).refuses(403, "Only administrators may set "+field)
		}
	}
	for field, value := range map[string]any{"resource_id": "7", "resource_doi": "10.5555/book", "resource_link": "https://example.org/b", "resource_title": "A book", "resource_version": 2} {
		for _, at := range []string{"POST /v2/account/collections", "PUT " + col, "PATCH " + col} {
			method, at, _ := strings.Cut(at, " ")
			s.Ada.send(method, at, body(field, value)).refuses(403, "Only administrators may set "+field)
		}
	}
	if s.DB().Sequence() != before {
		t.Error("what was refused changed the store")
	}
	own := s.Root.article(`{"title": "A publisher's", "resource_doi": "10.5555/paper", "resource_title": "A paper"}`)
	if got := s.Root.get(own).object(); got["resource_doi"] != "10.5555/paper" || got["resource_title"] != "A paper" {
		t.Errorf("the publisher's is %v, %v", got["resource_doi"], got["resource_title"])
	}
}

// A category that does not exist is 400 for an article and 422 for a collection, when all are
// replaced, too, and those that were there stay.
func TestItemCategoryUnknown(t *testing.T) {
	s := start(t)
	at := s.Ada.article(`{"title": "In one category", "categories": [37]}`)
	for _, method := range []string{"POST", "PUT"} {
		s.Ada.send(method, at+"/categories", `{"categories": [37, 999999999]}`).refuses(400, "Category with ID not found")
	}
	if list := s.Ada.get(at + "/categories").list(); len(list) != 1 || list[0]["id"] != 37.0 {
		t.Errorf("the categories are %v", list)
	}
	col := strings.TrimPrefix(s.Ada.send("POST", "/v2/account/collections", `{"title": "In one, too", "categories": [37]}`).is(201).Header.Get("Location"), s.URL)
	for _, method := range []string{"POST", "PUT"} {
		s.Ada.send(method, col+"/categories", `{"categories": [38, 999999999]}`).refuses(422, "Category not found")
	}
	list := s.Ada.get(col + "/categories").is(200).list()
	if len(list) != 1 || list[0]["id"] != 37.0 {
		t.Errorf("the collection's categories are %v", list)
	}
	for _, key := range []string{"title", "parent_id", "path", "source_id", "taxonomy_id"} {
		if _, ok := list[0][key]; !ok {
			t.Errorf("a category has no %s: %v", key, list[0])
		}
	}
}

// The lengths of a project's title and funding are the same on creation, update and partial
// update.
func TestItemProjectLengths(t *testing.T) {
	s := start(t)
	at := s.Ada.project("A project to change")
	for _, way := range []string{"POST /v2/account/projects", "PUT " + at, "PATCH " + at} {
		method, at, _ := strings.Cut(way, " ")
		for _, c := range []struct {
			title, funding int
			message        string
		}{
			{2, 0, "title must have at least 3 characters"}, {501, 0, "title must have at most 500 characters"},
			{3, 2001, "funding must have at most 2000 characters"}, {3, 0, ""}, {500, 2000, ""},
		} {
			body := fmt.Sprintf(`{"title": %q, "funding": %q}`, strings.Repeat("é", c.title), strings.Repeat("é", c.funding))
			if r := s.Ada.send(method, at, body); c.message != "" {
				r.refuses(422, c.message)
			} else if r.StatusCode != 201 && r.StatusCode != 205 {
				t.Errorf("%s with %d and %d characters answered %d %s", way, c.title, c.funding, r.StatusCode, r.body)
			}
		}
	}
}

// An author of a collection is taken off it and stays a person; ten articles fit into a request,
// eleven do not, and those of a refused request stay out.
func TestItemCollectionParts(t *testing.T) {
	s := start(t)
	col := strings.TrimPrefix(s.Ada.send("POST", "/v2/account/collections",
		`{"title": "Of two", "authors": [{"name": "Grace Hopper"}, {"name": "Ada Byron"}]}`).is(201).Header.Get("Location"), s.URL)
	first := s.Ada.get(col + "/authors").list()[0]["id"].(float64)
	one := fmt.Sprintf("%s/authors/%.0f", col, first)
	s.Ada.do("DELETE", one, nil).is(204)
	if list := s.Ada.get(col + "/authors").list(); len(list) != 1 || list[0]["full_name"] != "Ada Byron" {
		t.Errorf("the authors are %v", list)
	}
	s.Ada.do("DELETE", one, nil).refuses(422, "Author not found")
	s.Ada.send("PUT", col, fmt.Sprintf(`{"authors": [{"id": %.0f}]}`, first)).is(205)

	var ids []string
	for i := range 11 {
		ids = append(ids, fmt.Sprint(lastNumber(t, s.Ada.article(fmt.Sprintf(`{"title": "Member %d"}`, i)))))
	}
	for _, method := range []string{"POST", "PUT"} {
		s.Ada.send(method, col+"/articles", `{"articles": [`+strings.Join(ids, ", ")+`]}`).refuses(422, "articles may hold at most 10 ids")
	}
	if list := s.Ada.get(col + "/articles").list(); len(list) != 0 {
		t.Errorf("%d articles after a refusal", len(list))
	}
	s.Ada.send("PUT", col+"/articles", `{"articles": [`+strings.Join(ids[1:], ", ")+`]}`).is(205)
	s.Ada.send("POST", col+"/articles", `{"articles": [`+ids[0]+`]}`).is(201)
	if list := s.Ada.get(col + "/articles?limit=20").list(); len(list) != 11 {
		t.Errorf("%d articles", len(list))
	}
}

// An archive of nothing is not there, for its owner either; files elsewhere are not in it.
func TestItemEmptyArchive(t *testing.T) {
	s := start(t)
	at := s.Ada.article(`{"title": "Nothing in it", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.beginAs(at, `{"link": "https://example.org/elsewhere"}`)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Ada.get(at+"/download").refuses(404, "There are no files to download")
	s.Anon.get(fmt.Sprintf("/v2/articles/%d/download", lastNumber(t, at))).refuses(404, "There are no files to download")
}

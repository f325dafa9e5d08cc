package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// Ten authors fit into a body, eleven do not; more are added through the authors of the item.
func TestItemTenAuthors(t *testing.T) {
	s := world.Start(t)
	authors := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"name": "Author Number%d"}`, i))
		}
		return `{"title": "Written by many", "authors": [` + strings.Join(list, ", ") + `]}`
	}
	const message = "authors may hold at most 10"
	s.Ada.Send("POST", "/v2/account/articles", authors(11)).Refuses(422, message)
	at := s.Ada.Article(authors(10))
	for _, method := range []string{"PUT", "PATCH"} {
		s.Ada.Send(method, at, authors(11)).Refuses(422, message)
		s.Ada.Send(method, at, authors(10)).Is(205)
	}
	s.Ada.Send("POST", at+"/authors", `{"authors": [{"name": "The Eleventh"}]}`).Is(205)
	if n := len(s.Ada.Get(at + "/authors").List()); n != 11 {
		t.Errorf("%d authors", n)
	}
}

// The keys that only a publisher sets are refused to other accounts, on every route that takes
// the body, and nothing changes.
func TestItemPublisherFields(t *testing.T) {
	s := world.Start(t)
	article := s.Ada.Article(`{"title": "Somebody's", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Do("POST", article+"/publish", nil).Is(201)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "Somebody's too"}`).Is(201).Header.Get("Location"), s.URL)
	body := func(field string, value any) string {
		return fmt.Sprintf(`{"title": "Changed", %q: %#v}`, field, value)
	}
	before := s.Sequence()
	for field, value := range map[string]any{"doi": "10.5555/own", "resource_doi": "10.5555/paper", "resource_title": "A paper"} {
		for _, at := range []string{"POST /v2/account/articles", "PUT " + article, "PATCH " + article, "PUT " + article + "/versions/1/", "PATCH " + article + "/versions/1"} {
			method, at, _ := strings.Cut(at, " ")
			s.Ada.Send(method, at, body(field, value)).Refuses(403, "Only administrators may set "+field)
		}
	}
	for field, value := range map[string]any{"resource_id": "7", "resource_doi": "10.5555/book", "resource_link": "https://example.org/b", "resource_title": "A book", "resource_version": 2} {
		for _, at := range []string{"POST /v2/account/collections", "PUT " + col, "PATCH " + col} {
			method, at, _ := strings.Cut(at, " ")
			s.Ada.Send(method, at, body(field, value)).Refuses(403, "Only administrators may set "+field)
		}
	}
	if s.Sequence() != before {
		t.Error("what was refused changed the store")
	}
	own := s.Root.Article(`{"title": "A publisher's", "resource_doi": "10.5555/paper", "resource_title": "A paper"}`)
	if got := s.Root.Get(own).Object(); got["resource_doi"] != "10.5555/paper" || got["resource_title"] != "A paper" {
		t.Errorf("the publisher's is %v, %v", got["resource_doi"], got["resource_title"])
	}
}

// A category that does not exist is 400 for an article and 422 for a collection, when all are
// replaced, too, and those that were there stay.
func TestItemCategoryUnknown(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "In one category", "categories": [37]}`)
	for _, method := range []string{"POST", "PUT"} {
		s.Ada.Send(method, at+"/categories", `{"categories": [37, 999999999]}`).Refuses(400, "Category with ID not found")
	}
	if list := s.Ada.Get(at + "/categories").List(); len(list) != 1 || list[0]["id"] != 37.0 {
		t.Errorf("the categories are %v", list)
	}
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "In one, too", "categories": [37]}`).Is(201).Header.Get("Location"), s.URL)
	for _, method := range []string{"POST", "PUT"} {
		s.Ada.Send(method, col+"/categories", `{"categories": [38, 999999999]}`).Refuses(422, "Category not found")
	}
	list := s.Ada.Get(col + "/categories").Is(200).List()
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
	s := world.Start(t)
	at := s.Ada.Project("A project to change")
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
			if r := s.Ada.Send(method, at, body); c.message != "" {
				r.Refuses(422, c.message)
			} else if r.StatusCode != 201 && r.StatusCode != 205 {
				t.Errorf("%s with %d and %d characters answered %d %s", way, c.title, c.funding, r.StatusCode, r.Bytes)
			}
		}
	}
}

// An author of a collection is taken off it and stays a person; ten articles fit into a request,
// eleven do not, and those of a refused request stay out.
func TestItemCollectionParts(t *testing.T) {
	s := world.Start(t)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections",
		`{"title": "Of two", "authors": [{"name": "Grace Hopper"}, {"name": "Ada Byron"}]}`).Is(201).Header.Get("Location"), s.URL)
	first := s.Ada.Get(col + "/authors").List()[0]["id"].(float64)
	one := fmt.Sprintf("%s/authors/%.0f", col, first)
	s.Ada.Do("DELETE", one, nil).Is(204)
	if list := s.Ada.Get(col + "/authors").List(); len(list) != 1 || list[0]["full_name"] != "Ada Byron" {
		t.Errorf("the authors are %v", list)
	}
	s.Ada.Do("DELETE", one, nil).Refuses(422, "Author not found")
	s.Ada.Send("PUT", col, fmt.Sprintf(`{"authors": [{"id": %.0f}]}`, first)).Is(205)

	var ids []string
	for i := range 11 {
		ids = append(ids, fmt.Sprint(world.LastNumber(t, s.Ada.Article(fmt.Sprintf(`{"title": "Member %d"}`, i)))))
	}
	for _, method := range []string{"POST", "PUT"} {
		s.Ada.Send(method, col+"/articles", `{"articles": [`+strings.Join(ids, ", ")+`]}`).Refuses(422, "articles may hold at most 10 ids")
	}
	if list := s.Ada.Get(col + "/articles").List(); len(list) != 0 {
		t.Errorf("%d articles after a refusal", len(list))
	}
	s.Ada.Send("PUT", col+"/articles", `{"articles": [`+strings.Join(ids[1:], ", ")+`]}`).Is(205)
	s.Ada.Send("POST", col+"/articles", `{"articles": [`+ids[0]+`]}`).Is(201)
	if list := s.Ada.Get(col + "/articles?limit=20").List(); len(list) != 11 {
		t.Errorf("%d articles", len(list))
	}
}

// An archive of nothing is not there, for its owner either; files elsewhere are not in it.
func TestItemEmptyArchive(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Nothing in it", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.BeginAs(at, `{"link": "https://example.org/elsewhere"}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Get(at+"/download").Refuses(404, "There are no files to download")
	s.Anon.Get(fmt.Sprintf("/v2/articles/%d/download", world.LastNumber(t, at))).Refuses(404, "There are no files to download")
}

package articles

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/config"
	"alcove/tests/world"
)

// few lets every list have three entries.
func few(c *config.Config) {
	c.AuthorsPerItem, c.ReferencesPerItem, c.TagsPerItem, c.FundingPerItem, c.CategoriesPerItem = 3, 3, 3, 3, 3
	c.CustomValuesPerItem, c.MembersPerProject, c.ArticlesPerCollection = 3, 3, 3
}

// Every list of a record has a bound, on every route that takes it. A longer list is refused with
// the field and the bound, and changes nothing.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	s := world.Start(t, few)
	article := s.Ada.Article(`{"title": "An item of lists"}`)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "A collection"}`).Is(201).Header.Get("Location"), s.URL)
	project := s.Ada.Project("A project of lists")
	public := s.Ada.Article(`{"title": "A public item of lists", "authors": [{"name": "A B"}]}`)
	s.Ada.Do("POST", public+"/publish", nil).Is(201)
	items := []string{"POST /v2/account/articles", "PUT " + article, "PATCH " + article, "PATCH " + public + "/versions/1",
		"POST " + project + "/articles", "POST /v2/account/collections", "PUT " + col}
	source := fmt.Sprintf("%q", s.Anon.Get("/v2/categories").List()[40]["source_id"])
	for _, c := range []struct {
		field, entry string
		at           []string
	}{
		{"tags", `"tag #"`, items}, {"keywords", `"tag #"`, items}, {"references", `"https://example.org/#"`, items},
		{"related_materials", `{"identifier": "10.5555/#", "identifier_type": "DOI"}`, items},
		{"funding_list", `{"title": "Grant #"}`, append(slices.Clone(items), "POST /v2/account/projects", "PUT "+project)},
		{"categories", "37", items}, {"categories_by_source_id", source, items},
		{"custom_fields_list", `{"name": "field #", "value": "x"}`, append(slices.Clone(items), "POST /v2/account/projects", "PUT "+project)},
		{"categories", "37", []string{"POST " + article + "/categories", "PUT " + col + "/categories"}},
		{"authors", `{"name": "Author #"}`, []string{"PUT " + article + "/authors", "POST /v2/account/collections", "PUT " + col, "PUT " + col + "/authors"}},
	} {
		for _, at := range c.at {
			method, path, _ := strings.Cut(at, " ")
			body := func(n int) string {
				return fmt.Sprintf(`{"title": "An item of lists", %q: %s}`, c.field, world.JSONList(n, c.entry))
			}
			before := s.Sequence()
			r := s.Ada.Send(method, path, body(4))
			r.Refuses(422, c.field+" may hold at most 3 entries")
			if data := r.Object()["data"].(map[string]any); data["field"] != c.field || data["limit"] != 3.0 {
				t.Errorf("%s: %v", at, data)
			}
			if s.Sequence() != before {
				t.Errorf("%s with four %s changed the store", at, c.field)
			}
			if r := s.Ada.Send(method, path, body(3)); r.StatusCode >= 300 {
				t.Errorf("%s with three %s: %d %s", at, c.field, r.StatusCode, r.Bytes)
			}
		}
	}
	// values of one field, and of several
	s.Ada.Send("PATCH", article, `{"custom_fields": {"a": ["1", "2", "3", "4"]}}`).Refuses(422, "custom_fields may hold at most 3 entries")
	s.Ada.Send("PATCH", article, `{"custom_fields": {"a": ["1", "2"], "b": "3", "c": []}}`).Refuses(422, "custom_fields may hold at most 3 entries")
	s.Ada.Send("PATCH", article, `{"custom_fields": {"a": ["1", "2"], "b": "3"}}`).Is(205)
	// members of a collection and of a project
	var ids []string
	for range 4 {
		ids = append(ids, fmt.Sprint(world.LastNumber(t, s.Ada.Article(`{"title": "A member"}`))))
	}
	s.Ada.Send("POST", col+"/articles", `{"articles": [`+strings.Join(ids[:3], ", ")+`]}`).Is(201)
	s.Ada.Send("POST", col+"/articles", `{"articles": [`+ids[3]+`]}`).Refuses(422, "articles may hold at most 3 entries")
	s.Ada.Send("PUT", col, `{"articles": [`+strings.Join(ids, ", ")+`]}`).Refuses(422, "articles may hold at most 3 entries")
	for i, status := range []int{201, 201, 422} { // beside the owner
		s.Ada.Send("POST", project+"/collaborators", fmt.Sprintf(`{"email": "m%d@example.org", "role_name": "viewer"}`, i)).Is(status)
	}
}

// Additions end at the bound, whatever the way: one by one through the list of an item, and
// references beside materials in another relation.
func TestListsGrowToTheBound(t *testing.T) {
	t.Parallel()
	s := world.Start(t, few)
	at := s.Ada.Article(`{"title": "An item that grows"}`)
	for _, c := range []struct{ list, body string }{
		{"authors", `{"authors": [{"name": "Author #"}]}`}, {"categories", `{"categories": [#]}`},
	} {
		categories := s.Anon.Get("/v2/categories").List()
		for i := range 4 {
			n := fmt.Sprint(i)
			if c.list == "categories" {
				n = fmt.Sprint(categories[40+i]["id"])
			}
			r := s.Ada.Send("POST", at+"/"+c.list, strings.ReplaceAll(c.body, "#", n))
			if i < 3 {
				r.Is(205)
			} else {
				r.Refuses(422, c.list+" may hold at most 3 entries")
			}
		}
		if n := len(s.Ada.Get(at + "/" + c.list).List()); n != 3 {
			t.Errorf("%d %s", n, c.list)
		}
	}
	s.Ada.Send("PATCH", at, `{"related_materials": `+world.JSONList(2, `{"identifier": "10.5555/#", "identifier_type": "DOI", "relation": "Cites"}`)+`}`).Is(205)
	s.Ada.Send("PATCH", at, `{"references": `+world.JSONList(2, `"https://example.org/#"`)+`}`).Refuses(422, "references may hold at most 3 entries")
	s.Ada.Send("PATCH", at, `{"references": `+world.JSONList(1, `"https://example.org/#"`)+`}`).Is(205)
}

// A list that is longer than its bound, because that was another one before, can be read, published
// and shortened, and made no longer.
func TestListsAboveTheBound(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "An item of before", "tags": ` + world.JSONList(9, `"tag #"`) + `, "references": ` + world.JSONList(9, `"https://example.org/#"`) + `}`)
	s.Ada.Send("PUT", at+"/authors", `{"authors": `+world.JSONList(9, `{"name": "Author #"}`)+`}`).Is(205)
	few(&s.Cfg)
	s.Restart()
	if got := s.Ada.Get(at).Is(200).Object(); len(got["authors"].([]any)) != 9 || len(got["tags"].([]any)) != 9 {
		t.Errorf("it shows %v", got)
	}
	s.Ada.Send("PATCH", at, `{"title": "Another title"}`).Is(205)
	s.Ada.Send("PATCH", at, `{"tags": `+world.JSONList(10, `"tag #"`)+`}`).Refuses(422, "tags may hold at most 3 entries")
	s.Ada.Send("PATCH", at, `{"tags": `+world.JSONList(8, `"tag #"`)+`, "references": `+world.JSONList(5, `"https://example.org/#"`)+`}`).Is(205)
	s.Ada.Send("PATCH", at, `{"tags": `+world.JSONList(9, `"tag #"`)+`}`).Refuses(422, "tags may hold at most 3 entries")
	s.Ada.Send("POST", at+"/authors", `{"authors": [{"name": "One More"}]}`).Refuses(422, "authors may hold at most 3 entries")
	id := s.Ada.Get(at + "/authors").List()[0]["id"]
	s.Ada.Do("DELETE", fmt.Sprintf("%s/authors/%v", at, id), nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if n := len(s.Anon.Get("/v2/articles/1").Is(200).Object()["authors"].([]any)); n != 8 {
		t.Errorf("%d authors are public", n)
	}
}

// The bounds of lists, as they are configured, stand in the description of the API.
func TestListsAreDescribed(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { few(c); c.AuthorsPerItem = 17 })
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					MaxItems    int
					Description string
				}
			}
		}
	}
	if err := json.Unmarshal(s.Anon.Get("/v2/openapi.json").Is(200).Bytes, &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		body, list string
		most       int
	}{
		{"AuthorsBody", "authors", 17}, {"ArticleBody", "authors", 10}, {"CollectionBody", "authors", 17}, {"ArticleBody", "references", 3},
		{"ArticleBody", "tags", 3}, {"CollectionBody", "categories", 3}, {"CategoriesBody", "categories", 3},
		{"ArticleBody", "funding_list", 3}, {"ArticleBody", "related_materials", 3}, {"ProjectBody", "custom_fields_list", 3},
	} {
		if got := doc.Components.Schemas[c.body].Properties[c.list].MaxItems; got != c.most {
			t.Errorf("%s of %s: at most %d entries are told, want %d", c.list, c.body, got, c.most)
		}
	}
	if about := doc.Components.Schemas["ArticleBody"].Properties["custom_fields"].Description; !strings.Contains(about, "at most 3 values") {
		t.Errorf("custom_fields: %q", about)
	}
}

// The new people of a long list are stored in several commits before the item names them, so that
// other writers can commit in between: they come in their order, between people given by id, and
// a list that is refused leaves none behind.
func TestLongListOfAuthors(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) { c.AuthorsPerItem = 20_000 })
	at := s.Ada.Article(`{"title": "Of many", "authors": [{"name": "First Author"}]}`) + "/authors"
	first := s.Ada.Get(at).List()[0]["id"]
	foreign := s.Ben.Get(s.Ben.Article(`{"title": "Of Ben", "authors": [{"name": "Hidden Author"}]}`) + "/authors").List()[0]["id"]
	people := func() (n int) {
		t.Helper()
		err := s.DB().View(func(tx *bucket.Tx) error {
			for _, err := range users.People.All(tx, nil) {
				if err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	list := func(ids ...any) string {
		var b strings.Builder
		for i := range 500 {
			fmt.Fprintf(&b, `, {"name": "Author N%d"}`, i)
		}
		for _, id := range ids {
			fmt.Fprintf(&b, `, {"id": %v}`, id)
		}
		return `{"authors": [` + b.String()[2:] + `]}`
	}
	before := people()
	s.Ada.Send("PUT", at, list(foreign)).Is(400)
	s.Ben.Send("PUT", at, list()).Is(404)
	s.Ada.Send("PUT", at, list(), "If-Match", `"other"`).Is(412)
	if n := people(); n != before {
		t.Errorf("refused lists left %d people", n-before)
	}
	commits := s.DB().Commits()
	s.Ada.Send("PUT", at, list(first)).Is(205)
	if n := s.DB().Commits() - commits; n < 3 {
		t.Errorf("500 people and the item took %d commits", n)
	}
	got := s.Ada.Get(at).List()
	if len(got) != 501 || got[500]["id"] != first {
		t.Fatalf("%d authors", len(got))
	}
	for i, a := range got[:500] {
		if want := fmt.Sprintf("Author N%d", i); a["full_name"] != want {
			t.Fatalf("author %d is %v, want %s", i, a["full_name"], want)
		}
	}
	s.Ada.Send("POST", at, list()).Is(205)
	if got := s.Ada.Get(at).List(); len(got) != 1001 {
		t.Errorf("%d authors after 500 more", len(got))
	}

	// A client that goes away on the way leaves all of them or none.
	had, authors := people(), len(s.Ada.Get(at).List())
	for ms := range 12 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+2*ms)*time.Millisecond)
		req, err := http.NewRequestWithContext(ctx, "POST", s.URL+strings.TrimPrefix(at, s.URL), strings.NewReader(`{"authors": `+world.JSONList(1000, `{"name": "Gone N#"}`)+`}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "token "+s.Ada.Token)
		if res, err := world.NoRedirects.Do(req); err == nil {
			res.Body.Close()
		}
		cancel()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			more, named := people()-had, len(s.Ada.Get(at).List())-authors
			if more == named {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("left by a client that went away after %d ms: %d people, of whom the item names %d", 1+2*ms, more, named)
			}
		}
	}
}

package search

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// An acknowledged change is seen by the next search, and never by another account's.
func TestOwnSearchReadsYourWrites(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for _, at := range stage.OwnSearches {
		t.Run(at.Make, func(t *testing.T) {
			find := func(c world.Client, words string) string {
				return c.Mine(at.Search, `{"search_for": `+world.Quoted(words)+`}`)
			}
			for n := range 25 {
				word := fmt.Sprintf("uniqueword%dx", n)
				item := s.Ada.Wrote(at.Make, `{"title": "Draft `+word+`"}`)
				id := fmt.Sprint(world.LastNumber(t, item))
				if got := find(s.Ada, word); got != id {
					t.Fatalf("round %d: after create %q, want %s", n, got, id)
				}
				s.Ada.Send("PUT", item, `{"title": "Renamed", "tags": ["tagged `+word+`"]}`).Is(205)
				if find(s.Ada, ":title: "+word) != "" || find(s.Ada, ":tag: tagged "+word) != id {
					t.Fatalf("round %d: the update is not found", n)
				}
				s.Ada.Send("PUT", item+"/authors", `{"authors": [{"name": "Author`+word+`"}]}`).Is(205)
				if find(s.Ada, ":author: author"+word) != id {
					t.Fatalf("round %d: the author is not found", n)
				}
				for _, other := range []world.Client{s.Ben, s.Root} {
					if got := find(other, word) + find(other, "NOT "+word) + other.Mine(at.Search, `{}`); got != "" {
						t.Fatalf("another account finds %s", got)
					}
				}
				if n%5 == 0 {
					s.Ada.Do("DELETE", item, nil).Is(204)
					if got := find(s.Ada, word) + find(s.Ada, ":author: author"+word); got != "" {
						t.Fatalf("round %d: %s is still found", n, got)
					}
				}
			}
			s.Restart()
			if find(s.Ada, "uniqueword24x") == "" || find(s.Ben, "uniqueword24x") != "" {
				t.Error("a restart changes what is found")
			}
		})
	}
}

// A file is found by its name in the working copy, from the moment it is there.
func TestOwnSearchFiles(t *testing.T) {
	s := world.Start(t)
	item := s.Ada.Article(`{"title": "With files"}`)
	file := s.Ada.Upload(item, "measured.csv", []byte("a,b"))
	for _, words := range []string{"measured.csv", ":extension: csv"} {
		if got := s.Ada.Mine(stage.OwnSearches[0].Search, `{"search_for": "`+words+`"}`); got != "1" {
			t.Errorf("%s finds %q", words, got)
		}
	}
	s.Ada.Do("DELETE", file, nil).Is(204)
	if got := s.Ada.Mine(stage.OwnSearches[0].Search, `{"search_for": "measured.csv"}`); got != "" {
		t.Errorf("the name of a removed file finds %q", got)
	}
}

// The searches of one account find no words of another account, of the other kind, or of public
// items (security.md C02, C03).
func TestOwnSearchKeepsApart(t *testing.T) {
	s := world.Start(t)
	const secret = "canaryword"
	all := `"title": "` + secret + `", "description": "` + secret + `", "tags": ["` + secret + `"], "references": ["https://` + secret + `.org"],
		"authors": [{"name": "` + secret + `"}], "custom_fields": {"a": "` + secret + `"}`
	for _, at := range stage.OwnSearches {
		s.Ada.Wrote(at.Make, `{`+all+`}`)
	}
	public := s.Ada.Article(`{"title": "Public ` + secret + `", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Do("POST", public+"/publish", nil).Is(201)
	for _, at := range stage.OwnSearches {
		s.Ben.Wrote(at.Make, `{"title": "A plain item"}`)
	}
	for _, at := range stage.OwnSearches {
		for _, words := range []string{
			secret, `"` + secret + `"`, "NOT plain", "plain AND " + secret, ":title: " + secret, ":author: " + secret, ":account: 1", ":kind: article", "(" + secret + " OR (" + secret + "))",
			"NOT (plain NOT " + secret + ")", "account 1 article collection", "hopper",
		} {
			if got := s.Ben.Mine(at.Search, `{"search_for": `+world.Quoted(words)+`}`); got != "" {
				t.Errorf("%s %s finds %s", at.Search, words, got)
			}
		}
		if got := s.Ben.Mine(at.Search, `{"search_for": "NOT `+secret+`"}`); len(strings.Fields(got)) != 1 {
			t.Errorf("%s NOT %s finds %q", at.Search, secret, got)
		}
	}
	if got := s.Anon.Find(secret + " NOT public"); got != "" {
		t.Errorf("a stranger finds %s", got)
	}
	if got := s.Ada.Mine(stage.OwnSearches[0].Search, `{"search_for": "`+secret+`"}`); got != "2 1" {
		t.Errorf("the owner finds %q", got)
	}
	if got := s.Ada.Mine(stage.OwnSearches[1].Search, `{"search_for": "`+secret+`"}`); got != "1" {
		t.Errorf("the owner finds %q in collections", got)
	}
}

// The refusals of a search in own items.
func TestOwnSearchRefusals(t *testing.T) {
	s := world.Start(t)
	const order, far, mix = "Invalid value received for order", "Max page reached. Please narrow down your search", "either page"
	for _, at := range stage.OwnSearches {
		s.Ada.Wrote(at.Make, `{"title": "Glacier"}`)
		for body, want := range map[string]struct {
			status  int
			message string
		}{
			`{"order": "created_date"}`: {400, order}, `{"order": "views"}`: {400, order}, `{"order": ""}`: {400, order}, `{"order": "Published_Date"}`: {400, order},
			`{"order": "published_date "}`: {400, order}, `{"order": "cites", "search_for": "glacier"}`: {400, order},
			`{"order": 7}`: {422, "order"}, `{"order_direction": "up"}`: {422, "order_direction"},
			`{"search_for": "gla"}`: {422, "at least 4 characters"}, `{"search_for": ""}`: {422, "at least 4"}, `{"search_for": " gla "}`: {422, "at least 4"},
			`{"search_for": "日本語"}`: {422, "at least 4"}, `{"search_for": "` + strings.Repeat("x", 5000) + `"}`: {422, "search_for"}, `{"search_for": 7}`: {422, "search_for"},
			`{"page": 101}`: {400, far}, `{"page": 100, "page_size": 100}`: {400, far}, `{"offset": 5001}`: {400, far}, `{"page": 0}`: {422, "page"},
			`{"page_size": 101}`: {422, "page_size"}, `{"limit": 101}`: {422, "limit"}, `{"limit": 0}`: {422, "limit"}, `{"offset": -1}`: {422, "offset"},
			`{"page": 1, "limit": 1}`: {422, mix}, `{"page_size": 1, "offset": 1}`: {422, mix},
			`{"published_since": "soon"}`: {422, "published_since"}, `{"modified_since": "2024-13-01"}`: {422, "modified_since"}, `{"institution": "1"}`: {422, "institution"},
			`{"group": 1.5}`: {422, "group"}, `{"resource_id": 7}`: {422, "resource_id"}, `{"resource_doi": []}`: {422, "resource_doi"}, `{"item_type": "thesis"}`: {422, "item_type"},
			`[]`: {400, ""}, `{`: {400, ""}, `{"page": 1, "page": 1}`: {400, ""},
		} {
			s.Ada.Send("POST", at.Search, body).Refuses(want.status, want.message)
		}
		s.Ada.Do("POST", at.Search+"?order=created_date", strings.NewReader("{}")).Refuses(400, order)
		s.Anon.Send("POST", at.Search, `{}`).Refuses(401, "")
		s.Anon.Send("POST", at.Search, `{"order": "x"}`).Refuses(401, "")
		for _, body := range []string{`{"page": 90, "page_size": 100}`, `{"limit": 100, "offset": 5000}`, `{"page": 100}`, `{"search_for": "volcano"}`} {
			if got := s.Ada.Mine(at.Search, body); got != "" {
				t.Errorf("%s shows %q", body, got)
			}
		}
		for _, body := range []string{`{}`, `{"page": 1, "page_size": 100}`, `{"limit": 100}`, `{"search_for": "glac OR glacier"}`, `{"order": null, "search_for": null, "page": null}`, `{"Order": "x"}`} {
			if got := s.Ada.Mine(at.Search, body); got != "1" {
				t.Errorf("%s shows %q", body, got)
			}
		}
	}
	// The body is required for articles.
	s.Ada.Send("POST", stage.OwnSearches[0].Search, "").Refuses(400, "")
	s.Ada.Send("POST", stage.OwnSearches[1].Search, "").Is(200)
}

// The search in public collections.
func TestCollectionSearch(t *testing.T) {
	s := world.StartWithin(t)
	find := func(body string) string { return s.Anon.Send("POST", "/v2/collections/search", body).Is(200).Shown() }
	for n := 1; n <= 3; n++ {
		at := s.Root.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": "Glacier series%d", "resource_doi": "10.9999/R%d", "authors": [{"name": "Grace Hopper"}]}`, n, n%2))
		s.Root.Do("POST", at+"/publish", nil).Is(201)
		if got := find(fmt.Sprintf(`{"search_for": "series%d"}`, n)); got != fmt.Sprint(n) {
			t.Fatalf("series%d finds %q", n, got)
		}
	}
	s.Root.Wrote("/v2/account/collections", `{"title": "Glacier draft"}`)
	publishItem(s.Ada, `"title": "Glacier article"`)
	s.Alter(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 3; n++ {
			c, err := published.Collections.Get(tx, n)
			if err != nil {
				return err
			}
			c.Published = world.Day(int(n), 0)
			if err := published.Collections.Put(tx, n, c); err != nil {
				return err
			}
		}
		return nil
	})
	for body, want := range map[string]string{
		"": "3 2 1", "{}": "3 2 1", `{"search_for": "glacier"}`: "3 2 1", `{"search_for": "glacier", "order_direction": "asc"}`: "1 2 3",
		`{"search_for": "glacier NOT series2"}`: "3 1", `{"search_for": "draft"}`: "", `{"search_for": "article"}`: "", `{"search_for": ":author: hopper"}`: "3 2 1",
		`{"resource_doi": "10.9999/r1"}`: "3 1", `{"search_for": "glacier", "resource_doi": "10.9999/r1", "limit": 1, "offset": 1}`: "1",
		`{"published_since": "2020-01-02"}`: "3 2", `{"institution": 1}`: "3 2 1", `{"institution": 2}`: "", `{"search_for": ":item_type: collection"}`: "3 2 1",
	} {
		if got := find(body); got != want {
			t.Errorf("%s finds %q, want %q", body, got, want)
		}
	}
	s.Anon.Send("POST", "/v2/collections/search", `{"order": "created_date "}`).Refuses(400, "Invalid value received for order")
	s.Anon.Send("POST", "/v2/collections/search", `{"search_for": "gl"}`).Refuses(422, "at least 3 characters")
	s.Anon.Send("POST", "/v2/collections/search", `{"page": 5001}`).Refuses(400, "Max page reached")
	if got := s.Anon.Find("glacier"); got != "1" {
		t.Errorf("articles that are found: %q", got)
	}
}

// No text takes long or is a fault of the server (security.md D18, D19).
func TestOwnSearchGarbage(t *testing.T) {
	s := world.Start(t)
	for _, at := range stage.OwnSearches {
		s.Ada.Wrote(at.Make, `{"title": "Glacier"}`)
		for _, text := range []string{
			"((((", "))))", strings.Repeat("(a ", 1300), "****", "/.*/", `""""`, ":title:", "AND OR NOT", strings.Repeat("NOT ", 1000), strings.Repeat("日本", 600), "\t\n\t\nabc",
			":account: 1 OR :kind: x", "account:1", "ac\u0001d",
		} {
			begin := time.Now()
			r := s.Ada.Send("POST", at.Search, `{"search_for": `+strings.ReplaceAll(world.Quoted(text), "\u0001", `\u0001`)+`}`)
			if took := time.Since(begin); took > time.Second || r.StatusCode != 200 && r.StatusCode != 422 {
				t.Errorf("%.40q answered %d after %v", text, r.StatusCode, took)
			}
		}
	}
}

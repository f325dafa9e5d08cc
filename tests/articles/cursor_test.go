package articles

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"alcove/bucket"
	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// The orders of public lists, ties by id.
func TestListOrders(t *testing.T) {
	s := stage.NewFixture(t)
	for query, want := range map[string]string{
		"order=modified_date":                                            "12 11 10 9 8 7 6 5 4 3 2 1",
		"order=modified_date&order_direction=asc":                        "1 2 3 4 5 6 7 8 9 10 11 12",
		"order=created_date":                                             "12 9 6 3 11 8 5 2 10 7 4 1",
		"order=created_date&order_direction=asc":                         "1 4 7 10 2 5 8 11 3 6 9 12",
		"order=modified_date&item_type=8":                                "12 8 4",
		"order=modified_date&group=3&order_direction=asc":                "3 8",
		"order=modified_date&modified_since=2020-01-10T10:00:00":         "12 11 10",
		"order=modified_date&modified_since=2020-01-10T10:00:00&group=1": "11",
		"order=modified_date&published_since=2020-01-03":                 "12 9 6 3",
		"order=modified_date&resource_doi=10.9999/R1":                    "11 9 7 5 3 1",
		"order_direction=asc&published_since=2020-01-03":                 "3 6 9 12",
		"order_direction=asc&published_since=2020-01-02&item_type=8":     "8 12",
		"order_direction=asc&project_id=77":                              "1 7 5 11 3 9",
		"resource_doi=10.9999/R1&doi=10.5072/alcove.7":                   "7",
		"resource_doi=10.9999/R0&doi=10.5072/alcove.7":                   "",
		"resource_doi=10.9999/R1&order_direction=asc":                    "1 7 5 11 3 9",
	} {
		lists(s, query, want)
	}
	// Words of an older version find nothing.
	at := s.Root.Article(`{"title": "Renamed", "authors": [{"name": "A B"}], "resource_doi": "10.9999/old"}`)
	s.Root.Do("POST", at+"/publish", nil).Is(201)
	s.Root.Send("PATCH", at, `{"resource_doi": "10.9999/new"}`).Is(205)
	s.Root.Do("POST", at+"/publish", nil).Is(201)
	for doi, want := range map[string]string{"10.9999/old": "", "10.9999/new": "13"} {
		if got := s.Anon.Get("/v2/articles?resource_doi=" + doi).Shown(); got != want {
			t.Errorf("%s shows %q, want %q", doi, got, want)
		}
	}
	for _, kind := range []string{"collections", "projects"} {
		for _, order := range []string{"published_date", "created_date", "modified_date"} {
			s.Anon.Get("/v2/" + kind + "?order=" + order).Is(200)
		}
		s.Anon.Get("/v2/"+kind+"?order=bogus").Refuses(400, "Invalid value received for order")
	}
}

// lists wants the same articles of the list, of the search, and of a search for a word
// that all have.
func lists(s *world.Server, query, want string) {
	s.T.Helper()
	query += "&limit=50"
	for name, r := range map[string]*world.Reply{
		"list":              s.Anon.Get("/v2/articles?" + query),
		"search":            s.Anon.Send("POST", "/v2/articles/search", world.AsBody(query)),
		"search for a word": s.Anon.Do("POST", "/v2/articles/search?search_for=item&"+query, nil),
	} {
		if got := r.Shown(); got != want {
			s.T.Errorf("%s ?%s shows %q, want %q", name, query, got, want)
		}
	}
}

// A walk by cursors shows the items of the list, in every order, with every filter, page by page;
// the end is an empty list with a cursor.
func TestCursorWalks(t *testing.T) {
	t.Parallel()
	s := stage.NewFixture(t)
	for _, query := range []string{"", "order=modified_date", "order_direction=asc", "order=modified_date&order_direction=asc", "item_type=8", "group=3", "group=1&item_type=3",
		"resource_doi=10.9999/R1", "project_id=77&order_direction=asc", "published_since=2020-01-02", "modified_since=2020-01-10T05:00:00&order_direction=asc", "institution=2",
		"order=modified_date&modified_since=2020-01-10T05:00:00&order_direction=asc", "published_since=2020-01-02&order_direction=asc"} {
		for _, search := range []string{"", "item", "item NOT 7"} {
			whole := "/v2/articles?" + query
			method, at := "GET", whole
			if search != "" {
				method, at = "POST", "/v2/articles/search?search_for="+strings.ReplaceAll(search, " ", "%20")+"&"+query
				whole = at
			}
			want := strings.Fields(s.Anon.Do(method, whole+"&limit=100", nil).Shown())
			for _, size := range []int{1, 3, 100} {
				if got := s.Anon.Walked(method, at, "", size); !slices.Equal(got, want) {
					t.Errorf("%s %s by %d shows %v, want %v", method, at, size, got, want)
				}
			}
		}
	}
	// A cursor goes on behind any page, also by page_size, and after a restart.
	r := s.Anon.Get("/v2/articles?page=2&page_size=3")
	s.Restart()
	if got := s.Anon.Get("/v2/articles?page_size=2", "X-Cursor", r.Header.Get("X-Cursor")).Shown(); got != "5 2" {
		t.Errorf("behind the second page is %q", got)
	}
	if r := s.Anon.Get("/v2/articles?limit=2", "X-Cursor", s.Anon.Get("/v2/articles?limit=12").Header.Get("X-Cursor")); r.Shown() != "" || len(r.Header.Get("X-Cursor")) != 36 {
		t.Errorf("the end is %s with %q", r.Bytes, r.Header.Get("X-Cursor"))
	}
	if r := s.Anon.Get("/v2/articles", "If-None-Match", s.Anon.Get("/v2/articles").Header.Get("ETag")).Is(304); len(r.Header.Get("X-Cursor")) != 36 {
		t.Error("a 304 has no cursor")
	}
}

// A cursor of another query, a forged one, and one with a page are refused.
func TestCursorRefusals(t *testing.T) {
	t.Parallel()
	s := stage.NewFixture(t)
	cursor := s.Anon.Get("/v2/articles?limit=2").Is(200).Header.Get("X-Cursor")
	s.Anon.Get("/v2/articles?limit=5", "X-Cursor", cursor).Is(200)
	s.Anon.Get("/v2/articles?limit=5", "X-Cursor", strings.ToUpper(cursor)).Is(200)
	for _, query := range []string{"order=modified_date", "order_direction=asc", "group=3", "item_type=3", "published_since=2020-01-01", "doi=10.5072/alcove.7", "institution=1"} {
		s.Anon.Get("/v2/articles?"+query, "X-Cursor", cursor).Refuses(422, "X-Cursor is not a cursor of this query")
	}
	s.Anon.Do("POST", "/v2/articles/search", nil, "X-Cursor", cursor).Is(200) // the same question
	s.Anon.Do("POST", "/v2/articles/search?search_for=item", nil, "X-Cursor", cursor).Refuses(422, "X-Cursor")
	for _, kind := range []string{"collections", "projects"} {
		s.Anon.Get("/v2/"+kind, "X-Cursor", cursor).Refuses(422, "X-Cursor")
		s.Anon.Get("/v2/"+kind, "X-Cursor", s.Anon.Get("/v2/"+kind).Header.Get("X-Cursor")).Is(200)
	}
	flipped := []byte(cursor)
	flipped[len(flipped)-1] ^= 1
	for _, forged := range []string{string(flipped), "1b4e28ba-2fa1-11d2-883f-0016d3cca427", strings.ReplaceAll(cursor, "-", ""), "{" + cursor[1:35] + "}", "urn:uuid:" + cursor, cursor + "0", "x", strings.Repeat("0", 36)} {
		s.Anon.Get("/v2/articles", "X-Cursor", forged).Refuses(422, "X-Cursor")
	}
	for _, query := range []string{"page=1", "offset=0", "page=2&page_size=3", "offset=1&limit=1"} {
		s.Anon.Get("/v2/articles?"+query, "X-Cursor", cursor).Refuses(422, "without page and offset")
		s.Anon.Send("POST", "/v2/articles/search", world.AsBody(query), "X-Cursor", cursor).Refuses(422, "without page and offset")
	}
	s.Anon.Get("/v2/articles?limit=1001", "X-Cursor", cursor).Refuses(422, "limit")
	s.Ada.Send("POST", "/v2/account/articles/search", "{}", "X-Cursor", cursor).Refuses(422, "X-Cursor")
	other := stage.NewFixture(t)
	other.Anon.Get("/v2/articles", "X-Cursor", cursor).Refuses(422, "X-Cursor") // of another server
}

// While writers publish, change and withdraw, a walk in any order with any filter shows each item
// that stays, at the same place in the order, exactly once.
func TestCursorWhileWriting(t *testing.T) {
	s := stage.NewFixture(t)
	stays := func(id int64) bool { return id <= 12 }
	var writers sync.WaitGroup
	done := make(chan struct{})
	writers.Go(func() {
		r := rand.New(rand.NewPCG(1, 2))
		at := "/v2/account/articles/"
		for {
			select {
			case <-done:
				return
			default:
			}
			id := s.Ben.Published(fmt.Sprintf("Item of the writer %d", r.IntN(1000)))
			s.Alter(func(tx *bucket.Tx) error {
				return world.AlterPublic(tx, id, func(h *record.PublicArticle, _ *record.ArticleVersion) {
					h.Published, h.Modified = world.Day(1+r.IntN(3), r.IntN(20)), world.Day(10, r.IntN(20))
				})
			})
			s.Ben.Do("POST", fmt.Sprint(at, id, "/publish"), nil).Is(201)
		}
	})
	for _, query := range []string{"", "order=modified_date", "order_direction=asc", "order=modified_date&order_direction=asc", "item_type=3", "resource_doi=10.9999/R1"} {
		want := map[string]bool{}
		for _, id := range strings.Fields(s.Anon.Get("/v2/articles?limit=1000&" + query).Shown()) {
			if stays(world.LastNumber(t, "/"+id)) {
				want[id] = true
			}
		}
		for round := range 3 {
			seen := map[string]int{}
			for _, id := range s.Anon.Walked("GET", "/v2/articles?"+query, "", 1+round*2) {
				seen[id]++
			}
			for id := range want {
				if seen[id] != 1 {
					t.Errorf("?%s shows article %s %d times", query, id, seen[id])
				}
			}
		}
	}
	close(done)
	writers.Wait()
}

package articles

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// newCounted is newFixture with counts: views 0 to 3, downloads descending with the id, cites
// on two items; no shares.
func newCounted(t *testing.T) *world.Server {
	t.Helper()
	s := stage.NewFixture(t)
	for id := int64(1); id <= 12; id++ {
		s.Plant(record.KindArticle, id, record.Counts{Views: id % 4, Downloads: 20 - id, Cites: map[int64]int64{4: 1, 9: 1_000_000}[id]})
	}
	return s
}

// The orders by counts, with every filter, in lists and searches; ties by id. They have no date,
// because counts move without one.
func TestOrdersByCounts(t *testing.T) {
	t.Parallel()
	s := newCounted(t)
	for query, want := range map[string]string{
		"order=views":                                                "11 7 3 10 6 2 9 5 1 12 8 4",
		"order=views&order_direction=asc":                            "4 8 12 1 5 9 2 6 10 3 7 11",
		"order=downloads":                                            "1 2 3 4 5 6 7 8 9 10 11 12",
		"order=downloads&order_direction=asc":                        "12 11 10 9 8 7 6 5 4 3 2 1",
		"order=cites":                                                "9 4 12 11 10 8 7 6 5 3 2 1",
		"order=shares":                                               "12 11 10 9 8 7 6 5 4 3 2 1",
		"order=views&item_type=8":                                    "12 8 4",
		"order=downloads&group=3":                                    "3 8",
		"order=views&project_id=77":                                  "11 7 3 9 5 1",
		"order=views&published_since=2020-01-03":                     "3 6 9 12",
		"order=cites&modified_since=2020-01-10T10:00:00":             "12 11 10",
		"order=views&resource_doi=10.9999/R1":                        "11 7 3 9 5 1",
		"order=views&doi=10.5072/alcove.7":                           "7",
		"order=views&institution=2":                                  "",
		"order=cites&published_since=2020-01-03&order_direction=asc": "3 6 12 9",
	} {
		lists(s, query, want)
	}
	for _, order := range []string{"Views", "view", "likes", "downloads,views", ""} {
		s.Anon.Get("/v2/articles?order="+order).Refuses(400, "Invalid value received for order")
	}
	dated := s.Anon.Get("/v2/articles").Is(200).Header.Get("Last-Modified")
	old := s.Anon.Get("/v2/articles?order=views&limit=50").Is(200)
	if got := old.Header.Get("Last-Modified"); got != "" || dated == "" {
		t.Errorf("a list by views is dated %q, another %q", got, dated)
	}
	s.Plant(record.KindArticle, 4, record.Counts{Views: 100})
	r := s.Anon.Get("/v2/articles?order=views&limit=50", "If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT", "If-None-Match", old.Header.Get("ETag")).Is(200)
	if got := r.Shown(); !strings.HasPrefix(got, "4 11 ") {
		t.Errorf("after more views %s", got)
	}
	s.Anon.Get("/v2/articles?order=views&limit=50", "If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT").Is(200)
}

// Cursors in the orders by counts, also while counts move: each item whose count stays is shown
// exactly once.
func TestCursorsByCounts(t *testing.T) {
	t.Parallel()
	s := newCounted(t)
	var queries []string
	for _, order := range []string{"views", "shares", "downloads", "cites"} {
		for _, rest := range []string{"", "&order_direction=asc", "&resource_doi=10.9999/R1", "&item_type=3"} {
			queries = append(queries, "/v2/articles?order="+order+rest)
		}
	}
	for _, at := range queries {
		want := strings.Fields(s.Anon.Get(at + "&limit=50").Shown())
		for _, size := range []int{1, 5} {
			if got := s.Anon.Walked("GET", at, "", size); !slices.Equal(got, want) {
				t.Errorf("%s by %d shows %v, want %v", at, size, got, want)
			}
		}
	}
	s.Anon.Get("/v2/articles?order=views", "X-Cursor", s.Anon.Get("/v2/articles?order=cites").Header.Get("X-Cursor")).Refuses(422, "X-Cursor")
	var writer sync.WaitGroup
	done := make(chan struct{})
	writer.Go(func() {
		for n := int64(0); ; n++ {
			select {
			case <-done:
				return
			default:
				s.Plant(record.KindArticle, 10+n%3, record.Counts{Views: 1, Downloads: 1, Shares: 1, Cites: 1})
			}
		}
	})
	stays := func(id string) bool { return world.LastNumber(t, "/"+id) < 10 }
	for _, at := range queries {
		want := map[string]bool{}
		for _, id := range strings.Fields(s.Anon.Get(at + "&limit=50").Shown()) {
			want[id] = stays(id)
		}
		seen := map[string]int{}
		for _, id := range s.Anon.Walked("GET", at, "", 2) {
			seen[id]++
		}
		for id, exact := range want {
			if exact && seen[id] != 1 {
				t.Errorf("%s shows article %s %d times", at, id, seen[id])
			}
		}
	}
	close(done)
	writer.Wait()
}

// Cites are the public items that name the DOI now, whatever came first.
func TestCites(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	item := func(fields string) string { return s.Ada.Article(`{"authors": [{"name": "A B"}], ` + fields + `}`) }
	publish := func(at string) { t.Helper(); s.Ada.Do("POST", at+"/publish", nil).Is(201) }
	is := func(what string, want int64) {
		t.Helper()
		if got := counted(s, record.KindArticle, 1).Cites; got != want {
			t.Errorf("%s: %d cites, want %d", what, got, want)
		}
	}
	cited := item(`"title": "Cited"`)
	doi := fmt.Sprint(s.Ada.Do("POST", cited+"/reserve_doi", nil).Is(200).Object()["doi"])
	names := fmt.Sprintf(`"references": ["https://doi.org/%s"]`, strings.ToUpper(doi))
	before := item(`"title": "Before", ` + names)
	publish(before)
	s.Ada.Send("PATCH", cited, `{`+names+`}`).Is(205)
	publish(cited)
	is("by what was there before; not by itself", 1)
	draft := item(`"title": "Draft", ` + names)
	is("a draft", 1)
	publish(draft)
	is("and published", 2)
	publish(draft)
	is("and again", 2)
	col := strings.TrimPrefix(s.Ben.Send("POST", "/v2/account/collections", `{"title": "Collection", "authors": [{"name": "A B"}], "related_materials": [{"identifier": "`+doi+
		`.v1", "identifier_type": "DOI", "relation": "IsSupplementTo"}, {"identifier": "https://doi.org/`+doi+`"}]}`).Is(201).Header.Get("Location"), s.URL)
	is("a private collection", 2)
	s.Ben.Do("POST", col+"/publish", nil).Is(201)
	is("a public one, which names it twice", 3)
	s.Ada.Send("PATCH", draft, `{"references": []}`).Is(205)
	is("a working copy", 3)
	publish(draft)
	is("a version that names it no longer", 2)
	s.Ada.Send("PATCH", draft+"/versions/1", `{"references": ["https://doi.org/`+doi+`"]}`).Is(205)
	is("an older version", 2)
	s.Ada.Send("PATCH", draft+"/versions/3", `{"references": ["https://doi.org/`+doi+`"]}`).Is(205)
	is("the latest one", 3)
	s.Ada.Send("POST", before+"/unpublish", world.WhyWithdrawn).Is(204)
	is("withdrawn", 2)
	s.Ada.Send("POST", cited+"/unpublish", world.WhyWithdrawn).Is(204)
	publish(before)
	publish(cited)
	is("withdrawn and published again", 3)
	held := item(`"title": "Held", ` + names)
	s.Ada.Send("PUT", held+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2999-01-01"}`).Is(205)
	publish(held)
	is("what an embargo holds back", 3)
	s.Ada.Do("DELETE", held+"/embargo", nil).Is(204)
	is("and releases", 4)
	about := s.Root.Article(`{"title": "About", "authors": [{"name": "A B"}], "resource_doi": "` + doi + `"}`)
	s.Root.Do("POST", about+"/publish", nil).Is(201)
	is("the DOI of its resource", 4)
	if got := s.Anon.Get("/v2/articles?order=cites").Shown(); !strings.HasPrefix(got, "1 ") || len(strings.Fields(got)) != 5 {
		t.Errorf("by cites the list is %s", got)
	}
	// A collection is cited, too, and an administrator gives another DOI.
	doi = fmt.Sprint(s.Anon.Get("/v2/collections/1").Is(200).Object()["doi"])
	other := item(`"title": "Other", "references": ["` + doi + `"]`)
	publish(other)
	if got := counted(s, record.KindCollection, 1).Cites; got != 1 {
		t.Errorf("the collection has %d cites", got)
	}
	mine := s.Root.Article(`{"title": "Mine", "doi": "10.1234/mine", "authors": [{"name": "A B"}]}`)
	s.Root.Do("POST", mine+"/publish", nil).Is(201)
	s.Ada.Send("PATCH", other, `{"references": ["10.1234/renamed"]}`).Is(205)
	publish(other)
	id := world.LastNumber(t, mine)
	s.Root.Send("PATCH", mine+"/versions/1", `{"doi": "10.1234/renamed"}`).Is(205)
	if a, b := counted(s, record.KindArticle, id).Cites, counted(s, record.KindCollection, 1).Cites; a != 1 || b != 0 {
		t.Errorf("under its new DOI %d cites, the collection %d", a, b)
	}
}

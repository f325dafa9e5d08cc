package articles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// Lists of own articles and collections take the filters of the searches in them, in the query.
func TestOwnListFilters(t *testing.T) {
	t.Parallel()
	s := stage.OwnFixture(t)
	for query, want := range map[string]string{
		"": "6 5 4 3 2 1", "order_direction=asc": "1 2 3 4 5 6",
		"order=published_date": "2 3 1 6 5 4", "order=published_date&order_direction=asc": "1 3 2 4 5 6", "order=modified_date": "4 1 5 2 6 3",
		"published_since=2020-01-02": "3 2 1", "modified_since=2020-01-10T04:00:00Z": "5 4 1", "modified_since=2020-01-11": "",
		"institution=1": "6 5 4 3 2 1", "institution=2": "", "group=1": "4 1", "group=0": "6 3", "group=1&limit=1&offset=1": "1",
		"resource_id=res1": "5 3 1", "resource_id=res": "", "resource_doi=https://doi.org/10.9999/r0": "6 4 2",
		"doi=10.5072/own.2": "2", "doi=10.5072/own.2.v1": "2", "handle=20.500/h6": "6", "group=1&resource_id=res1": "1",
	} {
		for _, at := range stage.OwnSearches {
			if got := s.Root.Get(at.Make + "?" + query).Is(200).Shown(); got != want {
				t.Errorf("%s?%s lists %q, want %q", at.Make, query, got, want)
			}
		}
	}
	for query, want := range map[string]string{"item_type=8": "5 3 1", "item_type=3&order_direction=asc": "2 4 6", "project_id=77": "5 3 1", "project_id=78": ""} {
		if got := s.Root.Get("/v2/account/articles?" + query).Is(200).Shown(); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
		query, _, _ = strings.Cut(query, "&")
		if got := s.Root.Get("/v2/account/collections?" + query).Is(200).Shown(); got != "6 5 4 3 2 1" {
			t.Errorf("%s lists %q of collections, which have no types and projects", query, got)
		}
	}
	for query, message := range map[string]string{"group=x": "group must be an integer", "item_type=x": "item_type must be an integer", "published_since=soon": "published_since must be a date"} {
		s.Root.Get("/v2/account/articles?"+query).Refuses(422, message)
	}
	if got := s.Ben.Get("/v2/account/articles?group=1").Is(200).Shown(); got != "" {
		t.Errorf("another account lists %q", got)
	}
}

// Own lists and searches are read to their end by X-Cursor, in each order and with each filter.
func TestOwnWalks(t *testing.T) {
	t.Parallel()
	s := stage.OwnFixture(t)
	for _, at := range stage.OwnSearches {
		for _, order := range []string{"created_date", "published_date", "modified_date"} {
			for _, direction := range []string{"asc", "desc"} {
				for _, filter := range []string{"", "group=1", "resource_id=res1", "resource_doi=10.9999/R0", "published_since=2020-01-02", "modified_since=2020-01-10T04:00:00Z"} {
					query := "order=" + order + "&order_direction=" + direction + "&" + filter
					want := s.Root.Get(at.Make + "?" + query).Is(200).Shown()
					for size := 1; size <= 4; size++ {
						if got := strings.Join(s.Root.Walked("GET", at.Make+"?"+query, "", size), " "); got != want || want == "" {
							t.Errorf("%s?%s by %d shows %q, want %q", at.Make, query, size, got, want)
						}
						if order == "created_date" {
							continue
						}
						for _, words := range []string{"", "&search_for=glacier", "&search_for=glacier NOT number3"} {
							body := world.AsBody(query + words)
							want := s.Root.Mine(at.Search, body)
							if got := strings.Join(s.Root.Walked("POST", at.Search, body, size), " "); got != want {
								t.Errorf("%s %s by %d shows %q, want %q", at.Search, body, size, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// A cursor of an own list is for the account, the kind and the question that it was given for, and
// goes with neither page nor offset.
func TestOwnCursorRefusals(t *testing.T) {
	t.Parallel()
	s := stage.OwnFixture(t)
	const wrong = "X-Cursor is not a cursor of this query"
	for i, at := range stage.OwnSearches {
		cursor := s.Root.Get(at.Make + "?limit=2").Is(200).Header.Get("X-Cursor")
		if got := s.Root.Get(at.Make+"?limit=3", "X-Cursor", cursor).Is(200).Shown(); got != "4 3 2" {
			t.Errorf("%s goes on with %q", at.Make, got)
		}
		for _, query := range []string{"page=1", "offset=0"} {
			s.Root.Get(at.Make+"?"+query, "X-Cursor", cursor).Refuses(422, record.ErrCursorMix.Message)
		}
		for _, query := range []string{"group=1", "order=modified_date", "order_direction=asc", "resource_id=res1"} {
			s.Root.Get(at.Make+"?"+query, "X-Cursor", cursor).Refuses(422, wrong)
		}
		s.Ben.Get(at.Make, "X-Cursor", cursor).Refuses(422, wrong)
		s.Root.Get(stage.OwnSearches[1-i].Make, "X-Cursor", cursor).Refuses(422, wrong)
		s.Root.Send("POST", at.Search, "{}", "X-Cursor", cursor).Refuses(422, wrong)
		s.Root.Get(at.Make, "X-Cursor", strings.Repeat("0", 36)).Refuses(422, wrong)
		found := s.Root.Send("POST", at.Search, `{"limit": 2}`).Is(200).Header.Get("X-Cursor")
		s.Root.Send("POST", at.Search, `{"page": 1}`, "X-Cursor", found).Refuses(422, record.ErrCursorMix.Message)
		s.Root.Send("POST", at.Search, `{"search_for": "glacier"}`, "X-Cursor", found).Refuses(422, wrong)
	}
}

// Pages end at 9,000 own articles; all of them are reached by cursor, each once, also while one
// goes and another comes.
func TestOwnArticlesBeyondPages(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	const n = 9_300
	owner, want := s.Ada.ID(), []string{}
	s.Alter(func(tx *bucket.Tx) error {
		want = nil // it may run twice
		for i := range n {
			id, err := working.Articles.NextID(tx)
			if err != nil {
				return err
			}
			art := &record.Article{Working: record.Working{ID: id, AccountID: owner, Metadata: record.NewMetadata(), Authors: []int64{}, Created: world.Day(1, 0), Modified: world.Day(1, i%7)}}
			if art.Title = "One of many"; i%9 == 0 {
				art.GroupID = 4
			}
			if err := working.Articles.Put(tx, id, art); err != nil {
				return err
			}
			want = append(want, fmt.Sprint(id))
		}
		return nil
	})
	slices.Reverse(want)
	if got := s.Ada.Walked("GET", "/v2/account/articles", "", 1000); !slices.Equal(got, want) {
		t.Errorf("%d of %d articles are reached", len(got), n)
	}
	if got := s.Ada.Walked("GET", "/v2/account/articles?group=4", "", 1000); len(got) != 1+(n-1)/9 {
		t.Errorf("%d articles of the group are reached", len(got))
	}
	s.Ada.Get("/v2/account/articles?page=10&page_size=1000").Refuses(400, "Max page reached")
	r := s.Ada.Get("/v2/account/articles?limit=1000").Is(200)
	s.Ada.Do("DELETE", "/v2/account/articles/"+want[999], nil).Is(204) // the one that the cursor names
	s.Ada.Article(`{"title": "It comes before all others"}`)
	next := s.Ada.Get("/v2/account/articles?limit=1000", "X-Cursor", r.Header.Get("X-Cursor")).Is(200).Shown()
	if next != strings.Join(want[1000:2000], " ") {
		t.Errorf("the walk goes on with %.60s, want %.60s", next, strings.Join(want[1000:2000], " "))
	}
}

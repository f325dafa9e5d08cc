package search

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/stage"
)

// Orders, ties, pages and filters, with and without words, in the body and in the query string.
func TestOwnSearchOrdersAndFilters(t *testing.T) {
	t.Parallel()
	s := stage.OwnFixture(t)
	for _, at := range stage.OwnSearches {
		check := func(body, want string) {
			t.Helper()
			if got := s.Root.Mine(at.Search, body); got != want {
				t.Errorf("%s %s shows %q, want %q", at.Search, body, got, want)
			}
		}
		for _, words := range []string{"", `"search_for": "glacier", `} {
			for rest, want := range map[string]string{
				`"limit": 10`: "2 3 1 6 5 4", `"order": "published_date"`: "2 3 1 6 5 4", `"order_direction": "desc"`: "2 3 1 6 5 4",
				`"order_direction": "asc"`: "1 3 2 4 5 6", `"order": "published_date", "order_direction": "asc"`: "1 3 2 4 5 6",
				`"order": "modified_date"`: "4 1 5 2 6 3", `"order": "modified_date", "order_direction": "asc"`: "3 6 2 5 1 4",
				`"page": 1, "page_size": 2`: "2 3", `"page": 2, "page_size": 2`: "1 6", `"page": 3, "page_size": 2`: "5 4", `"page": 4, "page_size": 2`: "",
				`"limit": 2, "offset": 3`: "6 5", `"limit": 1, "offset": 5, "order_direction": "asc"`: "6",
				`"published_since": "2020-01-03"`: "2", `"published_since": "2020-01-02"`: "2 3 1", `"published_since": "2020-01-04"`: "", `"published_since": ""`: "2 3 1 6 5 4",
				`"modified_since": "2020-01-10T04:00:00Z"`: "1 5 4", `"modified_since": "2020-01-11"`: "", `"modified_since": "2020-01-10", "order": "modified_date"`: "4 1 5 2 6 3",
				`"institution": 1`: "2 3 1 6 5 4", `"institution": 2`: "", `"group": 1`: "1 4", `"group": 0`: "3 6", `"group": 9`: "",
				`"resource_id": "res1"`: "3 1 5", `"resource_id": "res0"`: "2 6 4", `"resource_id": "res"`: "", `"resource_id": "res1", "limit": 1, "offset": 1`: "1",
				`"resource_doi": "10.9999/R1"`: "3 1 5", `"resource_doi": "https://doi.org/10.9999/r0"`: "2 6 4", `"resource_doi": "10.9999"`: "",
				`"doi": "10.5072/own.2"`: "2", `"doi": "10.5072/own.2.v1"`: "2", `"doi": "10.5072/own.2.v2"`: "", `"handle": "20.500/h6"`: "6",
				`"group": 1, "resource_doi": "10.9999/R1", "published_since": "2020-01-01"`: "1",
			} {
				check("{"+words+rest+"}", want)
			}
		}
		check(`{"search_for": "number2 number5"}`, "2 5")
		check(`{"search_for": "number2 number5", "order": "modified_date"}`, "5 2")
		check(`{"search_for": "glacier NOT number2", "limit": 2, "offset": 1}`, "1 6")
		check(`{"search_for": ":published_after: 2020-01-03"}`, "2")
		if got := s.Root.Send("POST", at.Search+"?search_for=glacier&order=modified_date&limit=2", `{}`).Shown(); got != "4 1" {
			t.Errorf("the query string: %q", got)
		}
		if got := s.Root.Send("POST", at.Search+"?limit=5&group=2", `{"limit": 1, "group": 1}`).Shown(); got != "1" {
			t.Errorf("the body counts first: %q", got)
		}
	}
	// Only articles have item types and projects; for collections the keys are unknown.
	for body, want := range map[string][2]string{
		`{"item_type": 8}`: {"3 1 5", "2 3 1 6 5 4"}, `{"project_id": 77}`: {"3 1 5", "2 3 1 6 5 4"}, `{"item_type": 3, "search_for": "glacier"}`: {"2 6 4", "2 3 1 6 5 4"},
		`{"search_for": ":item_type: collection"}`: {"", "2 3 1 6 5 4"}, `{"search_for": ":item_type: article"}`: {"2 3 1 6 5 4", ""},
	} {
		for i, at := range stage.OwnSearches {
			if got := s.Root.Mine(at.Search, body); got != want[i] {
				t.Errorf("%s %s shows %q, want %q", at.Search, body, got, want[i])
			}
		}
	}
}

// The answers of each kind.
func TestOwnSearchForm(t *testing.T) {
	s := stage.OwnFixture(t)
	r := s.Root.Send("POST", stage.OwnSearches[0].Search, `{"resource_id": "res1", "limit": 1}`).Is(200)
	if !strings.HasPrefix(string(r.Bytes), `[{"project_id": 77, "id": 3, "title": "Glacier number3", "doi": "10.5072/own.3", `) {
		t.Errorf("an own article: %s", r.Bytes)
	}
	got, listed := r.List()[0], s.Root.Get("/v2/account/articles?limit=4&offset=0").List()
	for _, l := range listed {
		if l["id"] != got["id"] {
			continue
		}
		for k, v := range l {
			if fmt.Sprint(got[k]) != fmt.Sprint(v) {
				t.Errorf("%s is %v in a search and %v in the list", k, got[k], v)
			}
		}
		if len(got) != len(l)+1 {
			t.Errorf("%d keys in a search, %d in the list", len(got), len(l))
		}
	}
	r = s.Root.Send("POST", stage.OwnSearches[0].Search, `{"resource_id": "res0", "limit": 1}`).Is(200)
	if !strings.HasPrefix(string(r.Bytes), `[{"project_id": null, "id": 2, `) {
		t.Errorf("an article without a project: %s", r.Bytes)
	}
	r = s.Root.Send("POST", stage.OwnSearches[1].Search, `{"limit": 1}`).Is(200)
	if !strings.HasPrefix(string(r.Bytes), `[{"id": 2, "title": "Glacier number2", `) || !strings.Contains(string(r.Bytes), "/v2/account/collections/2") {
		t.Errorf("an own collection: %s", r.Bytes)
	}
	if r := s.Ben.Send("POST", stage.OwnSearches[0].Search, `{}`).Is(200); string(r.Bytes) != "[]" {
		t.Errorf("nothing: %s", r.Bytes)
	}
}

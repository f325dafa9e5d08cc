package articles

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/tests/world"
)

// An item that another repository published before 1970, as a scan of a printed volume is, has
// its place in each order, by pages and by cursor.
func TestOldDates(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	type item struct{ id, published, modified string }
	var all []item
	var lines []string
	for i, dates := range []string{
		"1890-05-01 2026-01-01", "1969-12-31T23:59:59Z 1969-12-31T23:59:59Z", "1970-01-01 1970-01-01", "2026-01-01 2026-01-01", "1890-05-01 1890-05-01",
		"1970-01-01 1970-01-02", "1969-12-31T23:59:59Z 1980-01-01", "0001-01-02 1066-10-14", "2026-01-01 2026-02-01", "1950-01-01 1950-01-01",
	} {
		published, modified, _ := strings.Cut(dates, " ")
		all = append(all, item{fmt.Sprint(i + 1), published, modified})
		lines = append(lines, fmt.Sprintf(`{"key": "%d", "license": 1, "publish": true, "defined_type": "dataset", "title": "Volume %d", "authors": [{"name": "A B"}], "categories": [37], "published_date": %q, "modified_date": %q}`, i+1, i+1, published, modified))
	}
	s.Stop()
	if said, err := s.Imports("ada@example.org", s.Lines(lines...)); err != nil {
		t.Fatalf("%s %v", said, err)
	}
	s.Boot()
	var drafts []string
	for i := range 2 {
		drafts = append(drafts, fmt.Sprint(world.LastNumber(t, s.Ada.Article(fmt.Sprintf(`{"title": "Volume %d"}`, 100+i)))))
	}
	for i, it := range all {
		if got := s.Anon.Get("/v2/articles/" + it.id).Is(200).Object(); got["title"] != fmt.Sprintf("Volume %d", i+1) || !strings.HasPrefix(got["published_date"].(string), it.published[:10]) {
			t.Fatalf("%v %v", got["title"], got["published_date"])
		}
	}
	number := func(id string) (n int) { fmt.Sscan(id, &n); return n }
	ordered := func(of func(item) string, ascending bool) (ids []string) {
		list := slices.Clone(all)
		slices.SortFunc(list, func(a, b item) int { return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(number(a.id), number(b.id))) })
		if !ascending {
			slices.Reverse(list)
		}
		for _, it := range list {
			ids = append(ids, it.id)
		}
		return ids
	}
	paged := func(c world.Client, method, path string, size int) (ids []string) {
		for page := 1; ; page++ {
			got := strings.Fields(c.Send(method, fmt.Sprintf("%s&page=%d&page_size=%d", path, page, size), "{}").Is(200).Shown())
			if ids = append(ids, got...); len(got) == 0 || len(ids) > 100 {
				return ids
			}
		}
	}
	for _, direction := range []string{"asc", "desc"} {
		for _, order := range []string{"published_date", "modified_date", "created_date"} {
			of := func(it item) string { return it.published }
			if order == "modified_date" {
				of = func(it item) string { return it.modified }
			}
			public := ordered(of, direction == "asc")
			own, institution := slices.Clone(public), slices.Clone(public)
			unpublished := slices.Clone(drafts)
			if direction == "desc" {
				slices.Reverse(unpublished)
			}
			first := order == "published_date" && direction == "asc" || order != "published_date" && direction == "desc"
			if own = append(own, unpublished...); order != "published_date" && direction == "desc" {
				own = append(unpublished, public...)
			}
			if institution = append(institution, unpublished...); first {
				institution = append(slices.Clone(unpublished), public...)
			}
			query := "?order=" + order + "&order_direction=" + direction
			for _, l := range []struct {
				who          world.Client
				method, path string
				want         []string
				pagesOnly    bool
			}{
				{s.Anon, "GET", "/v2/articles" + query, public, false},
				{s.Anon, "GET", "/v2/articles" + query + "&item_type=3", public, false},
				{s.Anon, "GET", "/v2/articles" + query + "&group=0", public, false},
				{s.Anon, "POST", "/v2/articles/search" + query, public, false},
				{s.Anon, "POST", "/v2/articles/search" + query + "&search_for=volume", public, false},
				{s.Anon, "POST", "/v2/articles/search" + query + "&search_for=volume%20NOT%20nothing", public, false},
				{s.Ada, "GET", "/v2/account/articles" + query, own, false},
				{s.Ada, "POST", "/v2/account/articles/search" + query, own, false},
				{s.Ada, "POST", "/v2/account/articles/search" + query + "&search_for=volume", own, false},
				{s.Root, "GET", "/v2/account/institution/articles" + query, institution, true},
				{s.Root, "GET", "/v2/account/institution/articles" + query + "&status=3", public, true},
			} {
				if order == "created_date" && (l.pagesOnly || strings.HasPrefix(l.path, "/v2/account/articles")) {
					continue // those by creation are not by publication
				}
				for _, size := range []int{1, 3, 50} {
					if got := paged(l.who, l.method, l.path, size); !slices.Equal(got, l.want) {
						t.Errorf("%s by pages of %d: %v, want %v", l.path, size, got, l.want)
					}
					if l.pagesOnly {
						continue
					}
					body := ""
					if l.method == "POST" {
						body = "{}"
					}
					if got := l.who.Walked(l.method, l.path, body, size); !slices.Equal(got, l.want) {
						t.Errorf("%s by cursors of %d: %v, want %v", l.path, size, got, l.want)
					}
				}
			}
		}
	}
	for since, want := range map[string]string{"1970-01-01": "3 6 4 9", "1900-01-01": "10 2 7 3 6 4 9", "1890-05-01": "1 5 10 2 7 3 6 4 9", "1066-01-01": "1 5 10 2 7 3 6 4 9"} {
		for _, path := range []string{"/v2/articles?", "/v2/account/institution/articles?"} {
			if got := s.Root.Get(path + "order=published_date&order_direction=asc&published_since=" + since).Is(200).Shown(); got != want {
				t.Errorf("%s since %s: %s, want %s", path, since, got, want)
			}
		}
	}
}

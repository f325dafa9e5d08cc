package articles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/tests/world"
)

// Lists that are asked for again are the same as before, whether they come from the store or
// from a cache, and show every write that was acknowledged.
func TestRepeatedLists(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	var ids []int64
	for n := range 12 {
		ids = append(ids, s.Ada.Published(fmt.Sprintf("Number %d", n)))
	}
	queries := []string{
		"page_size=10", "page_size=3&page=2", "limit=5&offset=4", "page_size=1000", "page=7", "order=modified_date", "order=views", "order=modified_date&order_direction=asc",
		"published_since=2020-01-01", "published_since=2020-01-01&order_direction=asc", "published_since=2999-01-01", "item_type=3", "item_type=1", "item_type=3&group=1", "institution=1",
	}
	turn := 0
	// read asks for an address that was never seen, as a robot: views of people change the order by views when they are
	// stored, which may be between two reads.
	read := func(address string) *world.Reply {
		turn++
		return s.Anon.Get(fmt.Sprintf("%s&never_seen=%d", address, turn), "User-Agent", "Googlebot/2.1")
	}
	ask := func(query string) *world.Reply { return read("/v2/articles?" + query).Is(200) }
	check := func(when string) {
		t.Helper()
		for _, query := range queries {
			want := ask(query)
			for range 6 {
				got := ask(query)
				if string(got.Bytes) != string(want.Bytes) {
					t.Fatalf("%s: %s is\n%s\nand was\n%s", when, query, got.Bytes, want.Bytes)
				}
				for _, name := range []string{"ETag", "X-Cursor", "Content-Length", "Content-Type"} {
					if !slices.Equal(got.Header[name], want.Header[name]) {
						t.Errorf("%s: %s: %s is %q and was %q", when, query, name, got.Header[name], want.Header[name])
					}
				}
			}
			// From its cursor on, the list goes on behind the page.
			if cursor := want.Header.Get("X-Cursor"); strings.HasPrefix(query, "page_size=10") && len(query) == 12 {
				next := s.Anon.Get("/v2/articles?page_size=10", "X-Cursor", cursor).Is(200).List()
				if len(next) == 0 || next[0]["id"] == want.List()[9]["id"] {
					t.Errorf("%s: behind the page there is %v", when, next)
				}
			}
		}
	}
	check("at first")
	// listed asks often enough for a cache to be used on the way.
	listed := func(want string) {
		t.Helper()
		for range 7 {
			list := ask("order=modified_date&page_size=50").List()
			if !slices.ContainsFunc(list, func(item map[string]any) bool { return item["title"] == want }) {
				t.Fatalf("%s is not in the list %v", want, list)
			}
		}
	}
	for n := range 3 {
		title := fmt.Sprintf("Later %d", n)
		s.Ada.Published(title)
		listed(title)
	}
	check("with more")
	one := fmt.Sprintf("/v2/account/articles/%d", ids[3])
	for n := range 3 {
		title := fmt.Sprintf("Version %d", n)
		s.Ada.Send("PUT", one, fmt.Sprintf(`{"title": %q}`, title)).Is(205)
		s.Ada.Do("POST", one+"/publish", nil).Is(201)
		listed(title)
		for range 2 {
			if got := read(fmt.Sprintf("/v2/articles/%d?", ids[3])).Is(200).Object(); got["title"] != title || got["version"] != float64(n+2) {
				t.Errorf("readers get %v, version %v", got["title"], got["version"])
			}
		}
	}
	check("with versions")
	before := len(ask("page_size=100").List())
	s.Ada.Send("POST", one+"/unpublish", world.WhyWithdrawn).Is(204)
	for range 7 {
		if r := read(fmt.Sprintf("/v2/articles/%d?", ids[3])); r.StatusCode != 404 {
			t.Fatalf("what was withdrawn is answered with %d", r.StatusCode)
		}
		if got := len(ask("page_size=100").List()); got != before-1 {
			t.Fatalf("there are %d items in the list, want %d", got, before-1)
		}
	}
	check("with one withdrawn")
}

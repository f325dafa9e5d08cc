package files

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/world"
)

// walkFiles reads all pages of a list of files by X-Cursor, and calls between after each of them.
func walkFiles(c world.Client, at string, between func(page int)) (ids []int64) {
	c.Server.T.Helper()
	headers := []string{}
	for page := 1; ; page++ {
		r := c.Get(at, headers...).Is(200)
		list := r.List()
		if len(list) == 0 {
			return ids
		}
		for _, f := range list {
			ids = append(ids, int64(f["id"].(float64)))
		}
		headers = []string{"X-Cursor", r.Header.Get("X-Cursor")}
		if between(page); page > 100 {
			c.Server.T.Fatalf("%s does not end", at)
		}
	}
}

// Pages end at 9,000 files, and an item may have more. All of them are reached by cursor, each
// once, in the order they were made, also while files come and go.
func TestFileCursors(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	const n = 9_400
	own := s.Ada.Article(`{"title": "Many files", "authors": [{"name": "A B"}]}`)
	linked(s, 1, n)
	s.Ada.Do("POST", own+"/publish", nil).Is(201)
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(i + 1)
	}
	quiet := func(int) {}
	const size = "?page_size=1000"
	for _, c := range []struct {
		who world.Client
		at  string
	}{{s.Anon, "/v2/articles/1/files"}, {s.Ada, "/v2/articles/1/files"}, {s.Anon, "/v2/articles/1/versions/1/files"}, {s.Ada, own + "/files"}} {
		if got := walkFiles(c.who, c.at+size, quiet); !slices.Equal(got, all) {
			t.Errorf("%s: %d of %d files", c.at, len(got), n)
		}
		c.who.Get(c.at + "?page=10&page_size=1000").Is(422)
	}

	// Files go before and behind the place of the walk, and new ones come at the end; a version
	// is published in which they have.
	drop := func(id int64) { s.Ada.Do("DELETE", fmt.Sprintf("%s/files/%d", own, id), nil).Is(204) }
	change := func(page int) {
		if page == 2 {
			drop(17)
			drop(2000) // the last one of the page
			drop(9000)
			s.Ada.BeginAs(own, `{"link": "https://example.org/new"}`)
		}
	}
	want := slices.DeleteFunc(append(slices.Clone(all), n+1), func(id int64) bool { return id == 9000 })
	if got := walkFiles(s.Ada, own+"/files"+size, change); !slices.Equal(got, want) {
		t.Errorf("the working copy: %d files, want %d", len(got), len(want))
	}
	publish := func(page int) {
		if page == 3 {
			s.Ada.Do("POST", own+"/publish", nil).Is(201)
		}
	}
	if got := walkFiles(s.Anon, "/v2/articles/1/files"+size, publish); !slices.Equal(got, want) {
		t.Errorf("the latest version: %d files, want %d", len(got), len(want))
	}
	if got := walkFiles(s.Anon, "/v2/articles/1/versions/1/files"+size, quiet); !slices.Equal(got, all) {
		t.Errorf("the first version: %d files, want %d", len(got), n)
	}
}

// A cursor is for the list that gave it, and goes with neither page nor offset.
func TestFileCursorRefusals(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	for _, id := range []int64{1, 2} {
		at := s.Ada.Article(`{"title": "Some files", "authors": [{"name": "A B"}]}`)
		linked(s, id, 3)
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
	}
	lists := []string{"/v2/articles/1/files", "/v2/articles/2/files", "/v2/articles/1/versions/1/files", "/v2/account/articles/1/files", "/v2/account/articles/2/files"}
	for _, given := range lists {
		cursor := s.Ada.Get(given + "?limit=2").Is(200).Header.Get("X-Cursor")
		if strings.Count(cursor, "-") != 4 {
			t.Fatalf("%s gives the cursor %q", given, cursor)
		}
		for _, asked := range append(lists, "/v2/articles") {
			r := s.Ada.Get(asked+"?limit=2", "X-Cursor", cursor)
			if given != asked {
				r.Refuses(422, "X-Cursor is not a cursor of this query")
			} else if got := r.Is(200).List(); len(got) != 1 {
				t.Errorf("%s goes on with %d files", asked, len(got))
			}
		}
		for _, with := range []string{"page=1", "offset=0", "page=2&page_size=1"} {
			s.Ada.Get(given+"?"+with, "X-Cursor", cursor).Refuses(422, record.ErrCursorMix.Message)
		}
		for _, forged := range []string{"x", strings.Repeat("0", 36), "00000000-0000-0000-0000-000000000000"} {
			s.Ada.Get(given, "X-Cursor", forged).Refuses(422, "X-Cursor is not a cursor of this query")
		}
		end := s.Ada.Get(given, "X-Cursor", cursor).Is(200).Header.Get("X-Cursor")
		if r := s.Ada.Get(given, "X-Cursor", end).Is(200); len(r.List()) != 0 || r.Header.Get("X-Cursor") != end {
			t.Errorf("%s does not end", given)
		}
	}
}

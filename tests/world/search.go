package world

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/record"
)

// Find searches with search_for in the body.
func (c Client) Find(words string) string {
	c.Server.T.Helper()
	return c.Send("POST", "/v2/articles/search", fmt.Sprintf(`{"search_for": %s, "limit": 100}`, Quoted(words))).Shown()
}

// Quoted is a JSON string.
func Quoted(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s)
	return `"` + s + `"`
}

// OwnFixture gives Root six articles and six collections, of which 1, 2 and 3 are public,
// and sets what filters and orders look at.
func OwnFixture(t *testing.T) *Server {
	t.Helper()
	s := StartWithin(t)
	for n := 1; n <= 6; n++ {
		for _, at := range OwnSearches {
			made := s.Root.Wrote(at.Make, fmt.Sprintf(`{"title": "Glacier number%d", "resource_doi": "10.9999/R%d", "authors": [{"name": "A B"}]}`, n, n%2))
			if n <= 3 {
				s.Root.Do("POST", made+"/publish", nil).Is(201)
			}
		}
	}
	set := func(w *record.Working) {
		n := w.ID
		w.Modified = Day(10, int(n*5%7)) // by hour: 3 6 2 5 1 4
		w.InstitutionID, w.GroupID, w.ProjectID, w.ResourceID = 1, n%3, n%2*77, fmt.Sprintf("res%d", n%2)
		w.Type, w.Handle, w.DOI = 3+n%2*5, fmt.Sprintf("20.500/h%d", n), fmt.Sprintf("10.5072/own.%d", n)
		if n <= 3 {
			at := Day(int(3-n%2), 0) // 1 and 3 on one day, 2 after them
			w.Published, w.First, w.Version = &at, &at, 1
		}
	}
	s.Alter(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 6; n++ {
			a, err := bucket.Articles.Get(tx, n)
			if err != nil {
				return err
			}
			c, err := bucket.Collections.Get(tx, n)
			if err != nil {
				return err
			}
			set(&a.Working)
			set(&c.Working)
			if err := bucket.Articles.Put(tx, n, a); err != nil {
				return err
			}
			if err := bucket.Collections.Put(tx, n, c); err != nil {
				return err
			}
		}
		return bucket.Projects.Put(tx, 77, &record.Project{ID: 77, AccountID: s.Root.ID(), Title: "A shelf", Created: Day(1, 0), Modified: Day(1, 0)})
	})
	return s
}

// OwnSearches are the two searches in own items: their addresses, and where items are made.
var OwnSearches = []struct{ Search, Make string }{
	{"/v2/account/articles/search", "/v2/account/articles"},
	{"/v2/account/collections/search", "/v2/account/collections"},
}

// Mine searches own items and gives the ids that are shown.
func (c Client) Mine(search, body string) string {
	c.Server.T.Helper()
	return c.Send("POST", search, body).Is(200).Shown()
}

// Wrote makes an own item and gives its address.
func (c Client) Wrote(make, body string) string {
	c.Server.T.Helper()
	return strings.TrimPrefix(c.Send("POST", make, body).Is(201).Header.Get("Location"), c.Server.URL)
}

// IndexWhole reports whether neither index is failing or being built.
func (s *Server) IndexWhole() bool {
	figures, sum := s.Scrape(), 0.0
	for _, name := range []string{"public", "private"} {
		sum += figures[`alcove_index_rebuilding{index="`+name+`"}`] + figures[`alcove_index_failing{index="`+name+`"}`]
	}
	return sum == 0
}

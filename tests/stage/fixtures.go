package stage

import (
	"fmt"
	"testing"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/config"
	"alcove/record"
	"alcove/tests/world"
)

// NewFixture publishes twelve articles of Root. Those whose ids leave the same remainder
// by three were published at the same moment: 1 4 7 10, then 2 5 8 11, then 3 6 9 12.
func NewFixture(t *testing.T) *world.Server {
	t.Helper()
	s := world.StartWithin(t)
	for n := 1; n <= 12; n++ {
		kind := map[bool]string{true: "thesis", false: "dataset"}[n%4 == 0]
		at := s.Root.Article(fmt.Sprintf(`{"title": "Item %d", "defined_type": %q, "authors": [{"name": "A B"}], "resource_doi": "10.9999/R%d"}`, n, kind, n%2))
		s.Root.Do("POST", at+"/publish", nil).Is(201)
	}
	s.Alter(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 12; n++ {
			err := world.AlterPublic(tx, n, func(h *record.PublicArticle, v *record.ArticleVersion) {
				h.Published = world.Day(1+int(n+2)%3, 0)
				h.Modified = world.Day(10, int(n))
				h.GroupID = n % 5
				h.ProjectID = n % 2 * 77
				v.Handle = fmt.Sprintf("20.500/h%d", n)
			})
			if err != nil {
				return err
			}
		}
		if err := working.Projects.Put(tx, 77, &record.Project{ID: 77, AccountID: s.Root.ID(), Title: "A shelf", Created: world.Day(1, 0), Modified: world.Day(1, 0)}); err != nil {
			return err
		}
		return published.Projects.Put(tx, 77, &record.PublicProject{ID: 77, Title: "A shelf", Published: world.Day(1, 0), Created: world.Day(1, 0), Modified: world.Day(1, 0)})
	})
	return s
}

// OwnFixture gives Root six articles and six collections, of which 1, 2 and 3 are public,
// and sets what filters and orders look at.
func OwnFixture(t *testing.T) *world.Server {
	t.Helper()
	s := world.StartWithin(t)
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
		w.Modified = world.Day(10, int(n*5%7)) // by hour: 3 6 2 5 1 4
		w.InstitutionID, w.GroupID, w.ProjectID, w.ResourceID = 1, n%3, n%2*77, fmt.Sprintf("res%d", n%2)
		w.Type, w.Handle, w.DOI = 3+n%2*5, fmt.Sprintf("20.500/h%d", n), fmt.Sprintf("10.5072/own.%d", n)
		if n <= 3 {
			at := world.Day(int(3-n%2), 0) // 1 and 3 on one day, 2 after them
			w.Published, w.First, w.Version = &at, &at, 1
		}
	}
	s.Alter(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 6; n++ {
			a, err := working.Articles.Get(tx, n)
			if err != nil {
				return err
			}
			c, err := working.Collections.Get(tx, n)
			if err != nil {
				return err
			}
			set(&a.Working)
			set(&c.Working)
			if err := working.Articles.Put(tx, n, a); err != nil {
				return err
			}
			if err := working.Collections.Put(tx, n, c); err != nil {
				return err
			}
		}
		return working.Projects.Put(tx, 77, &record.Project{ID: 77, AccountID: s.Root.ID(), Title: "A shelf", Created: world.Day(1, 0), Modified: world.Day(1, 0)})
	})
	return s
}

// OwnSearches are the two searches in own items: their addresses, and where items are made.
var OwnSearches = []struct{ Search, Make string }{
	{"/v2/account/articles/search", "/v2/account/articles"},
	{"/v2/account/collections/search", "/v2/account/collections"},
}

// NewInstitution has a faculty (1) with a department (2) in it and another faculty (3).
// Ada administers the first faculty; Ben is in the department, Cyd in the other faculty.
func NewInstitution(t *testing.T, change ...func(*config.Config)) (s *world.Server, cyd world.Client) {
	t.Helper()
	s = world.Start(t, append([]func(*config.Config){func(c *config.Config) {
		c.InstitutionName, c.InstitutionDomain = "Vell College", "vell.example"
	}}, change...)...)
	cyd = s.Person("Cyd", false)
	faculty := s.Group("Sciences", 0)
	department := s.Group("Limnology", faculty)
	other := s.Group("Arts", 0)
	s.Role(s.Ada, faculty, "administrator")
	s.Joins(s.Ben, department)
	s.Joins(cyd, other)
	return s, cyd
}

// NewReviewed is NewInstitution in which the first faculty asks for reviews. Ada
// administers it, Eve reviews in the department, where Ben is.
func NewReviewed(t *testing.T) (s *world.Server, eve, cyd world.Client) {
	t.Helper()
	s, cyd = NewInstitution(t)
	eve = s.Person("Eve", false)
	s.Role(eve, 2, "reviewer")
	s.AsksForReview(1, true)
	return s, eve, cyd
}

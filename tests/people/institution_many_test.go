package people

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// GET /v2/account/institution/articles: of many articles, with any filters and in any order,
// those that pass are listed, each once. Most pages are found by another way than along the
// order.
func TestInstitutionArticlesOfMany(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	s.Enter()
	s.Harmed = "its working copies tell of public versions that there are none of"
	r := rand.New(rand.NewPCG(3, 5))
	var all []*record.Article
	root := s.Root.ID()
	s.Alter(func(tx *bucket.Tx) error {
		for id := int64(1); id <= 600; id++ {
			art := &record.Article{Working: record.Working{ID: id, AccountID: root, Created: world.Day(1, 0)}}
			art.InstitutionID = 1
			art.Modified, art.Type, art.GroupID = world.Day(1, 0).AddDate(0, 0, r.IntN(400)), int64(r.ExpFloat64()*4), int64(r.IntN(4))
			switch r.IntN(3) {
			case 0:
				published := world.Day(1, 0).AddDate(0, 0, r.IntN(400))
				art.Published, art.Version = &published, 1
			case 1:
				art.Saved = true
			}
			if r.IntN(10) == 0 {
				art.ResourceDOI = fmt.Sprintf("https://doi.org/10.9999/R%d", r.IntN(3))
			}
			if err := working.Articles.Put(tx, id, art); err != nil {
				return err
			}
			all = append(all, art)
		}
		return nil
	})
	for range 300 {
		ask := url.Values{}
		byModified, ascending := r.IntN(2) == 0, r.IntN(2) == 0
		if byModified {
			ask.Set("order", "modified_date")
		}
		if ascending {
			ask.Set("order_direction", "asc")
		}
		passes := []func(*record.Article) bool{}
		if r.IntN(2) == 0 {
			since := world.Day(1, 0).AddDate(0, 0, 200+r.IntN(250))
			ask.Set("modified_since", since.Format(time.DateOnly))
			passes = append(passes, func(a *record.Article) bool { return !a.Modified.Before(since) })
		}
		if r.IntN(3) == 0 {
			since := world.Day(1, 0).AddDate(0, 0, r.IntN(420))
			ask.Set("published_since", since.Format(time.DateOnly))
			passes = append(passes, func(a *record.Article) bool { return a.Published != nil && !a.Published.Before(since) })
		}
		who := s.Root
		if r.IntN(3) == 0 { // an administrator of two groups, one below the other
			who = s.Ada
			passes = append(passes, func(a *record.Article) bool { return a.GroupID == 1 || a.GroupID == 2 })
		}
		for name, of := range map[string]func(*record.Article) int64{
			"item_type": func(a *record.Article) int64 { return a.Type },
			"group":     func(a *record.Article) int64 { return a.GroupID },
			"status": func(a *record.Article) int64 {
				return map[string]int64{"draft": 1, "private": 2, "public": 3}[a.Status()]
			},
		} {
			if n := int64(r.IntN(4)); r.IntN(4) == 0 && (n > 0 || name != "status") {
				ask.Set(name, fmt.Sprint(n))
				passes = append(passes, func(a *record.Article) bool { return of(a) == n })
			}
		}
		if r.IntN(6) == 0 {
			doi := fmt.Sprintf("10.9999/r%d", r.IntN(4))
			ask.Set("resource_doi", doi)
			passes = append(passes, func(a *record.Article) bool { return record.BareDOI(a.ResourceDOI) == doi })
		}
		var want []*record.Article
		for _, a := range all {
			if !slices.ContainsFunc(passes, func(ok func(*record.Article) bool) bool { return !ok(a) }) {
				want = append(want, a)
			}
		}
		rank := func(a *record.Article) time.Time {
			if byModified {
				return a.Modified
			}
			if a.Published == nil {
				return time.Time{}
			}
			return *a.Published
		}
		slices.SortFunc(want, func(a, b *record.Article) int {
			if !ascending {
				a, b = b, a
			}
			return cmp.Or(rank(a).Compare(rank(b)), cmp.Compare(a.ID, b.ID))
		})
		skip, take := r.IntN(len(want)+2), 1+r.IntN(50)
		ask.Set("offset", fmt.Sprint(skip))
		ask.Set("limit", fmt.Sprint(take))
		var ids []string
		for _, a := range want[min(skip, len(want)):min(skip+take, len(want))] {
			ids = append(ids, fmt.Sprint(a.ID))
		}
		if got := who.Get("/v2/account/institution/articles?" + ask.Encode()).Shown(); got != strings.Join(ids, " ") {
			t.Fatalf("%s shows %s, want %s", ask.Encode(), got, strings.Join(ids, " "))
		}
	}
}

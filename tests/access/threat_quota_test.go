package access

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/working"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// Whatever happened to files and articles, in any order, the space that an account uses is the
// sum of its files: each counts once, from when it is announced to when it is gone, as private or
// as public (security.md I12).
func TestThreatQuotaRecount(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	r := rand.New(rand.NewPCG(12, 2026))
	var articles, files []string
	pick := func(list []string) (string, bool) {
		if len(list) == 0 {
			return "", false
		}
		return list[r.IntN(len(list))], true
	}
	for step := range 100 {
		at, have := pick(articles)
		file, some := pick(files)
		switch n := r.IntN(12); {
		case n < 2 || !have:
			articles = append(articles, s.Ada.Article(fmt.Sprintf(`{"title": "Article %d", "authors": [{"name": "Grace Hopper"}]}`, step)))
		case n < 4: // announced, and perhaps never sent
			if got := s.Ada.Send("POST", at+"/files", fmt.Sprintf(`{"name": "f", "size": %d}`, r.IntN(5000))); got.StatusCode == 201 {
				files = append(files, strings.TrimPrefix(got.Header.Get("Location"), s.URL))
			}
		case n < 7:
			if s.Ada.Get(at).StatusCode == 200 {
				files = append(files, s.Ada.Upload(at, "f", disk.Random(1+r.IntN(5000), uint64(step+1))))
			}
		case n < 8: // refused where a file is not whole, so one of its own, too
			s.Ada.Do("POST", at+"/publish", nil)
			at := s.Ada.Article(`{"title": "Published at once", "authors": [{"name": "Grace Hopper"}]}`)
			files = append(files, s.Ada.Upload(at, "p", disk.Random(1+r.IntN(5000), uint64(step+1))))
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
			articles = append(articles, at)
		case n < 9 && some:
			s.Ada.Do("DELETE", file, nil)
			s.Ada.Do("DELETE", file, nil) // not twice
		case n < 10:
			s.Ada.Do("DELETE", at, nil)
			s.Ada.Do("DELETE", at, nil)
		case n < 11 && some:
			s.Ada.Do("POST", file, nil)
		default:
			s.Root.Send("POST", at+"/unpublish", fmt.Sprintf(`{"impersonate": %d, "reason": "A test of counting"}`, s.Ada.ID()))
		}
		if step%20 == 19 {
			recounts(s, step)
		}
	}
	if r := s.Ada.Get("/v2/account").Object(); r["used_quota_public"] == 0.0 || r["used_quota_private"] == 0.0 {
		t.Errorf("nothing is left to count: %v", r)
	}
}

// recounts compares what Ada's account says with the records of her files.
func recounts(s *world.Server, step int) {
	s.T.Helper()
	ada := s.Ada.ID()
	var private, public float64
	err := s.DB().View(func(tx *bucket.Tx) error {
		for row, err := range files.Files.All(tx, nil) {
			if err != nil {
				return err
			}
			a, err := working.Articles.Get(tx, row.Record.ArticleID)
			if err != nil || a.AccountID != ada {
				s.T.Errorf("file %d is of no article of hers: %v", row.Key, err)
			}
			if row.Record.Added > 0 {
				public += float64(row.Record.Size)
			} else {
				private += float64(row.Record.Size)
			}
		}
		return nil
	})
	if err != nil {
		s.T.Fatal(err)
	}
	acc := s.Ada.Get("/v2/account").Is(200).Object()
	if acc["used_quota_private"] != private || acc["used_quota_public"] != public || acc["used_quota"] != private+public {
		s.T.Errorf("after %d steps the account says %v and %v, its files are %v and %v", step+1, acc["used_quota_private"], acc["used_quota_public"], private, public)
	}
}

package load

import (
	"errors"
	"fmt"
	"image/color"
	"math/rand/v2"
	"sync"
	"testing"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// Publishing, deciding, embargoes, withdrawing and uploads at the same time leave a store whose
// records agree with each other.
func TestDepositRace(t *testing.T) {
	t.Parallel()
	s, eve, _ := stage.NewReviewed(t)
	s.Enter()
	at := s.Ben.Article(`{"title": "Under many hands", "authors": [{"name": "Grace Hopper"}]}`)
	hands := []func(*rand.Rand){
		func(r *rand.Rand) { s.Ben.Do("POST", at+"/publish", nil) },
		func(r *rand.Rand) { s.Ben.Send("POST", at+"/unpublish", world.WhyWithdrawn) },
		func(r *rand.Rand) {
			if r.IntN(2) == 0 {
				s.Ben.Do("DELETE", at+"/embargo", nil)
				return
			}
			s.Ben.Send("PUT", at+"/embargo", fmt.Sprintf(`{"is_embargoed": true, "embargo_type": %q, "embargo_date": "2999-01-01"}`, []string{"article", "file"}[r.IntN(2)]))
		},
		func(r *rand.Rand) {
			for _, review := range eve.Get(world.ReviewsAt + "?status=pending").Is(200).List() {
				eve.Decide(int(review["id"].(float64)), []string{"approved", "approved", "rejected"}[r.IntN(3)], "So be it")
			}
		},
		func(r *rand.Rand) { s.AsksForReview(1, r.IntN(2) == 0) },
		func(r *rand.Rand) {
			s.Ben.Upload(at, "picture.png", disk.Picture(1+r.IntN(9), 1+r.IntN(9), color.White))
			if files := s.Ben.Get(at + "/files").Is(200).List(); len(files) > 3 {
				s.Ben.Do("DELETE", fmt.Sprintf("%s/files/%.0f", at, files[r.IntN(3)]["id"]), nil)
			}
		},
	}
	var all sync.WaitGroup
	for i, hand := range hands {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 3))
			for range 40 {
				hand(random)
			}
		})
	}
	all.Wait()
	if err := agrees(s, s.Ben.ID()); err != nil {
		t.Error(err)
	}
	s.AsksForReview(1, false)
	s.Ben.Do("DELETE", at+"/embargo", nil).Is(204)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	if err := agrees(s, s.Ben.ID()); err != nil {
		t.Error(err)
	}
	s.Ben.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	s.Ben.Do("DELETE", at, nil).Is(204)
	if got := s.Ben.FileQuota(); got != "0+0=0" {
		t.Errorf("used %s when all is deleted", got)
	}
}

// agrees compares the tables of the store about the files of an account with each other.
func agrees(s *world.Server, account int64) error {
	var bad []error
	wrong := func(format string, args ...any) { bad = append(bad, fmt.Errorf(format, args...)) }
	err := s.DB().View(func(tx *bucket.Tx) error {
		acc, err := users.Accounts.Get(tx, account)
		if err != nil {
			return err
		}
		var private, public int64
		copies := map[int64]int64{} // by article
		pending := map[int64]bool{}
		for row, err := range working.Reviews.All(tx, nil) {
			if err != nil {
				return err
			}
			if row.Record.Status == record.ReviewPending && pending[row.Record.ArticleID] {
				wrong("two reviews of article %d are pending", row.Record.ArticleID)
			}
			pending[row.Record.ArticleID] = pending[row.Record.ArticleID] || row.Record.Status == record.ReviewPending
		}
		for row, err := range files.Files.All(tx, nil) {
			if err != nil {
				return err
			}
			f := row.Record
			if f.Added > 0 {
				public += f.Size
			} else {
				private += f.Size
			}
			if !f.Dropped {
				copies[f.ArticleID] += f.Size
			}
			_, err := files.PublicFiles.Get(tx, f.ID)
			if shown := err == nil; shown != (f.Added > 0 && !f.Hidden) {
				wrong("file %d is shown: %v, and %+v", f.ID, shown, f)
			}
			if f.Held && !working.HeldVersions.Has(tx, f.ArticleID) {
				wrong("file %d is held and nothing holds it", f.ID)
			}
			if f.Submitted != record.NotSubmitted && !pending[f.ArticleID] {
				wrong("file %d is handed in and nothing waits", f.ID)
			}
			if f.Dropped && f.Added == 0 && !f.Held && !f.Withdrawn && f.Submitted == record.NotSubmitted {
				wrong("nothing has file %d", f.ID)
			}
		}
		if acc.UsedPrivate != private || acc.UsedPublic != public {
			wrong("used %d+%d, the files have %d+%d", acc.UsedPrivate, acc.UsedPublic, private, public)
		}
		for row, err := range files.PublicFiles.All(tx, nil) {
			if err != nil {
				return err
			}
			if f, err := files.Files.Get(tx, row.Key); err != nil || f.Added != row.Record.Added || f.Removed != row.Record.Removed {
				wrong("public file %d: %v", row.Key, err)
			}
		}
		for row, err := range published.ArticleVersions.All(tx, nil) {
			if err != nil {
				return err
			}
			v := row.Record
			var size int64
			number := 0
			for hit := range files.Published.Ascending(tx, bucket.SortKey(v.ArticleID)) {
				f, err := files.Files.Get(tx, hit.Key)
				if err != nil {
					return err
				}
				if f.In(v.Version) {
					size, number = size+f.Size, number+1
				}
			}
			if !published.Articles.Has(tx, v.ArticleID) || size != v.Size || number != v.Files {
				wrong("version %d has %d files with %d bytes, counted %d with %d", v.Version, v.Files, v.Size, number, size)
			}
			if v.Thumb.File != 0 {
				if f, err := files.Files.Get(tx, v.Thumb.File); err != nil || !f.In(v.Version) {
					wrong("version %d shows file %d, which is not in it: %v", v.Version, v.Thumb.File, err)
				}
			}
		}
		for row, err := range working.Articles.All(tx, nil) {
			if err != nil {
				return err
			}
			art := row.Record
			if art.Public() != published.Articles.Has(tx, art.ID) || art.Size != copies[art.ID] {
				wrong("article %d: public %v, %d bytes of %d", art.ID, art.Public(), art.Size, copies[art.ID])
			}
		}
		return nil
	})
	return errors.Join(append(bad, err)...)
}

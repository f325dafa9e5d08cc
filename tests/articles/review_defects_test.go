package articles

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// Each public version in a group that asks for reviews has been reviewed, whatever way it takes
// into the group.
func TestReviewedGroupIsNotEnteredUnreviewed(t *testing.T) {
	t.Parallel()
	s, _, cyd := stage.NewReviewed(t)
	s.Enter()
	moved := func(group int64) { s.Account(cyd.ID(), func(a *record.Account) { a.GroupID = group }) }
	at := cyd.Article(`{"title": "Made in the other faculty", "authors": [{"name": "Grace Hopper"}]}`)
	cyd.Do("POST", at+"/publish", nil).Is(201)
	held := cyd.Article(`{"title": "Held in the other faculty", "authors": [{"name": "Grace Hopper"}]}`)
	cyd.Embargo(held, "article", "2999-01-01")
	cyd.Do("POST", held+"/publish", nil).Is(201)
	moved(2)

	cyd.Send("PATCH", at+"/versions/1", `{"group_id": 2}`).Refuses(403, "review")
	if got := s.Anon.Get("/v2/articles?group=2").Is(200); string(got.Bytes) != "[]" {
		t.Errorf("in the group is %s", got.Bytes)
	}
	cyd.Send("PATCH", held, `{"group_id": 2}`).Is(205)
	cyd.Do("DELETE", held+"/embargo", nil).Is(204)
	if got := s.Anon.Get("/v2/articles?group=2").Is(200); string(got.Bytes) != "[]" {
		t.Errorf("in the group is %s", got.Bytes)
	}
	if got := s.Anon.Get("/v2/articles?group=3").Is(200); len(got.List()) != 2 {
		t.Errorf("in the other group is %s", got.Bytes)
	}
}

// No form of a withdrawn item's identifier is given to another item.
func TestIdentifiersOfWithdrawnStayTaken(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Root.Article(`{"title": "To be withdrawn", "authors": [{"name": "Grace Hopper"}], "doi": "10.1234/First", "handle": "1234/First"}`)
	s.Root.Do("POST", at+"/publish", nil).Is(201)
	s.Root.Send("PATCH", at, `{"doi": "10.1234/second", "handle": "1234/second"}`).Is(205)
	s.Root.Do("POST", at+"/publish", nil).Is(201)
	s.Root.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	other, col := s.Root.Article(`{"title": "Another one"}`), collection(s.Root, `{"title": "A collection"}`)
	for _, body := range []string{
		`{"doi": "10.1234/second"}`, `{"doi": "10.1234/SECOND"}`, `{"doi": "10.1234/first"}`, `{"doi": "https://doi.org/10.1234/second"}`,
		`{"doi": "doi:10.1234/first"}`, `{"doi": "10.1234/first.v1"}`, `{"handle": "1234/First"}`, `{"handle": "1234/second"}`,
	} {
		for _, to := range []string{other, col} {
			s.Root.Send("PATCH", to, body).Refuses(422, "withdrawn")
		}
		s.Root.Send("PATCH", at, body).Is(205) // its own
	}
	s.Root.Send("PATCH", other, `{"doi": "10.1234/third"}`).Is(205)
}

// RFC 9110, 13.1.3: what a review shows of an embargo that was changed is a change of the review.
func TestReviewDatesEmbargoOfItem(t *testing.T) {
	t.Parallel()
	s, eve, _ := stage.NewReviewed(t)
	at := s.Ben.Article(`{"title": "Waits for its review", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	date := time.Now().UTC().Format(http.TimeFormat)
	for now := date; now == date; now = time.Now().UTC().Format(http.TimeFormat) { // the next second
		runtime.Gosched()
	}
	s.Ben.Embargo(at, "file", "2999-01-01")
	if got := eve.Get(reviewAt(1), "If-Modified-Since", date).Is(200).Object()["item"].(map[string]any); got["is_embargoed"] != true {
		t.Errorf("the item is %v", got)
	}
}

// A write that runs again, because another of its batch failed, warns once.
func TestWarningsOfWritesThatRunAgain(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "Under load"}`)
	stop := errors.New("cannot go on")
	done := make(chan struct{})
	var failing, writing sync.WaitGroup
	for range 8 {
		failing.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				err := s.DB().Update(context.Background(), 0, func(tx *bucket.Tx) error {
					art, err := working.Articles.Get(tx, 1)
					if err == nil {
						err = working.Articles.Put(tx, 1, art)
					}
					return errors.Join(err, stop)
				})
				if !errors.Is(err, stop) {
					t.Errorf("the store answered %v", err)
					return
				}
			}
		})
	}
	for range 4 {
		writing.Go(func() {
			for range 25 {
				r := s.Ada.Send("PATCH", at, `{"categories_by_source_id": ["nothing"], "unknown": 1}`)
				if n := len(r.Object()["warnings"].([]any)); n != 2 {
					t.Errorf("%d warnings: %s", n, r.Bytes)
				}
			}
		})
	}
	writing.Wait()
	close(done)
	failing.Wait()
}

// An administrator of the group in which readers find an article can withdraw it, also when its
// owner has moved the working copy elsewhere.
func TestUnpublishWhereItIsPublic(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t)
	s.Enter()
	at := s.Ben.Article(`{"title": "Published in the department", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	s.Account(s.Ben.ID(), func(a *record.Account) { a.GroupID = 3 })
	s.Ben.Send("PATCH", at, `{"group_id": 3}`).Is(205)
	if got := s.Anon.Get("/v2/articles?group=2").Is(200).Shown(); got != "1" {
		t.Fatalf("in the group is %q", got)
	}
	cyd.Send("POST", at+"/unpublish", world.WhyWithdrawn).Refuses(404, "")
	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Refuses(404, "")
}

// A file that was held back for an embargo stays, though the working copy has dropped it and the
// submission, with it or without it, is refused.
func TestHeldFileOutlivesReview(t *testing.T) {
	t.Parallel()
	for _, dropFirst := range []bool{true, false} {
		s, eve, _ := stage.NewReviewed(t)
		s.AsksForReview(1, false)
		at := s.Ben.Article(`{"title": "Held, then handed in", "authors": [{"name": "Grace Hopper"}]}`)
		file := s.Ben.Upload(at, "held.txt", []byte("held"))
		s.Ben.Embargo(at, "article", "2999-01-01")
		s.Ben.Do("POST", at+"/publish", nil).Is(201)
		s.AsksForReview(1, true)
		if dropFirst {
			s.Ben.Do("DELETE", file, nil).Is(204)
		}
		s.Ben.Do("POST", at+"/publish", nil).Is(201)
		if !dropFirst {
			s.Ben.Do("DELETE", file, nil).Is(204)
		}
		eve.Decide(1, "rejected", "Not yet").Is(200)
		s.Ben.Do("DELETE", at+"/embargo", nil).Is(204)
		if got := versionFiles(s, 1, 1); got != "held.txt" {
			t.Errorf("dropped first %v: the version has %q", dropFirst, got)
		}
		if got := string(s.Anon.Get("/files/1").Is(200).Bytes); got != "held" {
			t.Errorf("dropped first %v: the file is %q", dropFirst, got)
		}
	}
}

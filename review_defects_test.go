package main

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// Each public version in a group that asks for reviews has been reviewed, whatever way it takes
// into the group.
func TestReviewedGroupIsNotEnteredUnreviewed(t *testing.T) {
	t.Parallel()
	s, _, cyd := newReviewed(t)
	moved := func(group int64) { s.account(cyd.id(), func(a *record.Account) { a.GroupID = group }) }
	at := cyd.article(`{"title": "Made in the other faculty", "authors": [{"name": "Grace Hopper"}]}`)
	cyd.do("POST", at+"/publish", nil).is(201)
	held := cyd.article(`{"title": "Held in the other faculty", "authors": [{"name": "Grace Hopper"}]}`)
	cyd.embargo(held, "article", "2999-01-01")
	cyd.do("POST", held+"/publish", nil).is(201)
	moved(2)

	cyd.send("PATCH", at+"/versions/1", `{"group_id": 2}`).refuses(403, "review")
	if got := s.Anon.get("/v2/articles?group=2").is(200); string(got.body) != "[]" {
		t.Errorf("in the group is %s", got.body)
	}
	cyd.send("PATCH", held, `{"group_id": 2}`).is(205)
	cyd.do("DELETE", held+"/embargo", nil).is(204)
	if got := s.Anon.get("/v2/articles?group=2").is(200); string(got.body) != "[]" {
		t.Errorf("in the group is %s", got.body)
	}
	if got := s.Anon.get("/v2/articles?group=3").is(200); len(got.list()) != 2 {
		t.Errorf("in the other group is %s", got.body)
	}
}

// No form of a withdrawn item's identifier is given to another item.
func TestIdentifiersOfWithdrawnStayTaken(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Root.article(`{"title": "To be withdrawn", "authors": [{"name": "Grace Hopper"}], "doi": "10.1234/First", "handle": "1234/First"}`)
	s.Root.do("POST", at+"/publish", nil).is(201)
	s.Root.send("PATCH", at, `{"doi": "10.1234/second", "handle": "1234/second"}`).is(205)
	s.Root.do("POST", at+"/publish", nil).is(201)
	s.Root.send("POST", at+"/unpublish", whyWithdrawn).is(204)
	other, col := s.Root.article(`{"title": "Another one"}`), s.Root.collection(`{"title": "A collection"}`)
	for _, body := range []string{
		`{"doi": "10.1234/second"}`, `{"doi": "10.1234/SECOND"}`, `{"doi": "10.1234/first"}`, `{"doi": "https://doi.org/10.1234/second"}`,
		`{"doi": "doi:10.1234/first"}`, `{"doi": "10.1234/first.v1"}`, `{"handle": "1234/First"}`, `{"handle": "1234/second"}`,
	} {
		for _, to := range []string{other, col} {
			s.Root.send("PATCH", to, body).refuses(422, "withdrawn")
		}
		s.Root.send("PATCH", at, body).is(205) // its own
	}
	s.Root.send("PATCH", other, `{"doi": "10.1234/third"}`).is(205)
}

// RFC 9110, 13.1.3: what a review shows of an embargo that was changed is a change of the review.
func TestReviewDatesEmbargoOfItem(t *testing.T) {
	t.Parallel()
	s, eve, _ := newReviewed(t)
	at := s.Ben.article(`{"title": "Waits for its review", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.do("POST", at+"/publish", nil).is(201)
	date := time.Now().UTC().Format(http.TimeFormat)
	for now := date; now == date; now = time.Now().UTC().Format(http.TimeFormat) { // the next second
		runtime.Gosched()
	}
	s.Ben.embargo(at, "file", "2999-01-01")
	if got := eve.get(reviewAt(1), "If-Modified-Since", date).is(200).object()["item"].(map[string]any); got["is_embargoed"] != true {
		t.Errorf("the item is %v", got)
	}
}

// A write that runs again, because another of its batch failed, warns once.
func TestWarningsOfWritesThatRunAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Under load"}`)
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
					art, err := bucket.Articles.Get(tx, 1)
					if err == nil {
						err = bucket.Articles.Put(tx, 1, art)
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
				r := s.Ada.send("PATCH", at, `{"categories_by_source_id": ["nothing"], "unknown": 1}`)
				if n := len(r.object()["warnings"].([]any)); n != 2 {
					t.Errorf("%d warnings: %s", n, r.body)
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
	s, cyd := newInstitution(t)
	at := s.Ben.article(`{"title": "Published in the department", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.do("POST", at+"/publish", nil).is(201)
	s.account(s.Ben.id(), func(a *record.Account) { a.GroupID = 3 })
	s.Ben.send("PATCH", at, `{"group_id": 3}`).is(205)
	if got := s.Anon.get("/v2/articles?group=2").is(200).shown(); got != "1" {
		t.Fatalf("in the group is %q", got)
	}
	cyd.send("POST", at+"/unpublish", whyWithdrawn).refuses(404, "")
	s.Ada.send("POST", at+"/unpublish", whyWithdrawn).is(204)
	s.Ada.send("POST", at+"/unpublish", whyWithdrawn).refuses(404, "")
}

// A file that was held back for an embargo stays, though the working copy has dropped it and the
// submission, with it or without it, is refused.
func TestHeldFileOutlivesReview(t *testing.T) {
	t.Parallel()
	for _, dropFirst := range []bool{true, false} {
		s, eve, _ := newReviewed(t)
		s.asksForReview(1, false)
		at := s.Ben.article(`{"title": "Held, then handed in", "authors": [{"name": "Grace Hopper"}]}`)
		file := s.Ben.upload(at, "held.txt", []byte("held"))
		s.Ben.embargo(at, "article", "2999-01-01")
		s.Ben.do("POST", at+"/publish", nil).is(201)
		s.asksForReview(1, true)
		if dropFirst {
			s.Ben.do("DELETE", file, nil).is(204)
		}
		s.Ben.do("POST", at+"/publish", nil).is(201)
		if !dropFirst {
			s.Ben.do("DELETE", file, nil).is(204)
		}
		eve.decide(1, "rejected", "Not yet").is(200)
		s.Ben.do("DELETE", at+"/embargo", nil).is(204)
		if got := s.versionFiles(1, 1); got != "held.txt" {
			t.Errorf("dropped first %v: the version has %q", dropFirst, got)
		}
		if got := string(s.Anon.get("/files/1").is(200).body); got != "held" {
			t.Errorf("dropped first %v: the file is %q", dropFirst, got)
		}
	}
}

package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/record"
)

const reviewsAt = "/v2/account/institution/reviews"

func (s *server) asksForReview(group int64, yes bool) {
	s.t.Helper()
	if _, err := handlers.StoreGroup(context.Background(), s.DB(), handlers.GroupEdit{ID: group, Review: &yes}); err != nil {
		s.t.Fatal(err)
	}
}

// newReviewed is newInstitution in which the first faculty asks for reviews. Ada
// administers it, Eve reviews in the department, where Ben is.
func newReviewed(t *testing.T) (s *server, eve, cyd client) {
	t.Helper()
	s, cyd = newInstitution(t)
	eve = s.person("Eve", false)
	s.role(eve, 2, "reviewer")
	s.asksForReview(1, true)
	return s, eve, cyd
}

// decide writes a comment of a type on a review.
func (c client) decide(review int, kind, text string) *reply {
	c.s.t.Helper()
	return c.send("POST", fmt.Sprintf("/v2/account/institution/review/%d/comments", review), fmt.Sprintf(`{"type": %q, "text": %q}`, kind, text))
}

func reviewAt(id int) string { return fmt.Sprintf("/v2/account/institution/review/%d", id) }

// In a group that asks for reviews, and below it, publish submits. The submitted version is
// published, whatever happened meanwhile.
func TestReviewApproved(t *testing.T) {
	t.Parallel()
	s, eve, cyd := newReviewed(t)
	at := s.Ben.article(`{"title": "Canarytitle of ponds", "authors": [{"name": "Canary Author"}]}`)
	first := s.Ben.upload(at, "canaryfirst.csv", []byte("canaryone"))
	r := s.Ben.do("POST", at+"/publish", nil).is(201)
	if want := s.URL + "/v2/articles/1"; r.Header.Get("Location") != want || string(r.body) != `{"location": "`+want+`", "warnings": ["`+record.WarnReview+`"]}` {
		t.Errorf("publish answered %s", r.body)
	}
	if got := s.Ben.get(at).object(); got["status"] != "private" || got["curation_status"] != "pending" || got["version"] != 0.0 || got["is_public"] != false {
		t.Errorf("in review the item is %v %v %v", got["status"], got["curation_status"], got["version"])
	}
	hidden := func() {
		t.Helper()
		for _, path := range []string{"/v2/articles/1", "/v2/articles/1/versions/1", "/files/1"} {
			cyd.get(path).is(404)
			s.Anon.get(path).is(404)
		}
		if got := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "canarytitle"}`).is(200); string(got.body) != "[]" {
			t.Errorf("a search finds %s", got.body)
		}
		if got := cyd.send("POST", "/v2/account/authors/search", `{"search_for": "canary"}`).is(200); string(got.body) != "[]" {
			t.Errorf("the author is found: %s", got.body)
		}
	}
	hidden()
	// Later changes of the owner come with the next version.
	s.Ben.do("DELETE", first, nil).is(204)
	s.Ben.upload(at, "second.csv", []byte("two"))
	s.Ben.send("PATCH", at, `{"title": "Changed meanwhile", "authors": []}`).is(205)

	for _, who := range []client{eve, s.Ada, s.Root, s.Ben} {
		if got := who.get(reviewsAt).shown(); got != "1" {
			t.Errorf("the reviews are %q", got)
		}
		review := who.get(reviewAt(1)).is(200).object()
		item := review["item"].(map[string]any)
		for key, want := range map[string]any{
			"id": 1.0, "group_id": 2.0, "account_id": 2.0, "assigned_to": nil, "article_id": 1.0, "version": 1.0, "comments_count": 0.0, "status": "pending", "request_number": 1.0, "review_date": nil, "resolution_comment": nil,
		} {
			if got, ok := review[key]; !ok || got != want {
				t.Errorf("%s is %v, want %v", key, got, want)
			}
		}
		if item["title"] != "Canarytitle of ponds" || item["status"] != "private" || item["is_public"] != false || item["published_date"] != nil || fileNames(files(item)) != "canaryfirst.csv" || len(review) != 14 {
			t.Errorf("the item is %v", item)
		}
	}
	if got := string(eve.get("/files/1").is(200).body); got != "canaryone" {
		t.Errorf("the reviewer gets %q", got)
	}
	eve.get("/files/2").refuses(404, "File not found") // it was not handed in
	s.Ben.get("/files/1").refuses(404, "")             // its owner has deleted it
	hidden()
	s.restart()
	hidden()

	got := eve.decide(1, "approved", "Well described").is(200).object()
	if got["id"] != 1.0 || got["type"] != "approved" || got["text"] != "Well described" || len(got) != 6 {
		t.Errorf("the comment is %v", got)
	}
	public := s.Anon.get("/v2/articles/1").is(200).object()
	if public["title"] != "Canarytitle of ponds" || public["version"] != 1.0 || fileNames(files(public)) != "canaryfirst.csv" || public["size"] != 9.0 {
		t.Errorf("public is %v", public)
	}
	if got := s.Ben.get(at).object(); got["title"] != "Changed meanwhile" || got["curation_status"] != "approved" || got["status"] != "public" || fileNames(files(got)) != "second.csv" {
		t.Errorf("the working copy is %v", got)
	}
	if got := s.Ben.fileQuota(); got != "3+9=12" {
		t.Errorf("used %s", got)
	}
	review := s.Ben.get(reviewAt(1)).is(200).object()
	if review["status"] != "approved" || review["assigned_to"] != float64(eve.id()) || review["comments_count"] != 1.0 || review["resolution_comment"] != "Well described" || review["review_date"] == nil {
		t.Errorf("the review is %v", review)
	}
	eve.get("/files/2").refuses(404, "")
	eve.decide(1, "rejected", "No").refuses(403, "decided already")
	eve.decide(1, "comment", "Thank you").is(200)

	// The next version removes the file, and adds the other.
	s.Ben.send("PATCH", at, `{"authors": [{"name": "Grace Hopper"}]}`).is(205)
	s.Ben.do("POST", at+"/publish", nil).is(201)
	if got := s.versionFiles(1, 1); got != "canaryfirst.csv" {
		t.Errorf("before the second approval: %s", got)
	}
	eve.decide(2, "approved", "Good").is(200)
	if got := s.versionFiles(1, 1) + "|" + s.versionFiles(1, 2); got != "canaryfirst.csv|second.csv" {
		t.Errorf("the versions have %s", got)
	}
}

func files(item map[string]any) (list []map[string]any) {
	for _, f := range item["files"].([]any) {
		list = append(list, f.(map[string]any))
	}
	return list
}

// A rejected or closed submission goes back to its owner; a second submission replaces one that
// waits.
func TestReviewRejected(t *testing.T) {
	t.Parallel()
	s, eve, _ := newReviewed(t)
	at := s.Ben.article(`{"title": "First try", "authors": [{"name": "Grace Hopper"}]}`)
	one := s.Ben.upload(at, "one", []byte("1"))
	s.Ben.do("POST", at+"/publish", nil).is(201)
	eve.decide(1, "comment", "A description is missing").is(200)
	eve.decide(1, "rejected", "Please describe it").is(200)
	if got := s.Ben.get(at).object(); got["curation_status"] != "rejected" || got["status"] != "private" {
		t.Errorf("rejected: %v", got)
	}
	comments := s.Ben.get(reviewAt(1) + "/comments").is(200).list()
	if len(comments) != 2 || comments[0]["type"] != "comment" || comments[1]["text"] != "Please describe it" {
		t.Errorf("the owner reads %v", comments)
	}
	if got := s.Ben.get(reviewAt(1) + "/comments?limit=1&offset=1").list(); len(got) != 1 || got[0]["type"] != "rejected" {
		t.Errorf("the second comment is %v", got)
	}
	s.Anon.get("/v2/articles/1").is(404)
	eve.get("/files/1").is(404)

	s.Ben.do("POST", at+"/publish", nil).is(201)
	s.Ben.do("DELETE", one, nil).is(204) // only what was handed in has it now
	s.Ben.upload(at, "two", []byte("22"))
	s.Ben.do("POST", at+"/publish", nil).is(201) // replaces it
	if got := eve.get(reviewsAt + "?status=pending").shown(); got != "3" {
		t.Errorf("pending are %q", got)
	}
	if got := eve.get(reviewAt(3)).object(); got["request_number"] != 3.0 || fileNames(files(got["item"].(map[string]any))) != "two" {
		t.Errorf("handed in last: %v", got)
	}
	eve.decide(2, "approved", "Late").refuses(403, "decided already")
	if got := s.Ben.fileQuota(); got != "2+0=2" {
		t.Errorf("used %s", got)
	}
	// The owner can answer and withdraw, and decide nothing.
	s.Ben.decide(3, "comment", "Soon").is(200)
	for _, kind := range []string{"approved", "rejected"} {
		s.Ben.decide(3, kind, "Mine").refuses(403, "Only reviewers")
	}
	s.Ben.decide(3, "closed", "Withdrawn").is(200)
	if got := s.Ben.get(at).object()["curation_status"]; got != "closed" {
		t.Errorf("withdrawn: %v", got)
	}
	// A group that asks no more publishes at once, and ends what waited.
	s.Ben.do("POST", at+"/publish", nil).is(201)
	s.asksForReview(1, false)
	s.Ben.do("POST", at+"/publish", nil).is(201)
	if got := s.versionFiles(1, 1); got != "two" {
		t.Errorf("published without review: %s", got)
	}
	if got := s.Ben.get(at).object()["curation_status"]; got != "closed" {
		t.Errorf("the replaced review is %v", got)
	}
	if got := eve.get(reviewsAt + "?status=pending").shown(); got != "" {
		t.Errorf("still pending: %q", got)
	}
}

// The readers of reviews, and the filters of their list.
func TestReviewRights(t *testing.T) {
	t.Parallel()
	s, eve, cyd := newReviewed(t)
	s.asksForReview(3, true)
	for _, who := range []client{s.Ben, cyd, s.Ben} {
		at := who.article(`{"title": "An article", "authors": [{"name": "Grace Hopper"}]}`)
		who.do("POST", at+"/publish", nil).is(201)
	}
	s.Root.decide(3, "closed", "Double").is(200)
	for _, c := range []struct {
		who         client
		query, want string
	}{
		{s.Root, "", "3 2 1"}, {s.Ada, "", "3 1"}, {eve, "", "3 1"}, {s.Ben, "", "3 1"}, {cyd, "", "2"},
		{s.Root, "group_id=3", "2"}, {s.Root, "article_id=3", "3"}, {s.Root, "status=pending", "2 1"}, {s.Root, "status=closed", "3"}, {s.Root, "limit=1&offset=1", "2"},
		{eve, "group_id=3", ""}, {eve, "article_id=2", ""},
	} {
		if got := c.who.get(reviewsAt + "?" + c.query).shown(); got != c.want {
			t.Errorf("%q shows %q, want %q", c.query, got, c.want)
		}
	}
	for _, query := range []string{"status=open", "status=", "group_id=x", "article_id=x", "limit=0", "limit=1001", "offset=-1"} {
		s.Root.get(reviewsAt+"?"+query).refuses(422, "")
	}
	other := s.person("Otto", true)
	s.account(other.id(), func(a *record.Account) { a.InstitutionID = 2 })
	before := s.DB().Sequence()
	for _, who := range []client{cyd, other} {
		if got := who.get(reviewsAt + "?group_id=2").shown(); got != "" {
			t.Errorf("a stranger sees %q", got)
		}
		for _, path := range []string{"", "/comments"} {
			unknown := who.get(reviewAt(99)+path).refuses(404, "Review not found")
			if got := who.get(reviewAt(1) + path).is(404); string(got.body) != string(unknown.body) {
				t.Errorf("a stranger is told %s", got.body)
			}
		}
		who.decide(1, "approved", "x").refuses(404, "Review not found")
		who.decide(1, "nonsense", "").refuses(404, "Review not found")
	}
	for _, body := range []string{`{}`, `{"text": " "}`, `{"text": null}`, `{"text": "` + strings.Repeat("x", 2001) + `"}`, `{"text": "x", "type": "pending"}`, `{"text": "x", "type": "x"}`, `{"text": "x", "type": 1}`} {
		eve.send("POST", reviewAt(1)+"/comments", body).refuses(422, "")
	}
	if s.DB().Sequence() != before {
		t.Error("a refusal changed the store")
	}
	for _, path := range []string{reviewsAt, reviewAt(1), reviewAt(1) + "/comments"} {
		s.Anon.get(path).refuses(401, "")
	}
	// A public version in such a group changes through reviews only.
	eve.decide(1, "approved", "x").is(200)
	s.Ben.send("PATCH", "/v2/account/articles/1/versions/1", `{"title": "Changed behind the back"}`).refuses(403, "only through a review")
	// A group is not removed while something waits in it, and its article takes its
	// reviews with it.
	if err := handlers.RemoveGroup(context.Background(), s.DB(), 3); err == nil {
		t.Error("a group with a review was removed")
	}
	cyd.do("DELETE", "/v2/account/articles/2", nil).is(204)
	s.Root.get(reviewAt(2)).refuses(404, "")
	if got := s.Root.get(reviewsAt).shown(); got != "3 1" {
		t.Errorf("after the deletion: %q", got)
	}
}

// Reviews and embargoes: approval does not open what is under embargo; the embargo of now
// counts; an older publication that waits for its embargo is replaced by the approval, and
// not before.
func TestReviewEmbargo(t *testing.T) {
	t.Parallel()
	s, eve, cyd := newReviewed(t)
	s.account(cyd.id(), func(a *record.Account) { a.GroupID = 2 })
	at := cyd.article(`{"title": "Canaryheld", "authors": [{"name": "Grace Hopper"}]}`)
	a := cyd.upload(at, "canarya", []byte("a"))
	cyd.embargo(at, "article", "2999-01-01")
	cyd.do("POST", at+"/publish", nil).is(201)
	eve.decide(1, "approved", "Later").is(200)
	s.leaks("Canaryheld", "canarya")
	if got := cyd.get(at).object(); got["curation_status"] != "approved" || got["status"] != "private" {
		t.Errorf("approved under embargo: %v", got["status"])
	}
	// The next submission lacks a, which the held version has, and adds b.
	cyd.do("DELETE", a, nil).is(204)
	cyd.upload(at, "canaryb", []byte("bb"))
	cyd.send("PATCH", at, `{"title": "Second words"}`).is(205)
	cyd.do("POST", at+"/publish", nil).is(201)
	if got := fileNames(files(eve.get(reviewAt(2)).object()["item"].(map[string]any))); got != "canaryb" {
		t.Errorf("handed in: %s", got)
	}
	// The embargo ends while the second waits: the first appears as it was approved.
	cyd.do("DELETE", at+"/embargo", nil).is(204)
	if got := s.Anon.get("/v2/articles/1").is(200).object(); got["title"] != "Canaryheld" || fileNames(files(got)) != "canarya" {
		t.Errorf("released: %v", got)
	}
	eve.decide(2, "approved", "Fine").is(200)
	if got := s.versionFiles(1, 1) + "|" + s.versionFiles(1, 2); got != "canarya|canaryb" {
		t.Errorf("the versions have %s", got)
	}
	if got := s.Anon.get("/v2/articles/1").object(); got["title"] != "Second words" || got["is_embargoed"] != false {
		t.Errorf("approved: %v", got)
	}
	if got := cyd.fileQuota(); got != "0+3=3" {
		t.Errorf("used %s", got)
	}

	// Held, then replaced while it is still under embargo.
	at = cyd.article(`{"title": "Other", "authors": [{"name": "Grace Hopper"}]}`)
	c := cyd.upload(at, "c", []byte("c"))
	cyd.embargo(at, "article", "2999-01-01")
	cyd.do("POST", at+"/publish", nil).is(201)
	eve.decide(3, "approved", "Later").is(200)
	cyd.do("DELETE", c, nil).is(204)
	cyd.upload(at, "d", []byte("d"))
	cyd.do("POST", at+"/publish", nil).is(201)
	eve.decide(4, "approved", "Later, too").is(200)
	text, when := inSeconds(2)
	cyd.embargo(at, "article", text)
	s.eventually("released", func() bool { return s.Anon.get("/v2/articles/2").StatusCode == 200 })
	if time.Now().Before(when) {
		t.Error("released too early")
	}
	if got := s.versionFiles(2, 1); got != "d" {
		t.Errorf("released with %s", got)
	}
	if got := cyd.fileQuota(); got != "0+4=4" {
		t.Errorf("used %s", got)
	}

	// An embargo on files that comes after the submission keeps them closed.
	at = cyd.article(`{"title": "Third", "authors": [{"name": "Grace Hopper"}]}`)
	cyd.upload(at, "canarylate", []byte("e"))
	cyd.do("POST", at+"/publish", nil).is(201)
	cyd.embargo(at, "file", "2999-01-01")
	eve.decide(5, "approved", "Open it").is(200)
	s.Anon.get("/v2/articles/3").is(200)
	s.leaks("canarylate")
}

// An article that moves meanwhile is published in the group that has reviewed it; one that
// is withdrawn takes its submission with it.
func TestReviewElsewhere(t *testing.T) {
	t.Parallel()
	s, eve, _ := newReviewed(t)
	at := s.Ben.article(`{"title": "Moves on", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.do("POST", at+"/publish", nil).is(201)
	s.alter(func(tx *bucket.Tx) error {
		art, err := bucket.Articles.Get(tx, 1)
		if err != nil {
			return err
		}
		art.GroupID = 3
		return bucket.Articles.Put(tx, 1, art)
	})
	eve.decide(1, "approved", "Here").is(200)
	if got := s.Anon.get("/v2/articles/1").is(200).object()["group_id"]; got != 2.0 {
		t.Errorf("it is public in group %v", got)
	}
	at = s.Ben.article(`{"title": "Withdrawn", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.upload(at, "kept", []byte("kept"))
	s.Ben.do("POST", at+"/publish", nil).is(201)
	eve.decide(2, "approved", "x").is(200)
	s.Ben.do("POST", at+"/publish", nil).is(201)
	s.Ben.send("POST", at+"/unpublish", `{"reason": "A mistake"}`).is(204)
	if got := s.Ben.get(at).object()["curation_status"]; got != "closed" {
		t.Errorf("after the withdrawal the review is %v", got)
	}
	eve.decide(3, "approved", "x").refuses(403, "decided already")
	s.Ben.do("POST", at+"/publish", nil).is(201)
	eve.decide(4, "approved", "x").is(200)
	if got := s.versionFiles(2, 2); got != "kept" {
		t.Errorf("published again with %q", got)
	}
}

package articles

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/cli/operate"
	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

func reviewAt(id int) string { return fmt.Sprintf("/v2/account/institution/review/%d", id) }

// In a group that asks for reviews, and below it, publish submits. The submitted version is
// published, whatever happened meanwhile.
func TestReviewApproved(t *testing.T) {
	t.Parallel()
	s, eve, cyd := stage.NewReviewed(t)
	at := s.Ben.Article(`{"title": "Canarytitle of ponds", "authors": [{"name": "Canary Author"}]}`)
	first := s.Ben.Upload(at, "canaryfirst.csv", []byte("canaryone"))
	r := s.Ben.Do("POST", at+"/publish", nil).Is(201)
	if want := s.URL + "/v2/articles/1"; r.Header.Get("Location") != want || string(r.Bytes) != `{"location": "`+want+`", "warnings": ["`+record.WarnReview+`"]}` {
		t.Errorf("publish answered %s", r.Bytes)
	}
	if got := s.Ben.Get(at).Object(); got["status"] != "private" || got["curation_status"] != "pending" || got["version"] != 0.0 || got["is_public"] != false {
		t.Errorf("in review the item is %v %v %v", got["status"], got["curation_status"], got["version"])
	}
	hidden := func() {
		t.Helper()
		for _, path := range []string{"/v2/articles/1", "/v2/articles/1/versions/1", "/files/1"} {
			cyd.Get(path).Is(404)
			s.Anon.Get(path).Is(404)
		}
		if got := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "canarytitle"}`).Is(200); string(got.Bytes) != "[]" {
			t.Errorf("a search finds %s", got.Bytes)
		}
		if got := cyd.Send("POST", "/v2/account/authors/search", `{"search_for": "canary"}`).Is(200); string(got.Bytes) != "[]" {
			t.Errorf("the author is found: %s", got.Bytes)
		}
	}
	hidden()
	// Later changes of the owner come with the next version.
	s.Ben.Do("DELETE", first, nil).Is(204)
	s.Ben.Upload(at, "second.csv", []byte("two"))
	s.Ben.Send("PATCH", at, `{"title": "Changed meanwhile", "authors": []}`).Is(205)

	for _, who := range []world.Client{eve, s.Ada, s.Root, s.Ben} {
		if got := who.Get(world.ReviewsAt).Shown(); got != "1" {
			t.Errorf("the reviews are %q", got)
		}
		review := who.Get(reviewAt(1)).Is(200).Object()
		item := review["item"].(map[string]any)
		for key, want := range map[string]any{
			"id": 1.0, "group_id": 2.0, "account_id": 2.0, "assigned_to": nil, "article_id": 1.0, "version": 1.0, "comments_count": 0.0, "status": "pending", "request_number": 1.0, "review_date": nil, "resolution_comment": nil,
		} {
			if got, ok := review[key]; !ok || got != want {
				t.Errorf("%s is %v, want %v", key, got, want)
			}
		}
		if item["title"] != "Canarytitle of ponds" || item["status"] != "private" || item["is_public"] != false || item["published_date"] != nil || world.FileNames(filesOf(item)) != "canaryfirst.csv" || len(review) != 14 {
			t.Errorf("the item is %v", item)
		}
	}
	if got := string(eve.Get("/files/1").Is(200).Bytes); got != "canaryone" {
		t.Errorf("the reviewer gets %q", got)
	}
	eve.Get("/files/2").Refuses(404, "File not found") // it was not handed in
	s.Ben.Get("/files/1").Refuses(404, "")             // its owner has deleted it
	hidden()
	s.Restart()
	hidden()

	got := eve.Decide(1, "approved", "Well described").Is(200).Object()
	if got["id"] != 1.0 || got["type"] != "approved" || got["text"] != "Well described" || len(got) != 6 {
		t.Errorf("the comment is %v", got)
	}
	public := s.Anon.Get("/v2/articles/1").Is(200).Object()
	if public["title"] != "Canarytitle of ponds" || public["version"] != 1.0 || world.FileNames(filesOf(public)) != "canaryfirst.csv" || public["size"] != 9.0 {
		t.Errorf("public is %v", public)
	}
	if got := s.Ben.Get(at).Object(); got["title"] != "Changed meanwhile" || got["curation_status"] != "approved" || got["status"] != "public" || world.FileNames(filesOf(got)) != "second.csv" {
		t.Errorf("the working copy is %v", got)
	}
	if got := s.Ben.FileQuota(); got != "3+9=12" {
		t.Errorf("used %s", got)
	}
	review := s.Ben.Get(reviewAt(1)).Is(200).Object()
	if review["status"] != "approved" || review["assigned_to"] != float64(eve.ID()) || review["comments_count"] != 1.0 || review["resolution_comment"] != "Well described" || review["review_date"] == nil {
		t.Errorf("the review is %v", review)
	}
	eve.Get("/files/2").Refuses(404, "")
	eve.Decide(1, "rejected", "No").Refuses(403, "decided already")
	eve.Decide(1, "comment", "Thank you").Is(200)

	// The next version removes the file, and adds the other.
	s.Ben.Send("PATCH", at, `{"authors": [{"name": "Grace Hopper"}]}`).Is(205)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	if got := versionFiles(s, 1, 1); got != "canaryfirst.csv" {
		t.Errorf("before the second approval: %s", got)
	}
	eve.Decide(2, "approved", "Good").Is(200)
	if got := versionFiles(s, 1, 1) + "|" + versionFiles(s, 1, 2); got != "canaryfirst.csv|second.csv" {
		t.Errorf("the versions have %s", got)
	}
}

func filesOf(item map[string]any) (list []map[string]any) {
	for _, f := range item["files"].([]any) {
		list = append(list, f.(map[string]any))
	}
	return list
}

// A rejected or closed submission goes back to its owner; a second submission replaces one that
// waits.
func TestReviewRejected(t *testing.T) {
	t.Parallel()
	s, eve, _ := stage.NewReviewed(t)
	at := s.Ben.Article(`{"title": "First try", "authors": [{"name": "Grace Hopper"}]}`)
	one := s.Ben.Upload(at, "one", []byte("1"))
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	eve.Decide(1, "comment", "A description is missing").Is(200)
	eve.Decide(1, "rejected", "Please describe it").Is(200)
	if got := s.Ben.Get(at).Object(); got["curation_status"] != "rejected" || got["status"] != "private" {
		t.Errorf("rejected: %v", got)
	}
	comments := s.Ben.Get(reviewAt(1) + "/comments").Is(200).List()
	if len(comments) != 2 || comments[0]["type"] != "comment" || comments[1]["text"] != "Please describe it" {
		t.Errorf("the owner reads %v", comments)
	}
	if got := s.Ben.Get(reviewAt(1) + "/comments?limit=1&offset=1").List(); len(got) != 1 || got[0]["type"] != "rejected" {
		t.Errorf("the second comment is %v", got)
	}
	s.Anon.Get("/v2/articles/1").Is(404)
	eve.Get("/files/1").Is(404)

	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	s.Ben.Do("DELETE", one, nil).Is(204) // only what was handed in has it now
	s.Ben.Upload(at, "two", []byte("22"))
	s.Ben.Do("POST", at+"/publish", nil).Is(201) // replaces it
	if got := eve.Get(world.ReviewsAt + "?status=pending").Shown(); got != "3" {
		t.Errorf("pending are %q", got)
	}
	if got := eve.Get(reviewAt(3)).Object(); got["request_number"] != 3.0 || world.FileNames(filesOf(got["item"].(map[string]any))) != "two" {
		t.Errorf("handed in last: %v", got)
	}
	eve.Decide(2, "approved", "Late").Refuses(403, "decided already")
	if got := s.Ben.FileQuota(); got != "2+0=2" {
		t.Errorf("used %s", got)
	}
	// The owner can answer and withdraw, and decide nothing.
	s.Ben.Decide(3, "comment", "Soon").Is(200)
	for _, kind := range []string{"approved", "rejected"} {
		s.Ben.Decide(3, kind, "Mine").Refuses(403, "Only reviewers")
	}
	s.Ben.Decide(3, "closed", "Withdrawn").Is(200)
	if got := s.Ben.Get(at).Object()["curation_status"]; got != "closed" {
		t.Errorf("withdrawn: %v", got)
	}
	// A group that asks no more publishes at once, and ends what waited.
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	s.AsksForReview(1, false)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	if got := versionFiles(s, 1, 1); got != "two" {
		t.Errorf("published without review: %s", got)
	}
	if got := s.Ben.Get(at).Object()["curation_status"]; got != "closed" {
		t.Errorf("the replaced review is %v", got)
	}
	if got := eve.Get(world.ReviewsAt + "?status=pending").Shown(); got != "" {
		t.Errorf("still pending: %q", got)
	}
}

// The readers of reviews, and the filters of their list.
func TestReviewRights(t *testing.T) {
	t.Parallel()
	s, eve, cyd := stage.NewReviewed(t)
	s.Enter()
	s.AsksForReview(3, true)
	for _, who := range []world.Client{s.Ben, cyd, s.Ben} {
		at := who.Article(`{"title": "An article", "authors": [{"name": "Grace Hopper"}]}`)
		who.Do("POST", at+"/publish", nil).Is(201)
	}
	s.Root.Decide(3, "closed", "Double").Is(200)
	for _, c := range []struct {
		who         world.Client
		query, want string
	}{
		{s.Root, "", "3 2 1"}, {s.Ada, "", "3 1"}, {eve, "", "3 1"}, {s.Ben, "", "3 1"}, {cyd, "", "2"},
		{s.Root, "group_id=3", "2"}, {s.Root, "article_id=3", "3"}, {s.Root, "status=pending", "2 1"}, {s.Root, "status=closed", "3"}, {s.Root, "limit=1&offset=1", "2"},
		{eve, "group_id=3", ""}, {eve, "article_id=2", ""},
	} {
		if got := c.who.Get(world.ReviewsAt + "?" + c.query).Shown(); got != c.want {
			t.Errorf("%q shows %q, want %q", c.query, got, c.want)
		}
	}
	for _, query := range []string{"status=open", "status=", "group_id=x", "article_id=x", "limit=0", "limit=1001", "offset=-1"} {
		s.Root.Get(world.ReviewsAt+"?"+query).Refuses(422, "")
	}
	other := s.Person("Otto", true)
	s.Account(other.ID(), func(a *record.Account) { a.InstitutionID = 2 })
	before := s.Sequence()
	for _, who := range []world.Client{cyd, other} {
		if got := who.Get(world.ReviewsAt + "?group_id=2").Shown(); got != "" {
			t.Errorf("a stranger sees %q", got)
		}
		for _, path := range []string{"", "/comments"} {
			unknown := who.Get(reviewAt(99)+path).Refuses(404, "Review not found")
			if got := who.Get(reviewAt(1) + path).Is(404); string(got.Bytes) != string(unknown.Bytes) {
				t.Errorf("a stranger is told %s", got.Bytes)
			}
		}
		who.Decide(1, "approved", "x").Refuses(404, "Review not found")
		who.Decide(1, "nonsense", "").Refuses(404, "Review not found")
	}
	for _, body := range []string{`{}`, `{"text": " "}`, `{"text": null}`, `{"text": "` + strings.Repeat("x", 2001) + `"}`, `{"text": "x", "type": "pending"}`, `{"text": "x", "type": "x"}`, `{"text": "x", "type": 1}`} {
		eve.Send("POST", reviewAt(1)+"/comments", body).Refuses(422, "")
	}
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
	for _, path := range []string{world.ReviewsAt, reviewAt(1), reviewAt(1) + "/comments"} {
		s.Anon.Get(path).Refuses(401, "")
	}
	// A public version in such a group changes through reviews only.
	eve.Decide(1, "approved", "x").Is(200)
	s.Ben.Send("PATCH", "/v2/account/articles/1/versions/1", `{"title": "Changed behind the back"}`).Refuses(403, "only through a review")
	// A group is not removed while something waits in it, and its article takes its
	// reviews with it.
	if err := operate.RemoveGroup(context.Background(), s.DB(), 3); err == nil {
		t.Error("a group with a review was removed")
	}
	cyd.Do("DELETE", "/v2/account/articles/2", nil).Is(204)
	s.Root.Get(reviewAt(2)).Refuses(404, "")
	if got := s.Root.Get(world.ReviewsAt).Shown(); got != "3 1" {
		t.Errorf("after the deletion: %q", got)
	}
}

// Reviews and embargoes: approval does not open what is under embargo; the embargo of now
// counts; an older publication that waits for its embargo is replaced by the approval, and
// not before.
func TestReviewEmbargo(t *testing.T) {
	t.Parallel()
	s, eve, cyd := stage.NewReviewed(t)
	s.Enter()
	s.Account(cyd.ID(), func(a *record.Account) { a.GroupID = 2 })
	at := cyd.Article(`{"title": "Canaryheld", "authors": [{"name": "Grace Hopper"}]}`)
	a := cyd.Upload(at, "canarya", []byte("a"))
	cyd.Embargo(at, "article", "2999-01-01")
	cyd.Do("POST", at+"/publish", nil).Is(201)
	eve.Decide(1, "approved", "Later").Is(200)
	s.Leaks("Canaryheld", "canarya")
	if got := cyd.Get(at).Object(); got["curation_status"] != "approved" || got["status"] != "private" {
		t.Errorf("approved under embargo: %v", got["status"])
	}
	// The next submission lacks a, which the held version has, and adds b.
	cyd.Do("DELETE", a, nil).Is(204)
	cyd.Upload(at, "canaryb", []byte("bb"))
	cyd.Send("PATCH", at, `{"title": "Second words"}`).Is(205)
	cyd.Do("POST", at+"/publish", nil).Is(201)
	if got := world.FileNames(filesOf(eve.Get(reviewAt(2)).Object()["item"].(map[string]any))); got != "canaryb" {
		t.Errorf("handed in: %s", got)
	}
	// The embargo ends while the second waits: the first appears as it was approved.
	cyd.Do("DELETE", at+"/embargo", nil).Is(204)
	if got := s.Anon.Get("/v2/articles/1").Is(200).Object(); got["title"] != "Canaryheld" || world.FileNames(filesOf(got)) != "canarya" {
		t.Errorf("released: %v", got)
	}
	eve.Decide(2, "approved", "Fine").Is(200)
	if got := versionFiles(s, 1, 1) + "|" + versionFiles(s, 1, 2); got != "canarya|canaryb" {
		t.Errorf("the versions have %s", got)
	}
	if got := s.Anon.Get("/v2/articles/1").Object(); got["title"] != "Second words" || got["is_embargoed"] != false {
		t.Errorf("approved: %v", got)
	}
	if got := cyd.FileQuota(); got != "0+3=3" {
		t.Errorf("used %s", got)
	}

	// Held, then replaced while it is still under embargo.
	at = cyd.Article(`{"title": "Other", "authors": [{"name": "Grace Hopper"}]}`)
	c := cyd.Upload(at, "c", []byte("c"))
	cyd.Embargo(at, "article", "2999-01-01")
	cyd.Do("POST", at+"/publish", nil).Is(201)
	eve.Decide(3, "approved", "Later").Is(200)
	cyd.Do("DELETE", c, nil).Is(204)
	cyd.Upload(at, "d", []byte("d"))
	cyd.Do("POST", at+"/publish", nil).Is(201)
	eve.Decide(4, "approved", "Later, too").Is(200)
	text, when := world.InSeconds(2)
	cyd.Embargo(at, "article", text)
	s.Eventually("released", func() bool { return s.Anon.Get("/v2/articles/2").StatusCode == 200 })
	if time.Now().Before(when) {
		t.Error("released too early")
	}
	if got := versionFiles(s, 2, 1); got != "d" {
		t.Errorf("released with %s", got)
	}
	if got := cyd.FileQuota(); got != "0+4=4" {
		t.Errorf("used %s", got)
	}

	// An embargo on files that comes after the submission keeps them closed.
	at = cyd.Article(`{"title": "Third", "authors": [{"name": "Grace Hopper"}]}`)
	cyd.Upload(at, "canarylate", []byte("e"))
	cyd.Do("POST", at+"/publish", nil).Is(201)
	cyd.Embargo(at, "file", "2999-01-01")
	eve.Decide(5, "approved", "Open it").Is(200)
	s.Anon.Get("/v2/articles/3").Is(200)
	s.Leaks("canarylate")
}

// An article that moves meanwhile is published in the group that has reviewed it; one that
// is withdrawn takes its submission with it.
func TestReviewElsewhere(t *testing.T) {
	t.Parallel()
	s, eve, _ := stage.NewReviewed(t)
	s.Enter()
	at := s.Ben.Article(`{"title": "Moves on", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	s.Alter(func(tx *bucket.Tx) error {
		art, err := working.Articles.Get(tx, 1)
		if err != nil {
			return err
		}
		art.GroupID = 3
		return working.Articles.Put(tx, 1, art)
	})
	eve.Decide(1, "approved", "Here").Is(200)
	if got := s.Anon.Get("/v2/articles/1").Is(200).Object()["group_id"]; got != 2.0 {
		t.Errorf("it is public in group %v", got)
	}
	at = s.Ben.Article(`{"title": "Withdrawn", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Upload(at, "kept", []byte("kept"))
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	eve.Decide(2, "approved", "x").Is(200)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	s.Ben.Send("POST", at+"/unpublish", `{"reason": "A mistake"}`).Is(204)
	if got := s.Ben.Get(at).Object()["curation_status"]; got != "closed" {
		t.Errorf("after the withdrawal the review is %v", got)
	}
	eve.Decide(3, "approved", "x").Refuses(403, "decided already")
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	eve.Decide(4, "approved", "x").Is(200)
	if got := versionFiles(s, 2, 2); got != "kept" {
		t.Errorf("published again with %q", got)
	}
}

package people

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/stage"
	"alcove/tests/world"
)

// A reviewer finds what waits, sees what is new beside what is public, reads the files, asks, returns it with a reason,
// and approves it when it comes again.
func TestReviewPages(t *testing.T) {
	t.Parallel()
	s, eve, _ := stage.NewReviewed(t)
	at := s.Ben.Article(`{"title": "Depths of <i>ponds</i>", "description": "<p>Measured by rod.</p>", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Upload(at, "depths.csv", []byte("pond,m\nA,2\n"))
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	reviewer, owner := eve.SignIn(), s.Ben.SignIn()
	shows(t, reviewer.Open("/account").Is(200), `<a href="/account/reviews">Reviews</a>`)
	r := reviewer.Open("/account/reviews").Is(200)
	shows(t, r, `<a href="/account/reviews/1">Depths of <i>ponds</i></a>`, "Grace Hopper", "Version 1", `aria-current="page">Waiting`)
	hides(t, r, "handed in by you")
	shows(t, owner.Open("/account/reviews").Is(200), "handed in by you")
	r = reviewer.Open("/account/reviews/1").Is(200)
	shows(t, r, "Measured by rod.", "depths.csv, 11 B", `href="/files/1"`, "Approve and publish", "Nothing has been said yet")
	hides(t, r, "Public: version", "(changed)")
	if got := string(reviewer.Open("/files/1", "Sec-Fetch-Site", "same-origin").Is(200).Bytes); got != "pond,m\nA,2\n" {
		t.Errorf("the reviewer reads %q", got)
	}
	r = owner.Open("/account/reviews/1").Is(200)
	shows(t, r, "Withdraw it from review")
	hides(t, r, "Approve and publish")

	say := func(b *world.Browser, kind, text string) *world.Reply {
		return b.Post("/account/reviews/1", form("type", kind, "text", text))
	}
	if got := say(reviewer, "comment", "Which rod?\nAnd when?").Is(303).Header.Get("Location"); got != "/account/reviews/1?done=comment" {
		t.Errorf("it leads to %q", got)
	}
	say(owner, "comment", "A wooden one, in May.").Is(303)
	r = reviewer.Open("/account/reviews/1?done=comment").Is(200)
	shows(t, r, "The comment was added.", "<strong>You</strong>", "Which rod?\nAnd when?", "<strong>Who handed it in</strong>", "A wooden one")
	shows(t, owner.Open("/account/reviews/1").Is(200), "<strong>A reviewer</strong>")
	shows(t, reviewer.Open("/account/reviews").Is(200), "you review it")
	say(reviewer, "rejected", "Say that it was wood").Is(303)
	shows(t, owner.Open("/account/reviews?status=rejected").Is(200), "Depths of")
	s.Anon.Get("/v2/articles/1").Is(404)

	s.Ben.Send("PATCH", at, `{"description": "<p>Measured by a wooden rod.</p>"}`).Is(205)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	shows(t, reviewer.Open("/account/reviews").Is(200), "handed in for the 2. time")
	reviewer.Post("/account/reviews/2", form("type", "approved", "text", "Good")).Is(303)
	s.Anon.Get("/v2/articles/1").Is(200)

	// The next version is seen beside the first.
	s.Ben.Send("PATCH", at, `{"title": "Depths of all ponds"}`).Is(205)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	r = reviewer.Open("/account/reviews/3").Is(200)
	shows(t, r, "Public: version 1", "Title <small>(changed)</small>", "Depths of ponds", "Depths of all ponds", "See the public version")
	hides(t, r, "Authors <small>(changed)</small>")
	shows(t, reviewer.Open("/account/reviews/3", "Accept-Language", "de").Is(200), "Annehmen und veröffentlichen", "(geändert)")
}

// A decision without a reason, of someone who may not decide, twice, or of another kind changes nothing, and
// others do not know of the review.
func TestReviewPagesRefused(t *testing.T) {
	t.Parallel()
	s, eve, cyd := stage.NewReviewed(t)
	at := s.Ben.Article(`{"title": "Canary of ponds", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Upload(at, "a.csv", []byte("a"))
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	reviewer, owner, other := eve.SignIn(), s.Ben.SignIn(), cyd.SignIn()
	post := func(b *world.Browser, kind, text string, headers ...string) *world.Reply {
		return b.Post("/account/reviews/1", form("type", kind, "text", text), headers...)
	}
	shows(t, post(reviewer, "approved", "").Is(422), "Write a comment")
	shows(t, post(reviewer, "approved", strings.Repeat("x", 2001)).Is(422), `role="alert"`)
	post(reviewer, "published", "Good").Is(422)
	post(owner, "approved", "Good").Is(403)
	post(reviewer, "approved", "Good", "Origin", "https://elsewhere.example").Is(403)
	hides(t, other.Open("/account/reviews").Is(200), "Canary")
	none := other.Open("/account/reviews/99").Is(404)
	if got := other.Open("/account/reviews/1").Is(404); strings.ReplaceAll(string(got.Bytes), "/1", "/99") != string(none.Bytes) {
		t.Errorf("it is told from none: %s", got.Bytes)
	}
	post(other, "approved", "Good").Is(404)
	s.Browser().Open("/account/reviews/1").Is(303)
	for _, wrong := range []string{"?status=x", "?page=0", "?page=x", "?page=1000000"} {
		reviewer.Open("/account/reviews" + wrong).Is(404)
	}
	s.Anon.Get("/v2/articles/1").Is(404)
	post(reviewer, "closed", "Not for us").Is(303)
	shows(t, post(reviewer, "approved", "Good after all").Is(409), "has been decided meanwhile")
	s.Anon.Get("/v2/articles/1").Is(404)
	if got := fmt.Sprint(s.Ben.Get(at).Object()["curation_status"]); got != "closed" {
		t.Errorf("the review is %s", got)
	}
}

// Those who decide a review say who of them reviews it; its owner sees that; no other account is given it.
func TestReviewAssigned(t *testing.T) {
	t.Parallel()
	s, eve, cyd := stage.NewReviewed(t)
	at := s.Ben.Article(`{"title": "Depths of ponds", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Upload(at, "depths.csv", []byte("pond,m\nA,2\n"))
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	reviewer, root, owner, other := eve.SignIn(), s.Root.SignIn(), s.Ben.SignIn(), cyd.SignIn()
	mail := func(c world.Client) string { return fmt.Sprint(c.Get("/v2/account").Object()["email"]) }
	const page = "/account/reviews/1"
	assign := func(b *world.Browser, fields ...string) *world.Reply { return b.Post(page+"/assign", form(fields...)) }
	assigned := func() string {
		return fmt.Sprint(s.Root.Get("/v2/account/institution/review/1").Object()["assigned_to"])
	}
	id := func(c world.Client) string { return fmt.Sprint(c.Get("/v2/account").Object()["id"]) }

	shows(t, root.Open(page).Is(200), "Who reviews it", "Mail address of the reviewer")
	hides(t, owner.Open(page).Is(200), "Who reviews it")
	assign(owner, "do", "take").Is(403)
	assign(other, "do", "take").Is(404)
	shows(t, assign(root, "do", "assign", "reviewer", "").Is(422), "Enter a mail address")
	for _, wrong := range []string{mail(s.Ben), mail(cyd), "no.one@example.org", strings.Repeat("x", 300)} {
		shows(t, assign(root, "do", "assign", "reviewer", wrong).Is(422), "Nobody with this address reviews in this group", "<details open>")
	}
	if assigned() != "<nil>" {
		t.Fatalf("it is assigned to %s", assigned())
	}
	if to := assign(root, "do", "assign", "reviewer", strings.ToUpper(mail(eve))).Is(303).Header.Get("Location"); to != page+"?done=assigned" {
		t.Errorf("it leads to %q", to)
	}
	shows(t, root.Open(page+"?done=assigned").Is(200), "It was noted who reviews it.", "reviews it", "Leave it to all reviewers")
	shows(t, root.Open("/account/reviews").Is(200), "Eve Tester reviews it")
	shows(t, reviewer.Open("/account/reviews").Is(200), "you review it")
	shows(t, owner.Open("/account/reviews").Is(200), "someone reviews it")
	hides(t, owner.Open(page).Is(200), "Eve")
	if assigned() != id(eve) {
		t.Errorf("it is assigned to %s, not %s", assigned(), id(eve))
	}
	s.Root.Decide(1, "comment", "I look, too").Is(200)
	if assigned() != id(eve) {
		t.Error("a comment took it over")
	}
	assign(root, "do", "take").Is(303)
	if assigned() != id(s.Root) {
		t.Errorf("it is assigned to %s", assigned())
	}
	assign(reviewer, "do", "release").Is(303)
	if assigned() != "<nil>" {
		t.Errorf("it is assigned to %s", assigned())
	}
	s.Root.Decide(1, "rejected", "No").Is(200)
	shows(t, assign(reviewer, "do", "take").Is(409), "has been decided meanwhile")
}

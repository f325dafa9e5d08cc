package main

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
)

// publishedCollection makes and publishes a collection with articles, and returns its address
// below /v2/account.
func (c client) publishedCollection(title string, articles ...int64) string {
	c.s.t.Helper()
	ids := strings.ReplaceAll(strings.Trim(fmt.Sprint(articles), "[]"), " ", ", ")
	r := c.send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": %q, "authors": [{"name": "Grace Canary"}], "articles": [%s], "references": ["https://doi.org/10.5072/alcove.1"]}`, title, ids)).is(201)
	at := strings.TrimPrefix(r.Header.Get("Location"), c.s.URL)
	c.do("POST", at+"/publish", nil).is(201)
	return at
}

// A public collection is withdrawn by unpublish, and by DELETE, which is 204 as stated. Nothing
// public shows it any more, its articles stay, its identifiers and numbers are not given again,
// and a tombstone stays.
func TestUnpublishCollection(t *testing.T) {
	t.Parallel()
	s := start(t)
	member := s.Ben.published("A member")
	at := s.Ada.publishedCollection("canaryshelf", member)
	id := lastNumber(t, at)
	s.Ada.send("PATCH", at, `{"description": "canarytext"}`).is(205)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	public := fmt.Sprint("/v2/collections/", id)
	paths := []string{"", "/articles", "/versions", "/versions/1", "/versions/2"}
	gone := func(when string) {
		t.Helper()
		for _, p := range paths {
			for _, who := range []client{s.Anon, s.Ada} {
				got, never := who.get(public+p), who.get("/v2/collections/777777"+p)
				if got.StatusCode != 404 || got.whole() != never.whole() {
					t.Errorf("%s: %s is told from an unknown one: %s", when, p, got.whole())
				}
			}
		}
		s.leaks("canary")
		for _, path := range []string{"/v2/collections", "/v2/collections?order=views", "/v2/collections?doi=10.5072/alcove.c.1"} {
			if r := s.Anon.get(path).is(200); string(r.body) != "[]" {
				t.Errorf("%s: %s shows %s", when, path, r.body)
			}
		}
		if r := s.Anon.send("POST", "/v2/collections/search", `{"search_for": "canaryshelf"}`).is(200); string(r.body) != "[]" {
			t.Errorf("%s: search finds %s", when, r.body)
		}
		s.Anon.get(fmt.Sprint("/v2/articles/", member)).is(200)
	}
	for _, body := range []string{`{}`, `{"reason": "four"}`} {
		s.Ada.send("POST", at+"/unpublish", body).refuses(422, "reason")
	}
	got, never := s.Ben.send("POST", at+"/unpublish", whyWithdrawn), s.Ben.send("POST", "/v2/account/collections/777777/unpublish", whyWithdrawn)
	if got.StatusCode != 404 || got.whole() != never.whole() {
		t.Errorf("by a stranger: %s", got.whole())
	}
	s.Ada.send("POST", at+"/unpublish", whyWithdrawn, "If-Match", `"stale"`).refuses(412, "")
	tag := s.Ada.get(at).is(200).Header.Get("ETag")
	s.Root.send("POST", at+"/unpublish", whyWithdrawn, "If-Match", tag).is(204)
	gone("unpublished")
	s.Ada.send("POST", at+"/unpublish", whyWithdrawn).refuses(400, "no public version")
	if own := s.Ada.get(at).is(200).object(); own["public"] != false || own["published_date"] != nil || own["articles_count"] != 1.0 {
		t.Errorf("its owner has %v", own)
	}
	s.restart()
	gone("after a restart")

	s.Ada.do("POST", at+"/publish", nil).is(201)
	if v := s.Anon.get(public + "/versions").is(200).list(); len(v) != 1 || v[0]["version"] != 3.0 {
		t.Errorf("published again its versions are %v", v)
	}
	s.Anon.get(public + "/versions/2").is(404)
	if got := s.Anon.get(public).is(200).object(); got["version"] != 3.0 || got["doi"] != "10.5072/alcove.c.1.v3" {
		t.Errorf("published again it is %v", got)
	}
	link := s.Ada.link(at, "")
	s.Ben.do("DELETE", at, nil).refuses(404, "Collection not found")
	s.Ada.do("DELETE", at, nil).is(204)
	gone("deleted")
	s.Ada.get(at).refuses(404, "Collection not found")
	s.Anon.linked(link, "GET", at, "").refuses(401, "")
	s.Ada.do("DELETE", at, nil).refuses(404, "Collection not found")
	if next := lastNumber(t, s.Ada.newCollection("The next one")); next != id+1 {
		t.Errorf("the next collection has the id %d", next)
	}
	s.Root.send("POST", "/v2/account/collections", `{"title": "Takes its DOI", "doi": "10.5072/ALCOVE.C.1"}`).refuses(422, "doi")
	s.Root.send("POST", "/v2/account/articles", `{"title": "Takes its DOI", "doi": "10.5072/alcove.c.1"}`).refuses(422, "doi")
	err := s.DB().View(func(tx *bucket.Tx) error {
		for key, reason := range map[bucket.Pair]string{{A: id, B: 2}: "It shows people who did not agree", {A: id, B: 3}: ""} {
			tomb, err := bucket.CollectionTombstones.Get(tx, key)
			if err != nil || tomb.DOI != "10.5072/alcove.c.1" || tomb.Reason != reason || tomb.AccountID != 1 || tomb.At.IsZero() {
				t.Errorf("the tombstone of %v: %v, %v", key, tomb, err)
			}
		}
		kept := 0
		for _, err := range bucket.WithdrawnCollections.All(tx, bucket.Prefix(id)) {
			if err != nil {
				return err
			}
			kept++
		}
		if kept != 3 {
			t.Errorf("%d versions are kept", kept)
		}
		return bucket.CheckChain(tx)
	})
	if err != nil {
		t.Error(err)
	}
}

// A project is withdrawn, too: it is private again, its public articles stay public and no longer
// tell of it, and it can be published again.
func TestUnpublishProject(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.project("canaryproject")
	_, in := s.Ada.inProject(at, `{"title": "Inside", "authors": [{"name": "A B"}]}`)
	s.Ada.do("POST", in+"/publish", nil).is(201)
	s.Ada.invite(at, s.Ben, "collaborator")
	s.Ada.send("POST", at+"/unpublish", whyWithdrawn).refuses(400, "not public")
	public := fmt.Sprint("/v2/projects/", lastNumber(t, at))
	for _, who := range []client{s.Ada, s.Root} {
		s.Ada.do("POST", at+"/publish", nil).is(201)
		s.Anon.get(public).is(200)
		s.Ben.send("POST", at+"/unpublish", whyWithdrawn).refuses(403, "role")
		who.send("POST", at+"/unpublish", `{}`).refuses(422, "reason")
		who.send("POST", at+"/unpublish", `{"reason": "four"}`).refuses(422, "reason must have 5 to 500")
		who.send("POST", at+"/unpublish", whyWithdrawn, "If-Match", s.Ada.get(at).Header.Get("ETag")).is(204)
		for _, p := range []string{"", "/articles"} {
			got, never := s.Anon.get(public+p), s.Anon.get("/v2/projects/777777"+p)
			if got.StatusCode != 404 || got.whole() != never.whole() {
				t.Errorf("%s is told from an unknown one: %s", p, got.whole())
			}
		}
		s.leaks("canary")
		if l := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "inside"}`).is(200).list(); len(l) != 1 || l[0]["project_id"] != nil {
			t.Errorf("its article is %v", l)
		}
		if own := s.Ben.get(at).is(200).object(); own["published_date"] != nil {
			t.Errorf("its members see %v", own)
		}
	}
	err := s.DB().View(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 2; n++ {
			key := bucket.Pair{A: lastNumber(t, at), B: n}
			tomb, err := bucket.ProjectTombstones.Get(tx, key)
			if err != nil || !strings.Contains(tomb.Reason, "people") {
				t.Errorf("the tombstone is %v, %v", tomb, err)
			}
			if was, err := bucket.WithdrawnProjects.Get(tx, key); err != nil || was.Title != "canaryproject" {
				t.Errorf("kept is %v, %v", was, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	s.Ada.send("POST", in+"/unpublish", whyWithdrawn).is(204)
	s.Ada.do("DELETE", at, nil).is(204)
}

// articles_count of a public collection is that of the articles that its list shows: it follows
// when one is withdrawn and when it is public again, in older versions too, and dates follow.
func TestArticlesCountFollows(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, two := s.Ben.published("One"), s.Ben.published("Two")
	at := s.Ada.publishedCollection("Both", one, two)
	public := fmt.Sprint("/v2/collections/", lastNumber(t, at))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	counts := func(want float64) (tag string) {
		t.Helper()
		for _, path := range []string{public, public + "/versions/1"} {
			r := s.Anon.get(path).is(200)
			if n := r.object()["articles_count"]; n != want {
				t.Errorf("%s counts %v, want %v", path, n, want)
			}
			if h := s.Anon.do("HEAD", path, nil); h.Header.Get("ETag") != r.Header.Get("ETag") {
				t.Errorf("HEAD of %s has another tag", path)
			}
			tag = r.Header.Get("ETag")
		}
		if n := len(s.Anon.get(public + "/articles").is(200).list()); float64(n) != want {
			t.Errorf("the list shows %d, want %v", n, want)
		}
		return tag
	}
	first := counts(2)
	s.Ben.send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", two), whyWithdrawn).is(204)
	if counts(1) == first {
		t.Error("the tag is the same with another count")
	}
	s.Anon.get(public+"/versions/1", "If-None-Match", first).is(200)
	s.Ben.do("POST", fmt.Sprintf("/v2/account/articles/%d/publish", two), nil).is(201)
	counts(2)
	s.Ben.send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", two), whyWithdrawn).is(204)
	s.Ben.do("DELETE", fmt.Sprintf("/v2/account/articles/%d", two), nil).is(204)
	counts(1)
	s.restart()
	counts(1)
}

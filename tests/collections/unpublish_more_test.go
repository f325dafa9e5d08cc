package collections

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/withdrawn"
	"alcove/tests/world"
)

// publishedCollection makes and publishes a collection with articles, and returns its address
// below /v2/account.
func publishedCollection(c world.Client, title string, articles ...int64) string {
	c.Server.T.Helper()
	ids := strings.ReplaceAll(strings.Trim(fmt.Sprint(articles), "[]"), " ", ", ")
	r := c.Send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": %q, "authors": [{"name": "Grace Canary"}], "articles": [%s], "references": ["https://doi.org/10.5072/alcove.1"]}`, title, ids)).Is(201)
	at := strings.TrimPrefix(r.Header.Get("Location"), c.Server.URL)
	c.Do("POST", at+"/publish", nil).Is(201)
	return at
}

// A public collection is withdrawn by unpublish, and by DELETE, which is 204 as stated. Nothing
// public shows it any more, its articles stay, its identifiers and numbers are not given again,
// and a tombstone stays.
func TestUnpublishCollection(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	member := s.Ben.Published("A member")
	at := publishedCollection(s.Ada, "canaryshelf", member)
	id := world.LastNumber(t, at)
	s.Ada.Send("PATCH", at, `{"description": "canarytext"}`).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	public := fmt.Sprint("/v2/collections/", id)
	paths := []string{"", "/articles", "/versions", "/versions/1", "/versions/2"}
	gone := func(when string) {
		t.Helper()
		for _, p := range paths {
			for _, who := range []world.Client{s.Anon, s.Ada} {
				got, never := who.Get(public+p), who.Get("/v2/collections/777777"+p)
				if got.StatusCode != 404 || got.Whole() != never.Whole() {
					t.Errorf("%s: %s is told from an unknown one: %s", when, p, got.Whole())
				}
			}
		}
		s.Leaks("canary")
		for _, path := range []string{"/v2/collections", "/v2/collections?order=views", "/v2/collections?doi=10.5072/alcove.c.1"} {
			if r := s.Anon.Get(path).Is(200); string(r.Bytes) != "[]" {
				t.Errorf("%s: %s shows %s", when, path, r.Bytes)
			}
		}
		if r := s.Anon.Send("POST", "/v2/collections/search", `{"search_for": "canaryshelf"}`).Is(200); string(r.Bytes) != "[]" {
			t.Errorf("%s: search finds %s", when, r.Bytes)
		}
		s.Anon.Get(fmt.Sprint("/v2/articles/", member)).Is(200)
	}
	for _, body := range []string{`{}`, `{"reason": "four"}`} {
		s.Ada.Send("POST", at+"/unpublish", body).Refuses(422, "reason")
	}
	got, never := s.Ben.Send("POST", at+"/unpublish", world.WhyWithdrawn), s.Ben.Send("POST", "/v2/account/collections/777777/unpublish", world.WhyWithdrawn)
	if got.StatusCode != 404 || got.Whole() != never.Whole() {
		t.Errorf("by a stranger: %s", got.Whole())
	}
	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn, "If-Match", `"stale"`).Refuses(412, "")
	tag := s.Ada.Get(at).Is(200).Header.Get("ETag")
	s.Root.Send("POST", at+"/unpublish", world.WhyWithdrawn, "If-Match", tag).Is(204)
	gone("unpublished")
	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Refuses(400, "no public version")
	if own := s.Ada.Get(at).Is(200).Object(); own["public"] != false || own["published_date"] != nil || own["articles_count"] != 1.0 {
		t.Errorf("its owner has %v", own)
	}
	s.Restart()
	gone("after a restart")

	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if v := s.Anon.Get(public + "/versions").Is(200).List(); len(v) != 1 || v[0]["version"] != 3.0 {
		t.Errorf("published again its versions are %v", v)
	}
	s.Anon.Get(public + "/versions/2").Is(404)
	if got := s.Anon.Get(public).Is(200).Object(); got["version"] != 3.0 || got["doi"] != "10.5072/alcove.c.1.v3" {
		t.Errorf("published again it is %v", got)
	}
	link := s.Ada.Link(at, "")
	s.Ben.Do("DELETE", at, nil).Refuses(404, "Collection not found")
	s.Ada.Do("DELETE", at, nil).Is(204)
	gone("deleted")
	s.Ada.Get(at).Refuses(404, "Collection not found")
	s.Anon.Linked(link, "GET", at, "").Refuses(401, "")
	s.Ada.Do("DELETE", at, nil).Refuses(404, "Collection not found")
	if next := world.LastNumber(t, s.Ada.NewCollection("The next one")); next != id+1 {
		t.Errorf("the next collection has the id %d", next)
	}
	s.Root.Send("POST", "/v2/account/collections", `{"title": "Takes its DOI", "doi": "10.5072/ALCOVE.C.1"}`).Refuses(422, "doi")
	s.Root.Send("POST", "/v2/account/articles", `{"title": "Takes its DOI", "doi": "10.5072/alcove.c.1"}`).Refuses(422, "doi")
	err := s.DB().View(func(tx *bucket.Tx) error {
		for key, reason := range map[bucket.Pair]string{{A: id, B: 2}: "It shows people who did not agree", {A: id, B: 3}: ""} {
			tomb, err := withdrawn.CollectionTombstones.Get(tx, key)
			if err != nil || tomb.DOI != "10.5072/alcove.c.1" || tomb.Reason != reason || tomb.AccountID != 1 || tomb.At.IsZero() {
				t.Errorf("the tombstone of %v: %v, %v", key, tomb, err)
			}
		}
		kept := 0
		for _, err := range withdrawn.Collections.All(tx, bucket.Prefix(id)) {
			if err != nil {
				return err
			}
			kept++
		}
		if kept != 3 {
			t.Errorf("%d versions are kept", kept)
		}
		return tx.CheckChain()
	})
	if err != nil {
		t.Error(err)
	}
}

// A project is withdrawn, too: it is private again, its public articles stay public and no longer
// tell of it, and it can be published again.
func TestUnpublishProject(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	at := s.Ada.Project("canaryproject")
	_, in := s.Ada.InProject(at, `{"title": "Inside", "authors": [{"name": "A B"}]}`)
	s.Ada.Do("POST", in+"/publish", nil).Is(201)
	s.Ada.Invite(at, s.Ben, "collaborator")
	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Refuses(400, "not public")
	public := fmt.Sprint("/v2/projects/", world.LastNumber(t, at))
	for _, who := range []world.Client{s.Ada, s.Root} {
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		s.Anon.Get(public).Is(200)
		s.Ben.Send("POST", at+"/unpublish", world.WhyWithdrawn).Refuses(403, "role")
		who.Send("POST", at+"/unpublish", `{}`).Refuses(422, "reason")
		who.Send("POST", at+"/unpublish", `{"reason": "four"}`).Refuses(422, "reason must have 5 to 500")
		who.Send("POST", at+"/unpublish", world.WhyWithdrawn, "If-Match", s.Ada.Get(at).Header.Get("ETag")).Is(204)
		for _, p := range []string{"", "/articles"} {
			got, never := s.Anon.Get(public+p), s.Anon.Get("/v2/projects/777777"+p)
			if got.StatusCode != 404 || got.Whole() != never.Whole() {
				t.Errorf("%s is told from an unknown one: %s", p, got.Whole())
			}
		}
		s.Leaks("canary")
		if l := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "inside"}`).Is(200).List(); len(l) != 1 || l[0]["project_id"] != nil {
			t.Errorf("its article is %v", l)
		}
		if own := s.Ben.Get(at).Is(200).Object(); own["published_date"] != nil {
			t.Errorf("its members see %v", own)
		}
	}
	err := s.DB().View(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 2; n++ {
			key := bucket.Pair{A: world.LastNumber(t, at), B: n}
			tomb, err := withdrawn.ProjectTombstones.Get(tx, key)
			if err != nil || !strings.Contains(tomb.Reason, "people") {
				t.Errorf("the tombstone is %v, %v", tomb, err)
			}
			if was, err := withdrawn.Projects.Get(tx, key); err != nil || was.Title != "canaryproject" {
				t.Errorf("kept is %v, %v", was, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	s.Ada.Send("POST", in+"/unpublish", world.WhyWithdrawn).Is(204)
	s.Ada.Do("DELETE", at, nil).Is(204)
}

// articles_count of a public collection is that of the articles that its list shows: it follows
// when one is withdrawn and when it is public again, in older versions too, and dates follow.
func TestArticlesCountFollows(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	one, two := s.Ben.Published("One"), s.Ben.Published("Two")
	at := publishedCollection(s.Ada, "Both", one, two)
	public := fmt.Sprint("/v2/collections/", world.LastNumber(t, at))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	counts := func(want float64) (tag string) {
		t.Helper()
		for _, path := range []string{public, public + "/versions/1"} {
			r := s.Anon.Get(path).Is(200)
			if n := r.Object()["articles_count"]; n != want {
				t.Errorf("%s counts %v, want %v", path, n, want)
			}
			if h := s.Anon.Do("HEAD", path, nil); h.Header.Get("ETag") != r.Header.Get("ETag") {
				t.Errorf("HEAD of %s has another tag", path)
			}
			tag = r.Header.Get("ETag")
		}
		if n := len(s.Anon.Get(public + "/articles").Is(200).List()); float64(n) != want {
			t.Errorf("the list shows %d, want %v", n, want)
		}
		return tag
	}
	first := counts(2)
	s.Ben.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", two), world.WhyWithdrawn).Is(204)
	if counts(1) == first {
		t.Error("the tag is the same with another count")
	}
	s.Anon.Get(public+"/versions/1", "If-None-Match", first).Is(200)
	s.Ben.Do("POST", fmt.Sprintf("/v2/account/articles/%d/publish", two), nil).Is(201)
	counts(2)
	s.Ben.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", two), world.WhyWithdrawn).Is(204)
	s.Ben.Do("DELETE", fmt.Sprintf("/v2/account/articles/%d", two), nil).Is(204)
	counts(1)
	s.Restart()
	counts(1)
}

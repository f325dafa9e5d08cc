package people

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"alcove/tests/stage"
	"alcove/tests/world"
)

var sLink = regexp.MustCompile(`href="http[^"]*(/s/[0-9a-f]{32})"`)

// An item is seen as the public will, published, changed into a second version that names what changes, shared by
// links, and withdrawn; a draft is deleted.
func TestPublishing(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	at := madeItem(t, b, "Rainfall, by hand")
	base := strings.TrimSuffix(at, "edit")
	shows(t, b.Open(at).Is(200), `name="authors.0.name" value="Tester"`, `name="authors.0.given" value="Lovelace"`) // who made it
	me.Send("PATCH", apiOf(at), `{"authors": []}`).Is(205)
	shows(t, b.Open(base+"publish").Is(200), "It lacks:", `href="`+at+`#authors"`)
	f := fieldsOf(t, b.Open(at))
	f.Set("authors.0.name", "Ada Lovelace")
	f.Set("description", "Daily sums")
	b.Post(at, f).Is(303)
	me.Upload(apiOf(at), "rain.csv", []byte("a,b\n1,2\n"))

	shows(t, b.Open(at).Is(200), "Reserve the DOI", "Publish version 1")
	b.Post(base+"doi", nil).Is(303)
	doi := fmt.Sprint(me.Get(apiOf(at)).Object()["doi"])
	r := b.Open(base + "preview").Is(200)
	shows(t, r, "This is a preview", "Ada Lovelace", "rain.csv", "Daily sums", "Version 1", doi)
	s.Anon.Get(strings.Replace(apiOf(at), "/account", "", 1)).Is(404)
	r = b.Open(base + "publish").Is(200)
	shows(t, r, "This cannot be undone, but versions can follow.", doi, "CC BY 4.0", "1 file", "Publish version 1")
	confirmed := tagOf(t, r)
	if got := b.Post(base+"publish", form("tag", confirmed)).Is(303).Header.Get("Location"); got != at+"?published=1" {
		t.Errorf("publishing leads to %q", got)
	}
	shows(t, b.Open(at+"?published=1").Is(200), "It is published.", "Published", "Publish version 2", "The public page", "Unpublish")
	s.Anon.Get(strings.Replace(apiOf(at), "/account", "", 1)).Is(200)

	f = fieldsOf(t, b.Open(at))
	f.Set("description", "Daily sums, corrected")
	b.Post(at, f).Is(303)
	me.Upload(apiOf(at), "snow.csv", []byte("a,b\n3,4\n"))
	shows(t, b.Open("/account/items").Is(200), "Changed since published")
	r = b.Open(base + "publish").Is(200)
	shows(t, r, "What changes since version 1", "snow.csv", "Publish version 2")
	b.Post(base+"publish", form("tag", tagOf(t, r))).Is(303)
	if got := s.Anon.Get(strings.Replace(apiOf(at), "/account", "", 1)).Object()["version"]; fmt.Sprint(got) != "2" {
		t.Errorf("the version is %v", got)
	}

	shows(t, b.Open(base+"links").Is(200), "There is no link.")
	b.Post(base+"links", form("until", "2099-01-01")).Is(303)
	r = b.Open(base + "links?made=1").Is(200)
	shows(t, r, "The link is made.", "Open until 1 January 2099")
	link := sLink.FindSubmatch(r.Bytes)
	if link == nil {
		t.Fatalf("there is no link in %s", r.Bytes)
	}
	shows(t, s.Browser().Open(string(link[1])).Is(200), "Rainfall, by hand")
	b.Post(base+"links", form("end", strings.TrimPrefix(string(link[1]), "/s/"))).Is(303)
	s.Browser().Open(string(link[1])).Is(404)

	r = b.Open(base + "unpublish").Is(200)
	shows(t, r, "All public versions are withdrawn")
	b.Post(base+"unpublish", form("tag", tagOf(t, r), "reason", "It was wrong", "public_reason", "A wrong column")).Is(303)
	s.Anon.Get(strings.Replace(apiOf(at), "/account", "", 1)).Is(404)
	shows(t, b.Open(at).Is(200), "Withdrawn", "Delete the draft")

	draft := madeItem(t, b, "To be deleted")
	r = b.Open(strings.TrimSuffix(draft, "edit") + "delete").Is(200)
	if got := b.Post(strings.TrimSuffix(draft, "edit")+"delete", form("tag", tagOf(t, r))).Is(303).Header.Get("Location"); got != "/account/items?deleted=1" {
		t.Errorf("deleting leads to %q", got)
	}
	b.Open(draft).Is(404)
	// An anonymous link shows no names.
	hidden := madeItem(t, b, "For a blind review")
	f = fieldsOf(t, b.Open(hidden))
	f.Set("authors.0.name", "Ada Lovelace")
	b.Post(hidden, f).Is(303)
	r = b.Post(strings.TrimSuffix(hidden, "edit")+"links", form("anonymous", "1"))
	if r.StatusCode != 200 && r.StatusCode != 303 {
		t.Fatalf("%d %s", r.StatusCode, r.Bytes)
	}
	link = sLink.FindSubmatch(b.Open(strings.TrimSuffix(hidden, "edit") + "links").Is(200).Bytes)
	r = s.Browser().Open(string(link[1])).Is(200)
	shows(t, r, "For a blind review")
	hides(t, r, "Ada Lovelace")
}

// tagOf is the entity tag that a page of confirmation carries.
func tagOf(t *testing.T, r *world.Reply) string {
	t.Helper()
	m := regexp.MustCompile(`name="tag" value="([^"]*)"`).FindSubmatch(r.Bytes)
	if m == nil {
		t.Fatalf("there is no tag in %s", r.Bytes)
	}
	return strings.NewReplacer("&#34;", `"`, "&#43;", "+").Replace(string(m[1]))
}

// An item that changed since it was looked at is not published, deleted or withdrawn; wrong reasons and dates stand at
// their fields; a group that reviews gets what is handed in.
func TestPublishingRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	at := madeItem(t, b, "Rainfall, by hand")
	base := strings.TrimSuffix(at, "edit")
	me.Send("PATCH", apiOf(at), `{"authors": []}`).Is(205)
	b.Post(base+"publish", form("tag", tagOf(t, b.Open(base+"publish")))).Is(422)
	me.Send("PATCH", apiOf(at), `{"authors": [{"name": "Ada Lovelace"}]}`).Is(205)
	stale := tagOf(t, b.Open(base+"publish"))
	me.Send("PATCH", apiOf(at), `{"title": "Rainfall, another title"}`).Is(205)
	for _, page := range []string{"publish", "delete", "unpublish"} {
		shows(t, b.Post(base+page, form("tag", stale, "reason", "long enough")).Is(412), "It was changed meanwhile", "Rainfall, another title")
		b.Post(base+page, form("reason", "long enough")).Is(422)
	}
	me.Get(strings.Replace(apiOf(at), "/account", "", 1)).Is(404)
	shows(t, b.Open(base+"unpublish").Is(200), "Nothing of it is public.")
	b.Post(base+"unpublish", form("tag", tagOf(t, b.Open(base+"unpublish")), "reason", "long enough")).Is(422)
	b.Post(base+"publish", form("tag", tagOf(t, b.Open(base+"publish")))).Is(303)
	shows(t, b.Post(base+"unpublish", form("tag", tagOf(t, b.Open(base+"unpublish")), "reason", "no", "public_reason", "kept")).Is(422), "A reason has 5 to 500 characters", "kept")
	shows(t, b.Post(base+"delete", form("tag", tagOf(t, b.Open(base+"delete")))).Is(422), "unpublish it first.")
	for _, until := range []string{"2001-01-01", "soon", "2099-13-01"} {
		shows(t, b.Post(base+"links", form("until", until)).Is(422), "This is no day in the future", `value="`+until+`"`)
	}
	shows(t, b.Post(base+"links", form("anonymous", "1")).Is(422), "its authors are known")
	b.Post(base+"links", form("end", strings.Repeat("0", 32))).Is(404)
	shows(t, b.Open(base+"links").Is(200), "There is no link.")

	group := s.Group("Physics", 0)
	s.Joins(me, group)
	s.AsksForReview(group, true)
	reviewed := madeItem(t, b, "To be reviewed")
	me.Send("PATCH", apiOf(reviewed), `{"authors": [{"name": "Ada Lovelace"}]}`).Is(205)
	shows(t, b.Open(reviewed).Is(200), "Hand in for review")
	r := b.Open(strings.TrimSuffix(reviewed, "edit") + "publish").Is(200)
	shows(t, r, "The group reviews it first")
	b.Post(strings.TrimSuffix(reviewed, "edit")+"publish", form("tag", tagOf(t, r))).Is(303)
	shows(t, b.Open("/account/items").Is(200), "Under review")
}

// An item says that it changed since it was published when its latest version says something else, whatever the dates
// are: a program changes it in the second in which it published it, and its owner while it waited for a review or for
// the end of an embargo.
func TestChangedSincePublished(t *testing.T) {
	t.Parallel()
	begun := time.Now().Add(time.Hour).Truncate(time.Second)
	var days atomic.Int64
	s := world.StartWithin(t)
	s.Stop()
	s.Clock = func() time.Time { return begun.Add(time.Duration(days.Load()) * 24 * time.Hour) }
	s.Boot()
	me, _ := s.Depositor("Lovelace")
	state := func(what string, changed bool) {
		t.Helper()
		b := s.SignedIn("lovelace@example.org", world.Password)
		articles, collections := b.Open("/account/items").Is(200), b.Open("/account/collections").Is(200)
		if got := strings.Contains(string(articles.Bytes)+string(collections.Bytes), "Changed since published"); got != changed {
			t.Errorf("%s: changed since it was published is %v", what, got)
		}
	}
	at := me.Article(`{"title": "Rainfall", "authors": [{"name": "Grace Hopper"}], "tags": ["rain"]}`)
	publish := func() { t.Helper(); me.Do("POST", at+"/publish", nil).Is(201) }
	publish()
	state("published", false)
	for _, change := range []string{`{"title": "Snow"}`, `{"authors": [{"name": "Ada Lovelace"}]}`, `{"custom_fields": {"Depth": "2 m"}}`, `{"download_disabled": true}`} {
		me.Send("PATCH", at, change).Is(205)
		state(change, true)
		publish()
		state("published after "+change, false)
	}
	me.Upload(at, "rain.csv", []byte("a,b\n1,2\n"))
	state("a file was added", true)
	publish()
	state("published with a file", false)

	me.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "`+begun.Add(48*time.Hour).UTC().Format("2006-01-02")+`"}`).Is(205)
	state("an embargo", true)
	publish()
	state("published under an embargo", false)
	days.Add(10)
	s.Restart()
	world.WaitFor(t, "the end of the embargo", func() bool { return fmt.Sprint(me.Get(at).Object()["is_embargoed"]) == "false" })
	state("the embargo is over", false)

	me.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "`+begun.Add(480*time.Hour).UTC().Format("2006-01-02")+`"}`).Is(205)
	me.Send("PATCH", at, `{"title": "Hail"}`).Is(205)
	publish()
	me.Send("PATCH", at, `{"title": "Hail and snow"}`).Is(205)
	me.Do("DELETE", at+"/embargo", nil).Is(204)
	if got := s.Anon.Get(strings.Replace(at, "/account", "", 1)).Object()["title"]; got != "Hail" {
		t.Fatalf("public is %v", got)
	}
	state("changed while it was held", true)
	publish()
	state("published at last", false)

	col := strings.TrimPrefix(me.Send("POST", "/v2/account/collections", `{"title": "Weather", "articles": [1], "authors": [{"name": "A B"}]}`).Is(201).Header.Get("Location"), s.URL)
	me.Do("POST", col+"/publish", nil).Is(201)
	state("a collection was published", false)
	me.Do("DELETE", col+"/articles/1", nil).Is(204)
	state("an article left the collection", true)
	me.Do("POST", col+"/publish", nil).Is(201)
	state("the collection was published again", false)
}

// Changes that are made while a version waits for its review are not in that version.
func TestChangedSinceReview(t *testing.T) {
	t.Parallel()
	s, eve, _ := stage.NewReviewed(t)
	at := s.Ben.Article(`{"title": "Depths", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	s.Ben.Send("PATCH", at, `{"title": "Depths of ponds"}`).Is(205)
	eve.Decide(1, "approved", "Good").Is(200)
	owner := s.Ben.SignIn()
	shows(t, owner.Open("/account/items").Is(200), "Changed since published")
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	eve.Decide(2, "approved", "Good").Is(200)
	hides(t, owner.Open("/account/items").Is(200), "Changed since published")
}

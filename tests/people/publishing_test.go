package people

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

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
	shows(t, b.Open(at).Is(200), `name="authors.0.name" value="Lovelace Tester"`) // who made it
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

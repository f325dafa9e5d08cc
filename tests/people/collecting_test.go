package people

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// A collection is made, described, filled from a search, put in order, published and withdrawn by forms alone.
func TestCollecting(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	public := s.Ada.Article(`{"title": "Snow by somebody else", "authors": [{"name": "Ben"}]}`)
	s.Ada.Do("POST", public+"/publish", nil).Is(201)
	at := b.Post("/account/collections", form("title", "Weather of the north")).Is(303).Header.Get("Location")
	base, api := strings.TrimSuffix(at, "edit"), apiOf(at)
	f := fieldsOf(t, b.Open(at).Is(200))
	f.Set("authors.0.name", "") // the person, who is there from the start
	f.Set("authors.0.orcid", "")
	b.Post(at, f).Is(303)
	shows(t, b.Open(base+"publish").Is(200), "It lacks:", "At least one author")
	f = fieldsOf(t, b.Open(at).Is(200))
	for name, value := range map[string]string{"description": "All stations", "tags": "rain\r\nsnow", "authors.0.name": "Ada Lovelace", "funding_list": "NSF 123", "related.0.identifier": "https://example.org/paper"} {
		f.Set(name, value)
	}
	b.Post(at, f).Is(303)
	doc := me.Get(api).Object()
	if doc["description"] != "All stations" || fmt.Sprint(doc["tags"]) != "[rain snow]" || !strings.Contains(fmt.Sprint(doc), "Ada Lovelace") || !strings.Contains(fmt.Sprint(doc), "NSF 123") {
		t.Errorf("it is %v", doc)
	}
	before := string(me.Get(api).Bytes)
	b.Post(at, fieldsOf(t, b.Open(at))).Is(303)
	if now := string(me.Get(api).Bytes); now != before {
		t.Errorf("saved as it comes it is %s, and was %s", now, before)
	}

	var ids []string
	for n := range 12 {
		item := madeItem(t, b, fmt.Sprintf("Station %d", n))
		ids = append(ids, fmt.Sprint(world.LastNumber(t, strings.TrimSuffix(item, "/edit"))))
	}
	r := b.Open(base + "articles?q=snow").Is(200)
	shows(t, r, "Snow by somebody else", "public", "There is no item in it yet.")
	add := form("do", "add", "tag", tagOf(t, r))
	add["add"] = append(ids, fmt.Sprint(world.LastNumber(t, public)))
	b.Post(base+"articles", add).Is(303)
	r = b.Open(base + "articles").Is(200)
	shows(t, r, "Station 11", "Snow by somebody else")
	order := form("tag", tagOf(t, r))
	for i, id := range add["add"] {
		order.Add("member", id)
		order.Set("place."+id, fmt.Sprint(100-i))
	}
	b.Post(base+"articles", order).Is(303)
	list := me.Get(api + "/articles?page_size=100").List()
	if len(list) != 13 || list[0]["title"] != "Snow by somebody else" || list[12]["title"] != "Station 0" {
		t.Errorf("the items are %v", list)
	}
	b.Post(base+"articles", form("tag", tagOf(t, b.Open(base+"articles")), "out", ids[3])).Is(303)
	if n := len(me.Get(api + "/articles?page_size=100").List()); n != 12 {
		t.Errorf("there are %d items", n)
	}

	b.Post(base+"doi", nil).Is(303)
	r = b.Open(base + "publish").Is(200)
	shows(t, r, "Publish version 1", "10.")
	b.Post(base+"publish", form("tag", tagOf(t, r))).Is(303)
	shows(t, b.Open("/account/collections").Is(200), "Published", "12 items")
	s.Anon.Get(strings.Replace(api, "/account", "", 1)).Is(200)
	shows(t, b.Post(base+"delete", form("tag", tagOf(t, b.Open(base+"delete")))).Is(422), "unpublish it first")
	b.Post(base+"links", nil).Is(303)
	shows(t, b.Open(base+"links").Is(200), "/s/")
	b.Post(base+"unpublish", form("tag", tagOf(t, b.Open(base+"unpublish")), "reason", "It was wrong")).Is(303)
	s.Anon.Get(strings.Replace(api, "/account", "", 1)).Is(404)
	b.Post(base+"delete", form("tag", tagOf(t, b.Open(base+"delete")))).Is(303)
	b.Open(at).Is(404)
}

// Articles of other accounts do not come into a collection, and what changed meanwhile is not overwritten.
func TestCollectingRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b, other := token(s, mail), s.SignedIn(mail, world.Password), s.SignedIn(s.Member("Byron"), world.Password)
	foreign := world.LastNumber(t, strings.TrimSuffix(madeItem(t, other, "A foreign draft"), "/edit"))
	own := world.LastNumber(t, strings.TrimSuffix(madeItem(t, b, "An own draft"), "/edit"))
	at := b.Post("/account/collections", form("title", "Weather of the north")).Is(303).Header.Get("Location")
	base := strings.TrimSuffix(at, "edit")
	tag := tagOf(t, b.Open(base+"articles"))
	for _, id := range []string{fmt.Sprint(foreign), "999999", "x", "-1"} {
		r := b.Post(base+"articles", form("do", "add", "tag", tag, "add", id)).Is(422)
		hides(t, r, "A foreign draft")
	}
	b.Post(base+"articles", form("do", "add", "tag", tag)).Is(422)
	b.Post(base+"articles", form("do", "add", "add", fmt.Sprint(own))).Is(422)
	b.Post(base+"articles", form("out", fmt.Sprint(own), "tag", tag)).Is(404)
	me.Send("PATCH", apiOf(at), `{"title": "Weather of the south"}`).Is(205)
	shows(t, b.Post(base+"articles", form("do", "add", "tag", tag, "add", fmt.Sprint(own))).Is(412), "It was changed meanwhile", "Weather of the south")
	if n := len(me.Get(apiOf(at) + "/articles").List()); n != 0 {
		t.Errorf("there are %d items", n)
	}
	for _, page := range []string{"edit", "articles", "publish", "unpublish", "delete", "links"} {
		hides(t, other.Open(base+page).Is(404), "Weather")
		hides(t, other.Post(base+page, form("tag", tag, "title", "Taken", "do", "add", "add", fmt.Sprint(foreign), "reason", "because")).Is(404), "Weather")
		s.Browser().Open(base + page).Is(303)
		b.Post(base+page, form("tag", tag), "Sec-Fetch-Site", "cross-site").Is(403)
	}
	f := fieldsOf(t, b.Open(at))
	f.Set("title", "x")
	f.Set("authors.0.name", "Right Person")
	shows(t, b.Post(at, f).Is(422), "A title has at least 3 characters", "Right Person")
}

package access

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/world"
)

var linkToken = regexp.MustCompile(`^[0-9a-f]{32}$`)

// private_links: a link is made, listed, read, given another expiry and disabled, alike for
// articles and collections.
func TestLinkLife(t *testing.T) {
	s := world.StartWithin(t)
	for _, kind := range []struct {
		name, absent string
		item         string
	}{
		{"article", "Private Link with ID not found", s.Ada.Article(`{"title": "An article"}`)},
		{"collection", "Private link not found", s.Ada.NewCollection("A collection")},
	} {
		links := kind.item + "/private_links"
		if got := s.Ada.Get(links).Is(200); string(got.Bytes) != "[]" {
			t.Errorf("%s: no links are %s", kind.name, got.Bytes)
		}
		// POST: 201, Location, PrivateLinkResponse; the body is optional.
		r := s.Ada.Do("POST", links, nil).Is(201)
		made := r.Object()
		token, _ := made["token"].(string)
		at := s.URL + links + "/" + token
		if len(made) != 4 || len(made["warnings"].([]any)) != 0 || !linkToken.MatchString(token) || made["location"] != at || r.Header.Get("Location") != at || made["html_location"] != s.URL+"/s/"+token {
			t.Errorf("%s: POST answered %s, Location %s", kind.name, r.Bytes, r.Header.Get("Location"))
		}
		// GET: array of PrivateLink; the default expiry is 365 days away.
		form := func(active bool, date string) string {
			out := fmt.Sprintf(`{"id": "%s", "is_active": %t, "expires_date": "%s", "html_location": "%s/s/%s", "anonymous": false`, token, active, date, s.URL, token)
			if kind.name == "collection" {
				out += `, "read_only": true`
			}
			return out + "}"
		}
		shown := s.Ada.Get(at).Is(200).Object()
		date, _ := shown["expires_date"].(string)
		until, err := time.Parse("2006-01-02T15:04:05", date)
		if left := time.Until(until) - 365*24*time.Hour; err != nil || left > time.Second || left < -time.Minute {
			t.Errorf("%s: expires %q", kind.name, date)
		}
		if got := string(s.Ada.Get(links).Is(200).Bytes); got != "["+form(true, date)+"]" {
			t.Errorf("%s: the list is %s", kind.name, got)
		}
		// PUT: 205, Location; a new expiry. Without a body everything stays.
		r = s.Ada.Send("PUT", at, `{"expires_date": "2099-02-28"}`).Is(205)
		if r.Header.Get("Location") != at || len(r.Bytes) != 0 {
			t.Errorf("%s: PUT answered %q, Location %s", kind.name, r.Bytes, r.Header.Get("Location"))
		}
		s.Ada.Do("PUT", at, nil).Is(205)
		s.Ada.Send("PUT", at, `{"expires_date": null, "read_only": null}`).Is(205)
		if got := string(s.Ada.Get(at).Is(200).Bytes); got != form(true, "2099-02-28T00:00:00") {
			t.Errorf("%s: after PUT %s", kind.name, got)
		}
		// An expired link is not active, until it gets a new expiry.
		s.ExpireLink(token)
		if got := s.Ada.Get(at).Is(200).Object()["is_active"]; got != false {
			t.Errorf("%s: an expired link is active: %v", kind.name, got)
		}
		s.Ada.Send("PUT", at, `{"expires_date": "2099-02-28"}`).Is(205)
		if got := s.Ada.Get(at).Is(200).Object()["is_active"]; got != true {
			t.Errorf("%s: a prolonged link is not active: %v", kind.name, got)
		}
		// DELETE: 204, disabled for good.
		if r := s.Ada.Do("DELETE", at, nil).Is(204); len(r.Bytes) != 0 {
			t.Errorf("%s: 204 with a body %q", kind.name, r.Bytes)
		}
		if got := string(s.Ada.Get(links).Is(200).Bytes); got != "["+form(false, "2099-02-28T00:00:00")+"]" {
			t.Errorf("%s: the list after DELETE is %s", kind.name, got)
		}
		s.Ada.Send("PUT", at, `{"expires_date": "2099-02-28"}`).Refuses(404, kind.absent)
		s.Ada.Do("DELETE", at, nil).Refuses(404, kind.absent)
		// 404 for a link that never was.
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.Ada.Do(method, links+"/"+strings.Repeat("0", 32), nil).Refuses(404, kind.absent)
			s.Ada.Do(method, links+"/1", nil).Refuses(404, kind.absent)
		}
		// With the item its links go.
		s.Ada.Do("DELETE", kind.item, nil).Is(204)
		s.Ada.Get(links).Refuses(404, "not found")
		s.Ada.Get(at).Refuses(404, "not found")
		s.Alter(func(tx *bucket.Tx) error {
			if working.PrivateLinks.Has(tx, token) {
				t.Errorf("%s: the link of a deleted item is still there", kind.name)
			}
			return nil
		})
	}
}

// The link of another item, or of another kind of item with the same id, answers like an unknown
// one; another account does not find even the item (security.md A05).
func TestLinkForeign(t *testing.T) {
	s := world.Start(t)
	article, other := s.Ada.Article(`{"title": "An article"}`), s.Ada.Article(`{"title": "Another"}`)
	collection := s.Ada.NewCollection("A collection")
	bens := s.Ben.Article(`{"title": "Ben's"}`)
	ofArticle, ofCollection, ofBen := s.Ada.Link(article, ""), s.Ada.Link(collection, ""), s.Ben.Link(bens, "")
	unknown := strings.Repeat("a", 32)
	same := func(who world.Client, method, at, never string) {
		t.Helper()
		got, want := who.Do(method, at, nil), who.Do(method, never, nil)
		if got.StatusCode != 404 || string(got.Bytes) != string(want.Bytes) {
			t.Errorf("%s %s: %d %s, one that never was: %d %s", method, at, got.StatusCode, got.Bytes, want.StatusCode, want.Bytes)
		}
		world.SameHeaders(t, method+" "+at, got.Header, want.Header)
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		for _, token := range []string{ofCollection, ofBen, strings.ToUpper(ofArticle), ofArticle + "0", ofArticle[:31]} {
			same(s.Ada, method, article+"/private_links/"+token, article+"/private_links/"+unknown)
		}
		same(s.Ada, method, other+"/private_links/"+ofArticle, other+"/private_links/"+unknown)
		same(s.Ada, method, collection+"/private_links/"+ofArticle, collection+"/private_links/"+unknown)
		same(s.Ben, method, article+"/private_links/"+ofArticle, "/v2/account/articles/999/private_links/"+unknown)
		same(s.Ben, method, collection+"/private_links/"+ofCollection, "/v2/account/collections/999/private_links/"+unknown)
	}
	for _, method := range []string{"GET", "POST"} {
		same(s.Ben, method, article+"/private_links", "/v2/account/articles/999/private_links")
		same(s.Ben, method, collection+"/private_links", "/v2/account/collections/999/private_links")
	}
	for at, token := range map[string]string{article: ofArticle, collection: ofCollection} {
		if got := s.Ada.Get(at + "/private_links/" + token).Is(200).Object()["is_active"]; got != true {
			t.Errorf("%s: the link was changed from outside: %v", at, got)
		}
	}
}

// The expiry dates that a link takes (security.md B22). Others are 422.
func TestLinkExpiry(t *testing.T) {
	s := world.Start(t)
	for _, item := range []string{s.Ada.Article(`{"title": "An article"}`), s.Ada.NewCollection("A collection")} {
		at := item + "/private_links/" + s.Ada.Link(item, "")
		for _, c := range []struct{ date, shown string }{ // shown is "" where the date is refused
			{`"2099-01-02"`, "2099-01-02T00:00:00"},
			{`"2099-01-02T03:04:05"`, "2099-01-02T03:04:05"},
			{`"2099-01-02 03:04:05"`, "2099-01-02T03:04:05"},
			{`"2099-01-02T03:04:05Z"`, "2099-01-02T03:04:05"},
			{`"2099-01-02T03:04:05.999Z"`, "2099-01-02T03:04:05"},
			{`"2099-01-02T00:00:00+14:00"`, "2099-01-01T10:00:00"},
			{`"2099-12-31T23:00:00-12:00"`, "2100-01-01T11:00:00"},
			{`"2096-02-29"`, "2096-02-29T00:00:00"},
			{`"9999-12-31"`, "9999-12-31T00:00:00"},
			{`"9999-12-31T23:59:59-01:00"`, ""},
			{`"2097-02-29"`, ""}, {`"2000-01-01"`, ""}, {`"0000-00-00"`, ""}, {`"0000-01-01T00:00:00+14:00"`, ""},
			{`"` + time.Now().UTC().Format("2006-01-02T15:04:05") + `"`, ""}, {`"` + time.Now().UTC().Format("2006-01-02") + `"`, ""},
			{`""`, ""}, {`"0"`, ""}, {`"tomorrow"`, ""}, {`"10000-01-01"`, ""}, {`"2099-13-01"`, ""}, {`"2099-01-02T24:00:00"`, ""},
			{`" 2099-01-02"`, ""}, {`"02/01/2099"`, ""}, {`4070908800`, ""}, {`{}`, ""}, {`["2099-01-02"]`, ""}, {`true`, ""},
		} {
			body := `{"expires_date": ` + c.date + `}`
			if c.shown == "" {
				s.Ada.Send("PUT", at, body).Refuses(422, "expires_date")
				s.Ada.Send("POST", item+"/private_links", body).Refuses(422, "expires_date")
				continue
			}
			s.Ada.Send("PUT", at, body).Is(205)
			made := item + "/private_links/" + s.Ada.Link(item, body)
			for _, link := range []string{at, made} {
				if got := s.Ada.Get(link).Is(200).Object(); got["expires_date"] != c.shown || got["is_active"] != true {
					t.Errorf("%s: expires %v, want %s", body, got, c.shown)
				}
			}
		}
		s.Ada.Send("POST", item+"/private_links", `{"read_only": "no"}`).Refuses(422, "read_only")
		s.Ada.Send("POST", item+"/private_links", `{"read_only": `).Refuses(400, "")
	}
}

// An item keeps 1,000 links (security.md I10). The oldest that opens nothing any more makes room;
// when all are active there is no room.
func TestLinkLimit(t *testing.T) {
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "Much shared"}`)
	const most = 1000
	token := func(n int) string { return fmt.Sprintf("%032x", n) }
	err := s.DB().Update(context.Background(), 0, func(tx *bucket.Tx) error {
		for n := range most {
			l := record.NewPrivateLink(token(n), "articles", world.LastNumber(t, at), tx.Now())
			if err := working.PrivateLinks.Put(tx, l.Token, l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Ada.Do("POST", at+"/private_links", nil).Refuses(422, "as many private links")
	s.ExpireLink(token(500))
	fresh := s.Ada.Link(at, "")
	s.Ada.Do("POST", at+"/private_links", nil).Refuses(422, "as many private links")
	s.Ada.Get(at+"/private_links/"+token(500)).Refuses(404, "Private Link with ID not found")
	list := s.Ada.Get(at + "/private_links").Is(200).List()
	if last := list[len(list)-1]["id"]; len(list) != most || last != fresh && list[0]["id"] != token(0) {
		t.Errorf("%d links, the last %v", len(list), last)
	}
}

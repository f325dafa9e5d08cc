package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// The holder of a link with read_only false edits the collection itself, its authors, categories
// and articles, and nothing else (security.md A13, A15).
func TestLinkEdit(t *testing.T) {
	s := start(t)
	at, other := s.Ada.newCollection("Shared"), s.Ada.newCollection("Not shared")
	secret := lastNumber(t, s.Ada.article(`{"title": "Zebra secret", "authors": [{"name": "Zebra Author"}]}`))
	hidden := fmt.Sprint(s.Ada.get(fmt.Sprintf("/v2/account/articles/%d/authors", secret)).list()[0]["id"])
	public := s.Ben.published("Public member")
	s.Ada.send("PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, secret)).is(205)
	s.Ada.send("PUT", at+"/authors", `{"authors": [{"name": "Own Author"}]}`).is(205)
	own := fmt.Sprint(s.Ada.get(at + "/authors").list()[0]["id"])
	token := s.Ada.link(at, `{"read_only": false}`)
	if got := s.Ada.get(at + "/private_links/" + token).object()["read_only"]; got != false {
		t.Errorf("read_only is %v", got)
	}
	as := func(tok string) func(who client, method, path, body string) *reply {
		return func(who client, method, path, body string) *reply {
			t.Helper()
			return who.send(method, path+"?private_link="+tok, body)
		}
	}
	edit := as(token)
	for _, who := range []client{s.Anon, s.Ben} {
		if r := edit(who, "GET", at, "").is(200); r.object()["title"] != "Shared" && r.object()["title"] != "Edited" || !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("the collection is %s, Cache-Control %s", r.body, r.Header.Get("Cache-Control"))
		}
		r := edit(who, "PUT", at, `{"title": "Edited", "tags": ["a"]}`).is(205)
		if r.Header.Get("Location") != s.URL+at || strings.Contains(string(r.body), token) {
			t.Errorf("PUT answered %s, Location %s", r.body, r.Header.Get("Location"))
		}
		edit(who, "PATCH", at, `{"description": "By link"}`).is(205)
		// Of the members only those that are public are shown, or can be added.
		if got := edit(who, "GET", at+"/articles", "").is(200); strings.Contains(string(got.body), "Zebra") {
			t.Errorf("a private member is shown: %s", got.body)
		}
		edit(who, "POST", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, public)).is(201)
		edit(who, "POST", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, secret)).refuses(422, "Article not found")
		edit(who, "DELETE", fmt.Sprintf("%s/articles/%d", at, public), "").is(204)
		// People: those that the collection has, new ones, not those of other drafts.
		edit(who, "POST", at+"/authors", `{"authors": [{"name": "Named By Link"}, {"id": `+own+`}]}`).is(201)
		edit(who, "PUT", at+"/authors", `{"authors": [{"id": `+hidden+`}]}`).refuses(422, "Author not found")
		edit(who, "PUT", at+"/authors", `{"authors": [{"id": `+own+`}]}`).is(205)
		edit(who, "PUT", at+"/categories", `{"categories": [37]}`).is(205)
		edit(who, "POST", at+"/categories", `{"categories": [370202]}`).is(201)
		edit(who, "DELETE", at+"/categories/37", "").is(204)
		edit(who, "PATCH", at, `{"resource_doi": "10.1/x"}`).refuses(403, "resource_doi")
		edit(who, "PATCH", at, `{"title": 7}`).refuses(422, "title")
		edit(who, "PATCH", other, `{"title": "Edited"}`).refuses(404, "Collection not found")
		edit(who, "GET", "/v2/account/collections/999", "").refuses(404, "Collection not found")
	}
	if own := s.Ada.get(at).is(200).object(); own["title"] != "Edited" || own["description"] != "By link" || own["articles_count"] != 1.0 || own["account_id"] == nil {
		t.Errorf("the collection is %v", own)
	}
	// People that a link's holder names are known to the owner, not to holders of other links.
	edit(s.Anon, "POST", at+"/authors", `{"authors": [{"name": "Known To Ada"}]}`).is(201)
	people := s.Ada.get(at + "/authors").list()
	known := fmt.Sprintf(`{"authors": [{"id": %v}]}`, people[len(people)-1]["id"])
	s.Ada.send("PUT", other+"/authors", known).is(205)
	bens := s.Ben.newCollection("Ben's")
	as(s.Ben.link(bens, `{"read_only": false}`))(s.Anon, "PUT", bens+"/authors", known).refuses(422, "Author not found")
	// Nothing else of the account, on any route.
	before := s.DB().Sequence()
	ids := map[string]string{":id": fmt.Sprint(lastNumber(t, at)), ":link_id": token, ":author_id": own, ":category_id": "370202", ":article_id": fmt.Sprint(secret)}
	opened := regexp.MustCompile(`^/v2/account/collections/:id(/(articles|authors|categories)(/:\w+)?)?$`)
	for _, r := range allRoutes() {
		if !strings.Contains(r.Path, "/account") || opened.MatchString(r.Path) && !(r.Method == "DELETE" && strings.HasSuffix(r.Path, ":id")) {
			continue
		}
		edit(s.Anon, r.Method, fillPath(r.Path, ids), "{}").refuses(401, "")
	}
	if s.DB().Sequence() != before {
		t.Error("a link changed something else than its collection")
	}
	// Other links open nothing: the answer is the one for no token at all.
	readOnly, expired, disabled := s.Ada.link(at, ""), s.Ada.link(at, `{"read_only": false}`), s.Ada.link(at, `{"read_only": false}`)
	closed := s.Ada.link(at, `{"read_only": false}`)
	article := s.Ada.link(fmt.Sprintf("/v2/account/articles/%d", secret), `{"read_only": false}`)
	s.expireLink(expired)
	s.Ada.do("DELETE", at+"/private_links/"+disabled, nil).is(204)
	s.Ada.send("PUT", at+"/private_links/"+closed, `{"read_only": true}`).is(205)
	before = s.DB().Sequence()
	none := s.Anon.get(at).refuses(401, "")
	for what, tok := range map[string]string{
		"read-only": readOnly, "expired": expired, "disabled": disabled, "made read-only": closed, "of an article": article, "unknown": strings.Repeat("0", 32), "empty": "",
	} {
		methods := []string{"GET", "PATCH"}
		if strings.Contains(what, "read-only") {
			methods = methods[1:]
			as(tok)(s.Anon, "GET", at, "").is(200)
		}
		for _, method := range methods {
			if r := as(tok)(s.Anon, method, at, `{"title": "By a link"}`).refuses(401, ""); string(r.body) != string(none.body) {
				t.Errorf("%s: %s", what, r.body)
			}
			as(tok)(s.Ben, method, at, `{"title": "By a link"}`).refuses(404, "Collection not found")
		}
	}
	edit(client{s, "alc_unknown"}, "GET", at, "").refuses(401, "")
	if s.DB().Sequence() != before {
		t.Error("a link that opens nothing changed something")
	}
	if strings.Contains(s.logs.String(), token) {
		t.Error("the log has a link's token")
	}
}

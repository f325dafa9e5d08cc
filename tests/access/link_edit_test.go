package access

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"alcove/tests/routes"
	"alcove/tests/world"
)

// The holder of a link with read_only false edits the collection itself, its authors, categories
// and articles, and nothing else (security.md A13, A15).
func TestLinkEdit(t *testing.T) {
	s := world.StartWithin(t)
	at, other := s.Ada.NewCollection("Shared"), s.Ada.NewCollection("Not shared")
	secret := world.LastNumber(t, s.Ada.Article(`{"title": "Zebra secret", "authors": [{"name": "Zebra Author"}]}`))
	hidden := fmt.Sprint(s.Ada.Get(fmt.Sprintf("/v2/account/articles/%d/authors", secret)).List()[0]["id"])
	public := s.Ben.Published("Public member")
	s.Ada.Send("PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, secret)).Is(205)
	s.Ada.Send("PUT", at+"/authors", `{"authors": [{"name": "Own Author"}]}`).Is(205)
	own := fmt.Sprint(s.Ada.Get(at + "/authors").List()[0]["id"])
	token := s.Ada.Link(at, `{"read_only": false}`)
	if got := s.Ada.Get(at + "/private_links/" + token).Object()["read_only"]; got != false {
		t.Errorf("read_only is %v", got)
	}
	as := func(tok string) func(who world.Client, method, path, body string) *world.Reply {
		return func(who world.Client, method, path, body string) *world.Reply {
			t.Helper()
			return who.Send(method, path+"?private_link="+tok, body)
		}
	}
	edit := as(token)
	for _, who := range []world.Client{s.Anon, s.Ben} {
		if r := edit(who, "GET", at, "").Is(200); r.Object()["title"] != "Shared" && r.Object()["title"] != "Edited" || !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("the collection is %s, Cache-Control %s", r.Bytes, r.Header.Get("Cache-Control"))
		}
		r := edit(who, "PUT", at, `{"title": "Edited", "tags": ["a"]}`).Is(205)
		if r.Header.Get("Location") != s.URL+at || strings.Contains(string(r.Bytes), token) {
			t.Errorf("PUT answered %s, Location %s", r.Bytes, r.Header.Get("Location"))
		}
		edit(who, "PATCH", at, `{"description": "By link"}`).Is(205)
		// Of the members only those that are public are shown, or can be added.
		if got := edit(who, "GET", at+"/articles", "").Is(200); strings.Contains(string(got.Bytes), "Zebra") {
			t.Errorf("a private member is shown: %s", got.Bytes)
		}
		edit(who, "POST", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, public)).Is(201)
		edit(who, "POST", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, secret)).Refuses(422, "Article not found")
		edit(who, "DELETE", fmt.Sprintf("%s/articles/%d", at, public), "").Is(204)
		// People: those that the collection has, new ones, not those of other drafts.
		edit(who, "POST", at+"/authors", `{"authors": [{"name": "Named By Link"}, {"id": `+own+`}]}`).Is(201)
		edit(who, "PUT", at+"/authors", `{"authors": [{"id": `+hidden+`}]}`).Refuses(422, "Author not found")
		edit(who, "PUT", at+"/authors", `{"authors": [{"id": `+own+`}]}`).Is(205)
		edit(who, "PUT", at+"/categories", `{"categories": [37]}`).Is(205)
		edit(who, "POST", at+"/categories", `{"categories": [370202]}`).Is(201)
		edit(who, "DELETE", at+"/categories/37", "").Is(204)
		edit(who, "PATCH", at, `{"resource_doi": "10.1/x"}`).Refuses(403, "resource_doi")
		edit(who, "PATCH", at, `{"title": 7}`).Refuses(422, "title")
		edit(who, "PATCH", other, `{"title": "Edited"}`).Refuses(404, "Collection not found")
		edit(who, "GET", "/v2/account/collections/999", "").Refuses(404, "Collection not found")
	}
	if own := s.Ada.Get(at).Is(200).Object(); own["title"] != "Edited" || own["description"] != "By link" || own["articles_count"] != 1.0 || own["account_id"] == nil {
		t.Errorf("the collection is %v", own)
	}
	// People that a link's holder names are known to the owner, not to holders of other links.
	edit(s.Anon, "POST", at+"/authors", `{"authors": [{"name": "Known To Ada"}]}`).Is(201)
	people := s.Ada.Get(at + "/authors").List()
	known := fmt.Sprintf(`{"authors": [{"id": %v}]}`, people[len(people)-1]["id"])
	s.Ada.Send("PUT", other+"/authors", known).Is(205)
	bens := s.Ben.NewCollection("Ben's")
	as(s.Ben.Link(bens, `{"read_only": false}`))(s.Anon, "PUT", bens+"/authors", known).Refuses(422, "Author not found")
	// Nothing else of the account, on any route.
	before := s.Sequence()
	ids := map[string]string{":id": fmt.Sprint(world.LastNumber(t, at)), ":link_id": token, ":author_id": own, ":category_id": "370202", ":article_id": fmt.Sprint(secret)}
	opened := regexp.MustCompile(`^/v2/account/collections/:id(/(articles|authors|categories)(/:\w+)?)?$`)
	for _, r := range routes.All() {
		if !strings.Contains(r.Path, "/account") || opened.MatchString(r.Path) && !(r.Method == "DELETE" && strings.HasSuffix(r.Path, ":id")) {
			continue
		}
		edit(s.Anon, r.Method, routes.FillPath(r.Path, ids), "{}").Refuses(401, "")
	}
	if s.Sequence() != before {
		t.Error("a link changed something else than its collection")
	}
	// Other links open nothing: the answer is the one for no token at all.
	readOnly, expired, disabled := s.Ada.Link(at, ""), s.Ada.Link(at, `{"read_only": false}`), s.Ada.Link(at, `{"read_only": false}`)
	closed := s.Ada.Link(at, `{"read_only": false}`)
	article := s.Ada.Link(fmt.Sprintf("/v2/account/articles/%d", secret), `{"read_only": false}`)
	s.ExpireLink(expired)
	s.Ada.Do("DELETE", at+"/private_links/"+disabled, nil).Is(204)
	s.Ada.Send("PUT", at+"/private_links/"+closed, `{"read_only": true}`).Is(205)
	before = s.Sequence()
	none := s.Anon.Get(at).Refuses(401, "")
	for what, tok := range map[string]string{
		"read-only": readOnly, "expired": expired, "disabled": disabled, "made read-only": closed, "of an article": article, "unknown": strings.Repeat("0", 32), "empty": "",
	} {
		methods := []string{"GET", "PATCH"}
		if strings.Contains(what, "read-only") {
			methods = methods[1:]
			as(tok)(s.Anon, "GET", at, "").Is(200)
		}
		for _, method := range methods {
			if r := as(tok)(s.Anon, method, at, `{"title": "By a link"}`).Refuses(401, ""); string(r.Bytes) != string(none.Bytes) {
				t.Errorf("%s: %s", what, r.Bytes)
			}
			as(tok)(s.Ben, method, at, `{"title": "By a link"}`).Refuses(404, "Collection not found")
		}
	}
	edit(world.Client{Server: s, Token: "alc_unknown"}, "GET", at, "").Refuses(401, "")
	if s.Sequence() != before {
		t.Error("a link that opens nothing changed something")
	}
	if strings.Contains(s.Logs.String(), token) {
		t.Error("the log has a link's token")
	}
}

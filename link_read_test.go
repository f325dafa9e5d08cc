package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// keysOf are the keys of a JSON value with those of what is in it, by their places. The contents
// of maps and empty lists are not compared.
func keysOf(value any) []string {
	found := map[string]bool{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, in := range v {
				if at != "/folder_structure" {
					found[at+"/"+k] = true
					walk(at+"/"+k, in)
				}
			}
		case []any:
			for _, in := range v {
				walk(at+"/*", in)
			}
		}
	}
	walk("", value)
	keys := []string{}
	for k := range found {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// linked asks with a private link.
func (c client) linked(token, method, path, body string, headers ...string) *reply {
	c.s.t.Helper()
	return c.send(method, path+map[bool]string{false: "?", true: "&"}[strings.Contains(path, "?")]+"private_link="+token, body, headers...)
}

// A private link of an article reads its metadata, authors, categories and files at the private
// addresses, with the keys of the public detail and no more, whatever state it is in. It writes
// nothing and opens nothing else.
func TestLinkReadsArticle(t *testing.T) {
	t.Parallel()
	s, _, _ := newReviewed(t)
	project := s.Ben.project("zqproject")
	_, at := s.Ben.inProject(project, `{"title": "Read by link", "description": "All of it", "authors": [{"name": "Grace Hopper"}], "categories": [37], "tags": ["a"],
		"references": ["https://example.org/r"], "custom_fields": {"F": "v"}, "funding": "A grant"}`)
	file := s.Ben.upload(at, "whole.png", onePixel)
	s.Ben.previews(file, "preview_available")
	s.Ben.beginAs(at, `{"link": "https://example.org/elsewhere"}`)
	open, upload := s.Ben.begin(at, "zqopen.bin", []byte("later"))
	token := s.Ben.link(at, "")
	paths := []string{at, at + "/authors", at + "/categories", at + "/files", file}
	read := func(when string) map[string]any {
		t.Helper()
		for _, path := range paths {
			for _, who := range []client{s.Anon, s.Ada} {
				r := who.linked(token, "GET", path, "").is(200)
				for _, hidden := range []string{"zq", "@example.org", "account_id", "upload_", "curation", token, upload, "private_link", "failure"} {
					if strings.Contains(string(r.body), hidden) {
						t.Errorf("%s: %s tells %q: %s", when, path, hidden, r.body)
					}
				}
				if !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
					t.Errorf("%s: %s is Cache-Control %q", when, path, r.Header.Get("Cache-Control"))
				}
				head := who.linked(token, "HEAD", path, "").is(200)
				if head.Header.Get("ETag") != r.Header.Get("ETag") {
					t.Errorf("%s: HEAD of %s has another tag", when, path)
				}
				who.linked(token, "GET", path, "", "If-None-Match", r.Header.Get("ETag")).is(304)
			}
		}
		return s.Anon.linked(token, "GET", at, "").object()
	}
	draft := read("a draft")
	if draft["title"] != "Read by link" || draft["status"] != "draft" || draft["is_public"] != false || len(draft["files"].([]any)) != 2 {
		t.Errorf("the draft is %v", draft)
	}
	s.Anon.linked(token, "GET", open, "").refuses(404, "File not found")
	s.Ben.linked(token, "GET", open, "").is(200) // its owner reads as ever
	if l := s.Anon.linked(token, "GET", at+"/files?page_size=1&page=2", "").list(); len(l) != 1 || l[0]["is_link_only"] != true {
		t.Errorf("the second page of files is %v", l)
	}
	first := s.Anon.linked(token, "GET", at+"/files?limit=1", "")
	rest := s.Anon.linked(token, "GET", at+"/files?limit=5", "", "X-Cursor", first.Header.Get("X-Cursor")).is(200).list()
	if len(rest) != 1 || rest[0]["is_link_only"] != true {
		t.Errorf("behind the cursor are %v", rest)
	}
	s.Ben.do("DELETE", open, nil).is(204)
	s.Ben.do("POST", at+"/publish", nil).is(201)
	read("handed in for review")
	s.Ben.send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-01", "embargo_options": [{"id": 1}]}`).is(205)
	embargoed := read("files under embargo")
	if len(embargoed["files"].([]any)) != 2 || embargoed["is_embargoed"] != true {
		t.Errorf("under embargo it is %v", embargoed)
	}

	// Nothing else, and not without the link.
	none := s.Anon.get(at).refuses(401, "")
	expired, disabled, collection := s.Ben.link(at, ""), s.Ben.link(at, ""), s.Ben.link(s.Ben.newCollection("Another"), "")
	s.expireLink(expired)
	s.Ben.do("DELETE", at+"/private_links/"+disabled, nil).is(204)
	for _, path := range paths {
		for what, tok := range map[string]string{"none": "", "unknown": strings.Repeat("0", 32), "expired": expired, "disabled": disabled, "of a collection": collection} {
			if r := s.Anon.linked(tok, "GET", path, "").refuses(401, ""); string(r.body) != string(none.body) {
				t.Errorf("%s with a link that is %s: %s", path, what, r.body)
			}
			got, unknown := s.Ada.linked(tok, "GET", path, ""), s.Ada.linked(tok, "GET", strings.Replace(path, at, "/v2/account/articles/987654", 1), "")
			if got.StatusCode != 404 || got.whole() != unknown.whole() {
				t.Errorf("%s by another account with a link that is %s: %s", path, what, got.whole())
			}
		}
	}
	before := s.DB().Sequence()
	for _, r := range allRoutes() {
		if !strings.HasPrefix(r.Path, "/v2/account/articles/:id") || r.Method == "GET" {
			continue
		}
		s.Anon.linked(token, r.Method, fillPath(r.Path, map[string]string{":id": fmt.Sprint(lastNumber(t, at)), ":file_id": fmt.Sprint(lastNumber(t, file)), ":link_id": token}), "{}").refuses(401, "")
	}
	if s.DB().Sequence() != before {
		t.Error("a link to read has changed something")
	}
}

// The keys of what a private link shows of an article are those of its public detail.
func TestLinkReadsPublicKeys(t *testing.T) {
	t.Parallel()
	s := start(t)
	plain := s.Ada.article(`{"title": "Public", "authors": [{"name": "Grace Hopper"}], "categories": [37], "custom_fields": {"F": "v"}, "references": ["https://example.org/r"], "funding": "A grant"}`)
	other := s.Ada.upload(plain, "a.txt", []byte("a"))
	s.Ada.do("POST", plain+"/publish", nil).is(201)
	link, id := s.Ada.link(plain, ""), lastNumber(t, plain)
	for path, public := range map[string]string{plain: fmt.Sprint("/v2/articles/", id), plain + "/files": fmt.Sprintf("/v2/articles/%d/files", id), other: fmt.Sprintf("/v2/articles/%d/files/%d", id, lastNumber(t, other))} {
		var got, want any
		s.Anon.linked(link, "GET", path, "").is(200).into(&got)
		s.Anon.get(public).is(200).into(&want)
		if !slices.Equal(keysOf(got), keysOf(want)) {
			t.Errorf("%s has %v\nthe public one %v", path, keysOf(got), keysOf(want))
		}
	}
}

// A private link of a collection, read-only as it is by default, reads the collection, its
// authors and categories, and of its members those that are public, also when it is the link of
// another account; with the keys of the public detail.
func TestLinkReadsCollection(t *testing.T) {
	t.Parallel()
	s := start(t)
	public, gone := s.Ben.published("A public member"), s.Ben.published("zqwithdrawn")
	secret := lastNumber(t, s.Ada.article(`{"title": "zqdraft"}`))
	at := strings.TrimPrefix(s.Ada.send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "By link", "categories": [37], "authors": [{"name": "Grace Hopper"}],
		"articles": [%d, %d, %d], "custom_fields": {"F": "v"}, "references": ["https://example.org/r"], "funding_list": [{"title": "A grant"}]}`, secret, public, gone)).is(201).Header.Get("Location"), s.URL)
	s.Ben.send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", gone), whyWithdrawn).is(204)
	reading, editing := s.Ada.link(at, ""), s.Ada.link(at, `{"read_only": false}`)
	check := func() (detail map[string]any) {
		t.Helper()
		for _, tok := range []string{reading, editing} {
			for name, who := range map[string]client{"nobody": s.Anon, "another account": s.Root, "the owner of a member": s.Ben} {
				for _, path := range []string{at, at + "/authors", at + "/categories", at + "/articles"} {
					r := who.linked(tok, "GET", path, "").is(200)
					if strings.Contains(string(r.body), "zq") || strings.Contains(string(r.body), "account_id") || strings.Contains(string(r.body), tok) {
						t.Errorf("%s shows %s: %s", path, name, r.body)
					}
					if h := who.linked(tok, "HEAD", path, "").is(200); h.Header.Get("ETag") != r.Header.Get("ETag") {
						t.Errorf("HEAD of %s has another tag", path)
					}
				}
				detail = who.linked(tok, "GET", at, "").object()
				list := who.linked(tok, "GET", at+"/articles", "").list()
				if detail["articles_count"] != 1.0 || len(list) != 1 || list[0]["title"] != "A public member" {
					t.Errorf("%s counts %v and lists %v", name, detail["articles_count"], list)
				}
			}
		}
		return detail
	}
	check()
	s.Ada.do("POST", at+"/publish", nil).is(201)
	got := check()
	want := s.Anon.get(fmt.Sprint("/v2/collections/", lastNumber(t, at))).is(200).object()
	if !slices.Equal(keysOf(got), keysOf(want)) {
		t.Errorf("the link shows %v\nthe public detail %v", keysOf(got), keysOf(want))
	}
	if own := s.Ada.get(at).is(200).object(); own["articles_count"] != 2.0 || own["account_id"] != float64(s.Ada.id()) {
		t.Errorf("its owner sees %v", own)
	}
	before := s.DB().Sequence()
	for method, path := range map[string]string{"PATCH": at, "PUT": at + "/authors", "POST": at + "/articles", "DELETE": at + "/categories/37"} {
		s.Anon.linked(reading, method, path, `{}`).refuses(401, "")
		got, unknown := s.Ben.linked(reading, method, path, `{"title": 7}`), s.Ben.linked(reading, method, strings.Replace(path, at, "/v2/account/collections/987654", 1), `{"title": 7}`)
		if got.StatusCode != 404 || got.whole() != unknown.whole() {
			t.Errorf("%s %s by another account: %s", method, path, got.whole())
		}
	}
	if s.DB().Sequence() != before {
		t.Error("a link to read has changed something")
	}
}

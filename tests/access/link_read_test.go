package access

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
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

// A private link of an article reads its metadata, authors, categories and files at the private
// addresses, with the keys of the public detail and no more, whatever state it is in. It writes
// nothing and opens nothing else.
func TestLinkReadsArticle(t *testing.T) {
	t.Parallel()
	s, _, _ := stage.NewReviewed(t)
	s.Enter()
	project := s.Ben.Project("zqproject")
	_, at := s.Ben.InProject(project, `{"title": "Read by link", "description": "All of it", "authors": [{"name": "Grace Hopper"}], "categories": [37], "tags": ["a"],
		"references": ["https://example.org/r"], "custom_fields": {"F": "v"}, "funding": "A grant"}`)
	file := s.Ben.Upload(at, "whole.png", disk.OnePixel)
	s.Ben.Previews(file, "preview_available")
	s.Ben.BeginAs(at, `{"link": "https://example.org/elsewhere"}`)
	open, upload := s.Ben.Begin(at, "zqopen.bin", []byte("later"))
	token := s.Ben.Link(at, "")
	paths := []string{at, at + "/authors", at + "/categories", at + "/files", file}
	read := func(when string) map[string]any {
		t.Helper()
		for _, path := range paths {
			for _, who := range []world.Client{s.Anon, s.Ada} {
				r := who.Linked(token, "GET", path, "").Is(200)
				for _, hidden := range []string{"zq", "@example.org", "account_id", "upload_", "curation", token, upload, "private_link", "failure"} {
					if strings.Contains(string(r.Bytes), hidden) {
						t.Errorf("%s: %s tells %q: %s", when, path, hidden, r.Bytes)
					}
				}
				if !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
					t.Errorf("%s: %s is Cache-Control %q", when, path, r.Header.Get("Cache-Control"))
				}
				head := who.Linked(token, "HEAD", path, "").Is(200)
				if head.Header.Get("ETag") != r.Header.Get("ETag") {
					t.Errorf("%s: HEAD of %s has another tag", when, path)
				}
				who.Linked(token, "GET", path, "", "If-None-Match", r.Header.Get("ETag")).Is(304)
			}
		}
		return s.Anon.Linked(token, "GET", at, "").Object()
	}
	draft := read("a draft")
	if draft["title"] != "Read by link" || draft["status"] != "draft" || draft["is_public"] != false || len(draft["files"].([]any)) != 2 {
		t.Errorf("the draft is %v", draft)
	}
	s.Anon.Linked(token, "GET", open, "").Refuses(404, "File not found")
	s.Ben.Linked(token, "GET", open, "").Is(200) // its owner reads as ever
	if l := s.Anon.Linked(token, "GET", at+"/files?page_size=1&page=2", "").List(); len(l) != 1 || l[0]["is_link_only"] != true {
		t.Errorf("the second page of files is %v", l)
	}
	first := s.Anon.Linked(token, "GET", at+"/files?limit=1", "")
	rest := s.Anon.Linked(token, "GET", at+"/files?limit=5", "", "X-Cursor", first.Header.Get("X-Cursor")).Is(200).List()
	if len(rest) != 1 || rest[0]["is_link_only"] != true {
		t.Errorf("behind the cursor are %v", rest)
	}
	s.Ben.Do("DELETE", open, nil).Is(204)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	read("handed in for review")
	s.Ben.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-01", "embargo_options": [{"id": 1}]}`).Is(205)
	embargoed := read("files under embargo")
	if len(embargoed["files"].([]any)) != 2 || embargoed["is_embargoed"] != true {
		t.Errorf("under embargo it is %v", embargoed)
	}

	// Nothing else, and not without the link.
	none := s.Anon.Get(at).Refuses(401, "")
	expired, disabled, collection := s.Ben.Link(at, ""), s.Ben.Link(at, ""), s.Ben.Link(s.Ben.NewCollection("Another"), "")
	s.ExpireLink(expired)
	s.Ben.Do("DELETE", at+"/private_links/"+disabled, nil).Is(204)
	for _, path := range paths {
		for what, tok := range map[string]string{"none": "", "unknown": strings.Repeat("0", 32), "expired": expired, "disabled": disabled, "of a collection": collection} {
			if r := s.Anon.Linked(tok, "GET", path, "").Refuses(401, ""); string(r.Bytes) != string(none.Bytes) {
				t.Errorf("%s with a link that is %s: %s", path, what, r.Bytes)
			}
			got, unknown := s.Ada.Linked(tok, "GET", path, ""), s.Ada.Linked(tok, "GET", strings.Replace(path, at, "/v2/account/articles/987654", 1), "")
			if got.StatusCode != 404 || got.Whole() != unknown.Whole() {
				t.Errorf("%s by another account with a link that is %s: %s", path, what, got.Whole())
			}
		}
	}
	before := s.Sequence()
	for _, r := range routes.All() {
		if !strings.HasPrefix(r.Path, "/v2/account/articles/:id") || r.Method == "GET" {
			continue
		}
		s.Anon.Linked(token, r.Method, routes.FillPath(r.Path, map[string]string{":id": fmt.Sprint(world.LastNumber(t, at)), ":file_id": fmt.Sprint(world.LastNumber(t, file)), ":link_id": token}), "{}").Refuses(401, "")
	}
	if s.Sequence() != before {
		t.Error("a link to read has changed something")
	}
}

// The keys of what a private link shows of an article are those of its public detail.
func TestLinkReadsPublicKeys(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	plain := s.Ada.Article(`{"title": "Public", "authors": [{"name": "Grace Hopper"}], "categories": [37], "custom_fields": {"F": "v"}, "references": ["https://example.org/r"], "funding": "A grant"}`)
	other := s.Ada.Upload(plain, "a.txt", []byte("a"))
	s.Ada.Do("POST", plain+"/publish", nil).Is(201)
	link, id := s.Ada.Link(plain, ""), world.LastNumber(t, plain)
	for path, public := range map[string]string{plain: fmt.Sprint("/v2/articles/", id), plain + "/files": fmt.Sprintf("/v2/articles/%d/files", id), other: fmt.Sprintf("/v2/articles/%d/files/%d", id, world.LastNumber(t, other))} {
		var got, want any
		s.Anon.Linked(link, "GET", path, "").Is(200).Into(&got)
		s.Anon.Get(public).Is(200).Into(&want)
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
	s := world.Start(t)
	public, gone := s.Ben.Published("A public member"), s.Ben.Published("zqwithdrawn")
	secret := world.LastNumber(t, s.Ada.Article(`{"title": "zqdraft"}`))
	at := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "By link", "categories": [37], "authors": [{"name": "Grace Hopper"}],
		"articles": [%d, %d, %d], "custom_fields": {"F": "v"}, "references": ["https://example.org/r"], "funding_list": [{"title": "A grant"}]}`, secret, public, gone)).Is(201).Header.Get("Location"), s.URL)
	s.Ben.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", gone), world.WhyWithdrawn).Is(204)
	reading, editing := s.Ada.Link(at, ""), s.Ada.Link(at, `{"read_only": false}`)
	check := func() (detail map[string]any) {
		t.Helper()
		for _, tok := range []string{reading, editing} {
			for name, who := range map[string]world.Client{"nobody": s.Anon, "another account": s.Root, "the owner of a member": s.Ben} {
				for _, path := range []string{at, at + "/authors", at + "/categories", at + "/articles"} {
					r := who.Linked(tok, "GET", path, "").Is(200)
					if strings.Contains(string(r.Bytes), "zq") || strings.Contains(string(r.Bytes), "account_id") || strings.Contains(string(r.Bytes), tok) {
						t.Errorf("%s shows %s: %s", path, name, r.Bytes)
					}
					if h := who.Linked(tok, "HEAD", path, "").Is(200); h.Header.Get("ETag") != r.Header.Get("ETag") {
						t.Errorf("HEAD of %s has another tag", path)
					}
				}
				detail = who.Linked(tok, "GET", at, "").Object()
				list := who.Linked(tok, "GET", at+"/articles", "").List()
				if detail["articles_count"] != 1.0 || len(list) != 1 || list[0]["title"] != "A public member" {
					t.Errorf("%s counts %v and lists %v", name, detail["articles_count"], list)
				}
			}
		}
		return detail
	}
	check()
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	got := check()
	want := s.Anon.Get(fmt.Sprint("/v2/collections/", world.LastNumber(t, at))).Is(200).Object()
	if !slices.Equal(keysOf(got), keysOf(want)) {
		t.Errorf("the link shows %v\nthe public detail %v", keysOf(got), keysOf(want))
	}
	if own := s.Ada.Get(at).Is(200).Object(); own["articles_count"] != 2.0 || own["account_id"] != float64(s.Ada.ID()) {
		t.Errorf("its owner sees %v", own)
	}
	before := s.Sequence()
	for method, path := range map[string]string{"PATCH": at, "PUT": at + "/authors", "POST": at + "/articles", "DELETE": at + "/categories/37"} {
		s.Anon.Linked(reading, method, path, `{}`).Refuses(401, "")
		got, unknown := s.Ben.Linked(reading, method, path, `{"title": 7}`), s.Ben.Linked(reading, method, strings.Replace(path, at, "/v2/account/collections/987654", 1), `{"title": 7}`)
		if got.StatusCode != 404 || got.Whole() != unknown.Whole() {
			t.Errorf("%s %s by another account: %s", method, path, got.Whole())
		}
	}
	if s.Sequence() != before {
		t.Error("a link to read has changed something")
	}
}

package main

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
)

// versions/{version_id}/: the metadata of a public version is changed by PUT and PATCH, with and
// without the slash; its files, the other versions and the working copy stay as they were.
func TestVersionUpdate(t *testing.T) {
	s := start(t)
	at := s.Ada.article(`{"title": "First title", "description": "First", "tags": ["one"], "categories": [37], "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.upload(at, "a.txt", []byte("hello"))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Ada.send("PATCH", at, `{"title": "Second title"}`).is(205)
	s.Ada.upload(at, "b.txt", []byte("more"))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Ada.send("PATCH", at, `{"title": "A draft title"}`).is(205)
	id := lastNumber(t, at)
	public := fmt.Sprintf("/v2/articles/%d", id)
	v1, v2, own := s.Anon.get(public+"/versions/1").is(200), s.Anon.get(public).is(200), s.Ada.get(at).is(200)
	list := s.Anon.get("/v2/articles").is(200)
	if got := s.Ada.get(at + "/versions/1").is(200); string(got.body) != string(v1.body) {
		t.Errorf("the owner's version 1 is %s", got.body)
	}

	// An old version: only its own document changes.
	for _, c := range []struct{ method, slash, title string }{{"PUT", "/", "Corrected"}, {"PUT", "", "Corrected 2"}, {"PATCH", "/", "Corrected 3"}, {"PATCH", "", "Corrected 4"}} {
		r := s.Ada.send(c.method, at+"/versions/1"+c.slash, fmt.Sprintf(`{"title": %q, "colour": "red"}`, c.title)).is(205)
		here := s.URL + at + "/versions/1"
		if want := `{"location": "` + here + `", "warnings": ["Unknown key \"colour\" was ignored"]}`; string(r.body) != want || r.Header.Get("Location") != here {
			t.Errorf("%s%s answered %s, Location %s", c.method, c.slash, r.body, r.Header.Get("Location"))
		}
		if got := s.Anon.get(public + "/versions/1").object()["title"]; got != c.title {
			t.Errorf("%s%s: version 1 has the title %v", c.method, c.slash, got)
		}
	}
	s.Ada.send("PATCH", at+"/versions/1", `{"defined_type": "poster"}`).is(205)
	if found := s.Anon.get("/v2/articles?item_type=5").is(200).list(); len(found) != 0 {
		t.Errorf("the list goes by the type of an old version: %v", found)
	}
	for path, want := range map[string]*reply{public: v2, public + "/versions/2": v2, "/v2/articles": list} {
		if got := s.Anon.get(path).is(200); string(got.body) != string(want.body) {
			t.Errorf("%s changed with version 1:\n%s\nbefore\n%s", path, got.body, want.body)
		}
	}

	// The latest version: lists, searches and the article follow.
	s.Ada.send("PATCH", at+"/versions/2", `{"title": "Quokka observations", "description": "Second", "tags": ["two"], "categories": [370202],
		"authors": [{"name": "Ada King"}], "license": 2, "defined_type": "software", "funding": "Grant 7", "references": ["https://example.org"],
		"custom_fields": {"n": 1}}`).is(205)
	got := s.Anon.get(public).is(200).object()
	for key, want := range map[string]any{
		"title": "Quokka observations", "description": "Second", "funding": "Grant 7", "defined_type_name": "software", "version": 2.0,
		"doi": v2.object()["doi"], "published_date": v2.object()["published_date"], "size": 9.0, "status": "public",
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	for key, want := range map[string]string{"tags": "[two]", "references": "[https://example.org]", "authors": "full_name:Ada King", "categories": "id:370202", "license": "CC0", "custom_fields": "value:1"} {
		if text := fmt.Sprint(got[key]); !strings.Contains(text, want) {
			t.Errorf("%s is %s, want %s", key, text, want)
		}
	}
	if a, b := fmt.Sprint(got["files"]), fmt.Sprint(v2.object()["files"]); a != b {
		t.Errorf("the files changed from %s to %s", b, a)
	}
	if again := s.Ada.get(at).is(200); string(again.body) != string(own.body) {
		t.Errorf("the working copy changed:\n%s\nbefore\n%s", again.body, own.body)
	}
	if found := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "quokka"}`).is(200).list(); len(found) != 1 || found[0]["title"] != "Quokka observations" {
		t.Errorf("searching finds %v", found)
	}
	if found := s.Anon.get("/v2/articles?item_type=9").is(200).list(); len(found) != 1 {
		t.Errorf("the list by type has %d items", len(found))
	}

	// A public version keeps its authors and its DOI.
	s.Ada.send("PATCH", at+"/versions/2", `{"authors": []}`).refuses(400, "Missing mandatory field for publication - authors")
	s.Ada.send("PATCH", at+"/versions/2", `{"doi": null}`).is(205)
	if doi := s.Anon.get(public).object()["doi"]; doi != v2.object()["doi"] {
		t.Errorf("the DOI is %v", doi)
	}
	// A restart shows the same, and the next publication is of the working copy.
	before := s.Anon.get(public).is(200)
	s.cfg.Listen = strings.TrimPrefix(s.URL, "http://")
	s.restart()
	if after := s.Anon.get(public).is(200); string(after.body) != string(before.body) {
		t.Error("version 2 changed with a restart")
	}
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if title := s.Anon.get(public).object()["title"]; title != "A draft title" {
		t.Errorf("version 3 has the title %v", title)
	}
}

// versions/{version_id}/: the refusals, which change nothing.
func TestVersionUpdateRefused(t *testing.T) {
	s := start(t)
	at := s.Ada.article(`{"title": "A title", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	draft := s.Ada.article(`{"title": "A draft"}`)
	other := s.Ben.article(`{"title": "Ben's", "authors": [{"name": "In Ben's draft"}]}`)
	secret := fmt.Sprint(s.Ben.get(other + "/authors").list()[0]["id"])
	before := s.DB().Sequence()
	for _, c := range []struct {
		who                client
		method, path, body string
		status             int
		message            string
	}{
		{s.Anon, "PUT", at + "/versions/1", `{"title": "New title"}`, 401, ""},
		{s.Ben, "PUT", at + "/versions/1", `{"title": "New title"}`, 404, "Article not found"},
		{s.Root, "PATCH", at + "/versions/1", `{"title": "New title"}`, 404, "Article not found"},
		{s.Ben, "PATCH", at + "/versions/9", `{"title": 7}`, 404, "Article not found"},
		{s.Ben, "GET", at + "/versions/1", "", 404, "Article not found"},
		{s.Ada, "PUT", at + "/versions/2", `{"title": "New title"}`, 404, "Entity not found: ArticleVersion"},
		{s.Ada, "PATCH", at + "/versions/2", `{"title": 7}`, 404, "Entity not found: ArticleVersion"},
		{s.Ada, "GET", at + "/versions/2", "", 404, "Entity not found: ArticleVersion"},
		{s.Ada, "PUT", draft + "/versions/1", `{"title": "New title"}`, 404, "Entity not found: ArticleVersion"},
		{s.Ada, "PUT", at + "/versions/0", `{"title": "New title"}`, 400, ""},
		{s.Ada, "PUT", at + "/versions/v1", `{"title": "New title"}`, 400, ""},
		{s.Ada, "PUT", at + "/versions/1", `{"title": `, 400, ""},
		{s.Ada, "PUT", at + "/versions/1", ``, 400, ""},
		{s.Ada, "PUT", at + "/versions/1", `{"description": "x"}`, 422, "title is required"},
		{s.Ada, "PUT", at + "/versions/1", `{"title": "ab"}`, 422, "title"},
		{s.Ada, "PATCH", at + "/versions/1", `{"title": null}`, 422, "title"},
		{s.Ada, "PATCH", at + "/versions/1", `{"categories": [1]}`, 400, "Category with ID not found"},
		{s.Ada, "PATCH", at + "/versions/1", `{"authors": [{"id": 9999}]}`, 400, "Author with ID not found"},
		{s.Ada, "PATCH", at + "/versions/1", `{"authors": [{"id": ` + secret + `}]}`, 400, "Author with ID not found"},
		{s.Ada, "PATCH", at + "/versions/1", `{"doi": "10.1/x"}`, 403, "doi"},
	} {
		c.who.send(c.method, c.path, c.body).refuses(c.status, c.message)
	}
	if s.DB().Sequence() != before {
		t.Error("a refusal changed the store")
	}
	// The condition of a write is tested on the version that it changes.
	tag := s.Anon.get("/v2/articles/1/versions/1").Header.Get("ETag")
	s.Ada.send("PATCH", at+"/versions/1", `{"title": "New title"}`, "If-Match", tag).is(205)
	s.Ada.send("PATCH", at+"/versions/1", `{"title": "Newer title"}`, "If-Match", tag).refuses(412, "")
	// People named in a version are named in public.
	s.Ada.send("PATCH", at+"/versions/1", `{"authors": [{"name": "Newly Named"}]}`).is(205)
	named := fmt.Sprint(s.Anon.get("/v2/articles/1").object()["authors"].([]any)[0].(map[string]any)["id"])
	s.Ben.send("PUT", other+"/authors", `{"authors": [{"id": `+named+`}]}`).is(205)
	// The change log says who changed it.
	s.alter(func(tx *bucket.Tx) error {
		found := false
		for c, err := range bucket.Changes(tx, before) {
			if err != nil {
				return err
			}
			found = found || c.Table == "article_versions" && c.Op == bucket.Changed && c.Actor == 1
		}
		if !found {
			t.Error("the change log does not name the change of a version")
		}
		return nil
	})
}

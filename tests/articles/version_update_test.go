package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/tests/world"
)

// versions/{version_id}/: the metadata of a public version is changed by PUT and PATCH, with and
// without the slash; its files, the other versions and the working copy stay as they were.
func TestVersionUpdate(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "First title", "description": "First", "tags": ["one"], "categories": [37], "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Upload(at, "a.txt", []byte("hello"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Send("PATCH", at, `{"title": "Second title"}`).Is(205)
	s.Ada.Upload(at, "b.txt", []byte("more"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Send("PATCH", at, `{"title": "A draft title"}`).Is(205)
	id := world.LastNumber(t, at)
	public := fmt.Sprintf("/v2/articles/%d", id)
	v1, v2, own := s.Anon.Get(public+"/versions/1").Is(200), s.Anon.Get(public).Is(200), s.Ada.Get(at).Is(200)
	list := s.Anon.Get("/v2/articles").Is(200)
	if got := s.Ada.Get(at + "/versions/1").Is(200); string(got.Bytes) != string(v1.Bytes) {
		t.Errorf("the owner's version 1 is %s", got.Bytes)
	}

	// An old version: only its own document changes.
	for _, c := range []struct{ method, slash, title string }{{"PUT", "/", "Corrected"}, {"PUT", "", "Corrected 2"}, {"PATCH", "/", "Corrected 3"}, {"PATCH", "", "Corrected 4"}} {
		r := s.Ada.Send(c.method, at+"/versions/1"+c.slash, fmt.Sprintf(`{"title": %q, "colour": "red"}`, c.title)).Is(205)
		here := s.URL + at + "/versions/1"
		if want := `{"location": "` + here + `", "warnings": ["Unknown key \"colour\" was ignored"]}`; string(r.Bytes) != want || r.Header.Get("Location") != here {
			t.Errorf("%s%s answered %s, Location %s", c.method, c.slash, r.Bytes, r.Header.Get("Location"))
		}
		if got := s.Anon.Get(public + "/versions/1").Object()["title"]; got != c.title {
			t.Errorf("%s%s: version 1 has the title %v", c.method, c.slash, got)
		}
	}
	s.Ada.Send("PATCH", at+"/versions/1", `{"defined_type": "poster"}`).Is(205)
	if found := s.Anon.Get("/v2/articles?item_type=5").Is(200).List(); len(found) != 0 {
		t.Errorf("the list goes by the type of an old version: %v", found)
	}
	for path, want := range map[string]*world.Reply{public: v2, public + "/versions/2": v2, "/v2/articles": list} {
		if got := s.Anon.Get(path).Is(200); string(got.Bytes) != string(want.Bytes) {
			t.Errorf("%s changed with version 1:\n%s\nbefore\n%s", path, got.Bytes, want.Bytes)
		}
	}

	// The latest version: lists, searches and the article follow.
	s.Ada.Send("PATCH", at+"/versions/2", `{"title": "Quokka observations", "description": "Second", "tags": ["two"], "categories": [370202],
		"authors": [{"name": "Ada King"}], "license": 2, "defined_type": "software", "funding": "Grant 7", "references": ["https://example.org"],
		"custom_fields": {"n": 1}}`).Is(205)
	got := s.Anon.Get(public).Is(200).Object()
	for key, want := range map[string]any{
		"title": "Quokka observations", "description": "Second", "funding": "Grant 7", "defined_type_name": "software", "version": 2.0,
		"doi": v2.Object()["doi"], "published_date": v2.Object()["published_date"], "size": 9.0, "status": "public",
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
	if a, b := fmt.Sprint(got["files"]), fmt.Sprint(v2.Object()["files"]); a != b {
		t.Errorf("the files changed from %s to %s", b, a)
	}
	if again := s.Ada.Get(at).Is(200); string(again.Bytes) != string(own.Bytes) {
		t.Errorf("the working copy changed:\n%s\nbefore\n%s", again.Bytes, own.Bytes)
	}
	if found := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "quokka"}`).Is(200).List(); len(found) != 1 || found[0]["title"] != "Quokka observations" {
		t.Errorf("searching finds %v", found)
	}
	if found := s.Anon.Get("/v2/articles?item_type=9").Is(200).List(); len(found) != 1 {
		t.Errorf("the list by type has %d items", len(found))
	}

	// A public version keeps its authors and its DOI.
	s.Ada.Send("PATCH", at+"/versions/2", `{"authors": []}`).Refuses(400, "Missing mandatory field for publication - authors")
	s.Ada.Send("PATCH", at+"/versions/2", `{"doi": null}`).Is(205)
	if doi := s.Anon.Get(public).Object()["doi"]; doi != v2.Object()["doi"] {
		t.Errorf("the DOI is %v", doi)
	}
	// A restart shows the same, and the next publication is of the working copy.
	before := s.Anon.Get(public).Is(200)
	s.Cfg.Listen = strings.TrimPrefix(s.URL, "http://")
	s.Restart()
	if after := s.Anon.Get(public).Is(200); string(after.Bytes) != string(before.Bytes) {
		t.Error("version 2 changed with a restart")
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if title := s.Anon.Get(public).Object()["title"]; title != "A draft title" {
		t.Errorf("version 3 has the title %v", title)
	}
}

// versions/{version_id}/: the refusals, which change nothing.
func TestVersionUpdateRefused(t *testing.T) {
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "A title", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	draft := s.Ada.Article(`{"title": "A draft"}`)
	other := s.Ben.Article(`{"title": "Ben's", "authors": [{"name": "In Ben's draft"}]}`)
	secret := fmt.Sprint(s.Ben.Get(other + "/authors").List()[0]["id"])
	before := s.Sequence()
	for _, c := range []struct {
		who                world.Client
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
		c.who.Send(c.method, c.path, c.body).Refuses(c.status, c.message)
	}
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
	// The condition of a write is tested on the version that it changes.
	tag := s.Anon.Get("/v2/articles/1/versions/1").Header.Get("ETag")
	s.Ada.Send("PATCH", at+"/versions/1", `{"title": "New title"}`, "If-Match", tag).Is(205)
	s.Ada.Send("PATCH", at+"/versions/1", `{"title": "Newer title"}`, "If-Match", tag).Refuses(412, "")
	// People named in a version are named in public.
	s.Ada.Send("PATCH", at+"/versions/1", `{"authors": [{"name": "Newly Named"}]}`).Is(205)
	named := fmt.Sprint(s.Anon.Get("/v2/articles/1").Object()["authors"].([]any)[0].(map[string]any)["id"])
	s.Ben.Send("PUT", other+"/authors", `{"authors": [{"id": `+named+`}]}`).Is(205)
	// The change log says who changed it.
	s.Alter(func(tx *bucket.Tx) error {
		found := false
		for c, err := range tx.Changes(before) {
			if err != nil {
				return err
			}
			found = found || c.Table == "article_versions" && c.Op == changelog.Changed && c.Actor == 1
		}
		if !found {
			t.Error("the change log does not name the change of a version")
		}
		return nil
	})
}

package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Notes are written, listed short, read whole, changed and deleted; only members ever see them.
func TestProjectNotes(t *testing.T) {
	s := start(t)
	at := s.Ada.project("With notes")
	s.Ada.invite(at, s.Ben, "collaborator")
	long := "Canary " + strings.Repeat("é", 300)
	r := s.Ada.send("POST", at+"/notes", fmt.Sprintf(`{"text": %q}`, long)).is(201)
	first := strings.TrimPrefix(r.Header.Get("Location"), s.URL)
	if first != at+"/notes/1" || string(r.body) != `{"location": "`+s.URL+first+`", "warnings": []}` {
		t.Errorf("create answered %s, Location %s", r.body, first)
	}
	n := s.Ben.get(first).is(200)
	if got := strings.Join(topKeys(t, n.body), " "); got != "id user_id user_name abstract created_date modified_date text" {
		t.Errorf("a note has the keys %s", got)
	}
	o := n.object()
	if o["text"] != long || o["user_name"] != "Ada Tester" || int64(o["user_id"].(float64)) != s.Ada.userID() || o["abstract"] != long[:len("Canary ")]+strings.Repeat("é", 152)+"…" {
		t.Errorf("note %v", o)
	}
	bens := strings.TrimPrefix(s.Ben.send("POST", at+"/notes", `{"text": "Ben's"}`).is(201).Header.Get("Location"), s.URL)
	third := s.Ada.send("POST", at+"/notes", `{"text": "Third"}`).is(201).Header.Get("Location")
	for query, want := range map[string]string{"": "3 2 1", "page=2&page_size=2": "1", "limit=1&offset=1": "2", "page=9": ""} {
		if got := s.Ada.get(at + "/notes?" + query).shown(); got != want {
			t.Errorf("?%s shows %q, want %q", query, got, want)
		}
	}
	s.Ada.get(at+"/notes?page=1&offset=1").refuses(422, "either page")
	s.Ada.get(at+"/notes?page=5001").refuses(422, "Max page reached")
	if l := s.Ada.get(at + "/notes").list()[1]; l["abstract"] != "Ben's" || l["text"] != nil {
		t.Errorf("in the list %v", l)
	}

	if r := s.Ben.send("PUT", bens, `{"text": "Ben's other"}`).is(205); r.Header.Get("Location") != s.URL+bens {
		t.Errorf("PUT: Location %q", r.Header.Get("Location"))
	}
	if o := s.Ada.get(bens).object(); o["text"] != "Ben's other" || o["user_name"] != "Ben Tester" {
		t.Errorf("after PUT %v", o)
	}
	s.Ben.send("PUT", first, `{"text": "Not his"}`).refuses(403, "role")
	s.Ben.do("DELETE", first, nil).refuses(403, "role")
	s.Ada.send("PUT", bens, `{"text": "The owner may"}`).is(205)
	if o := s.Ben.get(bens).object(); o["text"] != "The owner may" || o["user_name"] != "Ben Tester" {
		t.Errorf("after the owner's PUT %v", o)
	}
	for _, c := range []struct{ method, path string }{{"POST", at + "/notes"}, {"PUT", first}} {
		for body, message := range map[string]string{
			`{}`: "text is required", `{"text": null}`: "text", `{"text": "ab"}`: "at least 3", `{"text": "  a "}`: "at least 3", `{"text": 7}`: "text must be a string",
		} {
			s.Ada.send(c.method, c.path, body).refuses(422, message)
		}
	}
	s.Ada.send("POST", at+"/notes", `{"text": "äöü"}`).is(201)

	// A note of another project is not there (security.md A05).
	other := s.Ada.project("Another")
	elsewhere := other + "/notes/1"
	s.Ada.get(elsewhere).refuses(404, "Note not found")
	s.Ada.send("PUT", elsewhere, `{"text": "Mixed up"}`).refuses(404, "Note not found")
	s.Ada.do("DELETE", elsewhere, nil).refuses(404, "Note not found")

	s.Ada.do("POST", at+"/publish", nil).is(201)
	for _, path := range []string{"/v2/projects/1", "/v2/projects", "/v2/projects/1/articles"} {
		if body := s.Anon.get(path).is(200).body; bytes.Contains(body, []byte("Canary")) {
			t.Errorf("%s shows a note", path)
		}
	}
	if got := s.Anon.send("POST", "/v2/projects/search", `{"search_for": "Canary"}`).shown(); got != "" {
		t.Errorf("a public search finds a note: %s", got)
	}
	s.Anon.get("/v2/projects/1/notes").is(404)

	s.Ben.do("DELETE", bens, nil).is(204)
	s.Ada.get(bens).refuses(404, "Note not found")
	s.Ada.do("DELETE", third, nil).is(204)
	s.Ada.do("DELETE", third, nil).refuses(404, "Note not found")
}

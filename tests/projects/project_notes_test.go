package projects

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// Notes are written, listed short, read whole, changed and deleted; only members ever see them.
func TestProjectNotes(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Project("With notes")
	s.Ada.Invite(at, s.Ben, "collaborator")
	long := "Canary " + strings.Repeat("é", 300)
	r := s.Ada.Send("POST", at+"/notes", fmt.Sprintf(`{"text": %q}`, long)).Is(201)
	first := strings.TrimPrefix(r.Header.Get("Location"), s.URL)
	if first != at+"/notes/1" || string(r.Bytes) != `{"location": "`+s.URL+first+`", "warnings": []}` {
		t.Errorf("create answered %s, Location %s", r.Bytes, first)
	}
	n := s.Ben.Get(first).Is(200)
	if got := strings.Join(topKeys(t, n.Bytes), " "); got != "id user_id user_name abstract created_date modified_date text" {
		t.Errorf("a note has the keys %s", got)
	}
	o := n.Object()
	if o["text"] != long || o["user_name"] != "Ada Tester" || int64(o["user_id"].(float64)) != s.Ada.UserID() || o["abstract"] != long[:len("Canary ")]+strings.Repeat("é", 152)+"…" {
		t.Errorf("note %v", o)
	}
	bens := strings.TrimPrefix(s.Ben.Send("POST", at+"/notes", `{"text": "Ben's"}`).Is(201).Header.Get("Location"), s.URL)
	third := s.Ada.Send("POST", at+"/notes", `{"text": "Third"}`).Is(201).Header.Get("Location")
	for query, want := range map[string]string{"": "3 2 1", "page=2&page_size=2": "1", "limit=1&offset=1": "2", "page=9": ""} {
		if got := s.Ada.Get(at + "/notes?" + query).Shown(); got != want {
			t.Errorf("?%s shows %q, want %q", query, got, want)
		}
	}
	s.Ada.Get(at+"/notes?page=1&offset=1").Refuses(422, "either page")
	s.Ada.Get(at+"/notes?page=5001").Refuses(422, "Max page reached")
	if l := s.Ada.Get(at + "/notes").List()[1]; l["abstract"] != "Ben's" || l["text"] != nil {
		t.Errorf("in the list %v", l)
	}

	if r := s.Ben.Send("PUT", bens, `{"text": "Ben's other"}`).Is(205); r.Header.Get("Location") != s.URL+bens {
		t.Errorf("PUT: Location %q", r.Header.Get("Location"))
	}
	if o := s.Ada.Get(bens).Object(); o["text"] != "Ben's other" || o["user_name"] != "Ben Tester" {
		t.Errorf("after PUT %v", o)
	}
	s.Ben.Send("PUT", first, `{"text": "Not his"}`).Refuses(403, "role")
	s.Ben.Do("DELETE", first, nil).Refuses(403, "role")
	s.Ada.Send("PUT", bens, `{"text": "The owner may"}`).Is(205)
	if o := s.Ben.Get(bens).Object(); o["text"] != "The owner may" || o["user_name"] != "Ben Tester" {
		t.Errorf("after the owner's PUT %v", o)
	}
	for _, c := range []struct{ method, path string }{{"POST", at + "/notes"}, {"PUT", first}} {
		for body, message := range map[string]string{
			`{}`: "text is required", `{"text": null}`: "text", `{"text": "ab"}`: "at least 3", `{"text": "  a "}`: "at least 3", `{"text": 7}`: "text must be a string",
		} {
			s.Ada.Send(c.method, c.path, body).Refuses(422, message)
		}
	}
	s.Ada.Send("POST", at+"/notes", `{"text": "äöü"}`).Is(201)

	// A note of another project is not there (security.md A05).
	other := s.Ada.Project("Another")
	elsewhere := other + "/notes/1"
	s.Ada.Get(elsewhere).Refuses(404, "Note not found")
	s.Ada.Send("PUT", elsewhere, `{"text": "Mixed up"}`).Refuses(404, "Note not found")
	s.Ada.Do("DELETE", elsewhere, nil).Refuses(404, "Note not found")

	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for _, path := range []string{"/v2/projects/1", "/v2/projects", "/v2/projects/1/articles"} {
		if body := s.Anon.Get(path).Is(200).Bytes; bytes.Contains(body, []byte("Canary")) {
			t.Errorf("%s shows a note", path)
		}
	}
	if got := s.Anon.Send("POST", "/v2/projects/search", `{"search_for": "Canary"}`).Shown(); got != "" {
		t.Errorf("a public search finds a note: %s", got)
	}
	s.Anon.Get("/v2/projects/1/notes").Is(404)

	s.Ben.Do("DELETE", bens, nil).Is(204)
	s.Ada.Get(bens).Refuses(404, "Note not found")
	s.Ada.Do("DELETE", third, nil).Is(204)
	s.Ada.Do("DELETE", third, nil).Refuses(404, "Note not found")
}

// A collaborator who comes back as a viewer reads its own notes, and changes them no more.
func TestNotesOfViewer(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Project("Shared work")
	s.Ada.Invite(at, s.Ben, "collaborator")
	note := strings.TrimPrefix(s.Ben.Send("POST", at+"/notes", `{"text": "Ben's note"}`).Is(201).Header.Get("Location"), s.URL)
	s.Ben.Send("PUT", note, `{"text": "Ben's other note"}`).Is(205)
	s.Ada.Do("DELETE", at+"/collaborators/"+fmt.Sprint(s.Ben.UserID()), nil).Is(204)
	s.Ben.Get(note).Is(404)
	s.Ada.Invite(at, s.Ben, "viewer")
	if got := s.Ben.Get(note).Is(200).Object()["text"]; got != "Ben's other note" {
		t.Errorf("the note is %q", got)
	}
	s.Ben.Send("PUT", note, `{"text": "Ben's last note"}`).Refuses(403, "role")
	s.Ben.Do("DELETE", note, nil).Refuses(403, "role")
}

package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"alcove/bucket"
)

// For every private operation of a project, the answers to each kind of caller: to a stranger and
// a removed member nothing that tells of the project, to a viewer no write, a collaborator the
// allowed ones (security.md A09, A10).
func TestProjectRoles(t *testing.T) {
	t.Parallel()
	s := start(t)
	cleo, dora := s.person("Cleo", false), s.person("Dora", false)
	at := s.Ada.project("Shared work")
	s.Ada.invite(at, s.Ben, "collaborator")
	s.Ada.invite(at, cleo, "viewer")
	s.Ada.invite(at, dora, "collaborator")
	s.Ada.send("POST", at+"/collaborators", `{"email": "later@example.org", "role_name": "viewer"}`).is(201)
	adas, own := s.Ada.inProject(at, `{"title": "Ada's article"}`)
	link, _ := s.Ada.beginAs(own, `{"link": "https://example.org/x"}`)
	file := adas + "/files/" + fmt.Sprint(lastNumber(t, link))
	note := strings.TrimPrefix(s.Ada.send("POST", at+"/notes", `{"text": "Ada's note"}`).is(201).Header.Get("Location"), s.URL)
	user := at + "/collaborators/" + fmt.Sprint(cleo.userID())
	operations := []struct {
		method, path, body, wrong string
		collaborator              int // the viewer gets 403 for every write
	}{
		{"GET", at, "", "", 200},
		{"GET", at + "/articles", "", "", 200},
		{"GET", adas, "", "", 200},
		{"GET", adas + "/files", "", "", 200},
		{"GET", file, "", "", 200},
		{"GET", at + "/collaborators", "", "", 200},
		{"GET", at + "/notes", "", "", 200},
		{"GET", note, "", "", 200},
		{"PUT", at, `{"title": "Taken over"}`, `{"title": 7}`, 403},
		{"PATCH", at, `{"title": "Taken over"}`, `{"title": "x"}`, 403},
		{"POST", at + "/publish", "", "", 403},
		{"DELETE", at, "", "", 403},
		{"DELETE", adas, "", "", 403},
		{"POST", at + "/collaborators", `{"email": "x@example.org", "role_name": "viewer"}`, `{"role_name": 7}`, 403},
		{"DELETE", user, "", "", 403},
		{"DELETE", at + "/collaborators/999999", "", "", 403},
		{"PUT", note, `{"text": "Rewritten"}`, `{"text": 7}`, 403},
		{"DELETE", note, "", "", 403},
		{"POST", at + "/articles", `{"title": "Another"}`, `{"title": 7}`, 201},
		{"POST", at + "/notes", `{"text": "Another"}`, `{"text": "x"}`, 201},
	}
	s.Ada.do("DELETE", at+"/collaborators/"+fmt.Sprint(dora.userID()), nil).is(204)
	unknown := func(path string) string { return strings.Replace(path, at, "/v2/account/projects/987654", 1) }
	for _, o := range operations {
		name := o.method + " " + o.path
		s.Anon.send(o.method, o.path, o.body).refuses(401, "")
		for _, body := range []string{o.body, o.wrong} {
			for _, headers := range [][]string{nil, {"If-Match", `"stale"`}, {"If-None-Match", "*"}} {
				for who, c := range map[string]client{"a stranger": s.Root, "a removed collaborator": dora} {
					got, none := c.send(o.method, o.path, body, headers...), c.send(o.method, unknown(o.path), body, headers...)
					if got.StatusCode != 404 || string(got.body) != string(none.body) || errorHeaders(got.Header) != errorHeaders(none.Header) {
						t.Errorf("%s by %s answered %d %s, unknown %d %s", name, who, got.StatusCode, got.body, none.StatusCode, none.body)
					}
				}
				if o.method == "GET" {
					continue
				}
				before := s.DB().Sequence()
				cleo.send(o.method, o.path, body, headers...).refuses(403, "role")
				if o.collaborator == 403 {
					s.Ben.send(o.method, o.path, body, headers...).refuses(403, "role")
				}
				if s.DB().Sequence() != before {
					t.Errorf("%s was refused and changed something", name)
				}
			}
		}
		if o.method == "GET" {
			cleo.get(o.path).is(200)
			s.Ben.get(o.path).is(200)
			continue
		}
		if o.collaborator == 201 {
			s.Ben.send(o.method, o.path, o.body, "If-Match", `"stale"`).refuses(412, "")
			s.Ben.send(o.method, o.path, o.wrong).refuses(422, "")
			s.Ben.send(o.method, o.path, o.body).is(201)
		}
	}
	if own := s.Ada.get(at).object(); own["title"] != "Shared work" {
		t.Errorf("the project is %v", own)
	}
}

// Members and invitations, and the readers of their addresses (security.md C20).
func TestProjectMembers(t *testing.T) {
	s := start(t)
	at := s.Ada.project("Among friends")
	list := at + "/collaborators"
	r := s.Ada.send("POST", list, fmt.Sprintf(`{"user_id": %d, "role_name": "viewer", "comment": "Welcome\r\nBcc: x"}`, s.Ben.userID())).is(201)
	if string(r.body) != `{"message": "User invited to project"}` {
		t.Errorf("invitation answered %s", r.body)
	}
	s.Ben.get(at).is(200)
	s.Ada.send("POST", list, `{"email": " ROOT@example.org ", "role_name": "collaborator"}`).is(201)
	s.Root.get(at).is(200)
	s.Ada.send("POST", list, `{"email": "Zoe@Example.org", "role_name": "collaborator"}`).is(201)
	s.Ada.send("POST", list, `{"email": "zoe@example.org", "role_name": "viewer"}`).is(201) // the same once more
	s.Ada.send("POST", list, `{"email": "yan@example.org", "role_name": "viewer"}`).is(201)
	shown := s.Ben.get(list).is(200).list()
	var got []string
	for _, m := range shown {
		if len(m) != 4 {
			t.Errorf("a member has the keys %v", m)
		}
		got = append(got, fmt.Sprint(m["status"], " ", m["name"], " ", m["role_name"]))
	}
	want := "<nil> Ada Tester Owner, <nil> Ben Tester Viewer, invited ROOT@example.org Collaborator, invited Zoe@Example.org Viewer, invited yan@example.org Viewer"
	if strings.Join(got, ", ") != want {
		t.Errorf("members %v\nwant %s", got, want)
	}
	s.Ada.do("POST", at+"/publish", nil).is(201)
	for _, path := range []string{"/v2/projects/1", "/v2/projects"} {
		if body := s.Anon.get(path).body; bytes.Contains(body, []byte("@")) || bytes.Contains(body, []byte("invited")) {
			t.Errorf("%s shows an address: %s", path, body)
		}
	}
	if body := s.Ben.get(at).body; bytes.Contains(body, []byte("@")) {
		t.Errorf("the detail shows an address: %s", body)
	}

	// An address that gets an account becomes a member; a withdrawn invitation does not.
	invitation := list + "/" + fmt.Sprint(int64(shown[4]["user_id"].(float64)))
	s.Ada.do("DELETE", invitation, nil).is(204)
	s.Ada.do("DELETE", invitation, nil).refuses(404, "Collaborator not found")
	zoe, yan := s.person("Zoe", false), s.person("Yan", false)
	if o := zoe.get(at).is(200).object(); o["role"] != "Viewer" {
		t.Errorf("Zoe is %v", o["role"])
	}
	yan.get(at).refuses(404, "Project not found")
	if body := string(s.Anon.get("/v2/projects/1").body); strings.Contains(body, "Zoe") || strings.Contains(body, "Yan") {
		t.Errorf("public collaborators: %s", body)
	}
	if n := len(s.Ada.get(list).list()); n != 4 {
		t.Errorf("%d members after the claim", n)
	}

	// Another role for a member; the owner stays the owner.
	s.Ada.invite(at, s.Ben, "collaborator")
	_, bens := s.Ben.inProject(at, `{"title": "Ben was here"}`)
	inside, public := s.Ben.inProject(at, `{"title": "Ben published here", "authors": [{"name": "Ben Tester"}]}`)
	s.Ben.do("POST", public+"/publish", nil).is(201)
	for _, body := range []string{fmt.Sprintf(`{"user_id": %d, "role_name": "viewer"}`, s.Ada.userID()), `{"email": "ada@example.org", "role_name": "viewer"}`} {
		s.Ada.send("POST", list, body).refuses(422, "owner")
	}

	// Leaving and being removed take effect at once. Drafts go with their owner, so that the
	// project's other members no longer read or delete them; public ones stay.
	s.Ada.do("POST", at+"/leave", nil).refuses(403, "owner")
	s.Ada.do("DELETE", list+"/"+fmt.Sprint(s.Ada.userID()), nil).refuses(403, "owner")
	s.Ben.do("POST", at+"/leave", nil).is(204)
	s.Ben.do("POST", at+"/leave", nil).refuses(404, "Project not found")
	s.Ben.get(at).refuses(404, "Project not found")
	s.Ben.get(bens).is(200)
	if o := s.Ben.get(bens).object(); o["project_id"] != nil {
		t.Errorf("the draft of who left is in project %v", o["project_id"])
	}
	draft := at + "/articles/" + fmt.Sprint(lastNumber(t, bens))
	s.Ada.get(draft).refuses(404, "Article not found")
	s.Ada.do("DELETE", draft, nil).refuses(404, "Article not found")
	s.Ben.get(bens).is(200)
	s.Ada.get(inside).is(200)
	s.Anon.get("/v2/articles/" + fmt.Sprint(lastNumber(t, public))).is(200)
	zoe.do("POST", at+"/leave", nil).is(204)
	s.Ada.do("DELETE", list+"/"+fmt.Sprint(s.Root.userID()), nil).refuses(404, "Collaborator not found")
	s.Ada.do("DELETE", list+"/"+fmt.Sprint(int64(shown[2]["user_id"].(float64))), nil).is(204)
	s.Root.get(at).refuses(404, "Project not found")
	if body := string(s.Anon.get("/v2/projects/1").body); strings.Contains(body, "Ben") || strings.Contains(body, "Root") {
		t.Errorf("who left is still shown: %s", body)
	}
}

// The keys of an invitation (security.md D11, G09).
func TestProjectInviteRules(t *testing.T) {
	s := start(t)
	at := s.Ada.project("Strict") + "/collaborators"
	author := s.Ada.article(`{"title": "Only an author", "authors": [{"name": "No Account"}]}`)
	bare := int64(s.Ada.get(author + "/authors").list()[0]["id"].(float64))
	before := s.DB().Sequence()
	for body, message := range map[string]string{
		`{}`: "role_name is required", `{"role_name": null, "user_id": 2}`: "role_name", `{"role_name": "viewer"}`: "user_id or email is required",
		`{"role_name": "viewer", "user_id": 0, "email": " "}`: "user_id or email", `{"role_name": "viewer", "user_id": 987654}`: "user_id is not",
		fmt.Sprintf(`{"role_name": "viewer", "user_id": %d}`, bare): "user_id is not", `{"role_name": "viewer", "user_id": -1}`: "user_id is not",
		`{"role_name": "viewer", "user_id": "2"}`: "user_id must be an integer", `{"role_name": "owner", "user_id": 2}`: "role_name", `{"role_name": "Viewer", "user_id": 2}`: "role_name",
		`{"role_name": " viewer", "user_id": 2}`: "role_name", `{"role_name": "viеwer", "user_id": 2}`: "role_name", `{"role_name": "", "user_id": 2}`: "role_name",
		`{"role_name": "viewer", "email": "nobody"}`: "email", `{"role_name": "viewer", "email": "a@b\r\nBcc: c@d"}`: "email", `{"role_name": "viewer", "email": "A <a@example.org>"}`: "email",
		`{"role_name": "viewer", "email": "a@example.org, b@example.org"}`: "email", `{"role_name": "viewer", "email": "` + strings.Repeat("a", 250) + `@example.org"}`: "email",
		`{"role_name": "viewer", "email": "a@example.org", "comment": "` + strings.Repeat("c", 2001) + `"}`: "comment",
	} {
		s.Ada.send("POST", at, body).refuses(422, message)
	}
	if s.DB().Sequence() != before {
		t.Error("a refused invitation changed something")
	}
}

// A project takes a bounded number of invitations; several at once do not make two of one address
// (security.md G09).
func TestProjectInviteMany(t *testing.T) {
	s := start(t)
	at := s.Ada.project("Crowded")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			s.Ada.send("POST", at+"/collaborators", `{"email": "same@example.org", "role_name": "viewer"}`).is(201)
		})
	}
	all.Wait()
	if n := len(s.Ada.get(at + "/collaborators").list()); n != 2 {
		t.Errorf("%d members and invitations, want 2", n)
	}
	s.alter(func(tx *bucket.Tx) error {
		for row, err := range bucket.ProjectMembers.All(tx, bucket.Prefix(1)) {
			if err != nil {
				return err
			}
			if !row.Record.Invited() {
				continue
			}
			for n := range 998 {
				m := *row.Record
				m.UserID, m.Email = int64(10_000+n), fmt.Sprintf("n%d@example.org", n)
				if err := bucket.ProjectMembers.Put(tx, bucket.Pair{A: 1, B: m.UserID}, &m); err != nil {
					return err
				}
			}
			break
		}
		return nil
	})
	s.Ada.send("POST", at+"/collaborators", `{"email": "one@example.org", "role_name": "viewer"}`).refuses(422, "as many members")
	s.Ada.send("POST", at+"/collaborators", `{"email": "same@example.org", "role_name": "collaborator"}`).is(201)
}

package projects

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/tests/world"
)

// For every private operation of a project, the answers to each kind of caller: to a stranger and
// a removed member nothing that tells of the project, to a viewer no write, a collaborator the
// allowed ones (security.md A09, A10).
func TestProjectRoles(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	cleo, dora := s.Person("Cleo", false), s.Person("Dora", false)
	at := s.Ada.Project("Shared work")
	s.Ada.Invite(at, s.Ben, "collaborator")
	s.Ada.Invite(at, cleo, "viewer")
	s.Ada.Invite(at, dora, "collaborator")
	s.Ada.Send("POST", at+"/collaborators", `{"email": "later@example.org", "role_name": "viewer"}`).Is(201)
	adas, own := s.Ada.InProject(at, `{"title": "Ada's article"}`)
	link, _ := s.Ada.BeginAs(own, `{"link": "https://example.org/x"}`)
	file := adas + "/files/" + fmt.Sprint(world.LastNumber(t, link))
	note := strings.TrimPrefix(s.Ada.Send("POST", at+"/notes", `{"text": "Ada's note"}`).Is(201).Header.Get("Location"), s.URL)
	user := at + "/collaborators/" + fmt.Sprint(cleo.UserID())
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
	s.Ada.Do("DELETE", at+"/collaborators/"+fmt.Sprint(dora.UserID()), nil).Is(204)
	unknown := func(path string) string { return strings.Replace(path, at, "/v2/account/projects/987654", 1) }
	for _, o := range operations {
		name := o.method + " " + o.path
		s.Anon.Send(o.method, o.path, o.body).Refuses(401, "")
		for _, body := range []string{o.body, o.wrong} {
			for _, headers := range [][]string{nil, {"If-Match", `"stale"`}, {"If-None-Match", "*"}} {
				for who, c := range map[string]world.Client{"a stranger": s.Root, "a removed collaborator": dora} {
					got, none := c.Send(o.method, o.path, body, headers...), c.Send(o.method, unknown(o.path), body, headers...)
					if got.StatusCode != 404 || string(got.Bytes) != string(none.Bytes) || world.ErrorHeaders(got.Header) != world.ErrorHeaders(none.Header) {
						t.Errorf("%s by %s answered %d %s, unknown %d %s", name, who, got.StatusCode, got.Bytes, none.StatusCode, none.Bytes)
					}
				}
				if o.method == "GET" {
					continue
				}
				before := s.Sequence()
				cleo.Send(o.method, o.path, body, headers...).Refuses(403, "role")
				if o.collaborator == 403 {
					s.Ben.Send(o.method, o.path, body, headers...).Refuses(403, "role")
				}
				if s.Sequence() != before {
					t.Errorf("%s was refused and changed something", name)
				}
			}
		}
		if o.method == "GET" {
			cleo.Get(o.path).Is(200)
			s.Ben.Get(o.path).Is(200)
			continue
		}
		if o.collaborator == 201 {
			s.Ben.Send(o.method, o.path, o.body, "If-Match", `"stale"`).Refuses(412, "")
			s.Ben.Send(o.method, o.path, o.wrong).Refuses(422, "")
			s.Ben.Send(o.method, o.path, o.body).Is(201)
		}
	}
	if own := s.Ada.Get(at).Object(); own["title"] != "Shared work" {
		t.Errorf("the project is %v", own)
	}
}

// Members and invitations, and the readers of their addresses (security.md C20).
func TestProjectMembers(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Project("Among friends")
	list := at + "/collaborators"
	r := s.Ada.Send("POST", list, fmt.Sprintf(`{"user_id": %d, "role_name": "viewer", "comment": "Welcome\r\nBcc: x"}`, s.Ben.UserID())).Is(201)
	if string(r.Bytes) != `{"message": "User invited to project"}` {
		t.Errorf("invitation answered %s", r.Bytes)
	}
	s.Ben.Get(at).Is(200)
	s.Ada.Send("POST", list, `{"email": " ROOT@example.org ", "role_name": "collaborator"}`).Is(201)
	s.Root.Get(at).Is(200)
	s.Ada.Send("POST", list, `{"email": "Zoe@Example.org", "role_name": "collaborator"}`).Is(201)
	s.Ada.Send("POST", list, `{"email": "zoe@example.org", "role_name": "viewer"}`).Is(201) // the same once more
	s.Ada.Send("POST", list, `{"email": "yan@example.org", "role_name": "viewer"}`).Is(201)
	shown := s.Ben.Get(list).Is(200).List()
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
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for _, path := range []string{"/v2/projects/1", "/v2/projects"} {
		if body := s.Anon.Get(path).Bytes; bytes.Contains(body, []byte("@")) || bytes.Contains(body, []byte("invited")) {
			t.Errorf("%s shows an address: %s", path, body)
		}
	}
	if body := s.Ben.Get(at).Bytes; bytes.Contains(body, []byte("@")) {
		t.Errorf("the detail shows an address: %s", body)
	}

	// An address that gets an account becomes a member; a withdrawn invitation does not.
	invitation := list + "/" + fmt.Sprint(int64(shown[4]["user_id"].(float64)))
	s.Ada.Do("DELETE", invitation, nil).Is(204)
	s.Ada.Do("DELETE", invitation, nil).Refuses(404, "Collaborator not found")
	zoe, yan := s.Person("Zoe", false), s.Person("Yan", false)
	if o := zoe.Get(at).Is(200).Object(); o["role"] != "Viewer" {
		t.Errorf("Zoe is %v", o["role"])
	}
	yan.Get(at).Refuses(404, "Project not found")
	if body := string(s.Anon.Get("/v2/projects/1").Bytes); strings.Contains(body, "Zoe") || strings.Contains(body, "Yan") {
		t.Errorf("public collaborators: %s", body)
	}
	if n := len(s.Ada.Get(list).List()); n != 4 {
		t.Errorf("%d members after the claim", n)
	}

	// Another role for a member; the owner stays the owner.
	s.Ada.Invite(at, s.Ben, "collaborator")
	_, bens := s.Ben.InProject(at, `{"title": "Ben was here"}`)
	inside, public := s.Ben.InProject(at, `{"title": "Ben published here", "authors": [{"name": "Ben Tester"}]}`)
	s.Ben.Do("POST", public+"/publish", nil).Is(201)
	for _, body := range []string{fmt.Sprintf(`{"user_id": %d, "role_name": "viewer"}`, s.Ada.UserID()), `{"email": "ada@example.org", "role_name": "viewer"}`} {
		s.Ada.Send("POST", list, body).Refuses(422, "owner")
	}

	// Leaving and being removed take effect at once. Drafts go with their owner, so that the
	// project's other members no longer read or delete them; public ones stay.
	s.Ada.Do("POST", at+"/leave", nil).Refuses(403, "owner")
	s.Ada.Do("DELETE", list+"/"+fmt.Sprint(s.Ada.UserID()), nil).Refuses(403, "owner")
	s.Ben.Do("POST", at+"/leave", nil).Is(204)
	s.Ben.Do("POST", at+"/leave", nil).Refuses(404, "Project not found")
	s.Ben.Get(at).Refuses(404, "Project not found")
	s.Ben.Get(bens).Is(200)
	if o := s.Ben.Get(bens).Object(); o["project_id"] != nil {
		t.Errorf("the draft of who left is in project %v", o["project_id"])
	}
	draft := at + "/articles/" + fmt.Sprint(world.LastNumber(t, bens))
	s.Ada.Get(draft).Refuses(404, "Article not found")
	s.Ada.Do("DELETE", draft, nil).Refuses(404, "Article not found")
	s.Ben.Get(bens).Is(200)
	s.Ada.Get(inside).Is(200)
	s.Anon.Get("/v2/articles/" + fmt.Sprint(world.LastNumber(t, public))).Is(200)
	zoe.Do("POST", at+"/leave", nil).Is(204)
	s.Ada.Do("DELETE", list+"/"+fmt.Sprint(s.Root.UserID()), nil).Refuses(404, "Collaborator not found")
	s.Ada.Do("DELETE", list+"/"+fmt.Sprint(int64(shown[2]["user_id"].(float64))), nil).Is(204)
	s.Root.Get(at).Refuses(404, "Project not found")
	if body := string(s.Anon.Get("/v2/projects/1").Bytes); strings.Contains(body, "Ben") || strings.Contains(body, "Root") {
		t.Errorf("who left is still shown: %s", body)
	}
}

// The keys of an invitation (security.md D11, G09).
func TestProjectInviteRules(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Project("Strict") + "/collaborators"
	author := s.Ada.Article(`{"title": "Only an author", "authors": [{"name": "No Account"}]}`)
	bare := int64(s.Ada.Get(author + "/authors").List()[0]["id"].(float64))
	before := s.Sequence()
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
		s.Ada.Send("POST", at, body).Refuses(422, message)
	}
	if s.Sequence() != before {
		t.Error("a refused invitation changed something")
	}
}

// A project takes a bounded number of invitations; several at once do not make two of one address
// (security.md G09).
func TestProjectInviteMany(t *testing.T) {
	s := world.StartWithin(t)
	at := s.Ada.Project("Crowded")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			s.Ada.Send("POST", at+"/collaborators", `{"email": "same@example.org", "role_name": "viewer"}`).Is(201)
		})
	}
	all.Wait()
	if n := len(s.Ada.Get(at + "/collaborators").List()); n != 2 {
		t.Errorf("%d members and invitations, want 2", n)
	}
	s.Alter(func(tx *bucket.Tx) error {
		for row, err := range working.ProjectMembers.All(tx, bucket.Prefix(1)) {
			if err != nil {
				return err
			}
			if !row.Record.Invited() {
				continue
			}
			for n := range 998 {
				m := *row.Record
				m.UserID, m.Email = int64(10_000+n), fmt.Sprintf("n%d@example.org", n)
				if err := working.ProjectMembers.Put(tx, bucket.Pair{A: 1, B: m.UserID}, &m); err != nil {
					return err
				}
			}
			break
		}
		return nil
	})
	s.Ada.Send("POST", at+"/collaborators", `{"email": "one@example.org", "role_name": "viewer"}`).Refuses(422, "as many members")
	s.Ada.Send("POST", at+"/collaborators", `{"email": "same@example.org", "role_name": "collaborator"}`).Is(201)
}

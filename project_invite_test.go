package main

import (
	"fmt"
	"strings"
	"testing"
)

// Inviting an e-mail address tells nothing about whether it has an account, nor its name or id:
// the answer, the list of collaborators, the project and its ETag are those of an unknown
// address, until the account adds something that shows its name. The account gets at the project
// from the invitation on, also one that is made later, and can decline without being noticed.
func TestInvitedAddressTellsNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.project("By address")
	list := at + "/collaborators"
	invite := func(email, role string) *reply {
		return s.Ada.send("POST", list, fmt.Sprintf(`{"email": %q, "role_name": %q}`, email, role))
	}
	entry := func(email string) map[string]any {
		t.Helper()
		for _, m := range s.Ada.get(list).is(200).list() {
			if strings.Contains(fmt.Sprint(m["name"]), email) {
				return m
			}
		}
		t.Fatalf("%s is not in the list", email)
		return nil
	}
	known, none := invite("Ben@Example.org", "collaborator").is(201), invite("nobody@example.org", "collaborator").is(201)
	if known.whole() != none.whole() {
		t.Errorf("an address with an account answered %s, one without %s", known.whole(), none.whole())
	}
	alike := func(when string) {
		t.Helper()
		a, b := entry("Ben@Example.org"), entry("nobody@example.org")
		for _, key := range []string{"status", "role_name"} {
			if a[key] != b[key] {
				t.Errorf("%s: %s is %v with an account and %v without", when, key, a[key], b[key])
			}
		}
		if a["name"] != "Ben@Example.org" || a["status"] != "invited" || a["user_id"] == float64(s.Ben.userID()) {
			t.Errorf("%s: it is shown as %v", when, a)
		}
		for _, path := range []string{list, at, "/v2/account/projects"} {
			if body := string(s.Ada.get(path).body); strings.Contains(body, "Ben Tester") || strings.Contains(body, fmt.Sprintf(`"user_id": %d,`, s.Ben.userID())) {
				t.Errorf("%s: %s tells who it is: %s", when, path, body)
			}
		}
	}
	alike("invited")
	// The invited account reads and finds it at once.
	if own := s.Ben.get("/v2/account/projects?roles=collaborator").is(200).list(); len(own) != 1 || own[0]["role"] != "Collaborator" {
		t.Errorf("its own list is %v", own)
	}
	if found := s.Ben.send("POST", "/v2/account/projects/search", `{"search_for": "address"}`).is(200).list(); len(found) != 1 {
		t.Errorf("it finds %v", found)
	}
	for _, path := range []string{at, at + "/articles", at + "/notes", list} {
		s.Ben.get(path).is(200)
	}
	s.Ben.send("PATCH", at, `{"title": "Taken over"}`).refuses(403, "role")
	alike("read")

	// Declining is not seen, nor is it by another invitation of the account by its id.
	before, tag := s.Ada.get(list).is(200), s.Ada.get(at).Header.Get("ETag")
	s.Ben.do("POST", at+"/leave", nil).is(204)
	if after := s.Ada.get(list).is(200); string(after.body) != string(before.body) || s.Ada.get(at).Header.Get("ETag") != tag {
		t.Errorf("that it declined is seen: %s", after.body)
	}
	s.Ben.get(at).refuses(404, "Project not found")
	s.Ben.do("POST", at+"/leave", nil).refuses(404, "Project not found")
	if own := s.Ben.get("/v2/account/projects").is(200).list(); len(own) != 0 {
		t.Errorf("after it declined its list is %v", own)
	}
	for _, email := range []string{"ben@example.org", "nobody@example.org"} {
		invite(email, "viewer").is(201)
	}
	alike("invited again")
	if role := s.Ben.get(at).is(200).object()["role"]; role != "Viewer" {
		t.Errorf("its role is %v", role)
	}
	s.Ben.send("POST", at+"/notes", `{"text": "May not"}`).refuses(403, "role")
	alike("refused")

	// Its additions show its name.
	for _, email := range []string{"ben@example.org", "nobody@example.org"} {
		invite(email, "collaborator").is(201)
	}
	s.Ben.send("POST", at+"/notes", `{"text": "x"}`).refuses(422, "text")
	alike("a note that was refused")
	s.Ben.send("POST", at+"/notes", `{"text": "Here I am"}`).is(201)
	if m := entry("Ben Tester"); m["status"] != nil || m["user_id"] != float64(s.Ben.userID()) || m["role_name"] != "Collaborator" {
		t.Errorf("a member is %v", m)
	}
	if n := len(s.Ada.get(list).list()); n != 3 {
		t.Errorf("%d members and invitations, want 3", n)
	}
	if own := s.Ben.get("/v2/account/projects").list(); len(own) != 1 {
		t.Errorf("its list is %v", own)
	}

	// An account that is made later is told as little, and an article shows it, too.
	nora := s.person("Nobody", false)
	if m := entry("nobody@example.org"); m["status"] != "invited" {
		t.Errorf("with an account it is %v", m)
	}
	nora.get(at).is(200)
	nora.inProject(at, `{"title": "Mine"}`)
	if m := entry("Nobody Tester"); m["user_id"] != float64(nora.userID()) {
		t.Errorf("it is %v", m)
	}

	// A member by id stays one when its address is invited; the address tells nothing.
	s.Ada.invite(at, s.Root, "collaborator")
	invite("root@example.org", "viewer").is(201)
	if m := entry("root@example.org"); m["status"] != "invited" {
		t.Errorf("the address of a member is %v", m)
	}
	if role := s.Root.get(at).is(200).object()["role"]; role != "Collaborator" {
		t.Errorf("its role is %v", role)
	}
	if own := s.Root.get("/v2/account/projects").list(); len(own) != 1 {
		t.Errorf("its list is %v", own)
	}
}

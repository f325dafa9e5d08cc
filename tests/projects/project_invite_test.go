package projects

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// Inviting an e-mail address tells nothing about whether it has an account, nor its name or id:
// the answer, the list of collaborators, the project and its ETag are those of an unknown
// address, until the account adds something that shows its name. The account gets at the project
// from the invitation on, also one that is made later, and can decline without being noticed.
func TestInvitedAddressTellsNothing(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Project("By address")
	list := at + "/collaborators"
	invite := func(email, role string) *world.Reply {
		return s.Ada.Send("POST", list, fmt.Sprintf(`{"email": %q, "role_name": %q}`, email, role))
	}
	entry := func(email string) map[string]any {
		t.Helper()
		for _, m := range s.Ada.Get(list).Is(200).List() {
			if strings.Contains(fmt.Sprint(m["name"]), email) {
				return m
			}
		}
		t.Fatalf("%s is not in the list", email)
		return nil
	}
	known, none := invite("Ben@Example.org", "collaborator").Is(201), invite("nobody@example.org", "collaborator").Is(201)
	if known.Whole() != none.Whole() {
		t.Errorf("an address with an account answered %s, one without %s", known.Whole(), none.Whole())
	}
	alike := func(when string) {
		t.Helper()
		a, b := entry("Ben@Example.org"), entry("nobody@example.org")
		for _, key := range []string{"status", "role_name"} {
			if a[key] != b[key] {
				t.Errorf("%s: %s is %v with an account and %v without", when, key, a[key], b[key])
			}
		}
		if a["name"] != "Ben@Example.org" || a["status"] != "invited" || a["user_id"] == float64(s.Ben.UserID()) {
			t.Errorf("%s: it is shown as %v", when, a)
		}
		for _, path := range []string{list, at, "/v2/account/projects"} {
			if body := string(s.Ada.Get(path).Bytes); strings.Contains(body, "Ben Tester") || strings.Contains(body, fmt.Sprintf(`"user_id": %d,`, s.Ben.UserID())) {
				t.Errorf("%s: %s tells who it is: %s", when, path, body)
			}
		}
	}
	alike("invited")
	// The invited account reads and finds it at once.
	if own := s.Ben.Get("/v2/account/projects?roles=collaborator").Is(200).List(); len(own) != 1 || own[0]["role"] != "Collaborator" {
		t.Errorf("its own list is %v", own)
	}
	if found := s.Ben.Send("POST", "/v2/account/projects/search", `{"search_for": "address"}`).Is(200).List(); len(found) != 1 {
		t.Errorf("it finds %v", found)
	}
	for _, path := range []string{at, at + "/articles", at + "/notes", list} {
		s.Ben.Get(path).Is(200)
	}
	s.Ben.Send("PATCH", at, `{"title": "Taken over"}`).Refuses(403, "role")
	alike("read")

	// Declining is not seen, nor is it by another invitation of the account by its id.
	before, tag := s.Ada.Get(list).Is(200), s.Ada.Get(at).Header.Get("ETag")
	s.Ben.Do("POST", at+"/leave", nil).Is(204)
	if after := s.Ada.Get(list).Is(200); string(after.Bytes) != string(before.Bytes) || s.Ada.Get(at).Header.Get("ETag") != tag {
		t.Errorf("that it declined is seen: %s", after.Bytes)
	}
	s.Ben.Get(at).Refuses(404, "Project not found")
	s.Ben.Do("POST", at+"/leave", nil).Refuses(404, "Project not found")
	if own := s.Ben.Get("/v2/account/projects").Is(200).List(); len(own) != 0 {
		t.Errorf("after it declined its list is %v", own)
	}
	for _, email := range []string{"ben@example.org", "nobody@example.org"} {
		invite(email, "viewer").Is(201)
	}
	alike("invited again")
	if role := s.Ben.Get(at).Is(200).Object()["role"]; role != "Viewer" {
		t.Errorf("its role is %v", role)
	}
	s.Ben.Send("POST", at+"/notes", `{"text": "May not"}`).Refuses(403, "role")
	alike("refused")

	// Its additions show its name.
	for _, email := range []string{"ben@example.org", "nobody@example.org"} {
		invite(email, "collaborator").Is(201)
	}
	s.Ben.Send("POST", at+"/notes", `{"text": "x"}`).Refuses(422, "text")
	alike("a note that was refused")
	s.Ben.Send("POST", at+"/notes", `{"text": "Here I am"}`).Is(201)
	if m := entry("Ben Tester"); m["status"] != nil || m["user_id"] != float64(s.Ben.UserID()) || m["role_name"] != "Collaborator" {
		t.Errorf("a member is %v", m)
	}
	if n := len(s.Ada.Get(list).List()); n != 3 {
		t.Errorf("%d members and invitations, want 3", n)
	}
	if own := s.Ben.Get("/v2/account/projects").List(); len(own) != 1 {
		t.Errorf("its list is %v", own)
	}

	// An account that is made later is told as little, and an article shows it, too.
	nora := s.Person("Nobody", false)
	if m := entry("nobody@example.org"); m["status"] != "invited" {
		t.Errorf("with an account it is %v", m)
	}
	nora.Get(at).Is(200)
	nora.InProject(at, `{"title": "Mine"}`)
	if m := entry("Nobody Tester"); m["user_id"] != float64(nora.UserID()) {
		t.Errorf("it is %v", m)
	}

	// A member by id stays one when its address is invited; the address tells nothing.
	s.Ada.Invite(at, s.Root, "collaborator")
	invite("root@example.org", "viewer").Is(201)
	if m := entry("root@example.org"); m["status"] != "invited" {
		t.Errorf("the address of a member is %v", m)
	}
	if role := s.Root.Get(at).Is(200).Object()["role"]; role != "Collaborator" {
		t.Errorf("its role is %v", role)
	}
	if own := s.Root.Get("/v2/account/projects").List(); len(own) != 1 {
		t.Errorf("its list is %v", own)
	}
}

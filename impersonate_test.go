package main

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/record"
)

// An administrator acts as another account of its institution: by query for GET and DELETE, by
// body for POST, PUT and PATCH.
func TestImpersonate(t *testing.T) {
	s := start(t)
	ben := s.Ben.id()
	as := fmt.Sprintf("?impersonate=%d", ben)
	in := func(rest string) string { return fmt.Sprintf(`{"impersonate": %d%s}`, ben, rest) }

	r := s.Root.send("POST", "/v2/account/articles", in(`, "title": "Loaded for Ben", "nonsense": 1`)).is(201)
	warnings := r.object()["warnings"].([]any)
	if len(warnings) != 1 || !strings.Contains(warnings[0].(string), "nonsense") {
		t.Errorf("warnings %v", warnings)
	}
	at := strings.TrimPrefix(r.Header.Get("Location"), s.URL)
	s.Root.get(at).refuses(404, "Article not found")
	if got := s.Ben.get(at).is(200).object()["account_id"]; got != float64(ben) {
		t.Errorf("the article is %v's", got)
	}
	if got := s.Root.get(at + as).is(200).object()["title"]; got != "Loaded for Ben" {
		t.Errorf("title %v", got)
	}
	s.Root.do("HEAD", at+as, nil).is(200)
	s.Root.send("PATCH", at, in(`, "title": "Changed for Ben"`)).is(205)
	s.Root.send("PATCH", at, `{"title": "Changed as Root"}`).refuses(404, "")
	s.Root.send("PUT", at, in(`, "title": "Replaced", "resource_title": "no more rights than Ben"`)).refuses(403, "")
	s.Root.send("POST", at+"/authors", in(`, "authors": [{"name": "Grace Hopper"}]`)).is(205)
	s.Root.send("POST", at+"/publish", `{}`).refuses(404, "")
	s.Root.send("POST", at+"/publish", in("")).is(201) // an endpoint that takes no body
	s.Root.send("POST", at+"/publish"+as, "").is(201)  // the query serves every method
	draft := strings.TrimPrefix(s.Root.send("POST", "/v2/account/articles"+as, in(`, "title": "Both, and the same"`)).is(201).Header.Get("Location"), s.URL)
	s.Root.do("DELETE", draft, nil).refuses(404, "")
	s.Root.do("DELETE", draft+as, nil).is(204)
	if got := s.Root.get("/v2/account" + as).object()["id"]; got != float64(ben) {
		t.Errorf("the account is %v", got)
	}
	s.Root.get("/v2/account/institution/articles"+as).refuses(403, "") // Ben is no administrator
	s.Root.send("POST", "/v2/account/articles", `{"impersonate": null, "title": "For Root"}`).is(201)
	s.account(ben, func(a *record.Account) { a.Disabled = true })
	s.Root.get(at + as).is(200) // what a disabled account has left is looked after
	s.Ben.get(at).refuses(401, "")
}

// Refused impersonation: the same answer for all but administrators, whatever account is named,
// and nothing changes.
func TestImpersonateRefused(t *testing.T) {
	s := start(t)
	ben, root := s.Ben.id(), s.Root.id()
	faculty := s.group("Sciences", 0)
	s.role(s.Ada, faculty, "administrator")
	s.account(ben, func(a *record.Account) { a.GroupID = faculty })
	stranger := s.person("Stranger", true)
	s.account(stranger.id(), func(a *record.Account) { a.InstitutionID = 2 })
	at := s.Ben.article(`{"title": "Of Ben"}`)
	before := s.DB().Sequence()
	one := s.Ada.get(fmt.Sprintf("/v2/account?impersonate=%d", ben)).refuses(403, "Only administrators of the institution")
	for _, id := range []string{fmt.Sprint(root), "99", fmt.Sprint(s.Ada.id()), "0", "-1", "x", "", "1e3", "9223372036854775808"} {
		if two := s.Ada.get("/v2/account?impersonate=" + id).is(403); string(two.body) != string(one.body) {
			t.Errorf("impersonate=%s answers %s", id, two.body)
		}
	}
	for _, v := range []string{fmt.Sprint(ben), `"1"`, "true", "[]"} {
		s.Ada.send("POST", "/v2/account/articles", `{"impersonate": `+v+`, "title": "A title"}`).refuses(403, "")
	}
	s.Anon.get(fmt.Sprintf("/v2/account?impersonate=%d", ben)).refuses(401, "")
	for _, id := range []int64{99, 0, -1, stranger.id()} {
		s.Root.get(fmt.Sprintf("/v2/account?impersonate=%d", id)).refuses(404, "Account not found")
		s.Root.send("PATCH", at, fmt.Sprintf(`{"impersonate": %d}`, id)).refuses(404, "Account not found")
	}
	stranger.get(fmt.Sprintf("%s?impersonate=%d", at, ben)).refuses(404, "Account not found")
	for _, v := range []string{`"2"`, "2.0", "true", "[2]", "{}", `""`} {
		s.Root.send("POST", "/v2/account/articles", `{"impersonate": `+v+`, "title": "A title"}`).refuses(422, "impersonate")
	}
	s.Root.get("/v2/account?impersonate=x").refuses(422, "impersonate")
	s.Root.send("PATCH", fmt.Sprintf("%s?impersonate=%d", at, ben), fmt.Sprintf(`{"impersonate": %d}`, root)).refuses(422, "differs")
	s.Root.send("POST", "/v2/account/articles", `{"impersonate": 1, "impersonate": 2}`).refuses(400, "")
	s.Root.get(fmt.Sprintf("/v2/account/articles/x?impersonate=%d", ben)).refuses(400, "")
	if s.DB().Sequence() != before {
		t.Error("a refusal changed the store")
	}
}

// Every private route takes impersonate: for who is no administrator each is the same 403.
func TestImpersonateEverywhere(t *testing.T) {
	s := newStage(t)
	s.account(s.Ada.id(), func(a *record.Account) { a.Admin = false })
	before := s.DB().Sequence()
	want := ""
	for _, r := range allRoutes() {
		if r.Access != handlers.Account {
			continue
		}
		got := s.Ada.send(r.Method, s.at(r)+"?impersonate=1", `{}`).refuses(403, "")
		if want == "" {
			want = string(got.body)
		}
		if string(got.body) != want {
			t.Errorf("%s %s answers %s", r.Method, r.Path, got.body)
		}
		if r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH" {
			s.Ada.send(r.Method, s.at(r), `{"impersonate": 1}`).refuses(403, "act as another account")
		}
	}
	if s.DB().Sequence() != before {
		t.Error("a refusal changed the store")
	}
}

// The audit trail stays true: the actor of a change is the administrator who made it, and
// the log of requests names both.
func TestImpersonateAudit(t *testing.T) {
	s := start(t)
	ben, root := s.Ben.id(), s.Root.id()
	before := s.DB().Sequence()
	s.Root.send("POST", "/v2/account/articles", fmt.Sprintf(`{"impersonate": %d, "title": "Loaded for Ben"}`, ben)).is(201)
	n := 0
	err := s.DB().View(func(tx *bucket.Tx) error {
		for c, err := range bucket.Changes(tx, before) {
			if err != nil {
				return err
			}
			if n++; c.Actor != root {
				t.Errorf("the actor of %s %s is %d, want %d", c.Op, c.Table, c.Actor, root)
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("%d changes, %v", n, err)
	}
	if want := fmt.Sprintf("account=%d as=%d", root, ben); !strings.Contains(s.logs.String(), want) {
		t.Errorf("the log does not say %s:\n%s", want, s.logs)
	}
}

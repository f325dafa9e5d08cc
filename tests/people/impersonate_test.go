package people

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// An administrator acts as another account of its institution: by query for GET and DELETE, by
// body for POST, PUT and PATCH.
func TestImpersonate(t *testing.T) {
	s := world.StartWithin(t)
	ben := s.Ben.ID()
	as := fmt.Sprintf("?impersonate=%d", ben)
	in := func(rest string) string { return fmt.Sprintf(`{"impersonate": %d%s}`, ben, rest) }

	r := s.Root.Send("POST", "/v2/account/articles", in(`, "title": "Loaded for Ben", "nonsense": 1`)).Is(201)
	warnings := r.Object()["warnings"].([]any)
	if len(warnings) != 1 || !strings.Contains(warnings[0].(string), "nonsense") {
		t.Errorf("warnings %v", warnings)
	}
	at := strings.TrimPrefix(r.Header.Get("Location"), s.URL)
	s.Root.Get(at).Refuses(404, "Article not found")
	if got := s.Ben.Get(at).Is(200).Object()["account_id"]; got != float64(ben) {
		t.Errorf("the article is %v's", got)
	}
	if got := s.Root.Get(at + as).Is(200).Object()["title"]; got != "Loaded for Ben" {
		t.Errorf("title %v", got)
	}
	s.Root.Do("HEAD", at+as, nil).Is(200)
	s.Root.Send("PATCH", at, in(`, "title": "Changed for Ben"`)).Is(205)
	s.Root.Send("PATCH", at, `{"title": "Changed as Root"}`).Refuses(404, "")
	s.Root.Send("PUT", at, in(`, "title": "Replaced", "resource_title": "no more rights than Ben"`)).Refuses(403, "")
	s.Root.Send("POST", at+"/authors", in(`, "authors": [{"name": "Grace Hopper"}]`)).Is(205)
	s.Root.Send("POST", at+"/publish", `{}`).Refuses(404, "")
	s.Root.Send("POST", at+"/publish", in("")).Is(201) // an endpoint that takes no body
	s.Root.Send("POST", at+"/publish"+as, "").Is(201)  // the query serves every method
	draft := strings.TrimPrefix(s.Root.Send("POST", "/v2/account/articles"+as, in(`, "title": "Both, and the same"`)).Is(201).Header.Get("Location"), s.URL)
	s.Root.Do("DELETE", draft, nil).Refuses(404, "")
	s.Root.Do("DELETE", draft+as, nil).Is(204)
	if got := s.Root.Get("/v2/account" + as).Object()["id"]; got != float64(ben) {
		t.Errorf("the account is %v", got)
	}
	s.Root.Get("/v2/account/institution/articles"+as).Refuses(403, "") // Ben is no administrator
	s.Root.Send("POST", "/v2/account/articles", `{"impersonate": null, "title": "For Root"}`).Is(201)
	s.Account(ben, func(a *record.Account) { a.Disabled = true })
	s.Root.Get(at + as).Is(200) // what a disabled account has left is looked after
	s.Ben.Get(at).Refuses(401, "")
}

// Refused impersonation: the same answer for all but administrators, whatever account is named,
// and nothing changes.
func TestImpersonateRefused(t *testing.T) {
	s := world.StartWithin(t)
	ben, root := s.Ben.ID(), s.Root.ID()
	faculty := s.Group("Sciences", 0)
	s.Role(s.Ada, faculty, "administrator")
	s.Account(ben, func(a *record.Account) { a.GroupID = faculty })
	stranger := s.Person("Stranger", true)
	s.Account(stranger.ID(), func(a *record.Account) { a.InstitutionID = 2 })
	at := s.Ben.Article(`{"title": "Of Ben"}`)
	before := s.Sequence()
	one := s.Ada.Get(fmt.Sprintf("/v2/account?impersonate=%d", ben)).Refuses(403, "Only administrators of the institution")
	for _, id := range []string{fmt.Sprint(root), "99", fmt.Sprint(s.Ada.ID()), "0", "-1", "x", "", "1e3", "9223372036854775808"} {
		if two := s.Ada.Get("/v2/account?impersonate=" + id).Is(403); string(two.Bytes) != string(one.Bytes) {
			t.Errorf("impersonate=%s answers %s", id, two.Bytes)
		}
	}
	for _, v := range []string{fmt.Sprint(ben), `"1"`, "true", "[]"} {
		s.Ada.Send("POST", "/v2/account/articles", `{"impersonate": `+v+`, "title": "A title"}`).Refuses(403, "")
	}
	s.Anon.Get(fmt.Sprintf("/v2/account?impersonate=%d", ben)).Refuses(401, "")
	for _, id := range []int64{99, 0, -1, stranger.ID()} {
		s.Root.Get(fmt.Sprintf("/v2/account?impersonate=%d", id)).Refuses(404, "Account not found")
		s.Root.Send("PATCH", at, fmt.Sprintf(`{"impersonate": %d}`, id)).Refuses(404, "Account not found")
	}
	stranger.Get(fmt.Sprintf("%s?impersonate=%d", at, ben)).Refuses(404, "Account not found")
	for _, v := range []string{`"2"`, "2.0", "true", "[2]", "{}", `""`} {
		s.Root.Send("POST", "/v2/account/articles", `{"impersonate": `+v+`, "title": "A title"}`).Refuses(422, "impersonate")
	}
	s.Root.Get("/v2/account?impersonate=x").Refuses(422, "impersonate")
	s.Root.Send("PATCH", fmt.Sprintf("%s?impersonate=%d", at, ben), fmt.Sprintf(`{"impersonate": %d}`, root)).Refuses(422, "differs")
	s.Root.Send("POST", "/v2/account/articles", `{"impersonate": 1, "impersonate": 2}`).Refuses(400, "")
	s.Root.Get(fmt.Sprintf("/v2/account/articles/x?impersonate=%d", ben)).Refuses(400, "")
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
}

// Every private route takes impersonate: for who is no administrator each is the same 403.
func TestImpersonateEverywhere(t *testing.T) {
	s := stage.New(t)
	s.Account(s.Ada.ID(), func(a *record.Account) { a.Admin = false })
	before := s.Sequence()
	want := ""
	for _, r := range routes.All() {
		if r.Access != endpoint.Account {
			continue
		}
		got := s.Ada.Send(r.Method, s.At(r)+"?impersonate=1", `{}`).Refuses(403, "")
		if want == "" {
			want = string(got.Bytes)
		}
		if string(got.Bytes) != want {
			t.Errorf("%s %s answers %s", r.Method, r.Path, got.Bytes)
		}
		if r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH" {
			s.Ada.Send(r.Method, s.At(r), `{"impersonate": 1}`).Refuses(403, "act as another account")
		}
	}
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
}

// The audit trail stays true: the actor of a change is the administrator who made it, and
// the log of requests names both.
func TestImpersonateAudit(t *testing.T) {
	s := world.StartWithin(t)
	ben, root := s.Ben.ID(), s.Root.ID()
	before := s.Sequence()
	s.Root.Send("POST", "/v2/account/articles", fmt.Sprintf(`{"impersonate": %d, "title": "Loaded for Ben"}`, ben)).Is(201)
	n := 0
	err := s.DB().View(func(tx *bucket.Tx) error {
		for c, err := range tx.Changes(before) {
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
	if want := fmt.Sprintf("account=%d as=%d", root, ben); !strings.Contains(s.Logs.String(), want) {
		t.Errorf("the log does not say %s:\n%s", want, s.Logs)
	}
}

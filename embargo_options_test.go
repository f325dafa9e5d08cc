package main

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"alcove/config"
	"alcove/handlers"
	"alcove/record"
)

func (s *server) addressRange(name, networks string) int64 {
	s.t.Helper()
	id, err := handlers.AddRange(context.Background(), s.DB(), name, networks)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// The choices of the institution and of a group.
func TestEmbargoOptionList(t *testing.T) {
	t.Parallel()
	s, cyd := newInstitution(t)
	s.addressRange("Campus", "192.0.2.0/24, 2001:db8::1")
	const at = "/v2/account/institution"
	want := `[{"id": 1, "type": "logged_in", "ip_name": null}, {"id": 2, "type": "administrator", "ip_name": null}, {"id": 1001, "type": "ip_range", "ip_name": "Campus"}]`
	for _, path := range []string{"/embargo_options", "/groups/2/embargo_options", "/groups/1/embargo_options"} {
		s.Anon.get(at+path).refuses(401, "")
		if got := string(s.Ben.get(at + path).is(200).body); got != want {
			t.Errorf("%s is %s", path, got)
		}
	}
	s.Root.get(at + "/groups/3/embargo_options").is(200)
	for _, group := range []string{"3", "99"} {
		s.Ben.get(at+"/groups/"+group+"/embargo_options").refuses(404, "Group not found")
	}
	s.account(cyd.id(), func(a *record.Account) { a.InstitutionID = 2 })
	cyd.get(at+"/embargo_options").refuses(404, "Institution not found")
	for _, networks := range []string{"", "x", "192.0.2.0/33", "192.0.2.1,,", "::ffff:192.0.2.0/120"} {
		if _, err := handlers.AddRange(context.Background(), s.DB(), "Bad", networks); err == nil {
			t.Errorf("the networks %q were stored", networks)
		}
	}
}

// The options of an embargo on files let in those that they name, and no others: to the list of
// files, to each of them, and to the bytes.
func TestEmbargoOptions(t *testing.T) {
	t.Parallel()
	s, cyd := newInstitution(t, func(c *config.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	otto := s.person("Otto", true)
	s.account(otto.id(), func(a *record.Account) { a.InstitutionID = 2 })
	campus := 1000 + s.addressRange("Campus", "192.0.2.0/24")
	at, n := "", 0
	set := func(options string) { // of another article each time: versions keep their options
		t.Helper()
		at = s.Ben.article(`{"title": "Under embargo", "authors": [{"name": "Grace Hopper"}]}`)
		s.Ben.upload(at, "canaryname.csv", []byte("canarybytes"))
		n++
		s.Ben.send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-01", "embargo_options": `+options+`}`).is(205)
		s.Ben.do("POST", at+"/publish", nil).is(201)
	}
	sees := func(who client, headers ...string) bool {
		t.Helper()
		list := who.get(fmt.Sprintf("/v2/articles/%d/files", n), headers...).is(200)
		one, bytes := who.get(fmt.Sprintf("/v2/articles/%d/files/%d", n, n), headers...), who.get(fmt.Sprintf("/files/%d", n), headers...)
		old := who.get(fmt.Sprintf("/v2/articles/%d/versions/1/files", n), headers...).is(200)
		in := string(list.body) != "[]"
		if in != (one.StatusCode == 200) || in != (string(bytes.body) == "canarybytes") || string(old.body) != string(list.body) {
			t.Errorf("list %s, file %d, bytes %q, of the version %s", list.body, one.StatusCode, bytes.body, old.body)
		}
		if public := strings.HasPrefix(list.Header.Get("Cache-Control"), "public"); public == in {
			t.Errorf("let in %v, and Cache-Control is %s", in, list.Header.Get("Cache-Control"))
		}
		if !in {
			for _, r := range []*reply{one, bytes} {
				if unknown := who.get(r.Request.URL.Path+"999", headers...); string(unknown.body) != string(r.body) {
					t.Errorf("told from an unknown file: %s", r.body)
				}
			}
		}
		return in
	}
	inside := []string{"X-Forwarded-For", "192.0.2.77"}
	outside := []string{"X-Forwarded-For", "192.0.2.77, 198.51.100.1"}
	for _, c := range []struct {
		options string
		in      string // who is let in: Ada, Cyd, Otto of another institution, Root, Anon, inside
	}{
		{`[]`, ""},
		{`[{"id": 1}]`, "Ada Cyd Root"},
		{`[{"id": 1, "group_ids": [3]}]`, "Cyd"},
		{`[{"id": 1, "group_ids": [99, 1]}]`, ""},
		{`[{"id": 2}]`, "Ada Root"},
		{fmt.Sprintf(`[{"id": %d}]`, campus), "inside"},
		{fmt.Sprintf(`[{"id": %d}, {"id": 1, "group_ids": [3]}]`, campus), "Cyd inside"},
		{`[]`, ""},
	} {
		set(c.options)
		var in []string
		for _, who := range []struct {
			name string
			client
			headers []string
		}{{"Ada", s.Ada, nil}, {"Cyd", cyd, nil}, {"Otto", otto, nil}, {"Root", s.Root, nil}, {"Anon", s.Anon, outside}, {"wrong", client{s, "wrong"}, nil}, {"inside", s.Anon, inside}} {
			if sees(who.client, who.headers...) {
				in = append(in, who.name)
			}
		}
		if got := strings.Join(in, " "); got != c.in {
			t.Errorf("%s lets in %q, want %q", c.options, got, c.in)
		}
	}
	// The people of a group below are in the group; an option that is gone lets in no caller.
	s.account(cyd.id(), func(a *record.Account) { a.GroupID = 2 })
	set(`[{"id": 1, "group_ids": [1]}]`)
	if !sees(cyd) || sees(s.Ada) {
		t.Error("a group's people are not let in, or others are")
	}
	set(fmt.Sprintf(`[{"id": %d}]`, campus))
	if got := s.Anon.get(fmt.Sprintf("/v2/articles/%d", n)).object()["embargo_options"]; fmt.Sprint(got) != fmt.Sprintf("[map[group_ids:[] id:%d ip_name:Campus type:ip_range]]", campus) {
		t.Errorf("the options are %v", got)
	}
	if err := handlers.RemoveRange(context.Background(), s.DB(), campus-1000); err != nil {
		t.Fatal(err)
	}
	if sees(s.Anon, inside...) {
		t.Error("a range that was removed lets in")
	}
	s.Ben.send("PUT", at+"/embargo", `{"embargo_options": [{"id": 1002}]}`).refuses(422, "the id of no option")
	s.Ben.send("PUT", at+"/embargo", `{"embargo_options": [{"id": 3}]}`).refuses(422, "the id of no option")
	// Nothing of a wholly embargoed article can be shown.
	s.Ben.send("PUT", at+"/embargo", `{"embargo_type": "article", "embargo_options": [{"id": 1}]}`).refuses(422, "files only")
	s.Ben.send("PUT", at+"/embargo", `{"embargo_type": "article"}`).is(205)
	if got := s.Ben.get(at + "/embargo").object()["embargo_options"]; fmt.Sprint(got) != "[]" {
		t.Errorf("a whole article is under embargo with %v", got)
	}
	// A withdrawn item is gone for all of them.
	set(`[{"id": 1}]`)
	if !sees(cyd) {
		t.Error("not let in again")
	}
	s.Ben.send("POST", at+"/unpublish", `{"reason": "A mistake"}`).is(204)
	cyd.get(fmt.Sprintf("/files/%d", n)).refuses(404, "File not found")
	cyd.get(fmt.Sprintf("/v2/articles/%d/files", n)).refuses(404, "")
}

package articles

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"alcove/cli/operate"
	"alcove/config"
	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

func addressRange(s *world.Server, name, networks string) int64 {
	s.T.Helper()
	id, err := operate.AddRange(context.Background(), s.DB(), name, networks)
	if err != nil {
		s.T.Fatal(err)
	}
	return id
}

// The choices of the institution and of a group.
func TestEmbargoOptionList(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t)
	s.Enter()
	addressRange(s, "Campus", "192.0.2.0/24, 2001:db8::1")
	const at = "/v2/account/institution"
	want := `[{"id": 1, "type": "logged_in", "ip_name": null}, {"id": 2, "type": "administrator", "ip_name": null}, {"id": 1001, "type": "ip_range", "ip_name": "Campus"}]`
	for _, path := range []string{"/embargo_options", "/groups/2/embargo_options", "/groups/1/embargo_options"} {
		s.Anon.Get(at+path).Refuses(401, "")
		if got := string(s.Ben.Get(at + path).Is(200).Bytes); got != want {
			t.Errorf("%s is %s", path, got)
		}
	}
	s.Root.Get(at + "/groups/3/embargo_options").Is(200)
	for _, group := range []string{"3", "99"} {
		s.Ben.Get(at+"/groups/"+group+"/embargo_options").Refuses(404, "Group not found")
	}
	s.Account(cyd.ID(), func(a *record.Account) { a.InstitutionID = 2 })
	cyd.Get(at+"/embargo_options").Refuses(404, "Institution not found")
	for _, networks := range []string{"", "x", "192.0.2.0/33", "192.0.2.1,,", "::ffff:192.0.2.0/120"} {
		if _, err := operate.AddRange(context.Background(), s.DB(), "Bad", networks); err == nil {
			t.Errorf("the networks %q were stored", networks)
		}
	}
}

// The options of an embargo on files let in those that they name, and no others: to the list of
// files, to each of them, and to the bytes.
func TestEmbargoOptions(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t, func(c *config.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	s.Enter()
	otto := s.Person("Otto", true)
	s.Account(otto.ID(), func(a *record.Account) { a.InstitutionID = 2 })
	campus := 1000 + addressRange(s, "Campus", "192.0.2.0/24")
	at, n := "", 0
	set := func(options string) { // of another article each time: versions keep their options
		t.Helper()
		at = s.Ben.Article(`{"title": "Under embargo", "authors": [{"name": "Grace Hopper"}]}`)
		s.Ben.Upload(at, "canaryname.csv", []byte("canarybytes"))
		n++
		s.Ben.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-01", "embargo_options": `+options+`}`).Is(205)
		s.Ben.Do("POST", at+"/publish", nil).Is(201)
	}
	sees := func(who world.Client, headers ...string) bool {
		t.Helper()
		list := who.Get(fmt.Sprintf("/v2/articles/%d/files", n), headers...).Is(200)
		one, bytes := who.Get(fmt.Sprintf("/v2/articles/%d/files/%d", n, n), headers...), who.Get(fmt.Sprintf("/files/%d", n), headers...)
		old := who.Get(fmt.Sprintf("/v2/articles/%d/versions/1/files", n), headers...).Is(200)
		in := string(list.Bytes) != "[]"
		if in != (one.StatusCode == 200) || in != (string(bytes.Bytes) == "canarybytes") || string(old.Bytes) != string(list.Bytes) {
			t.Errorf("list %s, file %d, bytes %q, of the version %s", list.Bytes, one.StatusCode, bytes.Bytes, old.Bytes)
		}
		if public := strings.HasPrefix(list.Header.Get("Cache-Control"), "public"); public == in {
			t.Errorf("let in %v, and Cache-Control is %s", in, list.Header.Get("Cache-Control"))
		}
		if !in {
			for _, r := range []*world.Reply{one, bytes} {
				if unknown := who.Get(r.Request.URL.Path+"999", headers...); string(unknown.Bytes) != string(r.Bytes) {
					t.Errorf("told from an unknown file: %s", r.Bytes)
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
			world.Client
			headers []string
		}{{"Ada", s.Ada, nil}, {"Cyd", cyd, nil}, {"Otto", otto, nil}, {"Root", s.Root, nil}, {"Anon", s.Anon, outside}, {"wrong", world.Client{Server: s, Token: "wrong"}, nil}, {"inside", s.Anon, inside}} {
			if sees(who.Client, who.headers...) {
				in = append(in, who.name)
			}
		}
		if got := strings.Join(in, " "); got != c.in {
			t.Errorf("%s lets in %q, want %q", c.options, got, c.in)
		}
	}
	// The people of a group below are in the group; an option that is gone lets in no caller.
	s.Account(cyd.ID(), func(a *record.Account) { a.GroupID = 2 })
	set(`[{"id": 1, "group_ids": [1]}]`)
	if !sees(cyd) || sees(s.Ada) {
		t.Error("a group's people are not let in, or others are")
	}
	set(fmt.Sprintf(`[{"id": %d}]`, campus))
	if got := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", n)).Object()["embargo_options"]; fmt.Sprint(got) != fmt.Sprintf("[map[group_ids:[] id:%d ip_name:Campus type:ip_range]]", campus) {
		t.Errorf("the options are %v", got)
	}
	if err := operate.RemoveRange(context.Background(), s.DB(), campus-1000); err != nil {
		t.Fatal(err)
	}
	if sees(s.Anon, inside...) {
		t.Error("a range that was removed lets in")
	}
	s.Ben.Send("PUT", at+"/embargo", `{"embargo_options": [{"id": 1002}]}`).Refuses(422, "the id of no option")
	s.Ben.Send("PUT", at+"/embargo", `{"embargo_options": [{"id": 3}]}`).Refuses(422, "the id of no option")
	// Nothing of a wholly embargoed article can be shown.
	s.Ben.Send("PUT", at+"/embargo", `{"embargo_type": "article", "embargo_options": [{"id": 1}]}`).Refuses(422, "files only")
	s.Ben.Send("PUT", at+"/embargo", `{"embargo_type": "article"}`).Is(205)
	if got := s.Ben.Get(at + "/embargo").Object()["embargo_options"]; fmt.Sprint(got) != "[]" {
		t.Errorf("a whole article is under embargo with %v", got)
	}
	// A withdrawn item is gone for all of them.
	set(`[{"id": 1}]`)
	if !sees(cyd) {
		t.Error("not let in again")
	}
	s.Ben.Send("POST", at+"/unpublish", `{"reason": "A mistake"}`).Is(204)
	cyd.Get(fmt.Sprintf("/files/%d", n)).Refuses(404, "File not found")
	cyd.Get(fmt.Sprintf("/v2/articles/%d/files", n)).Refuses(404, "")
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"

	"alcove/config"
	"alcove/handlers"
	"alcove/record"
)

// form sends a file in a field of a form.
func (c client) form(path, field, file string) *reply {
	c.s.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile(field, "a.csv")
	if err != nil {
		c.s.t.Fatal(err)
	}
	part.Write([]byte(file))
	w.Close()
	return c.do("POST", path, &b, "Content-Type", w.FormDataContentType())
}

const feedAt = "/v2/institution/hrfeed/upload"

// feed sends a feed, after a dry run when the server asks for one.
func (c client) feed(text string) *reply {
	c.s.t.Helper()
	word, _ := c.form(feedAt+"?dry_run=true", "hrfeed", text).is(200).object()["confirm"].(string)
	return c.form(feedAt+"?confirm="+word, "hrfeed", text)
}

// crowd is 30 accounts with ids of the institution.
func crowd(s *server) {
	rows := "UniqueID,FirstName,LastName,Email\n"
	for n := range 30 {
		rows += fmt.Sprintf("u%d,First,Last%d,u%d@example.org\n", n, n, n)
	}
	s.Root.form(feedAt, "hrfeed", rows).is(200)
}

// A feed makes, changes and disables the accounts that it names, whichever of the two forms it
// has, and no others.
func TestFeed(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.group("Lakes", 0)
	group := s.group("Ponds", 0)
	code := "POND"
	if _, err := handlers.StoreGroup(context.Background(), s.DB(), handlers.GroupEdit{ID: group, AssociationCriteria: &code}); err != nil {
		t.Fatal(err)
	}
	crowd(s)
	before := s.accountLines()
	got := s.Root.form(feedAt, "hrfeed", `<?xml version="1.0"?><HRFeed>
<Record><UniqueID>u1</UniqueID><Orcid>https://orcid.org/0000-0002-1825-0097</Orcid><FirstName>Grace</FirstName><LastName>Hopper</LastName>
<Title>Dr</Title><Email>grace@example.org</Email><IsActive>Y</IsActive><UserQuota>5000</UserQuota><UserAssociationCriteria>POND</UserAssociationCriteria></Record>
<Record><UniqueID>u2</UniqueID><IsActive>N</IsActive></Record>
<Record><UniqueID>new</UniqueID><LastName>Fresh</LastName><Email>fresh@example.org</Email><Orcid>0000-0001-5109-3700</Orcid></Record>
<Record><UniqueID>u3</UniqueID><FirstName>First</FirstName><LastName>Last3</LastName></Record>
</HRFeed>`).is(200).object()
	if got["message"] != "OK" || got["created"] != 1.0 || got["changed"] != 2.0 || got["disabled"] != 1.0 || len(got["warnings"].([]any)) != 1 || got["confirm"] != nil {
		t.Errorf("%v", got)
	}
	after := s.accountLines()
	for email, line := range before {
		if email != "u1@example.org" && email != "u2@example.org" && after[email] != line {
			t.Errorf("%s is %s, was %s", email, after[email], line)
		}
	}
	if !strings.Contains(after["u2@example.org"], "active:0") {
		t.Errorf("u2 is %s", after["u2@example.org"])
	}
	for email, want := range map[string]map[string]any{
		"grace@example.org": {"first_name": "Grace", "last_name": "Hopper", "orcid_id": "0000-0002-1825-0097", "quota": 5000.0, "group_id": float64(group)},
		"fresh@example.org": {"last_name": "Fresh", "institution_user_id": "new", "orcid_id": "0000-0001-5109-3700", "active": 1.0},
	} {
		at := s.Root.get("/v2/account/institution/accounts?email=" + email).list()
		acc := s.Root.get(fmt.Sprintf("/v2/account/institution/accounts/%d", int64(at[0]["id"].(float64)))).object()
		for key, value := range want {
			if acc[key] != value {
				t.Errorf("%s: %s is %v, want %v", email, key, acc[key], value)
			}
		}
	}
	// An account without an id of the institution is known by its address.
	s.Root.form(feedAt, "hrfeed", "uniqueid,email,firstname\nben,BEN@example.org,Benjamin\n").is(200)
	if ben := s.Ben.get("/v2/account").object(); ben["first_name"] != "Benjamin" || ben["institution_user_id"] != "ben" {
		t.Errorf("%v", ben)
	}
}

// accountLines are the accounts of the institution by their addresses.
func (s *server) accountLines() map[string]string {
	s.t.Helper()
	lines := map[string]string{}
	for _, a := range s.Root.get("/v2/account/institution/accounts?page_size=1000").is(200).list() {
		lines[a["email"].(string)] = fmt.Sprint(a)
	}
	return lines
}

// A feed that changes more than a tenth of all accounts is only done when it was confirmed after
// a dry run, and only as long as it does what was confirmed.
func TestFeedConfirmed(t *testing.T) {
	t.Parallel()
	s := start(t)
	crowd(s) // 33 accounts
	rows := "UniqueID,FirstName\n"
	for n := range 4 {
		rows += fmt.Sprintf("u%d,Other\n", n)
	}
	before := s.accountLines()
	s.Root.form(feedAt, "hrfeed", rows).refuses(409, "a tenth")
	dry := s.Root.form(feedAt+"?dry_run=true", "hrfeed", rows).is(200).object()
	if dry["dry_run"] != true || dry["changed"] != 4.0 || fmt.Sprint(before) != fmt.Sprint(s.accountLines()) {
		t.Errorf("%v", dry)
	}
	word := fmt.Sprint(dry["confirm"])
	s.Root.form(feedAt+"?confirm=x", "hrfeed", rows).refuses(409, "was confirmed")
	s.Root.form(feedAt+"?confirm="+word, "hrfeed", rows+"u9,Other\n").refuses(409, "was confirmed")
	s.account(s.Ben.id()+2, func(a *record.Account) { a.FirstName = "Between" }) // one of the four
	s.Root.form(feedAt+"?confirm="+word, "hrfeed", rows).refuses(409, "was confirmed")
	s.Root.feed(rows).is(200)
	if got := s.Root.get("/v2/account/institution/accounts?email=u3@example.org").list()[0]; got["first_name"] != "Other" {
		t.Errorf("%v", got)
	}
	s.Root.form(feedAt, "hrfeed", rows).is(200) // there is nothing more to do
}

// Feeds that are refused or unreadable change nothing.
func TestFeedRefused(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.MaxBody = 1 << 20 })
	crowd(s)
	before := s.accountLines()
	s.Ben.form(feedAt, "hrfeed", "x").refuses(403, "Only administrators may do this")
	s.Root.send("POST", feedAt, `{}`).refuses(400, "multipart/form-data")
	s.Root.form(feedAt, "other", "x").refuses(400, "hrfeed")
	s.Root.form(feedAt+"?dry_run=maybe", "hrfeed", "x").refuses(422, "dry_run")
	s.Root.form(feedAt, "hrfeed", strings.Repeat("x", 1<<20)).refuses(413, "")
	for _, c := range []struct {
		feed   string
		status int
		want   string
	}{
		{"UniqueID,Email\n", 400, "names nobody"},
		{"UniqueID\n\"u1", 400, "cannot be read"},
		{"\xff", 400, "UTF-8"},
		{"<HRFeed><Record><UniqueID>u1</UniqueID>", 400, "cannot be read"},
		{"<People/>", 400, "People"},
		{`<!DOCTYPE a [<!ENTITY b "c">]><HRFeed><Record><UniqueID>&b;</UniqueID></Record></HRFeed>`, 400, "cannot be read"},
		{"UniqueID,Mail\nu1,a@example.org\n", 422, "Mail"},
		{"UniqueID,uniqueid\nu1,u1\n", 422, "stands twice"},
		{"UniqueID,Email\n,a@example.org\n", 422, "records[0].UniqueID"},
		{"UniqueID,Email\nu1,nobody\n", 422, "records[0].Email"},
		{"UniqueID,IsActive\nu1,perhaps\n", 422, "records[0].IsActive"},
		{"UniqueID,UserQuota\nu1,-1\n", 422, "records[0].UserQuota"},
		{"UniqueID,Orcid\nu1,0000-0002-1825-0098\n", 422, "records[0].Orcid"},
		{"UniqueID,FirstName\nu1,A\nu1,B\n", 422, "once in a feed"},
		{"UniqueID,Email\nu1,u2@example.org\n", 422, "belongs to another account"},
		{"UniqueID,FirstName\nstranger,A\n", 422, "needs an Email"},
		{"UniqueID,Email,IsActive\nroot,root@example.org,N\n", 403, "account in use"},
	} {
		s.Root.form(feedAt, "hrfeed", c.feed).refuses(c.status, c.want)
	}
	if fmt.Sprint(before) != fmt.Sprint(s.accountLines()) {
		t.Error("a feed that was refused has changed something")
	}
}

// The last administrator who can act is never disabled, also not by an administrator who
// impersonates.
func TestFeedLastAdministrator(t *testing.T) {
	t.Parallel()
	s := start(t)
	crowd(s)
	s.account(s.Ada.id(), func(a *record.Account) { a.Admin = true })
	s.account(s.Root.id(), func(a *record.Account) { a.Admin = true })
	off := "UniqueID,Email,IsActive\nroot,root@example.org,N\n"
	s.Ada.form(feedAt, "hrfeed", off).is(200)
	s.Root.get("/v2/account").is(401)
	s.Ada.form(feedAt, "hrfeed", "UniqueID,Email,IsActive\nada,ada@example.org,N\n").refuses(403, "")
}

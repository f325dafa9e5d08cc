package people

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"alcove/cli/operate"
	"alcove/config"
	"alcove/record"
	"alcove/tests/world"
)

const feedAt = "/v2/institution/hrfeed/upload"

// feed sends a feed, after a dry run when the server asks for one.
func feed(c world.Client, text string) *world.Reply {
	c.Server.T.Helper()
	word, _ := c.Form(feedAt+"?dry_run=true", "hrfeed", text).Is(200).Object()["confirm"].(string)
	return c.Form(feedAt+"?confirm="+word, "hrfeed", text)
}

// crowd is 30 accounts with ids of the institution.
func crowd(s *world.Server) {
	rows := "UniqueID,FirstName,LastName,Email\n"
	for n := range 30 {
		rows += fmt.Sprintf("u%d,First,Last%d,u%d@example.org\n", n, n, n)
	}
	s.Root.Form(feedAt, "hrfeed", rows).Is(200)
}

// A feed makes, changes and disables the accounts that it names, whichever of the two forms it
// has, and no others.
func TestFeed(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	s.Group("Lakes", 0)
	group := s.Group("Ponds", 0)
	code := "POND"
	if _, err := operate.StoreGroup(context.Background(), s.DB(), operate.GroupEdit{ID: group, AssociationCriteria: &code}); err != nil {
		t.Fatal(err)
	}
	crowd(s)
	before := accountLines(s)
	got := s.Root.Form(feedAt, "hrfeed", `<?xml version="1.0"?><HRFeed>
<Record><UniqueID>u1</UniqueID><Orcid>https://orcid.org/0000-0002-1825-0097</Orcid><FirstName>Grace</FirstName><LastName>Hopper</LastName>
<Title>Dr</Title><Email>grace@example.org</Email><IsActive>Y</IsActive><UserQuota>5000</UserQuota><UserAssociationCriteria>POND</UserAssociationCriteria></Record>
<Record><UniqueID>u2</UniqueID><IsActive>N</IsActive></Record>
<Record><UniqueID>new</UniqueID><LastName>Fresh</LastName><Email>fresh@example.org</Email><Orcid>0000-0001-5109-3700</Orcid></Record>
<Record><UniqueID>u3</UniqueID><FirstName>First</FirstName><LastName>Last3</LastName></Record>
</HRFeed>`).Is(200).Object()
	if got["message"] != "OK" || got["created"] != 1.0 || got["changed"] != 2.0 || got["disabled"] != 1.0 || len(got["warnings"].([]any)) != 1 || got["confirm"] != nil {
		t.Errorf("%v", got)
	}
	after := accountLines(s)
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
		at := s.Root.Get("/v2/account/institution/accounts?email=" + email).List()
		acc := s.Root.Get(fmt.Sprintf("/v2/account/institution/accounts/%d", int64(at[0]["id"].(float64)))).Object()
		for key, value := range want {
			if acc[key] != value {
				t.Errorf("%s: %s is %v, want %v", email, key, acc[key], value)
			}
		}
	}
	// An account without an id of the institution is known by its address.
	s.Root.Form(feedAt, "hrfeed", "uniqueid,email,firstname\nben,BEN@example.org,Benjamin\n").Is(200)
	if ben := s.Ben.Get("/v2/account").Object(); ben["first_name"] != "Benjamin" || ben["institution_user_id"] != "ben" {
		t.Errorf("%v", ben)
	}
}

// accountLines are the accounts of the institution by their addresses.
func accountLines(s *world.Server) map[string]string {
	s.T.Helper()
	lines := map[string]string{}
	for _, a := range s.Root.Get("/v2/account/institution/accounts?page_size=1000").Is(200).List() {
		lines[a["email"].(string)] = fmt.Sprint(a)
	}
	return lines
}

// A feed that changes more than a tenth of all accounts is only done when it was confirmed after
// a dry run, and only as long as it does what was confirmed.
func TestFeedConfirmed(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	crowd(s) // 33 accounts
	rows := "UniqueID,FirstName\n"
	for n := range 4 {
		rows += fmt.Sprintf("u%d,Other\n", n)
	}
	before := accountLines(s)
	s.Root.Form(feedAt, "hrfeed", rows).Refuses(409, "a tenth")
	dry := s.Root.Form(feedAt+"?dry_run=true", "hrfeed", rows).Is(200).Object()
	if dry["dry_run"] != true || dry["changed"] != 4.0 || fmt.Sprint(before) != fmt.Sprint(accountLines(s)) {
		t.Errorf("%v", dry)
	}
	word := fmt.Sprint(dry["confirm"])
	s.Root.Form(feedAt+"?confirm=x", "hrfeed", rows).Refuses(409, "was confirmed")
	s.Root.Form(feedAt+"?confirm="+word, "hrfeed", rows+"u9,Other\n").Refuses(409, "was confirmed")
	s.Account(s.Ben.ID()+2, func(a *record.Account) { a.FirstName = "Between" }) // one of the four
	s.Root.Form(feedAt+"?confirm="+word, "hrfeed", rows).Refuses(409, "was confirmed")
	feed(s.Root, rows).Is(200)
	if got := s.Root.Get("/v2/account/institution/accounts?email=u3@example.org").List()[0]; got["first_name"] != "Other" {
		t.Errorf("%v", got)
	}
	s.Root.Form(feedAt, "hrfeed", rows).Is(200) // there is nothing more to do
}

// Feeds that are refused or unreadable change nothing.
func TestFeedRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.MaxBody = 1 << 20 })
	crowd(s)
	before := accountLines(s)
	s.Ben.Form(feedAt, "hrfeed", "x").Refuses(403, "Only administrators may do this")
	s.Root.Send("POST", feedAt, `{}`).Refuses(400, "multipart/form-data")
	s.Root.Form(feedAt, "other", "x").Refuses(400, "hrfeed")
	s.Root.Form(feedAt+"?dry_run=maybe", "hrfeed", "x").Refuses(422, "dry_run")
	s.Root.Form(feedAt, "hrfeed", strings.Repeat("x", 1<<20)).Refuses(413, "")
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
		s.Root.Form(feedAt, "hrfeed", c.feed).Refuses(c.status, c.want)
	}
	if fmt.Sprint(before) != fmt.Sprint(accountLines(s)) {
		t.Error("a feed that was refused has changed something")
	}
}

// The last administrator who can act is never disabled, also not by an administrator who
// impersonates.
func TestFeedLastAdministrator(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	crowd(s)
	s.Account(s.Ada.ID(), func(a *record.Account) { a.Admin = true })
	s.Account(s.Root.ID(), func(a *record.Account) { a.Admin = true })
	off := "UniqueID,Email,IsActive\nroot,root@example.org,N\n"
	s.Ada.Form(feedAt, "hrfeed", off).Is(200)
	s.Root.Get("/v2/account").Is(401)
	s.Ada.Form(feedAt, "hrfeed", "UniqueID,Email,IsActive\nada,ada@example.org,N\n").Refuses(403, "")
}

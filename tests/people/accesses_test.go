package people

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"alcove/auth"
	"alcove/config"
	"alcove/record"
	"alcove/tests/world"
)

// accesses are what alcove audit access prints for a data directory.
func accesses(t *testing.T, dir string, args ...string) (list []record.Access) {
	t.Helper()
	out, err := exec.Command("alcove", append([]string{"audit", "access", "--json", "--data", dir}, args...)...).Output()
	if err != nil {
		t.Fatalf("alcove audit access: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var a record.Access
		if err := d.Decode(&a); err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

// Refusals, uses of an administrator's token and changes can be looked up, with ids, a shortened
// address and the id of the token; reading is not noted.
func TestAccesses(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	before := s.Sequence()
	s.Ada.Get("/v2/account").Is(200)
	at := s.Ada.Article(`{"title": "An article"}`)
	id := world.LastNumber(t, at)
	s.Anon.Get(at + "?access_token=wrong").Is(401)
	s.Ben.Get("/v2/account/institution/articles").Is(403)
	s.Root.Get("/v2/account").Is(200)
	s.Root.Get(fmt.Sprintf("/v2/account/institution/accounts/%d?impersonate=%d", s.Ben.ID(), s.Ada.ID())).Is(403)
	s.Restart() // what waits is stored when a server stops

	shown := func(who world.Client) string { return auth.TokenKey(who.Token)[:16] }
	want := map[string]string{
		fmt.Sprintf("POST /v2/account/articles 201 %d/%d %s", s.Ada.ID(), s.Ada.ID(), shown(s.Ada)):                          "",
		"GET /v2/account/articles/:id 401 0/0 ":                                                                              fmt.Sprintf("id=%d", id),
		fmt.Sprintf("GET /v2/account/institution/articles 403 %d/%d %s", s.Ben.ID(), s.Ben.ID(), shown(s.Ben)):               "",
		fmt.Sprintf("GET /v2/account 200 %d/%d %s", s.Root.ID(), s.Root.ID(), shown(s.Root)):                                 "",
		fmt.Sprintf("GET /v2/account/institution/accounts/:account_id 403 %d/%d %s", s.Root.ID(), s.Ada.ID(), shown(s.Root)): fmt.Sprintf("account_id=%d", s.Ben.ID()),
	}
	for _, a := range accesses(t, s.Cfg.Data) {
		line := fmt.Sprintf("%s %s %d %d/%d %s", a.Method, a.Route, a.Status, a.Actor, a.Account, a.Token)
		ids, ok := want[line]
		if a.Address != "127.0.0.0/24" || a.Count != 1 || time.Since(a.At) > time.Hour {
			t.Errorf("%s: %+v", line, a)
		}
		if a.Actor != s.Root.ID() && (!ok || ids != a.IDs) {
			t.Errorf("%s with %q was not to be stored", line, a.IDs)
		}
		delete(want, line)
	}
	for line := range want {
		t.Errorf("%s is not stored", line)
	}
	if refused := accesses(t, s.Cfg.Data, "--refused", "--account", "ben@example.org"); len(refused) != 1 || refused[0].Status != 403 {
		t.Errorf("refusals of Ben: %+v", refused)
	}
	for _, l := range audited(s, "--kind", "articles") {
		if l.Sequence > before && (l.Token != shown(s.Ada) || l.Address != "127.0.0.0/24" || l.Request == "") {
			t.Errorf("the audit trail has %+v", l)
		}
	}
	for _, secret := range []string{s.Ada.Token, s.Ben.Token, s.Root.Token, "wrong"} {
		if b, _ := json.Marshal(accesses(t, s.Cfg.Data)); strings.Contains(string(b), secret) {
			t.Errorf("the list has the token %s", secret)
		}
	}
}

// One address that is refused over and over takes few lines, and their counts are true.
func TestAccessesBounded(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.AuditAddresses = "full" })
	const n = 90
	for range n {
		s.Anon.Get("/v2/account").Is(401)
	}
	s.Restart()
	sum, list := 0, accesses(t, s.Cfg.Data)
	for _, a := range list {
		sum += a.Count
		if a.Address != "127.0.0.1" {
			t.Errorf("the address is %q", a.Address)
		}
	}
	if sum != n || len(list) > 2*21 { // the minute may have ended meanwhile
		t.Errorf("%d lines stand for %d requests, %d were refused", len(list), sum, n)
	}
}

// Requests are kept for as long as the configuration says, and addresses with them: then the audit
// trail has the token and no address.
func TestAccessesEnd(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.AuditKeep = time.Hour })
	s.Ada.Article(`{"title": "An article"}`)
	s.Stop()
	s.Clock = func() time.Time { return time.Now().Add(2 * time.Hour) }
	s.Boot()
	s.Anon.Get("/v2/account").Is(401)
	s.Restart()
	if list := accesses(t, s.Cfg.Data); len(list) != 1 || list[0].Status != 401 {
		t.Errorf("after the time there are %+v", list)
	}
	if lines := audited(s, "--kind", "articles"); len(lines) != 1 || lines[0].Address != "" || lines[0].Token == "" {
		t.Errorf("the audit trail has %+v", lines)
	}
}

// A refusal is on the disk within about a second, and stays there when the process is killed; so do
// the lines of the log of requests, which wait for a tenth of a second.
func TestAccessesSurviveKill(t *testing.T) {
	t.Parallel()
	p := &world.Process{T: t, Dir: t.TempDir(), Port: "0"}
	p.Owner()
	p.Start()
	defer func() { p.Kill() }()
	p.Want(401, "GET", p.URL+"/v2/account/articles/4711", "", "")
	dir := p.Dir + "/data"
	world.WaitFor(t, "the refusal is stored", func() bool { return len(accesses(t, dir, "--refused")) == 1 })
	p.Kill()
	if list := accesses(t, dir, "--refused"); len(list) != 1 || list[0].IDs != "id=4711" {
		t.Errorf("after the kill there are %+v", list)
	}
	if log, err := os.ReadFile(p.Dir + "/log"); err != nil || !strings.Contains(string(log), "/v2/account/articles/:id") {
		t.Errorf("the log of requests lost the line: %s %v", log, err)
	}
}

// A data directory that other users of the machine may read is named when the server starts.
func TestDataDirectoryOpenToOthers(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for mode, told := range map[os.FileMode]bool{0o700: false, 0o750: false, 0o755: true, 0o701: true} {
		s.Stop()
		if err := os.Chmod(s.Cfg.Data, mode); err != nil {
			t.Fatal(err)
		}
		s.Boot()
		if strings.Contains(s.Logs.String(), "may read the data directory") != told {
			t.Errorf("with mode %o the log says: %s", mode, s.Logs)
		}
	}
}

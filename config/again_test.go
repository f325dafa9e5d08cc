package config

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Settings that can change are taken, others wait for the next start, and both are named.
func TestAgain(t *testing.T) {
	now := Default()
	next, err := Load(Sources{Flags: map[string]string{"account-quota": "1MiB", "listen": "127.0.0.1:1", "log-level": "debug", "site-links": "Us https://example.org/"}})
	if err != nil {
		t.Fatal(err)
	}
	next.SignIn.Proxy = &Proxy{}
	holds, changed, waiting := now.Again(next)
	if fmt.Sprint(changed) != "[site_links account_quota log_level]" || fmt.Sprint(waiting) != "[listen [[oidc]], [ldap], [proxy]]" {
		t.Errorf("changed %v, waiting %v", changed, waiting)
	}
	if holds.AccountQuota != 1<<20 || holds.LogLevel != "debug" || len(holds.SiteLinks) != 1 || holds.Listen != now.Listen || holds.SignIn.Proxy != nil {
		t.Errorf("what holds is %+v", holds)
	}
	if now.AccountQuota == holds.AccountQuota {
		t.Error("the settings of before were changed")
	}
	if _, changed, waiting := holds.Again(holds); changed != nil || waiting != nil {
		t.Errorf("nothing has changed, but %v %v", changed, waiting)
	}
}

// The table of docs/operations.md has all settings that are read again, and no other.
func TestAgainIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Settings that change while it runs")
	section, _, _ = strings.Cut(section, "\nAll others hold until")
	first := ""
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			first += cells[1]
		}
	}
	for _, s := range Settings() {
		if named := strings.Contains(first, "`"+s.Key+"`"); named != s.Again {
			t.Errorf("%s is in the table: %v, and is read again: %v", s.Key, named, s.Again)
		}
	}
}

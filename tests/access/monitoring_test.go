package access

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// The number of items, bytes and accounts, and how long requests take, stand among the figures on the loopback address.
func TestMetricsOfItems(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.MetricsListen, c.AccountQuota, c.DiskReserve = "127.0.0.1:0", 1000, 12345 })
	before := s.Scrape()
	at := s.Ada.Article(`{"title": "Counted", "authors": [{"name": "A B"}], "description": "d", "categories": [51]}`)
	s.Ada.Article(`{"title": "A draft"}`)
	s.Ada.Upload(at, "nearly.bin", disk.Random(950, 1))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "counted"}`).Is(200)
	after := s.Scrape()
	for name, grown := range map[string]float64{
		`alcove_items{kind="article",which="public"}`: 1, `alcove_items{kind="article",which="all"}`: 2, `alcove_items{kind="project",which="all"}`: 0,
		"alcove_public_files{}": 1, "alcove_public_bytes{}": 950, "alcove_stored_bytes{}": 950, "alcove_accounts{}": 0, "alcove_accounts_disabled{}": 0,
		`alcove_http_request_seconds_count{kind="search"}`: 1,
	} {
		if _, there := after[name]; !there || after[name]-before[name] != grown {
			t.Errorf("%s went from %v to %v, want %v more", name, before[name], after[name], grown)
		}
	}
	for name, want := range map[string]float64{"alcove_account_quota_bytes{}": 1000, "alcove_disk_reserve_bytes{}": 12345} {
		if after[name] != want {
			t.Errorf("%s is %v, want %v", name, after[name], want)
		}
	}
	if after["alcove_disk_free_bytes{}"] < 1<<20 || after["alcove_accounts{}"] < 1 {
		t.Errorf("%v bytes are free, and there are %v accounts", after["alcove_disk_free_bytes{}"], after["alcove_accounts{}"])
	}
	for _, kind := range []string{"api", "search", "page", "upload", "download"} {
		if n := histogram(t, after, "alcove_http_request_seconds", `kind="`+kind+`"`); kind == "upload" && n == 0 {
			t.Error("no upload was timed")
		}
	}
}

// An account is near its quota from 90 percent of it on.
func TestMetricsNearQuota(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.MetricsListen, c.AccountQuota = "127.0.0.1:0", 1000 })
	s.Ada.Upload(s.Ada.Article(`{"title": "Near"}`), "near.bin", disk.Random(900, 1))
	s.Ben.Upload(s.Ben.Article(`{"title": "Not near"}`), "less.bin", disk.Random(899, 2))
	if near := s.Scrape()["alcove_accounts_near_quota{}"]; near != 1 {
		t.Errorf("%v accounts are near their quota, want 1", near)
	}
}

var (
	metricName = regexp.MustCompile(`\b(?:alcove|go|process)_[a-z0-9_]+\b`)
	alertExpr  = regexp.MustCompile(`(?m)^\s+expr: (.+)$`)
)

// Every figure that the dashboard and the alert rules name is one that a server tells.
func TestMonitoringNamesWhatIsTold(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0" })
	s.Anon.Get("/v2/articles").Is(200) // requests are told by their routes, of which there is one now
	told := map[string]bool{}
	for name := range s.Scrape() {
		name, _, _ = strings.Cut(name, "{")
		told[name] = true
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(disk.Root(), "docs", "monitoring", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var board struct {
		Panels []struct {
			Type, Title, Description string
			Targets                  []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read("dashboard.json")), &board); err != nil {
		t.Fatal(err)
	}
	exprs := map[string]string{}
	for _, p := range board.Panels {
		if p.Type != "row" && (p.Title == "" || p.Description == "" || len(p.Targets) == 0) {
			t.Errorf("the panel %q lacks a title, a description or a figure", p.Title)
		}
		for _, target := range p.Targets {
			exprs[target.Expr] = p.Title
		}
	}
	alerts := alertExpr.FindAllStringSubmatch(read("alerts.yml"), -1)
	for _, m := range alerts {
		exprs[m[1]] = "alerts.yml"
	}
	if len(alerts) < 10 || len(exprs) < 30 {
		t.Fatalf("%d alerts and %d expressions were found", len(alerts), len(exprs))
	}
	for expr, where := range exprs {
		names := metricName.FindAllString(expr, -1)
		if len(names) == 0 && !strings.HasPrefix(expr, "up{") {
			t.Errorf("%s: no figure is named in %s", where, expr)
		}
		for _, name := range names {
			if !told[name] {
				t.Errorf("%s: no server tells %s", where, name)
			}
		}
	}
}

package crash

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/config"
	"alcove/tests/world"
)

// harm changes bytes of the database under a running server: in each place where text stands, the
// last n bytes of it. It returns what they are now.
func harm(s *world.Server, text string, n int) string {
	s.T.Helper()
	f, err := os.OpenFile(filepath.Join(s.Cfg.Data, bucket.FileName), os.O_RDWR, 0)
	if err != nil {
		s.T.Fatal(err)
	}
	defer f.Close()
	b, err := os.ReadFile(f.Name())
	if err != nil {
		s.T.Fatal(err)
	}
	harmed := []byte(text)
	for i := len(text) - n; i < len(text); i++ {
		harmed[i] ^= 1
	}
	found := 0
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], []byte(text))
		if i < 0 {
			break
		}
		at += i
		if _, err := f.WriteAt(harmed, int64(at)); err != nil {
			s.T.Fatal(err)
		}
		found++
	}
	if found == 0 {
		s.T.Fatalf("%q is not in the database", text)
	}
	return string(harmed)
}

// answer is the status of a GET, which may be 500, with the body.
func answer(s *world.Server, as world.Client, path string) (int, string) {
	s.T.Helper()
	quiet := s.Quiet()
	r := world.Client{Server: quiet, Token: as.Token}.Get(path)
	return r.StatusCode, string(r.Bytes)
}

// Issue 15 (C4): a damaged record is put right by the request that meets it, when what is found
// has the hash that the change log notes: the one bit that flipped, the frozen version's working
// copy, the newest backup that has it. Nothing else is ever put there.
func TestRepairedRecords(t *testing.T) {
	t.Parallel()
	dest := t.TempDir()
	s := world.Start(t, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0"; c.BackupDir, c.BackupEvery = dest, 0 })
	for i := range 12 {
		s.Ada.Article(fmt.Sprintf(`{"title": "Another %d"}`, i))
	}
	own := s.Ada.Article(`{"title": "Zebra drafted", "description": "draft of it"}`)
	public := s.Ada.Published("Okapi published")
	edited := s.Ada.Published("Tapir published")
	s.BackedUp(dest)
	s.Ada.Send("PUT", fmt.Sprintf("/v2/account/articles/%d", edited), `{"title": "Tapir edited"}`).Is(205)
	late := s.Ada.Article(`{"title": "Gnu after the backup"}`)
	list := "/v2/account/articles?page_size=100"
	fresh := s.Ada.Published("Lynx published")
	version := func(id int64, title string) string {
		return fmt.Sprintf(`{"article_id":%d,"version":1,"title":"%s`, id, title)
	}
	document := func(title string) string { return fmt.Sprintf(`"title": "%s`, title) } // in both forms
	draft := func(at, title string) string {
		return fmt.Sprintf(`{"id":%d,"account_id":1,"title":"%s`, world.LastNumber(t, at), title)
	}
	item := func(id int64) string { return fmt.Sprintf("/v2/articles/%d", id) }

	done := 0.0
	for _, c := range []struct {
		name  string
		texts []string
		bytes int // that are damaged in each
		path  string
		from  string
	}{
		{"one bit of a draft", []string{draft(own, "Zebra")}, 1, list, "the bit that flipped"},
		{"a draft", []string{draft(own, "Zebra")}, 4, list, "the backup "},
		{"a draft by its own address", []string{draft(own, "Zebra")}, 4, own, "the backup "},
		{"two drafts in a list", []string{draft(own, "Zebra"), draft(late, "G")}, 1, list, "the bit that flipped"},
		{"an account", []string{`"email":"ada@example.org","first_name":"Ada`}, 3, list, "the backup "},
		{"a document", []string{document("Okapi")}, 4, "/v2/articles?page_size=100", "its record"},
		{"a document and its version", []string{document("Okapi"), version(public, "Okapi")}, 4, item(public), "its working copy"},
		{"the same that no backup has", []string{document("Lynx"), version(fresh, "Lynx")}, 4, item(fresh), "its working copy"},
		{"the same of one that was edited since", []string{document("Tapir"), version(edited, "Tapir")}, 4, item(edited), "the backup "},
	} {
		logged := len(s.Logs.String())
		_, want := answer(s, s.Ada, c.path)
		for _, text := range c.texts {
			harm(s, text, c.bytes)
		}
		s.Ben.Article(`{"title": "So that no page is kept"}`)
		if status, body := answer(s, s.Ada, c.path); status != 200 || body != want {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
		done += float64(len(c.texts))
		world.WaitFor(t, fmt.Sprintf("%s: %v repairs", c.name, done), func() bool { return s.Scrape()["alcove_repairs_total{}"] >= done })
		if text := s.Logs.String()[logged:]; !strings.Contains(text, "repaired what was damaged") || !strings.Contains(text, c.from) {
			t.Errorf("%s: the log does not say that it was repaired from %s: %s", c.name, c.from, text)
		}
	}
	if figures := s.Scrape(); figures["alcove_repairs_total{}"] != done || figures["alcove_repair_failures_total{}"] != 0 {
		t.Errorf("%v repairs, want %v, and %v failed", figures["alcove_repairs_total{}"], done, figures["alcove_repair_failures_total{}"])
	}
	if r, status := s.Checked(); status != 0 {
		t.Errorf("%d: %+v", status, r.Problems)
	}
}

// A record that no backup has as the change log says, and of which more than a bit is damaged,
// stays as it is, and reading it fails; the other records are served.
func TestBeyondRepair(t *testing.T) {
	t.Parallel()
	dest := t.TempDir()
	s := world.Start(t, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0"; c.BackupDir, c.BackupEvery = dest, 0 })
	s.Harmed = "what cannot be repaired stays damaged"
	at := s.Ada.Article(`{"title": "Quagga, as it was"}`)
	other := s.Ada.Article(`{"title": "Another"}`)
	s.BackedUp(dest)
	s.Ada.Send("PUT", at, `{"title": "Quagga, as it is"}`).Is(205)
	harmed := harm(s, `"title":"Quagga, as it is`, 4)
	for range 2 {
		if status, body := answer(s, s.Ada, "/v2/account/articles"); status != 500 {
			t.Errorf("a list of it: %d %s", status, body)
		}
	}
	s.Ada.Get(other).Is(200)
	s.Ben.Get("/v2/account/articles").Is(200)
	figures := s.Scrape()
	if figures["alcove_repair_failures_total{}"] != 1 || figures["alcove_repairs_total{}"] != 0 {
		t.Errorf("%v repaired, %v not", figures["alcove_repairs_total{}"], figures["alcove_repair_failures_total{}"])
	}
	if !strings.Contains(s.Logs.String(), "cannot repair what is damaged") {
		t.Error("the log does not say it")
	}
	if b, err := os.ReadFile(filepath.Join(s.Cfg.Data, bucket.FileName)); err != nil || !bytes.Contains(b, []byte(harmed)) {
		t.Errorf("what is damaged was changed: %v", err)
	}
	if r, status := s.Checked(); status != 1 || r.Left() != 1 || r.Problems[0].Table != "articles" {
		t.Errorf("the check: %d, %+v", status, r.Problems)
	}
}

// A check by the server repairs what it finds in the same way, and says so.
func TestCheckRepairsRecords(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.CheckEvery = 0 })
	at := s.Ada.Article(`{"title": "Dodo, seldom read"}`)
	harm(s, `"title":"Dodo`, 1)
	r, status := s.Checked()
	if status != 0 || r.Found != 1 || r.Repaired != 1 || !r.Problems[0].Repaired {
		t.Errorf("%d: %+v", status, r.Problems)
	}
	if title := s.Ada.Get(at).Is(200).Object()["title"]; title != "Dodo, seldom read" {
		t.Errorf("its title is %v", title)
	}
	if r, status := s.Checked(); status != 0 || r.Found != 0 {
		t.Errorf("the next one: %d: %+v", status, r.Problems)
	}
}

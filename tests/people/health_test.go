package people

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// rowOf is a line of the table of the health page, as it reads.
func rowOf(t *testing.T, page []byte, name string) string {
	t.Helper()
	_, rest, found := strings.Cut(string(page), `<th scope="row">`+name+`</th>`)
	row, _, ended := strings.Cut(rest, "</tr>")
	if !found || !ended {
		t.Fatalf("there is no %q: %s", name, page)
	}
	return row
}

// Each line of the health page says what is so: nothing is good that was never done, or is not set up.
func TestAdminHealthStates(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	yes, member := true, s.Member("Boss")
	s.Operate("account_edit", operate.AccountEdit{Account: member, Admin: &yes}, nil)
	root := s.SignedIn(member, world.Password)
	now := time.Now().UTC()
	ago := func(days int) string { return now.AddDate(0, 0, -days).Format(time.RFC3339) }
	base := s.Cfg
	trusting := &http.Client{CheckRedirect: world.NoRedirects.CheckRedirect, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	open := func(language string) []byte {
		if s.Cfg.TLS == "off" {
			return root.Open("/account/admin", "Accept-Language", language).Is(200).Bytes
		}
		ask := func(method, path, body, cookie string) *http.Response {
			req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{"Accept": "text/html", "Accept-Language": language, "Sec-Fetch-Site": "same-origin", "Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"} {
				req.Header.Set(name, value)
			}
			res, err := trusting.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		in := ask("POST", "/sign-in", form("email", member, "password", world.Password).Encode(), "")
		in.Body.Close()
		if len(in.Cookies()) == 0 {
			t.Fatalf("nobody is signed in over TLS: %s", in.Status)
		}
		res := ask("GET", "/account/admin", "", in.Cookies()[0].Name+"="+in.Cookies()[0].Value)
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	backups := func(c *config.Config) { c.BackupDir = filepath.Join(t.TempDir(), "backups") }
	file := filepath.Join(t.TempDir(), "file")
	disk.WriteFile(t, file, nil)
	nowhere := func(c *config.Config) { c.BackupDir = filepath.Join(file, "backups") } // where none can be made
	hourAgo := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)                   // so that no backup is due
	done := `{"complete": true, "last_success": "` + hourAgo + `", "last_try": "` + ago(0) + `", "drill": {"last_try": "` + ago(0) + `"}}`
	const good, bad, unused = `class="state public"`, `class="state closed"`, `class="state draft"`
	for _, c := range []struct {
		what          string
		change        func(*config.Config)
		backup, check string // what the data directory has of them
		row           string
		want          []string
	}{
		{"no backup", nil, "", "", "Backup", []string{bad, "There never was one", "makes none by itself", "Set backup_dir"}},
		{"no backup to try", nil, "", "", "Restore drill", []string{bad, "no backup that could be tried", "Make a backup first"}},
		{"a backup by hand", nil, done, "", "Backup", []string{good, "The last whole one", "makes none by itself"}},
		{"an old one by hand", nil, strings.Replace(done, hourAgo, ago(9), 1), "", "Backup", []string{bad, "The last whole one"}},
		{"none is tried", nil, done, "", "Restore drill", []string{unused, "drill_every is 0", "No backup was restored"}},
		{"a backup by itself", backups, done, "", "Backup", []string{good, "The last whole one"}},
		{"an old one by itself", nowhere, strings.Replace(done, hourAgo, ago(3), 1), "", "Backup", []string{bad}},
		{"one that lacks something", backups, strings.Replace(done, "true", "false", 1), "", "Backup", []string{bad, "lacks something"}},
		{"one that failed", backups, strings.Replace(done, `"complete"`, `"last_error": "no room", "complete"`, 1), "", "Backup", []string{bad, "The last try failed"}},
		{"never tried", backups, done, "", "Restore drill", []string{bad, "No backup was restored to try it yet", "alcove backup status"}},
		{"tried", backups, strings.Replace(done, `{"last_try"`, `{"last_success": "`+ago(2)+`", "last_try"`, 1), "", "Restore drill", []string{good, "found whole"}},
		{"tried long ago", backups, strings.Replace(done, `{"last_try"`, `{"last_success": "`+ago(100)+`", "last_try"`, 1), "", "Restore drill", []string{bad, "found whole"}},
		{"tried without success", backups, strings.Replace(done, `{"last_try"`, `{"last_error": "no room", "last_try"`, 1), "", "Restore drill", []string{bad, "The last try failed"}},
		{"no check", func(c *config.Config) { c.CheckEvery = 0 }, "", "", "Check of all data", []string{bad, "There never was a whole one", "makes none by itself", "alcove check"}},
		{"a check", nil, "", `{"last_full": "` + ago(2) + `", "report": {"state": "done", "problems": [], "last_success": "` + ago(2) + `"}}`, "Check of all data", []string{good, "The last without a problem"}},
		{"an old check", func(c *config.Config) { c.CheckEvery = 0 }, "", `{"last_full": "` + ago(50) + `", "report": {"state": "done", "problems": [], "last_success": "` + ago(50) + `"}}`, "Check of all data", []string{bad, "makes none by itself"}},
		{"damage", nil, "", `{"last_full": "` + ago(2) + `", "report": {"state": "done", "found": 3, "problems": []}}`, "Check of all data", []string{bad, "3 problems were found"}},
		{"room", nil, "", "", "Disk", []string{"are free for uploads"}},
		{"a full disk", func(c *config.Config) { c.DiskReserve = 1 << 50 }, "", "", "Disk", []string{bad, "Make room"}},
		{"the index", nil, "", "", "Search index", []string{good}},
		{"no TLS", nil, "", "", "Certificate", []string{unused, "without TLS"}},
		{"TLS", func(c *config.Config) { c.TLS = "auto" }, "", "", "Certificate", []string{good, "It ends on"}},
		{"no mail", nil, "", "", "Mails", []string{unused, "No mail is configured", "Set mail_server"}},
		{"mail", doubles.StartMail(t, false).Used, "", "", "Mails", []string{good, "0 wait"}},
	} {
		s.Stop()
		s.Cfg = base
		if c.change != nil {
			c.change(&s.Cfg)
		}
		for name, text := range map[string]string{"backup.json": c.backup, "check.json": c.check} {
			if text == "" {
				text = "{}"
			}
			if !json.Valid([]byte(text)) {
				t.Fatalf("%s: %s", c.what, text)
			}
			disk.WriteFile(t, filepath.Join(s.Cfg.Data, name), []byte(text))
		}
		s.Boot()
		row := rowOf(t, open("en"), c.row)
		for _, want := range c.want {
			if !strings.Contains(row, want) {
				t.Errorf("%s: %s has no %q: %s", c.what, c.row, want, row)
			}
		}
		if strings.Contains(row, good) && !strings.HasSuffix(row, "<td></td>") {
			t.Errorf("%s: %s is good, and something is to be done: %s", c.what, c.row, row)
		}
		if german := rowOf(t, open("de"), map[string]string{"Backup": "Sicherung", "Restore drill": "Probe der Sicherung",
			"Check of all data": "Prüfung aller Daten", "Disk": "Platte", "Search index": "Suchindex", "Certificate": "Zertifikat", "Mails": "Mails"}[c.row]); strings.Contains(german, "%1") || strings.Contains(row, "%1") {
			t.Errorf("%s: a gap is left: %s", c.what, german)
		}
	}
}

// Notices that are dropped because too many mails wait are counted, on the health page, in the metrics and in the log; mails that
// have waited for long are told.
func TestNoticesDropped(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	s := world.StartWithin(t, post.Used, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0" })
	s.AsksForReview(s.Group("Sciences", 0), true)
	s.Joins(s.Ben, 1)
	ben := s.Ben.ID()
	s.Alter(func(tx *bucket.Tx) error {
		for range 5000 {
			id, err := exchange.Outbox.NextID(tx)
			if err != nil {
				return err
			}
			m := record.Mail{Kind: record.NoticeFile, AccountID: ben, Created: tx.Now().Add(-3 * time.Hour), Due: tx.Now().Add(time.Hour)}
			if err := exchange.Outbox.Put(tx, id, &m); err != nil {
				return err
			}
		}
		return nil
	})
	yes, member := true, s.Member("Boss")
	s.Operate("account_edit", operate.AccountEdit{Account: member, Admin: &yes}, nil)
	root := s.SignedIn(member, world.Password)
	hides(t, root.Open("/account/admin").Is(200), "not even stored")
	at := s.Ben.Article(`{"title": "Ponds", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Upload(at, "a.csv", []byte("a"))
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	row := rowOf(t, root.Open("/account/admin").Is(200).Bytes, "Mails")
	for _, want := range []string{"5,000 wait", "waited for 3 hours", "2 notices were not even stored", `class="state closed"`} {
		if !strings.Contains(row, want) {
			t.Errorf("it has no %q: %s", want, row)
		}
	}
	if got := s.Scrape()["alcove_mail_notices_dropped_total{}"]; got != 2 {
		t.Errorf("the metrics tell of %v", got)
	}
	world.WaitFor(t, "the log tells of it", func() bool { return strings.Contains(s.Logs.String(), "people are not told of what has happened") })
}

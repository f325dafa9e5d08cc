package people

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/cli/operate"
	"alcove/handlers/audit"
	"alcove/tests/world"
)

// auditing runs alcove audit on the data of a server, and returns what it prints and
// whether it ended with 0.
func auditing(s *world.Server, args ...string) (out, errs string, ok bool) {
	s.T.Helper()
	words := append([]string{"audit"}, args...)
	cmd := exec.Command("alcove", append(words, "--data", s.Cfg.Data)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.T.Fatal(err)
	}
	return stdout.String(), stderr.String(), err == nil
}

func audited(s *world.Server, args ...string) (lines []audit.Line) {
	s.T.Helper()
	out, errs, ok := auditing(s, append(args, "--json")...)
	if !ok {
		s.T.Fatalf("alcove audit %v: %s", args, errs)
	}
	for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
		var l audit.Line
		if err := d.Decode(&l); err != nil {
			s.T.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

// The audit trail says who did what: by a token, as another account, by a private link, as an
// operator, or as the server itself. It tells the same with a server that runs and without, and
// neither tokens nor private links are in it.
func TestAuditTrail(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	ben := s.Ben.ID()
	before := s.DB().LastChange()
	art := s.Ada.Article(`{"title": "Tides of the Wadden Sea"}`)
	id := world.LastNumber(t, art)
	s.Root.Send("PATCH", art, fmt.Sprintf(`{"impersonate": %d, "title": "Not Ben's"}`, ben)).Is(404)
	bens := strings.TrimPrefix(s.Root.Send("POST", "/v2/account/articles", fmt.Sprintf(`{"impersonate": %d, "title": "Loaded for Ben"}`, ben)).Is(201).Header.Get("Location"), s.URL)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "Gathered things"}`).Is(201).Header.Get("Location"), s.URL)
	link := s.Ada.Send("POST", col+"/private_links", `{"read_only": false}`).Is(201).Header.Get("Location")
	secret := link[strings.LastIndexByte(link, '/')+1:]
	s.Anon.Send("PATCH", col+"?private_link="+secret, `{"title": "Edited by a guest"}`).Is(205)
	if _, err := operate.RevokeTokens(t.Context(), s.DB(), operate.TokenEnd{Account: "ben@example.org"}); err != nil {
		t.Fatal(err)
	}
	s.Ada.Upload(art, "tide.csv", []byte("1,2,3"))
	s.Ada.Do("DELETE", art, nil).Is(204)
	s.Restart() // addresses are stored when a server stops

	lines := audited(s)
	if n := len(lines); uint64(n) != s.Sequence() || lines[n-1].Sequence != s.Sequence() {
		t.Errorf("%d lines of %d changes", n, s.Sequence())
	}
	has := func(who, whom, way, op, kind, id, title string) {
		t.Helper()
		for _, l := range lines {
			if l.Who == who && l.ForWhom == whom && l.Way == way && l.Op == op && l.Kind == kind && (id == "" || l.ID == id) && l.Title == title && len(l.Hash) == 16 {
				return
			}
		}
		t.Errorf("no line has %s for %q (%s) %s %s %s %q", who, whom, way, op, kind, id, title)
	}
	has("ada@example.org", "", "", "create", "articles", fmt.Sprint(id), "") // it is gone, and so is its title
	has("ada@example.org", "", "", "delete", "articles", fmt.Sprint(id), "")
	has("root@example.org", "ben@example.org", "impersonation", "create", "articles", bens[strings.LastIndexByte(bens, '/')+1:], "Loaded for Ben")
	has("ada@example.org", "", "private_link", "change", "collections", fmt.Sprint(world.LastNumber(t, col)), "Edited by a guest")
	has("operator", "", "operator", "create", "accounts", fmt.Sprint(ben), "ben@example.org")
	has("operator", "", "operator", "delete", "tokens", auth.TokenKey(s.Ben.Token), "")
	has("server", "", "", "change", "files", "1", "") // it was checked
	for i, l := range lines {
		if i > 0 && (l.Sequence != lines[i-1].Sequence+1 || l.Time.Before(lines[i-1].Time)) {
			t.Errorf("line %d is out of order", i)
		}
	}

	asked(s, lines, before, id)
	table, _, ok := auditing(s)
	if rows := strings.Split(strings.TrimSuffix(table, "\n"), "\n"); !ok || len(rows) != len(lines)+1 || len(strings.Fields(rows[1])) < 9 {
		t.Errorf("the table is\n%s", table)
	}
	raw, _, _ := auditing(s, "--json")
	s.Stop()
	direct, errs, ok := auditing(s, "--json")
	if !ok || direct != raw {
		t.Errorf("without a server it tells something else: %s\n%s", errs, direct)
	}
	for what, text := range map[string]string{"private link": secret, "token": s.Ada.Token} {
		if strings.Contains(raw+table, text) {
			t.Errorf("the audit trail tells a %s", what)
		}
	}
}

// asked tries what can be asked for against all lines.
func asked(s *world.Server, all []audit.Line, before time.Time, article int64) {
	s.T.Helper()
	middle := all[len(all)/2].Time
	at := func(t time.Time) string { return t.Format(time.RFC3339Nano) }
	for _, c := range []struct {
		args []string
		want func(l audit.Line) bool
	}{
		{[]string{"--account", "ben@example.org"}, func(l audit.Line) bool { return l.Actor == 2 || l.For == 2 }},
		{[]string{"--account", "1"}, func(l audit.Line) bool { return l.Actor == 1 }},
		{[]string{"--since", at(middle)}, func(l audit.Line) bool { return !l.Time.Before(middle) }},
		{[]string{"--until", at(middle)}, func(l audit.Line) bool { return l.Time.Before(middle) }},
		{[]string{"--since", at(before), "--until", at(middle)}, func(l audit.Line) bool { return !l.Time.Before(before) && l.Time.Before(middle) }},
		{[]string{"--since", "2100-01-01"}, func(audit.Line) bool { return false }},
		{[]string{"--since", "1970-01-01"}, func(audit.Line) bool { return true }},
		{[]string{"--kind", "articles"}, func(l audit.Line) bool { return l.Kind == "articles" }},
		{[]string{"--kind", "articles", "--id", fmt.Sprint(article)}, func(l audit.Line) bool { return l.Kind == "articles" && l.ID == fmt.Sprint(article) }},
	} {
		var want []audit.Line
		for _, l := range all {
			if c.want(l) {
				want = append(want, l)
			}
		}
		if got := audited(s, c.args...); fmt.Sprint(got) != fmt.Sprint(want) {
			s.T.Errorf("alcove audit %v gives %d lines, want %d", c.args, len(got), len(want))
		}
	}
	for _, args := range [][]string{{"--kind", "nonsense"}, {"--kind", "parts"}, {"--id", "1"}, {"--account", "nobody@example.org"}, {"--since", "yesterday"}, {"more"}} {
		if out, _, ok := auditing(s, args...); ok {
			s.T.Errorf("alcove audit %v succeeds: %s", args, out)
		}
	}
}

// The head of the change log can be published, and later proves that nothing before it was
// altered: neither an entry on the disk nor the end of the log (security.md M12).
func TestAuditVerify(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Harmed = "entries of the change log are damaged"
	s.Ada.Article(`{"title": "First of them"}`)
	out, errs, ok := auditing(s, "verify")
	early := strings.TrimSpace(out)
	h, err := changelog.ParseHead(early)
	if !ok || err != nil || h.Sequence != s.Sequence() {
		t.Fatalf("verify prints %q %s, the log ends at %d", out, errs, s.Sequence())
	}
	db := filepath.Join(s.Cfg.Data, bucket.FileName)
	s.Stop()
	old, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	s.Boot()
	s.Ada.Article(`{"title": "Second of them"}`)
	out, _, ok = auditing(s, "verify", "--head", early)
	late := strings.TrimSpace(out)
	if !ok || late == early {
		t.Errorf("with the head of before it prints %q", out)
	}
	s.Stop()
	if again, errs, ok := auditing(s, "verify", "--head", late); !ok || strings.TrimSpace(again) != late {
		t.Errorf("without a server it prints %q %s", again, errs)
	}
	refused := func(why string, args ...string) {
		t.Helper()
		out, errs, ok := auditing(s, append([]string{"verify"}, args...)...)
		if ok || out != "" || !strings.Contains(errs, why) {
			t.Errorf("verify %v prints %q, %q, want %q", args, out, errs, why)
		}
	}
	refused("is not the one that was published", "--head", fmt.Sprintf("%d:%064x", h.Sequence, 1))
	refused("it ends at", "--head", fmt.Sprintf("%d:%064x", h.Sequence+99, 1))
	for _, bad := range []string{"1", "x:" + strings.Repeat("0", 64), "1:00", "-1:" + strings.Repeat("0", 64)} {
		refused("SEQUENCE:HASH", "--head", bad)
	}
	now, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(db, old, 0o600); err != nil { // an older state is whole, but not the one that was published
		t.Fatal(err)
	}
	if out, _, ok := auditing(s, "verify", "--head", early); !ok || strings.TrimSpace(out) != early {
		t.Errorf("the older state prints %q", out)
	}
	refused("it ends at", "--head", late)
	entry := []byte("\x08articles\x00\x08")
	edited := bytes.Clone(now)
	for i := 0; ; i += len(entry) { // every copy: pages that are not in use have some, too
		j := bytes.Index(edited[i:], entry)
		if j < 0 {
			break
		}
		i += j
		edited[i-33] = byte(changelog.Deleted) // the operation
	}
	if bytes.Equal(edited, now) {
		t.Fatal("there is no entry to edit")
	}
	if err := os.WriteFile(db, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("of log")
}

package crash

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alcove/cli/backup"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// restoreOf restores a snapshot into a new directory, and tells what the command told.
func restoreOf(s *world.Server, dest, snapshot string, args ...string) (dir string, r backup.Restored, msg string) {
	s.T.Helper()
	dir = filepath.Join(s.T.TempDir(), "restored")
	out, msg, status := world.AlcoveRun(s.T, append([]string{"restore", dest, dir, "--snapshot", snapshot, "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 || !r.Whole || r.Reconciled == nil {
		s.T.Fatalf("restore: %d: %v: %s%s", status, err, out, msg)
	}
	return dir, r, msg
}

// servedAt starts a server on another data directory, which must be whole.
func servedAt(s *world.Server, dir string) *world.Server {
	s.T.Helper()
	if out, err := exec.Command("alcove", "check", "--data", dir).CombinedOutput(); err != nil {
		s.T.Errorf("check: %v: %s", err, out)
	}
	r := &world.Server{T: s.T, Cfg: s.Cfg}
	r.Cfg.Data, r.Cfg.BackupDir = dir, ""
	r.Boot()
	s.T.Cleanup(func() {
		r.Stop()
	})
	r.Anon, r.Ada, r.Ben = world.Client{Server: r, Token: ""}, world.Client{Server: r, Token: s.Ada.Token}, world.Client{Server: r, Token: s.Ben.Token}
	return r
}

// extraToken makes another token of an account with the program.
func extraToken(s *world.Server, email string) world.Client {
	s.T.Helper()
	out, msg, status := world.AlcoveRun(s.T, "token", "add", "--account", email, "--name", "extra", "--data", s.Cfg.Data)
	if status != 0 {
		s.T.Fatal(msg)
	}
	return world.Client{Server: s, Token: strings.TrimSpace(out)}
}

// operate runs a command of operators on the data of the server.
func operate(s *world.Server, args ...string) string {
	s.T.Helper()
	out, msg, status := world.AlcoveRun(s.T, append(args, "--data", s.Cfg.Data)...)
	if status != 0 {
		s.T.Fatalf("%q: %s%s", args, out, msg)
	}
	return out
}

// Rights ended after a snapshot do not come back with it, and ids, versions and DOIs given since
// are not given again.
func TestRestoreOlder(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	dan := s.Person("Dan", false)
	extra := extraToken(s, "ada@example.org")
	ours := s.Ada.Published("Goes on")
	withdrawn := s.Ada.Published("Is withdrawn")
	draft := s.Ada.Article(`{"title": "Is erased"}`)
	s.Ada.Upload(draft, "secret.bin", disk.Random(2000, 1))
	files := s.Ada.Article(`{"title": "Loses a file", "authors": [{"name": "A B"}]}`)
	lost, stays := s.Ada.Upload(files, "lost.bin", disk.Random(3000, 2)), s.Ada.Upload(files, "stays.bin", disk.Random(100, 3))
	uploading := s.Ada.Article(`{"title": "Is under way", "authors": [{"name": "A B"}]}`)
	half, uploadAt := s.Ada.Begin(uploading, "half.bin", disk.Random(100, 8))
	s.Anon.Do("PUT", uploadAt+"/1", strings.NewReader(string(disk.Random(100, 8)))).Is(200)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "Erased, too"}`).Is(201).Header.Get("Location"), s.URL)
	project := s.Ada.Project("With others")
	s.Ada.Send("POST", project+"/collaborators", `{"email": "ben@example.org", "role_name": "viewer"}`).Is(201)
	s.Ben.Get(project).Is(200)
	note := strings.TrimPrefix(s.Ada.Send("POST", project+"/notes", `{"text": "A note to erase"}`).Is(201).Header.Get("Location"), s.URL)
	link, open := s.Ada.Link(files, ""), s.Ada.Link(files, "")
	dest := filepath.Join(t.TempDir(), "backups")
	first := s.BackedUp(dest).Snapshot

	operate(s, "token", "revoke", "--account", "ada@example.org", "--id", tokenIDs(t, s, "ada@example.org", "extra")[0])
	operate(s, "account", "disable", "--account", "dan@example.org")
	s.Ada.Do("DELETE", files+"/private_links/"+link, nil).Is(204)
	s.Ada.Send("POST", fmt.Sprint("/v2/account/articles/", withdrawn, "/unpublish"), `{"reason": "It was wrong"}`).Is(204)
	at := fmt.Sprint("/v2/account/articles/", ours)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	doi := s.Anon.Get(fmt.Sprint("/v2/articles/", ours)).Is(200).Object()["doi"]
	s.Ada.Do("DELETE", draft, nil).Is(204)
	s.Ada.Do("DELETE", lost, nil).Is(204)
	s.Ada.Do("DELETE", col, nil).Is(204)
	s.Ada.Do("DELETE", note, nil).Is(204)
	for _, m := range s.Ada.Get(project + "/collaborators").Is(200).List() {
		if m["role_name"] != "Owner" {
			s.Ada.Do("DELETE", fmt.Sprint(project, "/collaborators/", int64(m["user_id"].(float64))), nil).Is(204)
		}
	}
	after := s.Ada.Published("Comes after")
	given := s.Anon.Get(fmt.Sprint("/v2/articles/", after)).Is(200).Object()
	second := s.BackedUp(dest).Snapshot
	s.Stop()

	dir, r, _ := restoreOf(s, dest, first)
	if !r.Reconciled.Known || r.Reconciled.Uploads != 1 || r.Reconciled.LastIDs["articles"] != after || len(r.Reconciled.Failed) > 0 {
		t.Errorf("%+v", r.Reconciled)
	}
	o := servedAt(s, dir)
	world.Client{Server: o, Token: extra.Token}.Get("/v2/account").Is(401)
	world.Client{Server: o, Token: dan.Token}.Get("/v2/account").Is(401)
	o.Ada.Get("/v2/account").Is(200)
	for _, l := range o.Ada.Get(files + "/private_links").Is(200).List() {
		if want := l["id"] == open; l["is_active"] != want {
			t.Errorf("link %v is active: %v", l["id"], l["is_active"])
		}
	}
	o.Anon.Get(fmt.Sprint("/v2/articles/", withdrawn)).Is(404)
	if got := o.Ada.Get(fmt.Sprint("/v2/account/articles/", withdrawn)).Is(200).Object()["status"]; got != "private" {
		t.Errorf("what was withdrawn is %v", got)
	}
	for _, gone := range []string{draft, col, note} {
		o.Ada.Get(gone).Is(404)
	}
	if list := o.Ada.Get(files + "/files").Is(200).List(); len(list) != 1 || list[0]["name"] != "stays.bin" {
		t.Errorf("the files are %v", list)
	}
	o.Ada.Get(stays).Is(200)
	o.Ben.Get(project).Is(404)
	// An upload that was under way has ended, and its file says so: a publication cannot miss it
	// unnoticed.
	if f := o.Ada.Get(half).Is(200).Object(); f["status"] != "ic_failed" {
		t.Errorf("the file of an upload that has ended is %v", f["status"])
	}
	o.Ada.Do("POST", uploading+"/publish", nil).Is(400)
	// Versions and ids go on.
	if got := o.Anon.Get(fmt.Sprint("/v2/articles/", ours)).Is(200).Object()["version"]; got != 1.0 {
		t.Errorf("version %v", got)
	}
	o.Ada.Do("POST", at+"/publish", nil).Is(201)
	now := o.Anon.Get(fmt.Sprint("/v2/articles/", ours)).Is(200).Object()
	if now["version"] != 3.0 || now["doi"] == doi {
		t.Errorf("the version after the restore is %v, its DOI %v", now["version"], now["doi"])
	}
	var versions []float64
	for _, v := range o.Anon.Get(fmt.Sprint("/v2/articles/", ours, "/versions")).Is(200).List() {
		versions = append(versions, v["version"].(float64))
		o.Anon.Get(strings.TrimPrefix(v["url"].(string), o.URL)).Is(200)
	}
	slices.Sort(versions)
	if !slices.Equal(versions, []float64{1, 3}) {
		t.Errorf("versions %v", versions)
	}
	o.Ada.Do("POST", fmt.Sprint("/v2/account/articles/", withdrawn, "/publish"), nil).Is(201)
	if got := o.Anon.Get(fmt.Sprint("/v2/articles/", withdrawn)).Is(200).Object()["version"]; got != 2.0 {
		t.Errorf("after a withdrawal comes version %v", got)
	}
	next := o.Ada.Published("Is another")
	if detail := o.Anon.Get(fmt.Sprint("/v2/articles/", next)).Is(200).Object(); next != after+1 || detail["doi"] == given["doi"] {
		t.Errorf("the id %d and the DOI %v were given after %d and %v", next, detail["doi"], after, given["doi"])
	}
	// Back on the way that was left: what came there is whole, ids go on behind both ways.
	o.BackedUp(dest)
	o.Stop()
	dir, _, _ = restoreOf(s, dest, second)
	b := servedAt(s, dir)
	b.Anon.Get(fmt.Sprint("/v2/articles/", after)).Is(200)
	b.Ada.Get(draft).Is(404)
	if got := b.Ada.Published("Behind both"); got != next+1 {
		t.Errorf("id %d follows %d", got, next)
	}
}

// tokenIDs are the ids of tokens of that name.
func tokenIDs(t *testing.T, s *world.Server, email, name string) (ids []string) {
	var list []struct{ ID, Name string }
	if err := json.Unmarshal([]byte(operate(s, "token", "list", "--account", email, "--json")), &list); err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		if l.Name == name {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// Where nothing tells of later, the command says what is valid again; what is left of the data
// directory tells, or the operator.
func TestRestoreTold(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	extra := extraToken(s, "ben@example.org")
	at := s.Ada.Article(`{"title": "With a link"}`)
	link := s.Ada.Link(at, "")
	dest := filepath.Join(t.TempDir(), "backups")
	snapshot := s.BackedUp(dest).Snapshot
	operate(s, "token", "revoke", "--account", "ben@example.org", "--id", tokenIDs(t, s, "ben@example.org", "extra")[0])
	s.Ada.Do("DELETE", at+"/private_links/"+link, nil).Is(204)
	last := s.Ada.Published("Later")
	person := s.Ada.Get(fmt.Sprint("/v2/account/articles/", last, "/authors")).Is(200).List()[0]["id"].(float64)
	strange := world.Start(t)
	strange.Stop()
	plain := filepath.Join(t.TempDir(), "plain")
	out, msg, status := world.AlcoveRun(t, "restore", dest, plain)
	if status != 0 || !strings.Contains(out, "VALID AGAIN") || !strings.Contains(out, "extra") || !strings.Contains(out, link[:8]) || strings.Contains(out, link) || !strings.Contains(msg, "--revoke-tokens") || !strings.Contains(msg, "--next-id") {
		t.Errorf("%d: %s%s", status, out, msg)
	}
	if err := os.RemoveAll(plain); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a server has it":    {[]string{"--old", s.Cfg.Data}, "cannot learn from"},
		"another repository": {[]string{"--old", strange.Cfg.Data}, "it is another repository"},
		"nothing there":      {[]string{"--old", t.TempDir()}, "cannot learn from"},
		"a negative id":      {[]string{"--next-id", "-1"}, "--next-id is a number"},
		"too large an id":    {[]string{"--next-id", "1099511627776"}, "--next-id is a number"},
	} {
		if out, msg, status := world.AlcoveRun(t, append([]string{"restore", dest, plain}, c.args...)...); status == 0 || !strings.Contains(msg, c.want) {
			t.Errorf("%s: %d: %s%s", name, status, out, msg)
		}
		if err := os.RemoveAll(plain); err != nil {
			t.Fatal(err)
		}
	}
	s.Stop()

	dir, r, msg := restoreOf(s, dest, snapshot, "--old", s.Cfg.Data)
	if !r.Reconciled.Known || strings.Contains(msg, "nothing tells") {
		t.Errorf("%+v", r.Reconciled)
	}
	o := servedAt(s, dir)
	world.Client{Server: o, Token: extra.Token}.Get("/v2/account").Is(401)
	o.Ben.Get("/v2/account").Is(200)
	if l := o.Ada.Get(at + "/private_links").Is(200).List(); len(l) != 1 || l[0]["is_active"] != false {
		t.Errorf("the link is %v", l)
	}
	next := o.Ada.Published("Behind it")
	if got := o.Ada.Get(fmt.Sprint("/v2/account/articles/", next, "/authors")).Is(200).List()[0]["id"].(float64); next != last+1 || got <= person {
		t.Errorf("article %d after %d, person %v after %v", next, last, got, person)
	}

	dir, r, _ = restoreOf(s, dest, snapshot, "--next-id", "5000", "--revoke-tokens")
	if r.Reconciled.Revoked != 5 || r.Reconciled.ValidAll != 0 {
		t.Errorf("%+v", r.Reconciled)
	}
	o = servedAt(s, dir)
	o.Ada.Get("/v2/account").Is(401)
	if l := extraToken(o, "ada@example.org").Get(at + "/private_links").Is(200).List(); len(l) != 1 || l[0]["is_active"] != false {
		t.Errorf("the link is %v", l)
	}
	if got := extraToken(o, "ada@example.org").Published("Far behind"); got != 5000 {
		t.Errorf("id %d", got)
	}
}

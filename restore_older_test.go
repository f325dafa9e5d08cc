package main

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
)

// restoreOf restores a snapshot into a new directory, and tells what the command told.
func (s *server) restoreOf(dest, snapshot string, args ...string) (dir string, r backup.Restored, msg string) {
	s.t.Helper()
	dir = filepath.Join(s.t.TempDir(), "restored")
	out, msg, status := alcoveRun(s.t, append([]string{"restore", dest, dir, "--snapshot", snapshot, "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 || !r.Whole || r.Reconciled == nil {
		s.t.Fatalf("restore: %d: %v: %s%s", status, err, out, msg)
	}
	return dir, r, msg
}

// servedAt starts a server on another data directory, which must be whole.
func (s *server) servedAt(dir string) *server {
	s.t.Helper()
	if out, err := exec.Command("alcove", "check", "--data", dir).CombinedOutput(); err != nil {
		s.t.Errorf("check: %v: %s", err, out)
	}
	r := &server{t: s.t, cfg: s.cfg}
	r.cfg.Data, r.cfg.BackupDir = dir, ""
	r.boot()
	s.t.Cleanup(func() {
		if r.Server != nil {
			r.Stop()
		}
	})
	r.Anon, r.Ada, r.Ben = client{r, ""}, client{r, s.Ada.token}, client{r, s.Ben.token}
	return r
}

// extraToken makes another token of an account with the program.
func (s *server) extraToken(email string) client {
	s.t.Helper()
	out, msg, status := alcoveRun(s.t, "token", "add", "--account", email, "--name", "extra", "--data", s.cfg.Data)
	if status != 0 {
		s.t.Fatal(msg)
	}
	return client{s, strings.TrimSpace(out)}
}

// operate runs a command of operators on the data of the server.
func (s *server) operate(args ...string) string {
	s.t.Helper()
	out, msg, status := alcoveRun(s.t, append(args, "--data", s.cfg.Data)...)
	if status != 0 {
		s.t.Fatalf("%q: %s%s", args, out, msg)
	}
	return out
}

// Rights ended after a snapshot do not come back with it, and ids, versions and DOIs given since
// are not given again.
func TestRestoreOlder(t *testing.T) {
	t.Parallel()
	s := start(t)
	dan := s.person("Dan", false)
	extra := s.extraToken("ada@example.org")
	ours := s.Ada.published("Goes on")
	withdrawn := s.Ada.published("Is withdrawn")
	draft := s.Ada.article(`{"title": "Is erased"}`)
	s.Ada.upload(draft, "secret.bin", random(2000, 1))
	files := s.Ada.article(`{"title": "Loses a file", "authors": [{"name": "A B"}]}`)
	lost, stays := s.Ada.upload(files, "lost.bin", random(3000, 2)), s.Ada.upload(files, "stays.bin", random(100, 3))
	uploading := s.Ada.article(`{"title": "Is under way", "authors": [{"name": "A B"}]}`)
	half, uploadAt := s.Ada.begin(uploading, "half.bin", random(100, 8))
	s.Anon.do("PUT", uploadAt+"/1", strings.NewReader(string(random(100, 8)))).is(200)
	col := strings.TrimPrefix(s.Ada.send("POST", "/v2/account/collections", `{"title": "Erased, too"}`).is(201).Header.Get("Location"), s.URL)
	project := s.Ada.project("With others")
	s.Ada.send("POST", project+"/collaborators", `{"email": "ben@example.org", "role_name": "viewer"}`).is(201)
	s.Ben.get(project).is(200)
	note := strings.TrimPrefix(s.Ada.send("POST", project+"/notes", `{"text": "A note to erase"}`).is(201).Header.Get("Location"), s.URL)
	link, open := s.Ada.link(files, ""), s.Ada.link(files, "")
	dest := filepath.Join(t.TempDir(), "backups")
	first := s.backedUp(dest).Snapshot

	s.operate("token", "revoke", "--account", "ada@example.org", "--id", tokenIDs(t, s, "ada@example.org", "extra")[0])
	s.operate("account", "disable", "--account", "dan@example.org")
	s.Ada.do("DELETE", files+"/private_links/"+link, nil).is(204)
	s.Ada.send("POST", fmt.Sprint("/v2/account/articles/", withdrawn, "/unpublish"), `{"reason": "It was wrong"}`).is(204)
	at := fmt.Sprint("/v2/account/articles/", ours)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	doi := s.Anon.get(fmt.Sprint("/v2/articles/", ours)).is(200).object()["doi"]
	s.Ada.do("DELETE", draft, nil).is(204)
	s.Ada.do("DELETE", lost, nil).is(204)
	s.Ada.do("DELETE", col, nil).is(204)
	s.Ada.do("DELETE", note, nil).is(204)
	for _, m := range s.Ada.get(project + "/collaborators").is(200).list() {
		if m["role_name"] != "Owner" {
			s.Ada.do("DELETE", fmt.Sprint(project, "/collaborators/", int64(m["user_id"].(float64))), nil).is(204)
		}
	}
	after := s.Ada.published("Comes after")
	given := s.Anon.get(fmt.Sprint("/v2/articles/", after)).is(200).object()
	second := s.backedUp(dest).Snapshot
	s.Stop()
	s.Server = nil

	dir, r, _ := s.restoreOf(dest, first)
	if !r.Reconciled.Known || r.Reconciled.Uploads != 1 || r.Reconciled.LastIDs["articles"] != after || len(r.Reconciled.Failed) > 0 {
		t.Errorf("%+v", r.Reconciled)
	}
	o := s.servedAt(dir)
	client{o, extra.token}.get("/v2/account").is(401)
	client{o, dan.token}.get("/v2/account").is(401)
	o.Ada.get("/v2/account").is(200)
	for _, l := range o.Ada.get(files + "/private_links").is(200).list() {
		if want := l["id"] == open; l["is_active"] != want {
			t.Errorf("link %v is active: %v", l["id"], l["is_active"])
		}
	}
	o.Anon.get(fmt.Sprint("/v2/articles/", withdrawn)).is(404)
	if got := o.Ada.get(fmt.Sprint("/v2/account/articles/", withdrawn)).is(200).object()["status"]; got != "private" {
		t.Errorf("what was withdrawn is %v", got)
	}
	for _, gone := range []string{draft, col, note} {
		o.Ada.get(gone).is(404)
	}
	if list := o.Ada.get(files + "/files").is(200).list(); len(list) != 1 || list[0]["name"] != "stays.bin" {
		t.Errorf("the files are %v", list)
	}
	o.Ada.get(stays).is(200)
	o.Ben.get(project).is(404)
	// An upload that was under way has ended, and its file says so: a publication cannot miss it
	// unnoticed.
	if f := o.Ada.get(half).is(200).object(); f["status"] != "ic_failed" {
		t.Errorf("the file of an upload that has ended is %v", f["status"])
	}
	o.Ada.do("POST", uploading+"/publish", nil).is(400)
	// Versions and ids go on.
	if got := o.Anon.get(fmt.Sprint("/v2/articles/", ours)).is(200).object()["version"]; got != 1.0 {
		t.Errorf("version %v", got)
	}
	o.Ada.do("POST", at+"/publish", nil).is(201)
	now := o.Anon.get(fmt.Sprint("/v2/articles/", ours)).is(200).object()
	if now["version"] != 3.0 || now["doi"] == doi {
		t.Errorf("the version after the restore is %v, its DOI %v", now["version"], now["doi"])
	}
	var versions []float64
	for _, v := range o.Anon.get(fmt.Sprint("/v2/articles/", ours, "/versions")).is(200).list() {
		versions = append(versions, v["version"].(float64))
		o.Anon.get(strings.TrimPrefix(v["url"].(string), o.URL)).is(200)
	}
	slices.Sort(versions)
	if !slices.Equal(versions, []float64{1, 3}) {
		t.Errorf("versions %v", versions)
	}
	o.Ada.do("POST", fmt.Sprint("/v2/account/articles/", withdrawn, "/publish"), nil).is(201)
	if got := o.Anon.get(fmt.Sprint("/v2/articles/", withdrawn)).is(200).object()["version"]; got != 2.0 {
		t.Errorf("after a withdrawal comes version %v", got)
	}
	next := o.Ada.published("Is another")
	if detail := o.Anon.get(fmt.Sprint("/v2/articles/", next)).is(200).object(); next != after+1 || detail["doi"] == given["doi"] {
		t.Errorf("the id %d and the DOI %v were given after %d and %v", next, detail["doi"], after, given["doi"])
	}
	// Back on the way that was left: what came there is whole, ids go on behind both ways.
	o.backedUp(dest)
	o.Stop()
	o.Server = nil
	dir, _, _ = s.restoreOf(dest, second)
	b := s.servedAt(dir)
	b.Anon.get(fmt.Sprint("/v2/articles/", after)).is(200)
	b.Ada.get(draft).is(404)
	if got := b.Ada.published("Behind both"); got != next+1 {
		t.Errorf("id %d follows %d", got, next)
	}
}

// tokenIDs are the ids of tokens of that name.
func tokenIDs(t *testing.T, s *server, email, name string) (ids []string) {
	var list []struct{ ID, Name string }
	if err := json.Unmarshal([]byte(s.operate("token", "list", "--account", email, "--json")), &list); err != nil {
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
	s := start(t)
	extra := s.extraToken("ben@example.org")
	at := s.Ada.article(`{"title": "With a link"}`)
	link := s.Ada.link(at, "")
	dest := filepath.Join(t.TempDir(), "backups")
	snapshot := s.backedUp(dest).Snapshot
	s.operate("token", "revoke", "--account", "ben@example.org", "--id", tokenIDs(t, s, "ben@example.org", "extra")[0])
	s.Ada.do("DELETE", at+"/private_links/"+link, nil).is(204)
	last := s.Ada.published("Later")
	person := s.Ada.get(fmt.Sprint("/v2/account/articles/", last, "/authors")).is(200).list()[0]["id"].(float64)
	strange := start(t)
	strange.Stop()
	strange.Server = nil
	plain := filepath.Join(t.TempDir(), "plain")
	out, msg, status := alcoveRun(t, "restore", dest, plain)
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
		"a server has it":    {[]string{"--old", s.cfg.Data}, "cannot learn from"},
		"another repository": {[]string{"--old", strange.cfg.Data}, "it is another repository"},
		"nothing there":      {[]string{"--old", t.TempDir()}, "cannot learn from"},
		"a negative id":      {[]string{"--next-id", "-1"}, "--next-id is a number"},
		"too large an id":    {[]string{"--next-id", "1099511627776"}, "--next-id is a number"},
	} {
		if out, msg, status := alcoveRun(t, append([]string{"restore", dest, plain}, c.args...)...); status == 0 || !strings.Contains(msg, c.want) {
			t.Errorf("%s: %d: %s%s", name, status, out, msg)
		}
		if err := os.RemoveAll(plain); err != nil {
			t.Fatal(err)
		}
	}
	s.Stop()
	s.Server = nil

	dir, r, msg := s.restoreOf(dest, snapshot, "--old", s.cfg.Data)
	if !r.Reconciled.Known || strings.Contains(msg, "nothing tells") {
		t.Errorf("%+v", r.Reconciled)
	}
	o := s.servedAt(dir)
	client{o, extra.token}.get("/v2/account").is(401)
	o.Ben.get("/v2/account").is(200)
	if l := o.Ada.get(at + "/private_links").is(200).list(); len(l) != 1 || l[0]["is_active"] != false {
		t.Errorf("the link is %v", l)
	}
	next := o.Ada.published("Behind it")
	if got := o.Ada.get(fmt.Sprint("/v2/account/articles/", next, "/authors")).is(200).list()[0]["id"].(float64); next != last+1 || got <= person {
		t.Errorf("article %d after %d, person %v after %v", next, last, got, person)
	}

	dir, r, _ = s.restoreOf(dest, snapshot, "--next-id", "5000", "--revoke-tokens")
	if r.Reconciled.Revoked != 5 || r.Reconciled.ValidAll != 0 {
		t.Errorf("%+v", r.Reconciled)
	}
	o = s.servedAt(dir)
	o.Ada.get("/v2/account").is(401)
	if l := o.extraToken("ada@example.org").get(at + "/private_links").is(200).list(); len(l) != 1 || l[0]["is_active"] != false {
		t.Errorf("the link is %v", l)
	}
	if got := o.extraToken("ada@example.org").published("Far behind"); got != 5000 {
		t.Errorf("id %d", got)
	}
}

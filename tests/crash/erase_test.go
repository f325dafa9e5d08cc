package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/cli/backup"
	alcove "alcove/cli/operate"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// holding are the files of a directory that have any of some words, as they are or in UTF-16, one "file: word" each.
func holding(t *testing.T, dir string, words ...string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		low := bytes.ToLower(b)
		for _, w := range words {
			if bytes.Contains(b, []byte(w)) || bytes.Contains(low, []byte(strings.ToLower(w))) {
				name, _ := filepath.Rel(dir, path)
				found = append(found, name+": "+w)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// leaver is a person with something of each kind, the words that only the person has, and an item that was published.
func leaver(s *world.Server) (mail string, words []string, published int64) {
	s.T.Helper()
	c := s.Person("Quetzal", false)
	mail = "quetzal@example.org"
	words = []string{mail, "xylophagous", "bathypelagic", "zugzwang", "flibbertigibbet", "sesquipedalian"}
	c.Send("PUT", "/v2/account/profile", `{"last_name": "Xylophagous", "bio": "Bathypelagic", "job_title": "Bathypelagic"}`).Is(200)
	c.Form(fmt.Sprintf("/v2/account/profile/%d/picture", c.UserID()), "profile_picture", string(disk.OnePixel)).Is(200)
	draft := c.Article(`{"title": "A zugzwang of drafts", "authors": [{"name": "Flibbertigibbet Co"}]}`)
	c.Upload(draft, "zugzwang.txt", []byte("sesquipedalian bytes that nobody else has"))
	c.Begin(draft, "zugzwang-later.txt", []byte("never sent"))
	c.NewCollection("A zugzwang of collections")
	project := s.Ada.Project("Of others")
	s.Ada.Invite(project, c, "collaborator")
	c.Send("POST", project+"/notes", `{"text": "A zugzwang of notes"}`).Is(201)
	published = c.Published("Stays published")
	s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "published"}`).Is(200) // the index has it
	c.Send("POST", "/v2/account/articles/search", `{"search_for": "zugzwang"}`).Is(200)
	return mail, words, published
}

// A person is told of by a dry run that changes nothing, and erased with the server stopped: neither the data directory nor a
// restore of an older backup has a word of theirs, and what was published stays.
func TestErasePerson(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail, words, published := leaver(s)
	dest := filepath.Join(t.TempDir(), "backups")
	first := s.BackedUp(dest).Snapshot
	before := s.Sequence()
	out, msg, status := world.AlcoveRun(t, "erase", "person", mail, "--data", s.Cfg.Data, "--backups", dest)
	for _, want := range []string{"tokens", "notes in projects", "articles that were never published", "stays: what was published is cited", first} {
		if !strings.Contains(out, want) {
			t.Errorf("the dry run has no %q: %s", want, out)
		}
	}
	if status != 0 || !strings.Contains(msg, "nothing was changed") || s.Sequence() != before {
		t.Errorf("the dry run: %d, %s", status, msg)
	}
	if _, msg, status := world.AlcoveRun(t, "erase", "person", mail, "--yes", "--data", s.Cfg.Data, "--backups", dest); status == 0 || !strings.Contains(msg, "stop it") || s.Sequence() != before {
		t.Errorf("while a server runs: %d, %s", status, msg)
	}
	if _, msg, status := world.AlcoveRun(t, "erase", "person", "nobody@example.org", "--data", s.Cfg.Data); status == 0 || !strings.Contains(msg, "cannot find an account") {
		t.Errorf("nobody: %d, %s", status, msg)
	}
	s.Stop()
	if found := holding(t, s.Cfg.Data, words...); len(found) < len(words) {
		t.Fatalf("before it only %q have the words", found)
	}
	out, msg, status = world.AlcoveRun(t, "erase", "person", mail, "--yes", "--data", s.Cfg.Data, "--backups", dest)
	if status != 0 || !strings.Contains(msg, "it was erased") {
		t.Fatalf("%d: %s%s", status, out, msg)
	}
	if found := holding(t, s.Cfg.Data, words...); len(found) > 0 {
		t.Errorf("after it %q", found)
	}
	// The search index has parts of words, compressed: no search of bytes finds them there.
	if _, err := os.Stat(filepath.Join(s.Cfg.Data, "index")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the search index is still there: %v", err)
	}
	if found := holding(t, s.Cfg.Data, "stays published"); len(found) == 0 {
		t.Error("what was published is gone")
	}
	s.Boot()
	s.Anon.Get(fmt.Sprint("/v2/articles/", published)).Is(200)
	s.CheckStore()
	second := s.BackedUp(dest).Snapshot
	s.Stop()
	if found := holding(t, s.Cfg.Data, words...); len(found) > 0 {
		t.Errorf("after a start %q", found)
	}

	// The backups were told; without that, later ones tell.
	for _, told := range []bool{true, false} {
		if !told {
			if err := os.Remove(filepath.Join(dest, "erasures")); err != nil {
				t.Fatal(err)
			}
		}
		dir, r, _ := restoreOf(s, dest, first)
		if len(r.Reconciled.Erased) != 1 || len(r.Reconciled.Failed) > 0 {
			t.Errorf("told %v: %+v", told, r.Reconciled)
		}
		if found := holding(t, dir, words...); len(found) > 0 {
			t.Errorf("told %v: restored, %q", told, found)
		}
		o := servedAt(s, dir)
		o.Anon.Get(fmt.Sprint("/v2/articles/", published)).Is(200)
		o.Stop()
	}
	if dir, _, _ := restoreOf(s, dest, second); len(holding(t, dir, words...)) > 0 {
		t.Error("the later one has the words")
	}
}

// A file is erased wherever the same bytes are, or not at all; where it was public a tombstone stays. An older backup does not
// bring the bytes back.
func TestEraseFile(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	picture := string(disk.Picture(40, 30, color.NRGBA{7, 70, 170, 255}))
	secret := []byte("serendipitous bytes of the file that has to go")
	at := s.Ada.Article(`{"title": "With secrets", "authors": [{"name": "Grace Hopper"}]}`)
	file := s.Ada.Upload(at, "secret-perspicacious.txt", secret)
	s.Ada.Upload(at, "other.txt", []byte("stays"))
	image := s.Ada.Upload(at, "perspicacious.png", []byte(picture))
	s.Ada.Previews(image, "preview_available")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	same := s.Ben.Article(`{"title": "The same"}`)
	s.Ben.Upload(same, "copy.txt", secret)
	public := strings.Replace(at, "/account", "", 1)
	dest := filepath.Join(t.TempDir(), "backups")
	first := s.BackedUp(dest).Snapshot
	id, imageID := fmt.Sprint(world.LastNumber(t, file)), fmt.Sprint(world.LastNumber(t, image))
	var dry struct {
		Refused   string
		Done      bool
		Snapshots []struct{ Blobs int }
	}
	out, _, status := world.AlcoveRun(t, "erase", "file", id, "--data", s.Cfg.Data, "--backups", dest, "--json")
	if err := json.Unmarshal([]byte(out), &dry); err != nil || status != 0 || dry.Done || !strings.Contains(dry.Refused, "--same") || len(dry.Snapshots) != 1 || dry.Snapshots[0].Blobs != 1 {
		t.Errorf("the dry run: %d, %v, %s", status, err, out)
	}
	s.Anon.Get(public).Is(200)
	s.Stop()
	if _, msg, status := world.AlcoveRun(t, "erase", "file", id, "--yes", "--data", s.Cfg.Data, "--backups", dest); status == 0 || !strings.Contains(msg, "--same") {
		t.Errorf("with other files: %d, %s", status, msg)
	}
	if len(holding(t, s.Cfg.Data, "serendipitous")) == 0 {
		t.Fatal("a refusal has removed something")
	}
	for _, args := range [][]string{{id, "--same"}, {imageID}} {
		if out, msg, status := world.AlcoveRun(t, append([]string{"erase", "file", "--yes", "--data", s.Cfg.Data, "--backups", dest}, args...)...); status != 0 {
			t.Fatalf("%d: %s%s", status, out, msg)
		}
	}
	left := func(dir string) {
		t.Helper()
		if found := holding(t, dir, "serendipitous", "perspicacious"); len(found) > 0 {
			t.Errorf("after it %q", found)
		}
		if n := len(pngs(t, dir)); n != 0 {
			t.Errorf("%d pictures are left", n)
		}
	}
	left(s.Cfg.Data)
	served := func(o *world.Server) {
		t.Helper()
		o.Anon.Get(public).Is(404)
		o.Anon.Get("/files/" + id).Is(404)
		if list := o.Ada.Get(at + "/files").Is(200).List(); world.FileNames(list) != "other.txt" {
			t.Errorf("the files are %v", list)
		}
		if list := o.Ben.Get(same + "/files").Is(200).List(); len(list) != 0 {
			t.Errorf("the files of the other are %v", list)
		}
	}
	s.Boot()
	served(s)
	s.CheckStore()
	s.Ada.Do("POST", at+"/publish", nil).Is(201) // without the file
	s.Anon.Get(public).Is(200)
	s.Stop()
	dir, r, _ := restoreOf(s, dest, first)
	if len(r.Reconciled.Erased) != 2 {
		t.Errorf("%+v", r.Reconciled)
	}
	left(dir)
	served(servedAt(s, dir))
}

// pngs are the files of a directory that are PNG pictures.
func pngs(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, name := range holding(t, dir, "\x89PNG\r\n") {
		if !strings.HasSuffix(name, ".db: \x89PNG\r\n") {
			list = append(list, name)
		}
	}
	return list
}

// However often an erasure is killed it comes to its end, by the command or, but for free pages of the database, by a start of
// the server; nothing else is lost.
func TestEraseKilled(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail, words, published := leaver(s)
	for n := range 120 { // several commits
		world.Client{Server: s, Token: s.Ben.Token}.Article(fmt.Sprintf(`{"title": "Of another %d"}`, n))
	}
	s.Stop()
	killed, noted := 0, 0
	for n := range 8 {
		dir := filepath.Join(t.TempDir(), "data")
		disk.CopyTree(t, s.Cfg.Data, dir)
		wait := time.Duration(n*n) * 4 * time.Millisecond
		if killedAt(t, wait, func() bool { return true }, "erase", "person", mail, "--yes", "--data", dir) {
			killed++
		}
		out, _, _ := world.AlcoveRun(t, "account", "list", "--json", "--data", dir)
		if n%2 == 0 && strings.Contains(out, `"disabled": true`) { // it was noted: a start applies it
			noted++
			o := servedAt(s, dir)
			o.Anon.Get(fmt.Sprint("/v2/articles/", published)).Is(200)
			o.Stop()
			for _, found := range holding(t, dir, words...) {
				if !strings.HasPrefix(found, "alcove.db:") {
					t.Errorf("killed after %v, then served: %q", wait, found)
				}
			}
			if out, _, _ := world.AlcoveRun(t, "account", "list", "--json", "--data", dir); strings.Contains(out, mail) {
				t.Errorf("killed after %v, then served: %s", wait, out)
			}
		}
		if out, msg, status := world.AlcoveRun(t, "erase", "resume", "--data", dir); status != 0 {
			t.Errorf("%d: %s%s", status, out, msg)
		}
		if _, msg, status := world.AlcoveRun(t, "erase", "person", mail, "--yes", "--data", dir); status != 0 && !strings.Contains(msg, "cannot find an account") {
			t.Errorf("again: %d, %s", status, msg)
		}
		if found := holding(t, dir, words...); len(found) > 0 {
			t.Errorf("killed after %v: %q", wait, found)
		}
		o := servedAt(s, dir)
		o.Anon.Get(fmt.Sprint("/v2/articles/", published)).Is(200)
		if got := len(o.Ben.Get("/v2/account/articles?page_size=1000").Is(200).List()); got != 120 {
			t.Errorf("Ben has %d articles", got)
		}
		o.Stop()
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
	t.Logf("%d of 8 were killed, %d applied by a start", killed, noted)
}

// Neither rebuilding the database of older backups, nor repairing it, nor a new search index brings anything of an erased person
// back.
func TestEraseBroughtBack(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail, words, published := leaver(s)
	dest := filepath.Join(t.TempDir(), "backups")
	s.BackedUp(dest)
	s.Stop()
	if out, msg, status := world.AlcoveRun(t, "erase", "person", mail, "--yes", "--data", s.Cfg.Data, "--backups", dest); status != 0 {
		t.Fatalf("%d: %s%s", status, out, msg)
	}
	s.BackedUp(dest) // as an operator does after an erasure
	for name, broken := range map[string]struct {
		do  func(database string)
		how []string
	}{
		"lost": {func(database string) { os.Remove(database) }, []string{"check", "--rebuild", "--from", dest}},
		"damaged": {func(database string) {
			for page := 4; page < 40; page++ { // one that is in use, and whose records are not lost with it
				disk.FlipBit(t, database, page*4096+40)
				if out, _, status := world.AlcoveRun(t, "check", "--data", filepath.Dir(database)); status != 0 && !strings.Contains(out, "it is lost") && !strings.Contains(out, "does not lie") {
					return
				}
				disk.FlipBit(t, database, page*4096+40)
			}
		}, []string{"check", "--repair", "--from", dest}},
	} {
		dir := filepath.Join(t.TempDir(), name)
		disk.CopyTree(t, s.Cfg.Data, dir)
		broken.do(filepath.Join(dir, "alcove.db"))
		if out, msg, status := world.AlcoveRun(t, append(broken.how, "--data", dir)...); status != 0 {
			t.Errorf("%s: %d: %s%s", name, status, out, msg)
		}
		if found := holding(t, dir, words...); len(found) > 0 {
			t.Errorf("%s: %q", name, found)
		}
		if aside, _ := filepath.Glob(filepath.Join(dir, "alcove.db.damaged-*")); (len(aside) > 0) != (name == "damaged") {
			t.Errorf("%s: put aside was %q", name, aside)
		}
		o := servedAt(s, dir)
		o.Anon.Get(fmt.Sprint("/v2/articles/", published)).Is(200)
		operate(o, "index", "rebuild")
		if list := o.Anon.Send("POST", "/v2/articles/search", `{"search_for": "xylophagous"}`).Is(200).List(); len(list) > 0 {
			t.Errorf("%s: the person is found: %v", name, list)
		}
		o.Stop()
		if found := holding(t, dir, words...); len(found) > 0 {
			t.Errorf("%s, with a new index: %q", name, found)
		}
	}
}

// An account takes with it those that were merged into it, with what a sign-in elsewhere has told of the person, also out of backups
// of before the merge. One that was merged goes alone where only it is named, and then it is said what the other has.
func TestEraseMerged(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	mail, words, published := leaver(s)
	other := s.Person("Vellichor", false)
	words = append(words, "vellichor@example.org", "0000-0002-1825-0097", "Petrichor")
	draft := other.Article(`{"title": "A zugzwang of the other"}`)
	other.Upload(draft, "zugzwang-other.txt", []byte("sesquipedalian bytes of the other"))
	s.Alter(func(tx *bucket.Tx) error {
		return users.Logins.Put(tx, strings.Repeat("ab", 32), &record.Login{AccountID: other.ID(), Issuer: "https://orcid.org", Subject: "0000-0002-1825-0097", Provider: "orcid", Shown: "Petrichor"})
	})
	dest := filepath.Join(t.TempDir(), "backups")
	first := s.BackedUp(dest).Snapshot
	s.Operate("hand_over", alcove.HandOver{From: "vellichor@example.org", To: mail, Merge: true}, nil)
	second := s.BackedUp(dest).Snapshot
	if out, msg, _ := world.AlcoveRun(t, "erase", "person", "vellichor@example.org", "--data", s.Cfg.Data); !strings.Contains(out, "into which it was merged") || strings.Contains(out, "orcid") {
		t.Errorf("alone: %s%s", out, msg)
	}
	out, _, _ := world.AlcoveRun(t, "erase", "person", mail, "--data", s.Cfg.Data)
	for _, want := range []string{"1      accounts among these that were merged into it", "2      account: mail address", "1      sign-in at other services", "2      articles that were never published"} {
		if !strings.Contains(out, want) {
			t.Errorf("the dry run has no %q: %s", want, out)
		}
	}
	s.Stop()
	if out, msg, status := world.AlcoveRun(t, "erase", "person", mail, "--yes", "--data", s.Cfg.Data, "--backups", dest); status != 0 {
		t.Fatalf("%d: %s%s", status, out, msg)
	}
	if found := holding(t, s.Cfg.Data, words...); len(found) > 0 {
		t.Errorf("after it %q", found)
	}
	for _, snapshot := range []string{first, second} {
		dir, _, _ := restoreOf(s, dest, snapshot)
		if found := holding(t, dir, words...); len(found) > 0 {
			t.Errorf("restored of %s: %q", snapshot, found)
		}
		o := servedAt(s, dir)
		o.Anon.Get(fmt.Sprint("/v2/articles/", published)).Is(200)
		o.Stop()
	}
}

// Backups are rewritten without what was erased, under their names, once a newer one is there that has nothing of it. However often
// that is killed, each snapshot is whole, and as it was or without it.
func TestEraseBackups(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail, words, published := leaver(s)
	dest := filepath.Join(t.TempDir(), "backups")
	names := []string{s.BackedUp(dest).Snapshot}
	later := s.Ada.Published("Comes later")
	names = append(names, s.BackedUp(dest).Snapshot)
	s.Stop()
	refused := func(want string) {
		t.Helper()
		if _, msg, status := world.AlcoveRun(t, "erase", "backups", dest); status == 0 || !strings.Contains(msg, want) {
			t.Errorf("%d: %s", status, msg)
		}
	}
	refused("told of no erasure")
	if out, msg, status := world.AlcoveRun(t, "erase", "person", mail, "--yes", "--data", s.Cfg.Data, "--backups", dest); status != 0 {
		t.Fatalf("%d: %s%s", status, out, msg)
	}
	refused("was made before the erasure")
	names = append(names, s.BackedUp(dest).Snapshot)
	whole := func(dest string) {
		t.Helper()
		if out, msg, status := world.AlcoveRun(t, "backup", "verify", dest); status != 0 {
			t.Errorf("verify: %s%s", out, msg)
		}
		out, _, _ := world.AlcoveRun(t, "backup", "list", dest)
		for _, name := range names {
			if !strings.Contains(out, name) {
				t.Errorf("%s is gone: %s", name, out)
			}
		}
	}
	if len(holding(t, dest, words...)) < len(words) {
		t.Fatal("the backups had not the words")
	}
	killed := 0
	for n := range 10 {
		at := filepath.Join(t.TempDir(), "backups")
		disk.CopyTree(t, dest, at)
		reached := func() bool {
			list, _ := filepath.Glob(filepath.Join(at, "snapshots", "*.partial"))
			return len(list) > 0
		}
		if killedAt(t, time.Duration(n*n)*3*time.Millisecond, reached, "erase", "backups", at) {
			killed++
		}
		whole(at)
		if out, msg, status := world.AlcoveRun(t, "erase", "backups", at); status != 0 {
			t.Errorf("killed, and then: %s%s", out, msg)
		}
		whole(at)
		if found := holding(t, at, words...); len(found) > 0 {
			t.Errorf("killed, and then: %q", found)
		}
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
	// Between the two names that a replacement takes, the old snapshot gets its own back.
	at := filepath.Join(dest, "snapshots", names[0])
	if err := os.Rename(at, at+".replaced"); err != nil {
		t.Fatal(err)
	}
	whole(dest)
	out, msg, status := world.AlcoveRun(t, "erase", "backups", dest, "--json")
	var r backup.Rewritten
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 || len(r.Snapshots) != 2 || len(r.Clean) != 1 || len(r.Problems) != 0 {
		t.Fatalf("%d, %v: %s%s", status, err, out, msg)
	}
	whole(dest)
	if found := holding(t, dest, words...); len(found) > 0 {
		t.Errorf("the backups have %q", found)
	}
	for i, name := range names {
		dir, restored, _ := restoreOf(s, dest, name)
		if newest := i == len(names)-1; restored.Reconciled.Known == newest {
			t.Errorf("%s: that something later is known: %v", name, restored.Reconciled.Known)
		}
		if found := holding(t, dir, words...); len(found) > 0 {
			t.Errorf("restored of %s: %q", name, found)
		}
		o := servedAt(s, dir)
		o.Anon.Get(fmt.Sprint("/v2/articles/", published)).Is(200)
		o.Anon.Get(fmt.Sprint("/v2/articles/", later)).Is(map[bool]int{true: 404, false: 200}[i == 0])
		o.Stop()
	}
	s.Boot()
	s.BackedUp(dest) // goes on behind them
	s.Stop()
	whole(dest)
}

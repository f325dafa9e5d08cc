package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A database that is lost is made anew of the newest backup, in the directory that has the bytes: what
// is in the backup is there again, bytes that are missing come from it, what came after it is listed,
// and nothing is swept before the operator says so.
func TestRebuild(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	backups := filepath.Join(t.TempDir(), "backups")
	m.start()
	token := m.good("token", "add", "--data", m.data, "--account", "1")
	m.stop()
	id := m.identity()
	m.good("backup", "create", backups, "--data", m.data)
	m.refused([]string{"it has its database", "check --repair"}, "check", "--rebuild", "--from", backups, "--data", m.data)

	// Changes after the backup that the lost database named, a blob that is lost with it, and the
	// database of another repository.
	late := []byte("stored after the backup")
	sum := sha256.Sum256(late)
	name := hex.EncodeToString(sum[:])
	place := filepath.Join(m.data, "blobs", name[:2], name[2:])
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, place, late)
	kept, err := filepath.Glob(filepath.Join(m.data, "blobs", "07", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	if err := os.Remove(kept[0]); err != nil {
		t.Fatal(err)
	}
	o := &machine{process: process{t: t, dir: t.TempDir(), port: "0"}}
	o.data = filepath.Join(o.dir, "data")
	m.good("init", "--data", o.data, "--config", filepath.Join(o.dir, "alcove.toml"))
	if err := os.Rename(filepath.Join(o.data, "alcove.db"), filepath.Join(m.data, "alcove.db")); err != nil {
		t.Fatal(err)
	}

	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	m.refused([]string{elsewhere, "no repository"}, "check", "--rebuild", "--from", backups, "--data", elsewhere)
	m.refused([]string{"--from"}, "check", "--rebuild", "--data", m.data)
	said := m.good("check", "--rebuild", "--from", backups, "--data", m.data)
	if !strings.Contains(said, name) || !strings.Contains(said, "alcove.db.other-") || strings.Contains(said, filepath.Base(kept[0])) {
		t.Errorf("it says %s", said)
	}
	if again := m.identity(); again != id {
		t.Errorf("the identity was %s and is %s", id, again)
	}
	m.args = []string{"--sweep-grace", "1h"}
	m.start()
	if got := m.want(200, "GET", m.URL+"/files/1", "", ""); got != "bytes of an earlier build" {
		t.Errorf("the file is %q", got)
	}
	m.want(200, "GET", m.URL+"/v2/account/articles/2", token, "")
	m.stop()
	var held struct{ Held bool }
	if err := json.Unmarshal([]byte(m.good("sweep", "status", "--json", "--data", m.data)), &held); err != nil || !held.Held {
		t.Errorf("the sweeper is held: %v, %v", held, err)
	}
	if b, err := os.ReadFile(place); err != nil || string(b) != string(late) {
		t.Errorf("what came after the backup: %q, %v", b, err)
	}
	m.good("check", "--data", m.data)
	// Another repository's backup is refused.
	p := &machine{process: process{t: t}, data: o.data}
	if err := os.RemoveAll(o.data); err != nil {
		t.Fatal(err)
	}
	m.good("init", "--data", o.data, "--config", filepath.Join(o.dir, "other.toml"))
	if err := os.Remove(filepath.Join(o.data, "alcove.db")); err != nil {
		t.Fatal(err)
	}
	p.refused([]string{"is of the repository " + strings.ReplaceAll(id, "-", "")}, "check", "--rebuild", "--from", backups, "--data", o.data)
}

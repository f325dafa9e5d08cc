package search

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// A database that is lost is made again of the newest backup, in the directory that has the bytes: what
// is in the backup is there again, bytes that are missing come from it, what came after it is listed,
// and nothing is swept before the operator says so.
func TestRebuild(t *testing.T) {
	t.Parallel()
	m := world.NewMachine(t)
	backups := filepath.Join(t.TempDir(), "backups")
	m.Start()
	token := m.Good("token", "add", "--data", m.Data, "--account", "1")
	m.Stop()
	id := m.Identity()
	m.Good("backup", "create", backups, "--data", m.Data)
	m.Refused([]string{"it has its database", "check --repair"}, "check", "--rebuild", "--from", backups, "--data", m.Data)

	// Changes after the backup that the lost database named, a blob that is lost with it, and the
	// database of another repository.
	late := []byte("stored after the backup")
	sum := sha256.Sum256(late)
	name := hex.EncodeToString(sum[:])
	place := filepath.Join(m.Data, "blobs", name[:2], name[2:])
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, place, late)
	kept, err := filepath.Glob(filepath.Join(m.Data, "blobs", "07", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	if err := os.Remove(kept[0]); err != nil {
		t.Fatal(err)
	}
	o := &world.Machine{Process: world.Process{T: t, Dir: t.TempDir(), Port: "0"}}
	o.Data = filepath.Join(o.Dir, "data")
	m.Good("init", "--data", o.Data, "--config", filepath.Join(o.Dir, "alcove.toml"))
	if err := os.Rename(filepath.Join(o.Data, "alcove.db"), filepath.Join(m.Data, "alcove.db")); err != nil {
		t.Fatal(err)
	}

	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	m.Refused([]string{elsewhere, "no repository"}, "check", "--rebuild", "--from", backups, "--data", elsewhere)
	m.Refused([]string{"--from"}, "check", "--rebuild", "--data", m.Data)
	said := m.Good("check", "--rebuild", "--from", backups, "--data", m.Data)
	if !strings.Contains(said, name) || !strings.Contains(said, "alcove.db.other-") || strings.Contains(said, filepath.Base(kept[0])) {
		t.Errorf("it says %s", said)
	}
	if again := m.Identity(); again != id {
		t.Errorf("the identity was %s and is %s", id, again)
	}
	m.Args = []string{"--sweep-grace", "1h"}
	m.Start()
	if got := m.Want(200, "GET", m.URL+"/files/1", "", ""); got != "bytes of an earlier build" {
		t.Errorf("the file is %q", got)
	}
	m.Want(200, "GET", m.URL+"/v2/account/articles/2", token, "")
	m.Stop()
	var held struct{ Held bool }
	if err := json.Unmarshal([]byte(m.Good("sweep", "status", "--json", "--data", m.Data)), &held); err != nil || !held.Held {
		t.Errorf("the sweeper is held: %v, %v", held, err)
	}
	if b, err := os.ReadFile(place); err != nil || string(b) != string(late) {
		t.Errorf("what came after the backup: %q, %v", b, err)
	}
	m.Good("check", "--data", m.Data)
	// Another repository's backup is refused.
	p := &world.Machine{Process: world.Process{T: t}, Data: o.Data}
	if err := os.RemoveAll(o.Data); err != nil {
		t.Fatal(err)
	}
	m.Good("init", "--data", o.Data, "--config", filepath.Join(o.Dir, "other.toml"))
	if err := os.Remove(filepath.Join(o.Data, "alcove.db")); err != nil {
		t.Fatal(err)
	}
	p.Refused([]string{"is of the repository " + strings.ReplaceAll(id, "-", "")}, "check", "--rebuild", "--from", backups, "--data", o.Data)
}

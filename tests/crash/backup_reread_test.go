package crash

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/cli/backup"
	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// inBackup is where the bytes of a file lie in the backups.
func inBackup(s *world.Server, dest string, data []byte) string {
	s.T.Helper()
	rel, err := filepath.Rel(s.Cfg.Data, s.Blob(data))
	if err != nil {
		s.T.Fatal(err)
	}
	return filepath.Join(dest, rel)
}

// triedBackup makes a backup that need not go well.
func triedBackup(s *world.Server, dest string) (r backup.Report, status int) {
	s.T.Helper()
	out, msg, status := world.AlcoveRun(s.T, "backup", "create", dest, "--data", s.Cfg.Data, "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		s.T.Fatalf("%v: %s%s", err, out, msg)
	}
	return r, status
}

// No snapshot is complete whose destination has a damaged file: what was not read for long is read
// before, what is damaged is copied again, and where that cannot be it is told.
func TestBackupReadsAgain(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.BackupReread = 0 })
	one, two, old := disk.Random(200_000, 31), disk.Random(100_000, 32), disk.Random(50_000, 33)
	s.Ada.PublicFile("one", one)
	s.Ada.PublicFile("two", two)
	draft := s.Ada.Article(`{"title": "Goes away"}`)
	s.Ada.Upload(draft, "old", old)
	dest := filepath.Join(t.TempDir(), "backups")
	if r := s.BackedUp(dest); r.Copied != 3 || r.Reread != 0 {
		t.Errorf("%+v", r)
	}
	disk.FlipBit(t, inBackup(s, dest, one), 999)
	r := s.BackedUp(dest)
	if r.Reread != 3 || r.DestDamaged != 1 || r.Copied != 1 {
		t.Errorf("damage was found: %+v", r)
	}
	if out, msg, status := world.AlcoveRun(t, "backup", "verify", dest); status != 0 {
		t.Errorf("after it was copied again: %s%s", out, msg)
	}
	// Damaged in both places: it is in no complete snapshot.
	disk.FlipBit(t, inBackup(s, dest, two), 5)
	if err := os.Rename(s.Blob(two), s.Blob(two)+".away"); err != nil {
		t.Fatal(err)
	}
	if r, status := triedBackup(s, dest); status != 1 || r.MissingCount != 1 || r.Snapshot == "" {
		t.Errorf("%d: %+v", status, r)
	}
	if err := os.Rename(s.Blob(two)+".away", s.Blob(two)); err != nil {
		t.Fatal(err)
	}
	if r := s.BackedUp(dest); r.Copied != 1 {
		t.Errorf("%+v", r)
	}
	// Files that only older snapshots have are read, too.
	s.Ada.Do("DELETE", draft, nil).Is(204)
	disk.FlipBit(t, inBackup(s, dest, old), 77)
	if r := s.BackedUp(dest); r.DestDamaged != 1 || r.Copied != 1 || r.OlderCount != 0 {
		t.Errorf("the repository still has it: %+v", r)
	}
	disk.FlipBit(t, inBackup(s, dest, old), 78)
	if err := os.Remove(s.Blob(old)); err != nil {
		t.Fatal(err)
	}
	if r, status := triedBackup(s, dest); status != 1 || r.MissingCount != 0 || r.OlderCount == 0 || !strings.Contains(r.Error, "older ones") {
		t.Errorf("%d: %+v", status, r)
	}
	if out, _, _ := world.AlcoveRun(t, "backup", "status", "--data", s.Cfg.Data); !strings.Contains(out, "older ones") {
		t.Errorf("status: %s", out)
	}
}

// A file that was read, or found by verify, is not read again for a time.
func TestBackupLedger(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	one, two := disk.Random(200_000, 41), disk.Random(100_000, 42)
	s.Ada.PublicFile("one", one)
	s.Ada.PublicFile("two", two)
	dest := filepath.Join(t.TempDir(), "backups")
	s.BackedUp(dest)
	quick := func(want string) {
		t.Helper()
		if out, msg, status := world.AlcoveRun(t, "backup", "verify", dest, "--quick"); !strings.Contains(msg, want) {
			t.Errorf("%d: %s%s, want %s", status, out, msg, want)
		}
	}
	quick("2 of them were never read since they were copied")
	if r := s.BackedUp(dest); r.Reread != 0 || r.OldestRead == nil || time.Since(*r.OldestRead) > time.Minute {
		t.Errorf("just copied: %+v", r)
	}
	disk.FlipBit(t, inBackup(s, dest, one), 999)
	if out, msg, status := world.AlcoveRun(t, "backup", "verify", dest); status != 1 || !strings.Contains(out, "its SHA-256 is") {
		t.Errorf("%d: %s%s", status, out, msg)
	}
	quick("0 of them were never read since they were copied")
	r := s.BackedUp(dest)
	if r.Reread != 1 || r.DestDamaged != 1 || r.Copied != 1 {
		t.Errorf("it is known to be damaged: %+v", r)
	}
	quick("1 of them were never read")
	if err := os.WriteFile(filepath.Join(dest, "ledger.txt"), []byte("alcove-ledger-1\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.BackedUp(dest); r.Reread != 2 || r.Copied != 0 {
		t.Errorf("nothing is known: %+v", r)
	}
	b, err := os.ReadFile(filepath.Join(dest, "snapshots", r.Snapshot, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Replace(b, []byte(`"missing_count": 0`), []byte(`"missing_count":  0`), 1)
	disk.WriteFile(t, filepath.Join(dest, "snapshots", r.Snapshot, "manifest.json"), b)
	if out, _, status := world.AlcoveRun(t, "restore", dest, filepath.Join(t.TempDir(), "x"), "--snapshot", r.Snapshot); status != 1 {
		t.Errorf("a manifest that was changed is taken: %s", out)
	}
	if out, _, status := world.AlcoveRun(t, "backup", "list", dest); status != 0 || !strings.Contains(out, "its sum is wrong") {
		t.Errorf("%s", out)
	}
}

package main

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
)

// inBackup is where the bytes of a file lie in the backups.
func (s *server) inBackup(dest string, data []byte) string {
	s.t.Helper()
	rel, err := filepath.Rel(s.cfg.Data, s.blob(data))
	if err != nil {
		s.t.Fatal(err)
	}
	return filepath.Join(dest, rel)
}

// triedBackup makes a backup that need not go well.
func (s *server) triedBackup(dest string) (r backup.Report, status int) {
	s.t.Helper()
	out, msg, status := alcoveRun(s.t, "backup", "create", dest, "--data", s.cfg.Data, "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		s.t.Fatalf("%v: %s%s", err, out, msg)
	}
	return r, status
}

// No snapshot is complete whose destination has a damaged file: what was not read for long is read
// before, what is damaged is copied again, and where that cannot be it is told.
func TestBackupReadsAgain(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.BackupReread = 0 })
	one, two, old := random(200_000, 31), random(100_000, 32), random(50_000, 33)
	s.Ada.publicFile("one", one)
	s.Ada.publicFile("two", two)
	draft := s.Ada.article(`{"title": "Goes away"}`)
	s.Ada.upload(draft, "old", old)
	dest := filepath.Join(t.TempDir(), "backups")
	if r := s.backedUp(dest); r.Copied != 3 || r.Reread != 0 {
		t.Errorf("%+v", r)
	}
	flipBit(t, s.inBackup(dest, one), 999)
	r := s.backedUp(dest)
	if r.Reread != 3 || r.DestDamaged != 1 || r.Copied != 1 {
		t.Errorf("damage was found: %+v", r)
	}
	if out, msg, status := alcoveRun(t, "backup", "verify", dest); status != 0 {
		t.Errorf("after it was copied again: %s%s", out, msg)
	}
	// Damaged in both places: it is in no complete snapshot.
	flipBit(t, s.inBackup(dest, two), 5)
	if err := os.Rename(s.blob(two), s.blob(two)+".away"); err != nil {
		t.Fatal(err)
	}
	if r, status := s.triedBackup(dest); status != 1 || r.MissingCount != 1 || r.Snapshot == "" {
		t.Errorf("%d: %+v", status, r)
	}
	if err := os.Rename(s.blob(two)+".away", s.blob(two)); err != nil {
		t.Fatal(err)
	}
	if r := s.backedUp(dest); r.Copied != 1 {
		t.Errorf("%+v", r)
	}
	// Files that only older snapshots have are read, too.
	s.Ada.do("DELETE", draft, nil).is(204)
	flipBit(t, s.inBackup(dest, old), 77)
	if r := s.backedUp(dest); r.DestDamaged != 1 || r.Copied != 1 || r.OlderCount != 0 {
		t.Errorf("the repository still has it: %+v", r)
	}
	flipBit(t, s.inBackup(dest, old), 78)
	if err := os.Remove(s.blob(old)); err != nil {
		t.Fatal(err)
	}
	if r, status := s.triedBackup(dest); status != 1 || r.MissingCount != 0 || r.OlderCount == 0 || !strings.Contains(r.Error, "older ones") {
		t.Errorf("%d: %+v", status, r)
	}
	if out, _, _ := alcoveRun(t, "backup", "status", "--data", s.cfg.Data); !strings.Contains(out, "older ones") {
		t.Errorf("status: %s", out)
	}
}

// A file that was read, or found by verify, is not read again for a time.
func TestBackupLedger(t *testing.T) {
	t.Parallel()
	s := start(t)
	one, two := random(200_000, 41), random(100_000, 42)
	s.Ada.publicFile("one", one)
	s.Ada.publicFile("two", two)
	dest := filepath.Join(t.TempDir(), "backups")
	s.backedUp(dest)
	quick := func(want string) {
		t.Helper()
		if out, msg, status := alcoveRun(t, "backup", "verify", dest, "--quick"); !strings.Contains(msg, want) {
			t.Errorf("%d: %s%s, want %s", status, out, msg, want)
		}
	}
	quick("2 of them were never read since they were copied")
	if r := s.backedUp(dest); r.Reread != 0 || r.OldestRead == nil || time.Since(*r.OldestRead) > time.Minute {
		t.Errorf("just copied: %+v", r)
	}
	flipBit(t, s.inBackup(dest, one), 999)
	if out, msg, status := alcoveRun(t, "backup", "verify", dest); status != 1 || !strings.Contains(out, "its SHA-256 is") {
		t.Errorf("%d: %s%s", status, out, msg)
	}
	quick("0 of them were never read since they were copied")
	r := s.backedUp(dest)
	if r.Reread != 1 || r.DestDamaged != 1 || r.Copied != 1 {
		t.Errorf("it is known to be damaged: %+v", r)
	}
	quick("1 of them were never read")
	if err := os.WriteFile(filepath.Join(dest, "ledger.txt"), []byte("alcove-ledger-1\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.backedUp(dest); r.Reread != 2 || r.Copied != 0 {
		t.Errorf("nothing is known: %+v", r)
	}
	b, err := os.ReadFile(filepath.Join(dest, "snapshots", r.Snapshot, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Replace(b, []byte(`"missing_count": 0`), []byte(`"missing_count":  0`), 1)
	writeFile(t, filepath.Join(dest, "snapshots", r.Snapshot, "manifest.json"), b)
	if out, _, status := alcoveRun(t, "restore", dest, filepath.Join(t.TempDir(), "x"), "--snapshot", r.Snapshot); status != 1 {
		t.Errorf("a manifest that was changed is taken: %s", out)
	}
	if out, _, status := alcoveRun(t, "backup", "list", dest); status != 0 || !strings.Contains(out, "its sum is wrong") {
		t.Errorf("%s", out)
	}
}

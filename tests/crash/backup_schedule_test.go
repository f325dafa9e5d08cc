package crash

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// A server makes backups by itself, tells when in its figures, its log and by a command, also after
// a restart, and does not fill what is under a disk that is not mounted.
func TestScheduledBackups(t *testing.T) {
	t.Parallel()
	dest := filepath.Join(t.TempDir(), "backups")
	s := world.StartWithin(t, func(c *config.Config) {
		c.BackupDir, c.BackupEvery, c.BackupKeep, c.MetricsListen = dest, 200*time.Millisecond, 2, "127.0.0.1:0"
	})
	s.Ada.PublicFile("a", disk.Random(1000, 81))
	snapshots := func() []string {
		names, _ := filepath.Glob(dest + "/snapshots/*Z")
		return names
	}
	var first []string
	world.WaitFor(t, "a backup is made", func() bool { first = snapshots(); return len(first) > 0 })
	world.WaitFor(t, "older ones go", func() bool { list := snapshots(); return len(list) == 2 && !slices.Contains(list, first[0]) })
	world.WaitFor(t, "the figures tell", func() bool {
		m := s.Scrape()
		last := m["alcove_backup_last_success_seconds{}"]
		return last > float64(time.Now().Add(-time.Minute).Unix()) && last < float64(time.Now().Add(time.Minute).Unix()) && m["alcove_backup_failures_total{}"] == 0
	})
	out, msg, status := world.AlcoveRun(t, "backup", "status", "--data", s.Cfg.Data)
	if status != 0 || !strings.Contains(out, dest) || !strings.Contains(out, "Z") {
		t.Errorf("status: %d: %s%s", status, out, msg)
	}
	s.Stop()
	if !strings.Contains(s.Logs.String(), "msg=backup dest="+dest) {
		t.Errorf("the log does not tell of the backups: %s", s.Logs)
	}
	if out, _, status := world.AlcoveRun(t, "backup", "status", "--data", s.Cfg.Data); status != 0 || !strings.Contains(out, dest) || !strings.HasPrefix(strings.Split(out, "\n")[1], "ok") {
		t.Errorf("status without a server: %d: %s", status, out)
	}
	if out, msg, status := world.AlcoveRun(t, "backup", "verify", dest); status != 0 {
		t.Errorf("verify: %s%s", out, msg)
	}
	// The disk with the backups is gone.
	if err := errors.Join(os.Rename(dest, dest+".elsewhere"), os.Mkdir(dest, 0o700)); err != nil {
		t.Fatal(err)
	}
	s.Boot()
	world.WaitFor(t, "that is told", func() bool { return s.Scrape()["alcove_backup_failures_total{}"] > 0 })
	if names, _ := os.ReadDir(dest); len(names) > 0 {
		t.Errorf("backups were made where none had been: %v", names)
	}
	if out, _, _ := world.AlcoveRun(t, "backup", "status", "--data", s.Cfg.Data); !strings.Contains(out, "is the disk mounted?") || !strings.Contains(out, "failing") {
		t.Errorf("status: %s", out)
	}
	if got := s.Scrape()["alcove_backup_last_success_seconds{}"]; got == 0 {
		t.Error("after a restart nothing is known of the last success")
	}
}

// Two at a time are refused: the second backup while one runs, and one that removes what is read.
func TestBackupOneAtATime(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Ada.PublicFile("large", disk.Random(12<<20, 95)) // twelve seconds
	dest := filepath.Join(t.TempDir(), "backups")
	done := make(chan string)
	go func() {
		_, msg, status := world.AlcoveRun(t, "backup", "create", dest, "--data", s.Cfg.Data, "--rate", "1")
		done <- fmt.Sprint(status, msg)
	}()
	partial := func() bool {
		names, _ := filepath.Glob(dest + "/snapshots/*.partial")
		return len(names) > 0
	}
	world.WaitFor(t, "a backup is being made", partial)
	for _, args := range [][]string{{"backup", "create", dest, "--data", s.Cfg.Data}, {"backup", "create", dest + "2", "--data", s.Cfg.Data}} {
		if out, msg, status := world.AlcoveRun(t, args...); status != 1 || !strings.Contains(msg, "is being made") {
			t.Errorf("%q: %d: %s%s", args, status, out, msg)
		}
	}
	for _, args := range [][]string{{"backup", "prune", dest, "--keep", "1"}, {"backup", "verify", dest}} {
		if out, msg, status := world.AlcoveRun(t, args...); status != 1 || !strings.Contains(msg, "another process works on these backups") {
			t.Errorf("%q: %d: %s%s", args, status, out, msg)
		}
	}
	if out, _, status := world.AlcoveRun(t, "backup", "list", dest); status != 0 || strings.Count(out, "\n") != 1 {
		t.Errorf("list: %d: %s", status, out)
	}
	if got := <-done; !strings.HasPrefix(got, "0") {
		t.Error(got)
	}
	if r, err := http.Get(s.URL + "/healthz"); err != nil || r.StatusCode != 200 {
		t.Error(err)
	}
}

package crash

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// A server tries by itself whether its newest backup can be restored, leaves nothing behind, and tells
// what came of it in its figures and by a command.
func TestRestoreDrill(t *testing.T) {
	t.Parallel()
	dest, scratch := filepath.Join(t.TempDir(), "backups"), filepath.Join(t.TempDir(), "scratch")
	s := world.StartWithin(t, func(c *config.Config) {
		c.BackupDir, c.BackupEvery, c.DrillEvery, c.DrillDir, c.MetricsListen = dest, time.Second, time.Millisecond, scratch, "127.0.0.1:0"
		c.BackupKeep = 3
	})
	body := disk.Random(100_000, 17)
	s.Ada.PublicFile("a", body)
	status := func() string {
		out, _, _ := world.AlcoveRun(t, "backup", "status", "--data", s.Cfg.Data)
		return out
	}
	world.WaitFor(t, "a restore was tried, with the file", func() bool {
		if s.Scrape()["alcove_backup_drill_last_success_seconds{}"] == 0 {
			return false // which costs less to ask than the command
		}
		out := status()
		return strings.Contains(out, "RESTORE TRIED") && strings.Contains(out, "100000")
	})
	if m := s.Scrape(); m["alcove_backup_drill_failing{}"] != 0 || m["alcove_backup_oldest_read_seconds{}"] == 0 {
		t.Errorf("%v", m)
	}
	disk.FlipBit(t, inBackup(s, dest, body), 12345)
	world.WaitFor(t, "that it fails is told", func() bool { return s.Scrape()["alcove_backup_drill_failing{}"] == 1 })
	if out := status(); !strings.Contains(out, "failing") || !strings.Contains(out, "not whole") {
		t.Errorf("status: %s", out)
	}
	s.Stop()
	if !strings.Contains(s.Logs.String(), "tried to restore the newest backup") {
		t.Error("the log does not tell")
	}
	if names, err := os.ReadDir(scratch); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
	s.Boot()
	if s.Scrape()["alcove_backup_drill_last_success_seconds{}"] == 0 {
		t.Error("after a restart nothing is known of it")
	}
}

package crash

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

var backupKills = flag.Int("backup-kills", 3, "times that TestBackupKilled kills a backup, and a restore")

// killedAt starts the program and kills it as soon as reached says so, or wait after its start;
// it tells whether it was still running then.
func killedAt(t *testing.T, wait time.Duration, reached func() bool, args ...string) bool {
	t.Helper()
	cmd := exec.Command("alcove", args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()
	deadline := time.After(20 * time.Second)
	for again := true; again; {
		select {
		case <-ended:
			return false
		case <-deadline:
			again = false
		case <-time.After(time.Millisecond):
			again = !reached()
		}
	}
	select {
	case <-ended:
		return false
	case <-time.After(wait):
	}
	cmd.Process.Kill()
	<-ended
	return !cmd.ProcessState.Success()
}

// A process that is killed while it makes a backup leaves nothing that is listed or restored, and
// one that is killed while it restores leaves nothing that a server takes (security.md M01). Both
// are done again, and then whole.
func TestBackupKilled(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for i := range 12 {
		s.Ada.PublicFile(fmt.Sprint("file", i), disk.Random(1<<20+i, uint64(100+i)))
	}
	s.Stop()
	dest := filepath.Join(t.TempDir(), "backups")
	glob := func(pattern string) int {
		list, err := filepath.Glob(filepath.Join(dest, pattern))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	killed := 0
	for n := range *backupKills {
		wait := time.Duration(n%5) * 7 * time.Millisecond
		copied := n * 11 / *backupKills
		reached := func() bool { return glob("snapshots/*.partial") > 0 && glob("blobs/??/*") >= copied }
		if !killedAt(t, wait, reached, "backup", "create", dest, "--data", s.Cfg.Data, "--rate", "8") {
			break // it was through: there is nothing more to copy
		}
		killed++
		if out, _, status := world.AlcoveRun(t, "backup", "list", dest); status != 0 || strings.Count(out, "\n") != 1 {
			t.Fatalf("after the kill there is a snapshot: %d: %s", status, out)
		}
		dir := filepath.Join(t.TempDir(), "restored")
		for _, args := range [][]string{{"restore", dest, dir}, {"backup", "verify", dest}} {
			if _, msg, status := world.AlcoveRun(t, args...); status != 1 || !strings.Contains(msg, "there is no snapshot") {
				t.Errorf("%q after the kill: %d: %s", args, status, msg)
			}
		}
		if _, err := os.Lstat(dir); err == nil {
			t.Error("something was restored")
		}
	}
	if killed < 2 {
		t.Errorf("only %d of the backups were killed", killed)
	}
	if r := s.BackedUp(dest); r.Blobs != 12 || r.Copied == 12 && killed > 1 {
		t.Errorf("the backup after the kills: %+v", r)
	}
	if glob("snapshots/*.partial") > 0 || glob("blobs/tmp/*") > 0 {
		t.Error("the next backup has not cleared away what was left")
	}
	if out, msg, status := world.AlcoveRun(t, "backup", "verify", dest); status != 0 {
		t.Errorf("verify: %s%s", out, msg)
	}

	dir, killed := filepath.Join(t.TempDir(), "restored"), 0
	for n := range *backupKills {
		copied := n * 11 / *backupKills
		reached := func() bool {
			list, _ := filepath.Glob(filepath.Join(dir, "blobs", "??", "*"))
			_, err := os.Lstat(filepath.Join(dir, "restore.unfinished"))
			return err == nil && len(list) >= copied
		}
		if !killedAt(t, time.Duration(n%3)*time.Millisecond, reached, "restore", dest, dir) {
			break
		}
		killed++
		for _, args := range [][]string{{"serve", "--data", dir, "--listen", "127.0.0.1:0", "--tls", "off"}, {"account", "list", "--data", dir}, {"backup", "create", dest, "--data", dir}} {
			if _, msg, status := world.AlcoveRun(t, args...); status != 1 || !strings.Contains(msg, "did not come to its end") && !strings.Contains(msg, "cannot use the data directory") {
				t.Fatalf("%q takes half a restore: %d: %s", args, status, msg)
			}
		}
	}
	if killed == 0 {
		t.Error("no restore was killed")
	}
	if _, err := os.Lstat(filepath.Join(dir, "restore.unfinished")); err == nil {
		if _, msg, status := world.AlcoveRun(t, "restore", dest, dir); status != 0 {
			t.Fatalf("going on with the restore: %s", msg)
		}
	}
	s.Cfg.Data = dir
	if r, status := s.Checked(); status != 0 || r.Blobs != 12 {
		t.Errorf("what was restored: %d, %+v", status, r)
	}
	t.Logf("the last of %d restores was killed; the backups were, too", killed)
}

// Where the disk of the backups is full there is no snapshot and a clear message, the repository
// goes on, and with space again the next backup is whole (security.md K07). Needs to mount a
// small disk.
func TestBackupDiskFull(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Ada.PublicFile("large", disk.Random(6<<20, 131))
	small := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", small).CombinedOutput(); err != nil {
		t.Logf("no small disk can be mounted, so this shows nothing here: %v: %s", err, out)
		return
	}
	defer exec.Command("umount", "-l", small).Run()
	if out, msg, status := world.AlcoveRun(t, "backup", "create", small, "--data", s.Cfg.Data); status != 1 || !strings.Contains(msg, "no space left") {
		t.Errorf("on a full disk: %d: %s%s", status, out, msg)
	}
	s.Ada.Published("Goes on")
	if out, _, _ := world.AlcoveRun(t, "backup", "list", small); strings.Count(out, "\n") != 1 {
		t.Errorf("a snapshot on a full disk: %s", out)
	}
	if left, _ := filepath.Glob(small + "/*/*.partial"); len(left) > 0 {
		t.Errorf("left on the full disk: %v", left)
	}
	if out, err := exec.Command("mount", "-o", "remount,size=40m", small).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if r := s.BackedUp(small); r.Blobs != 1 {
		t.Errorf("%+v", r)
	}
}

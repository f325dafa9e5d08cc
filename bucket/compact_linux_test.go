package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"alcove/bucket/compaction"
	"alcove/bucket/kv"
	"alcove/bucket/lock"
)

// openTimes is how often this process has a file open.
func openTimes(t *testing.T, path string) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && to == path {
			n++
		}
	}
	return n
}

// A server that begins to start while the file is being replaced, and waits for the lock on the
// old one, does not write to that: it would never be seen again.
func TestCompactWhileOneStarts(t *testing.T) {
	onFile(t)
	t.Parallel()
	met := 0
	for range 10 {
		dir := t.TempDir()
		path := filepath.Join(dir, FileName)
		db := openDB(t, dir, Options{})
		write(t, db, putPerson(1, "P"))
		closeDB(t, db)
		type opening struct {
			db  *DB
			err error
		}
		started := make(chan opening, 1)
		_, err := Compact(t.Context(), dir, compaction.Options{Note: func(stage string, done, _ int64) {
			if stage != compaction.StageReplace || done > 0 {
				return
			}
			have := openTimes(t, path)
			go func() {
				db, err := Open(dir, Options{})
				started <- opening{db, err}
			}()
			for end := time.Now().Add(100 * time.Millisecond); openTimes(t, path) == have && time.Now().Before(end); {
				<-time.After(time.Millisecond) // another goroutine: there is nothing to wait on
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		s := <-started
		if errors.Is(s.err, lock.ErrInUse) {
			continue
		}
		if s.err != nil {
			t.Fatal(s.err)
		}
		met++
		write(t, s.db, putPerson(2, "acknowledged"))
		closeDB(t, s.db)
		hasPeople(t, openDB(t, dir, Options{}), 3, func(id int64) bool { return id < 3 })
	}
	if met == 0 {
		t.Error("no start came in between")
	}
}

// A disk that fills up meanwhile ends it, and the database is as it was. Needs to mount a small
// disk.
func TestCompactDiskFull(t *testing.T) {
	onFile(t)
	t.Parallel()
	grownAt, dir := t.TempDir(), t.TempDir()
	grown(t, grownAt)
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Logf("no small disk can be mounted, so this shows nothing here: %v: %s", err, out)
		return
	}
	defer exec.Command("umount", "-l", dir).Run()
	path, old := filepath.Join(dir, FileName), readFile(t, filepath.Join(grownAt, FileName))
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	fill := filepath.Join(dir, "others")
	_, err := Compact(t.Context(), dir, compaction.Options{Note: func(stage string, done, _ int64) {
		if stage == compaction.StageCopy && done == 0 {
			if err := os.WriteFile(fill, make([]byte, 32<<20-len(old)-256<<10), 0o600); err != nil {
				t.Error(err)
			}
		}
	}})
	if !errors.Is(err, kv.ErrNoSpace) || !bytes.Equal(readFile(t, path), old) {
		t.Errorf("on a disk that fills up: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, halfName)); err == nil {
		t.Error("half a file is left")
	}
	if _, err := Compact(t.Context(), dir, compaction.Options{}); !errors.Is(err, kv.ErrNoSpace) {
		t.Errorf("on a full disk: %v", err)
	}
	if err := os.Remove(fill); err != nil {
		t.Fatal(err)
	}
	if _, err := Compact(t.Context(), dir, compaction.Options{Floor: 32 << 20}); !errors.Is(err, kv.ErrNoSpace) {
		t.Errorf("above the floor: %v", err)
	}
	if r, err := Compact(t.Context(), dir, compaction.Options{}); err != nil || r.After > r.Before/2 {
		t.Errorf("with room: %+v, %v", r, err)
	}
}

// The new file is on the disk before it gets the name of the old one, and the directory is before
// it may be written to.
func TestCompactOrder(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	grown(t, dir)
	c := child(t, "compact", dir)
	c.Env = append(c.Env, childKill+"=0")
	trace := filepath.Join(t.TempDir(), "trace")
	c.Args = append([]string{"strace", "-f", "-y", "-o", trace, "-e", "trace=pwrite64,fsync,rename,renameat,renameat2,flock"}, c.Path)
	var err error
	if c.Path, err = exec.LookPath("strace"); err != nil {
		t.Log("without strace this shows nothing here")
		return
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Logf("processes cannot be traced, so this shows nothing here: %v: %s", err, out)
		return
	}
	steps := regexp.MustCompile(`(?m)^\d+ +(?:(pwrite64|fsync|flock)\(\d+<([^>]*)>(?:\(deleted\))?(, LOCK_UN)?|(rename)at?2?\()`)
	var order []string
	for _, m := range steps.FindAllStringSubmatch(string(readFile(t, trace)), -1) {
		if m[1] == "flock" && m[3] == "" {
			continue
		}
		step := m[1] + m[4] + " " + strings.TrimPrefix(m[2], dir)
		if len(order) == 0 || order[len(order)-1] != step {
			order = append(order, step)
		}
	}
	got, want := strings.Join(order, ", "), "pwrite64 /"+halfName+", fsync /"+halfName+", rename , fsync , flock /"+FileName
	if !strings.Contains(got, want) {
		t.Errorf("the order is %s\nwant %s", got, want)
	}
}

// A compaction by root leaves the file to its owner.
func TestCompactKeepsOwner(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	grown(t, dir)
	if err := os.Chown(path, 12345, 54321); err != nil {
		t.Logf("another owner cannot be set, so this shows nothing here: %v", err)
		return
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Compact(t.Context(), dir, compaction.Options{}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("stat", "-c", "%u:%g %a", path).Output()
	if got := string(bytes.TrimSpace(out)); err != nil || got != "12345:54321 640" {
		t.Error(fmt.Sprint("the file has ", got), err)
	}
}

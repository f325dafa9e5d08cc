package crash

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// The directory of a restore gets its name when the note is in it that keeps servers off, so that a
// kill at any moment leaves nothing in which a server makes a new repository.
func TestRestoreNoteComesFirst(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	dest := filepath.Join(t.TempDir(), "backups")
	s.BackedUp(dest)
	top := t.TempDir()
	watch, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(watch)
	if _, err := syscall.InotifyAddWatch(watch, top, syscall.IN_CREATE|syscall.IN_MOVED_TO); err != nil {
		t.Fatal(err)
	}
	if _, msg, status := world.AlcoveRun(t, "restore", dest, filepath.Join(top, "new")); status != 0 {
		t.Fatal(msg)
	}
	events := make([]byte, 64<<10)
	n, err := syscall.Read(watch, events)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for at := 0; at+syscall.SizeofInotifyEvent <= n; {
		mask, length := binary.NativeEndian.Uint32(events[at+4:]), int(binary.NativeEndian.Uint32(events[at+12:]))
		at += syscall.SizeofInotifyEvent
		name := string(bytes.TrimRight(events[at:at+length], "\x00"))
		seen = append(seen, map[bool]string{true: "made ", false: "renamed "}[mask&syscall.IN_CREATE != 0]+name)
		at += length
	}
	if got := strings.Join(seen, ", "); got != "made new.restoring, renamed new" {
		t.Errorf("in the directory above: %s", got)
	}
	// A restore killed before the rename is continued; other people's files are not touched.
	left := filepath.Join(top, "other.restoring")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, filepath.Join(left, "restore.unfinished"), nil)
	if _, msg, status := world.AlcoveRun(t, "serve", "--data", left, "--listen", "127.0.0.1:0", "--tls", "off"); status != 1 || !strings.Contains(msg, "did not come to its end") {
		t.Errorf("%d: %s", status, msg)
	}
	if _, msg, status := world.AlcoveRun(t, "restore", dest, filepath.Join(top, "other")); status != 0 {
		t.Error(msg)
	}
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, filepath.Join(left, "mine"), nil)
	if _, msg, status := world.AlcoveRun(t, "restore", dest, filepath.Join(top, "other2")); status != 0 {
		t.Error(msg)
	}
	if err := os.Rename(left, filepath.Join(top, "third.restoring")); err != nil {
		t.Fatal(err)
	}
	if _, msg, status := world.AlcoveRun(t, "restore", dest, filepath.Join(top, "third")); status != 1 || !strings.Contains(msg, "is in the way") {
		t.Errorf("%d: %s", status, msg)
	}
}

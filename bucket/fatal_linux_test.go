package bucket

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// The store stops when the system refuses its writes: here the descriptor of the open
// file is replaced by one that can only read.
func TestRefusedWrites(t *testing.T) {
	onFile(t)
	stops(t, func(db *DB) {
		path := db.file.Path()
		reader, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, e := range fds {
			to, _ := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
			fd, _ := strconv.Atoi(e.Name())
			if to != path || fd == int(reader.Fd()) {
				continue
			}
			found = true
			if err := unix.Dup3(int(reader.Fd()), fd, unix.O_CLOEXEC); err != nil {
				t.Fatal(err)
			}
		}
		if !found {
			t.Fatal("the descriptor of the open database was not found")
		}
	})
}

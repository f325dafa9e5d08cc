package bolt

import (
	"os"

	"golang.org/x/sys/unix"
)

// openDirect opens a file to be read from the disk, past the memory of the system, where the
// file system allows it.
func openDirect(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECT, 0)
	if err == nil {
		if _, err = f.ReadAt(aligned(4096), 0); err == nil {
			return f, nil
		}
		f.Close()
	}
	return os.Open(path)
}

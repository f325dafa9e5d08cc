//go:build unix

package bolt

import (
	"os"
	"syscall"
)

// sameOwner gives a new file the user and group of another: a command that root runs must not
// leave the server a database that it cannot open.
func sameOwner(f *os.File, as os.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	is, was := info.Sys().(*syscall.Stat_t), as.Sys().(*syscall.Stat_t)
	if is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}

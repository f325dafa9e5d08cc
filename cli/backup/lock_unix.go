//go:build !windows

package backup

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file until it is closed, alone or together with others that do not change
// anything. It does not wait: ErrBusy says that it is locked. A file system that knows no locks
// is trusted to have one user.
func lockFile(f *os.File, alone bool) error {
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrBusy
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOSYS):
		return nil
	}
	return err
}

// syncHandle makes the names in an open directory durable.
func syncHandle(f *os.File) error { return f.Sync() }

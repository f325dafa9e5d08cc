package osfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock is the same as elsewhere. It locks a byte far behind the end of the file, because on Windows
// no other process can read a byte that is locked.
func Lock(f *os.File, alone bool) error {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if alone {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Most is not known here.
func Most() int { return 0 }

// Package osfile has what systems do in ways of their own with files: locks, how many, and how names become
// durable.
package osfile

import (
	"errors"
	"os"
	"runtime"
)

// ErrLocked says that another process holds the lock.
var ErrLocked = errors.New("another process has locked it")

// SyncNames makes the names in an open directory durable. Windows does not flush directories: NTFS
// keeps names in a journal of its own.
func SyncNames(dir *os.File) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return dir.Sync()
}

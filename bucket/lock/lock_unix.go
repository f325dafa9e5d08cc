//go:build unix

package lock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Take takes the lock that bbolt takes, until the file is closed. ErrInUse when another
// process has it.
func Take(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	if err != nil {
		return fmt.Errorf("cannot lock the database: %w", err)
	}
	return nil
}

// Package lock is the lock on a data directory: that on the file of its database.
package lock

import (
	"errors"
	"fmt"
	"os"
)

// ErrInUse says that another process has the file.
var ErrInUse = errors.New("another alcove process has this data directory open")

// File makes a file, if it is not there, and takes the lock on it until it is closed. It fails with
// ErrInUse when another process has it.
func File(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot make the lock: %w", err)
	}
	if err := Take(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

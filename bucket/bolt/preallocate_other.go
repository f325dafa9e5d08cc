//go:build !linux

package bolt

import (
	"errors"
	"os"
)

// DiskSpace knows nothing here: writes are refused only once the disk is full.
func DiskSpace(*os.File) (Space, error) { return Space{Free: 1 << 62}, nil }

// takeBlocks cannot be done here: bbolt makes the file longer itself.
func takeBlocks(*os.File, int64, int64) error { return errors.ErrUnsupported }

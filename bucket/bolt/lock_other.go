//go:build !unix

package bolt

import "os"

// lockFile does nothing where bbolt locks in another way.
func lockFile(*os.File) error { return nil }

//go:build !unix

package bucket

import "os"

// lockFile does nothing where bbolt locks in another way.
func lockFile(*os.File) error { return nil }

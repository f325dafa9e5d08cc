//go:build !unix

package lock

import "os"

// Take does nothing where bbolt locks in another way.
func Take(*os.File) error { return nil }

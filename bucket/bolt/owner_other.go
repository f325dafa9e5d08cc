//go:build !unix

package bolt

import "os"

// sameOwner does nothing where files have their owners in another way.
func sameOwner(*os.File, os.FileInfo) error { return nil }

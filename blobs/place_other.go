//go:build !linux

package blobs

import "io/fs"

// place is known on Linux alone.
type place struct{}

func (*Store) placeOf(Ref, fs.FileInfo) *place { return nil }

func (*place) still() bool { return false }

func (*place) close() {}

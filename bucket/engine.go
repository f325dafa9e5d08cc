//go:build !memory

package bucket

import "alcove/bucket/kv"

// engineOf is another engine than the file of a directory, nil for none. Only the tests of the
// build that engine_memory.go is part of have one.
func engineOf(string) kv.Store { return nil }

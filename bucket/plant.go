//go:build !planted

package bucket

import (
	"time"

	"alcove/bucket/kv"
)

// Bugs are planted in a build of their own only (planted.go), for the crash tests to find.
// Here they are constants, and the compiler leaves out what they would do.
const (
	plantNoSync     = false // commits are not synced
	plantAckFirst   = false // writes are acknowledged before their commit
	plantIndexFirst = false // the search index is told of a commit before it is made
)

func (db *DB) plant([]*op, kv.Tx, uint64, time.Time) {}

func viewEarly(*DB, func(*Tx) error) (done bool, err error) { return false, nil }

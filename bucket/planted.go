//go:build planted

package bucket

import (
	"os"
	"sync"
	"time"

	"alcove/bucket/kv"
)

// plantVariable names the bug that this build has: it is for the crash tests, which must
// find each of them.
const plantVariable = "TORTURE_PLANT"

var (
	plantNoSync     = os.Getenv(plantVariable) == "no-db-sync"
	plantAckFirst   = os.Getenv(plantVariable) == "ack-first"
	plantIndexFirst = os.Getenv(plantVariable) == "index-first"
)

// early is a transaction that readers are shown before it is committed.
var early struct {
	sync.Mutex
	db *DB
	tx kv.Tx
}

// earlyTime is how long the index has to take what is not committed.
const earlyTime = 100 * time.Millisecond

// plant does what a store must not do right before it commits.
func (db *DB) plant(ops []*op, b kv.Tx, seq uint64, at time.Time) {
	if plantAckFirst {
		for _, o := range ops {
			o.done <- o.err
		}
		return
	}
	show := func(tx kv.Tx) {
		early.Lock()
		defer early.Unlock()
		early.db, early.tx = db, tx
	}
	show(b)
	db.announce(b.Position(), seq, at, true)
	time.Sleep(earlyTime)
	show(nil)
}

// viewEarly reads what is not committed yet, if there is something.
func viewEarly(db *DB, fn func(*Tx) error) (done bool, err error) {
	early.Lock()
	defer early.Unlock()
	if early.tx == nil || early.db != db {
		return false, nil
	}
	return true, fn(newReader(db, early.tx))
}

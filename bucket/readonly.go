package bucket

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"time"

	"alcove/bucket/bolt"
	"alcove/bucket/identity"
	"alcove/bucket/kv"
	"alcove/bucket/lock"
)

// OpenToCheck opens the store of a data directory as it is, for reading only: nothing is
// made, prepared or healed, and pages that are damaged do not keep it from being opened. It
// fails with ErrInUse when another process writes to it, and otherwise only when no page can
// be found, or with ErrNewer. One that another program has left, or a start that was broken off, is prepared first, as
// by Open, if that is possible: what is to be made again is not damaged.
func OpenToCheck(dir string) (db *DB, err error) {
	if engineOf(dir) != nil {
		return Open(dir, Options{})
	}
	path := filepath.Join(dir, FileName)
	if err := identity.Admit(dir); err != nil {
		return nil, err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if sealed, other := unprepared(path); other {
		db, err := Open(dir, Options{Existing: true})
		if err == nil {
			err = db.Close()
		}
		// A file that has sums can be looked at as it is: what keeps it from being opened will be told.
		if err != nil && (!sealed || errors.Is(err, lock.ErrInUse) || errors.Is(err, identity.ErrOther)) {
			return nil, err
		}
	}
	b, err := bolt.OpenToRead(path)
	if err != nil {
		return nil, err
	}
	_ = bolt.Guarded(func() error { // what cannot be read is told by who checks
		return kv.View(b, func(tx kv.Tx) error {
			err = checkFormat(tx.Bucket(metaBucket))
			return nil
		})
	})
	if errors.Is(err, ErrNewer) {
		b.Close()
		return nil, fmt.Errorf("cannot use the database: %w", err)
	}
	db = &DB{
		kv: b, file: b, clock: time.Now, closing: make(chan struct{}), drained: make(chan struct{}),
		looked: make(chan struct{}), changed: make(chan struct{}),
	}
	if err := bolt.Guarded(func() error { return db.identify(dir, "") }); errors.Is(err, identity.ErrOther) {
		b.Close()
		return nil, err
	}
	db.stopped.Store(true) // for writes
	close(db.drained)
	close(db.looked)
	_ = bolt.Guarded(func() error { return kv.View(b, db.readPosition) }) // or it stays at 0: what is wrong is told by who checks
	return db, nil
}

// unprepared reports whether a file is to be prepared for this program, and whether it has a sum of
// its settings, which the oldest programs did not keep. One whose settings are damaged is not.
func unprepared(path string) (sealed, yes bool) {
	b, err := bolt.OpenToRead(path)
	if err != nil {
		return false, false
	}
	defer b.Close()
	_ = bolt.Guarded(func() error {
		return kv.View(b, func(tx kv.Tx) error {
			m := tx.Bucket(metaBucket)
			if m == nil {
				return nil
			}
			sealed = m.Get(sumKey) != nil
			yes = (string(m.Get([]byte("schema"))) != definitions() || !numbersNoted(m)) && checkSettings(m) == nil && checkFormat(m) == nil
			return nil
		})
	})
	return sealed, yes
}

package bucket

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// OpenToCheck opens the store of a data directory as it is, for reading only: nothing is
// made, prepared or healed, and pages that are damaged do not keep it from being opened. It
// fails with ErrInUse when another process writes to it, and otherwise only when no page can
// be found. One that an older program has left is prepared first, as by Open.
func OpenToCheck(dir string) (db *DB, err error) {
	path := filepath.Join(dir, FileName)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if older(path) {
		db, err := Open(dir, Options{})
		if err != nil {
			return nil, err
		}
		if err := db.Close(); err != nil {
			return nil, err
		}
	}
	b, err := openToRead(path)
	if err != nil {
		return nil, err
	}
	db = &DB{
		bolt: b, clock: time.Now, closing: make(chan struct{}), drained: make(chan struct{}),
		looked: make(chan struct{}), changed: make(chan struct{}),
	}
	db.stopped.Store(true) // for writes
	close(db.drained)
	close(db.looked)
	_ = guarded(func() error { return b.View(db.readPosition) }) // or it stays at 0: what is wrong is told by who checks
	return db, nil
}

// openToRead opens a file that is not empty: bbolt would make a database of it.
func openToRead(path string) (b *bbolt.DB, err error) {
	if err := inspect(path); errors.Is(err, errEmpty) {
		return nil, fmt.Errorf("cannot open the database %s: %w%s", path, err, restore)
	}
	err = guarded(func() (err error) {
		b, err = bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: 200 * time.Millisecond})
		return err
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, ErrInUse
	case err != nil:
		return nil, fmt.Errorf("cannot open the database %s: %w%s", path, err, restore)
	}
	return b, nil
}

// older reports whether a file is one of an older program, which kept no sum of its settings.
func older(path string) (yes bool) {
	b, err := openToRead(path)
	if err != nil {
		return false
	}
	defer b.Close()
	_ = guarded(func() error {
		return b.View(func(tx *bbolt.Tx) error {
			m := tx.Bucket(metaBucket)
			yes = m != nil && m.Get(sumKey) == nil && string(m.Get([]byte("schema"))) != schema()
			return nil
		})
	})
	return yes
}

// guarded makes an error of whatever bbolt does when it meets a damaged page.
func guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errStructure, p)
		}
	}()
	return fn()
}

// Package bucket keeps Alcove's records in one bbolt file.
//
// The file is DIR/alcove.db. Its top-level buckets are
//
//	meta           format version and the definitions the indexes were built from
//	log            sequence → change: what happened, in order, hash-chained
//	r:NAME         key → envelope of one JSON record (see envelope.go)
//	i:NAME.INDEX   sort key + record key → small fixed value (see index.go)
//	d:NAME         key → documents rendered for readers (see docs.go)
//
// Everything above this package sees a Tx with tables; nothing else opens the file.
// A write is durable when Update returns without an error: bbolt has then written and
// fsynced it. bbolt's lock on the file is the lock on the whole data directory.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// FileName is the name of the database inside the data directory.
const FileName = "alcove.db"

// ErrInUse says that another process has the data directory open.
var ErrInUse = errors.New("another alcove process has this data directory open")

// ErrStopped is returned for every write after the store has stopped itself because
// the outcome of a commit was unknown, and after Close.
var ErrStopped = errors.New("cannot write: the store has stopped")

// Options are the choices of Open; the zero value is right for most callers.
type Options struct {
	// Clock tells the time of transactions; nil means time.Now.
	Clock func() time.Time
	// OnFatal is called once, on its own goroutine, when a commit fails. The outcome
	// is unknown then, so the process must stop serving and start again.
	OnFatal func(error)
}

// DB is an open store. Its methods are safe for concurrent use.
type DB struct {
	bolt    *bbolt.DB
	clock   func() time.Time
	onFatal func(error)

	queue   chan *op
	closing chan struct{}
	drained chan struct{}
	close   sync.Once

	secret  []byte
	stopped atomic.Bool
	seq     atomic.Uint64 // sequence of the last committed change
	last    atomic.Int64  // its time, Unix nanoseconds
	commits atomic.Uint64 // since the store was opened

	mu      sync.Mutex
	changed chan struct{} // closed at the next commit
}

// Open opens the store of a data directory, and makes it when there is none. It fails
// with ErrInUse when another process holds it.
func Open(dir string, o Options) (*DB, error) {
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := create(dir, path); err != nil {
			return nil, err
		}
	}
	b, err := openBolt(path)
	if err != nil {
		return nil, err
	}
	db := &DB{
		bolt: b, clock: o.Clock, onFatal: o.OnFatal,
		queue: make(chan *op, 1024), closing: make(chan struct{}), drained: make(chan struct{}),
		changed: make(chan struct{}),
	}
	if db.clock == nil {
		db.clock = time.Now
	}
	if err := db.prepare(); err != nil {
		b.Close()
		return nil, err
	}
	go db.writer()
	return db, nil
}

func openBolt(path string) (*bbolt.DB, error) {
	o := &bbolt.Options{Timeout: 200 * time.Millisecond, FreelistType: bbolt.FreelistMapType}
	if runtime.GOOS != "windows" { // there the file would grow to this size at once
		o.InitialMmapSize = 1 << 30
	}
	b, err := bbolt.Open(path, 0o600, o)
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the database %s: %w", path, err)
	}
	return b, nil
}

// create makes an empty database under a temporary name and gives it its own name only
// when it is whole and on the disk, so that a crash in the first start leaves nothing.
func create(dir, path string) error {
	tmp, err := os.CreateTemp(dir, ".new-db-*")
	if err != nil {
		return fmt.Errorf("cannot create the database: %w", err)
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	b, err := bbolt.Open(tmp.Name(), 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		return fmt.Errorf("cannot create the database: %w", err)
	}
	err = b.Update(func(tx *bbolt.Tx) error { return putFormat(tx) })
	if err == nil {
		err = b.Sync()
	}
	if cerr := b.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("cannot create the database: %w", err)
	}
	// A link fails where a name exists, so two first starts cannot replace each other's file.
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		if err := os.Rename(tmp.Name(), path); err != nil {
			return fmt.Errorf("cannot create the database: %w", err)
		}
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("cannot open %s: %w", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && runtime.GOOS != "windows" {
		return fmt.Errorf("cannot sync %s: %w", dir, err)
	}
	return nil
}

// Close waits for queued writes and closes the file.
func (db *DB) Close() error {
	db.close.Do(func() { close(db.closing) })
	<-db.drained
	return db.bolt.Close()
}

// Sequence is the sequence number of the last committed change.
func (db *DB) Sequence() uint64 { return db.seq.Load() }

// LastChange is the time of the last committed change, zero when there was none.
func (db *DB) LastChange() time.Time {
	if n := db.last.Load(); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// Commits counts the commits since the store was opened, also those of what is not in the
// change log: what was read after it was asked is still true while it stays the same.
func (db *DB) Commits() uint64 { return db.commits.Load() }

// Changed returns a channel that is closed at the next commit, also of what is not in the
// change log.
func (db *DB) Changed() <-chan struct{} {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.changed
}

func (db *DB) announce(seq uint64, at time.Time) {
	if db.seq.Swap(seq) != seq { // what is not in the log changes nothing that is shown with a date
		db.last.Store(at.UnixNano())
	}
	db.commits.Add(1)
	db.mu.Lock()
	close(db.changed)
	db.changed = make(chan struct{})
	db.mu.Unlock()
}

// View runs fn in a read transaction. Bytes that a Tx hands out are valid only inside
// fn, and fn must not wait for anything: an open read transaction can hold up a writer.
func (db *DB) View(fn func(*Tx) error) error {
	return db.bolt.View(func(b *bbolt.Tx) error { return fn(&Tx{bolt: b, clock: db.clock}) })
}

// ViewPublic is View with a transaction that opens public tables only.
func (db *DB) ViewPublic(fn func(*PublicTx) error) error {
	return db.View(func(tx *Tx) error { return fn(&PublicTx{tx}) })
}

// Update runs fn in a write transaction and returns when its effect is durable. fn may
// be run more than once, and in one transaction with others' (commit.go), so it must
// have no effect outside the Tx; it should check before it writes. An error from fn
// undoes what it wrote. actor is the account that acts, 0 for the server itself.
func (db *DB) Update(ctx context.Context, actor int64, fn func(*Tx) error) error {
	if db.stopped.Load() {
		return ErrStopped
	}
	o := &op{ctx: ctx, actor: actor, fn: fn, done: make(chan error, 1)}
	select {
	case db.queue <- o:
	case <-db.closing:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.done:
		return err
	case <-db.drained:
		select {
		case err := <-o.done:
			return err
		default:
			return ErrStopped
		}
	}
}

// Stopped reports whether the store takes no more writes because a commit failed.
func (db *DB) Stopped() bool { return db.stopped.Load() }

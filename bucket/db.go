// Package bucket keeps Alcove's records: tables, their ordered indexes, documents, and the change log.
//
// It stands on an engine (package kv), which in the program is one file of bbolt (package bolt),
// DIR/alcove.db. Its buckets are
//
//	meta           format version and the definitions the indexes were built from
//	log            sequence → change: what happened, in order, hash-chained
//	r:NAME         key → envelope of one JSON record (see envelope.go)
//	i:NAME.INDEX   sort key + record key → small fixed value (see index.go)
//	d:NAME         key → documents rendered for readers (see docs.go)
//
// Everything above this package sees a Tx with tables; nothing else opens the file.
// A write is durable when Update returns without an error: the engine has then written and
// synced it. The engine's lock on the file is the lock on the whole data directory.
//
// Layers, of which each uses those below it; all other files are above
// them:
//
//	tables        define table any_table index scan total owner docs log deferred deferred_put read_cache unknown entry_checksum format
//	transactions  db commit tx slow clock envelope engine engine_memory nested nested_hooks plant planted
package bucket

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"alcove/bucket/bolt"
	"alcove/bucket/changelog"
	"alcove/bucket/clock"
	"alcove/bucket/identity"
	"alcove/bucket/kv"
)

// FileName is the name of the database inside the data directory.
const FileName = identity.Database

// restore says what to do about a database that cannot be used.
const restore = bolt.Restore

// Errors of writes that were not made. The store goes on, and takes writes again by itself when
// the cause has gone.
var (
	ErrBusy = errors.New("cannot write: too many writes are waiting")
)

// ErrStopped is returned for every write after the store has stopped itself because
// the outcome of a commit was unknown, and after Close.
var ErrStopped = errors.New("cannot write: the store has stopped")

// Options are the choices of Open; the zero value is right for most callers.
type Options struct {
	// Clock tells what the machine's clock says; nil means a guarded clock.Wall.
	Clock func() time.Time
	// ClockAhead is how far that may be ahead of the last change, 0 for 400 days.
	ClockAhead time.Duration
	// Existing opens a repository that is there and never makes one.
	Existing bool
	// Repository is the id of the one that must be there; empty for whichever it is.
	Repository string
	// OnFatal is called once, on its own goroutine, when a commit fails. The outcome
	// is unknown then, so the process must stop serving and start again.
	OnFatal func(error)
	// Floor is how many bytes of the disk writes leave free, except those that Frees marks.
	Floor int64
	// MostPinned is how many pages may wait for a walk through the pages of the file to end, 0 for
	// as many as do no harm. The walk ends early when there are more, see WalkPages.
	MostPinned int
	// Preparing is called by Open before it makes indexes again, because another program has written
	// the store: that takes a minute or two for a million items.
	Preparing func()
	// Slow is after how long in one commit OnSlow is called, 100 ms where it is 0, on the writer,
	// which waits for it. Only what is done before the commit counts, not the disk.
	Slow   time.Duration
	OnSlow func(Slow)
}

// DB is an open store. Its methods are safe for concurrent use.
type DB struct {
	kv      kv.Store
	file    *bolt.Store      // the same, where it is a file
	clock   func() time.Time // see Time
	time    *storeTime       // nil where nothing is decided by it
	onFatal func(error)

	queue   chan *op
	closing chan struct{}
	drained chan struct{}
	looked  chan struct{} // closed when the walk through the pages has ended, see lookOn
	close   sync.Once

	mostPinned int
	preparing  func()
	slow       time.Duration
	onSlow     func(Slow)

	known    *identity.Identity // of the directory, nil when it has none
	identity identity.Identity
	made     bool // by this Open

	lenient     bool // what is prepared is made without the records that are damaged, by RepairFile
	secret      []byte
	stopped     atomic.Bool
	harmed      atomic.Bool   // a page could not be read
	wedged      atomic.Bool   // the locks of the engine are held for good
	seq         atomic.Uint64 // sequence of the last committed change
	last        atomic.Int64  // its time, Unix nanoseconds
	writing     atomic.Int64  // before the time of the changes that are being committed, 0 while none are
	public      atomic.Int64  // that of the last change of something public
	slowCommits atomic.Uint64 // commits that held the writer for long
	decoded     atomic.Uint64 // records, by transactions that write
	commits     atomic.Uint64 // since the store was opened
	position    atomic.Uint64 // see Position

	latencies latencies

	mu      sync.Mutex
	changed chan struct{} // closed at the next commit
}

// Open opens the store of a data directory, and makes it when nothing of one is there, unless
// Options say otherwise. It fails with ErrInUse when another process holds it, with ErrUnfinished
// where a restore has not come to its end, and with ErrAbsent, ErrLost or ErrOther where the
// directory is not one of the repository that is meant.
func Open(dir string, o Options) (*DB, error) {
	db := &DB{
		kv: engineOf(dir), clock: clock.Wall, onFatal: o.OnFatal,
		queue: make(chan *op, 1024), closing: make(chan struct{}), drained: make(chan struct{}),
		changed: make(chan struct{}), looked: make(chan struct{}), mostPinned: cmp.Or(o.MostPinned, bolt.MostPinned), preparing: o.Preparing,
		slow: cmp.Or(o.Slow, slowWrites), onSlow: o.OnSlow,
	}
	if o.Clock != nil {
		db.clock = o.Clock
	}
	all, err := true, error(nil)
	if db.kv == nil {
		all, err = db.openFile(dir, o)
	} else {
		db.made, err = putFormatOnce(db.kv)
	}
	if err != nil {
		return nil, err
	}
	if err := db.start(dir, o); err != nil {
		db.kv.Close()
		return nil, err
	}
	go db.writer()
	if all {
		close(db.looked)
	} else {
		go db.lookOn()
	}
	return db, nil
}

// openFile opens the file of a directory, or makes it. all is false when it is too large to look
// at all of its pages first.
func (db *DB) openFile(dir string, o Options) (all bool, err error) {
	path := filepath.Join(dir, FileName)
	if db.made, err = admit(dir, o); err != nil {
		return false, err
	}
	if db.made {
		if err := bolt.Create(dir, path, putFormat); err != nil {
			return false, err
		}
	}
	if db.file, err = bolt.Open(path, plantNoSync); err != nil {
		return false, err
	}
	db.kv = db.file
	_ = bolt.RemoveLeft(path) // it is in the way of nothing
	if all, err = bolt.Examine(path, examinedFirst); err != nil {
		db.kv.Close()
	}
	return all, err
}

// start prepares what is open for its first write.
func (db *DB) start(dir string, o Options) error {
	if err := db.prepareGuarded(dir, o.Repository); err != nil {
		return err
	}
	if db.file != nil {
		if err := db.file.Preallocate(o.Floor); err != nil {
			return err
		}
	}
	return db.startClock(o.Clock, o.ClockAhead)
}

// prepareGuarded is prepare, which may meet pages that cannot be read, of a database that is the
// one of its directory. A directory that has no identity yet gets that of the database.
func (db *DB) prepareGuarded(dir, wanted string) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer db.faulted(&err)
	if err := db.identify(dir, wanted); err != nil {
		return err
	}
	if err := db.prepare(); err != nil {
		return err
	}
	if of, err := identity.Read(dir); err != nil || of != nil {
		return err
	}
	return identity.Write(dir, db.identity)
}

// Close waits for queued writes and closes the file.
func (db *DB) Close() error {
	db.close.Do(func() { close(db.closing) })
	<-db.drained
	<-db.looked
	if db.wedged.Load() {
		return ErrStopped // the engine would wait for ever; the process is about to end
	}
	return db.kv.Close()
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

// Position is a number of the store that ascends with each commit, also of what is not in the
// change log and whichever process made it: what was read after it was asked is still true while it stays
// the same.
func (db *DB) Position() uint64 { return db.position.Load() }

// Commits counts the commits since the store was opened.
func (db *DB) Commits() uint64 { return db.commits.Load() }

// Changed returns a channel that is closed at the next commit, also of what is not in the
// change log.
func (db *DB) Changed() <-chan struct{} {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.changed
}

func (db *DB) announce(position, seq uint64, at time.Time, public bool) {
	db.position.Store(position)
	if db.seq.Swap(seq) != seq { // what is not in the log changes nothing that is shown with a date
		db.last.Store(at.UnixNano())
		if public {
			db.public.Store(at.UnixNano())
		}
	}
	db.commits.Add(1)
	db.mu.Lock()
	close(db.changed)
	db.changed = make(chan struct{})
	db.mu.Unlock()
}

// View runs fn in a read transaction. Bytes that a Tx hands out are valid only inside
// fn, and so is the Tx. fn must not wait for anything: an open read transaction can hold up
// a writer. It opens no other one: that would wait for a writer which waits for this one.
func (db *DB) View(fn func(*Tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // costs some nanoseconds
	defer db.faulted(&err)
	if checkNested {
		defer alone()()
	}
	if plantIndexFirst {
		if done, err := viewEarly(db, fn); done {
			return err
		}
	}
	b, err := db.kv.Begin(false)
	if err != nil {
		return err
	}
	tx := newReader(db, b)
	defer func() {
		if ended := tx.kv.Rollback(); err == nil {
			err = ended
		}
	}()
	return fn(tx)
}

func newReader(db *DB, b kv.Tx) *Tx {
	tx := &Tx{kv: b, db: db}
	tx.public.tx = tx
	return tx
}

// ViewPublic is View with a transaction that opens public tables only.
func (db *DB) ViewPublic(fn func(*PublicTx) error) error {
	return db.View(func(tx *Tx) error { return fn(&tx.public) })
}

// Update runs fn in a write transaction and returns when its effect is durable. fn may
// be run more than once, and in one transaction with others' (commit.go), so it must
// have no effect outside the Tx; it should check before it writes. An error from fn
// undoes what it wrote. actor is the account that acts, 0 for the server itself.
func (db *DB) Update(ctx context.Context, actor int64, fn func(*Tx) error) error {
	return db.UpdateBy(ctx, changelog.By{Account: actor}, fn)
}

// UpdateBy is Update for a caller that acts otherwise than by its own token.
func (db *DB) UpdateBy(ctx context.Context, by changelog.By, fn func(*Tx) error) error {
	switch {
	case db.stopped.Load():
		return ErrStopped
	case db.harmed.Load():
		return ErrFault
	}
	o := &op{ctx: ctx, by: by, fn: fn, done: make(chan error, 1)}
	if err := db.enqueue(ctx, o); err != nil {
		return err
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

type frees struct{}

// Frees marks the writes of a context as such that go on when the disk is nearly full: those
// that give space back, and those that finish what was acknowledged.
func Frees(ctx context.Context) context.Context { return context.WithValue(ctx, frees{}, true) }

// patience is how long a write waits for a place in the queue.
const patience = 2 * time.Second

// enqueue hands a write to the writer. When the disk is so slow that the queue stays full the
// write is refused rather than kept: what waits is bounded.
func (db *DB) enqueue(ctx context.Context, o *op) error {
	select {
	case db.queue <- o:
		return nil
	default:
	}
	full := time.NewTimer(patience)
	defer full.Stop()
	select {
	case db.queue <- o:
		return nil
	case <-full.C:
		return ErrBusy
	case <-db.closing:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stopped reports whether the store takes no more writes, because a commit failed or a page of
// its file cannot be read.
func (db *DB) Stopped() bool { return db.stopped.Load() || db.harmed.Load() }

// notBefore is a time, or that of the last change when it is before it.
func (db *DB) notBefore(now time.Time) time.Time {
	if last := db.LastChange(); now.Before(last) {
		return last
	}
	return now
}

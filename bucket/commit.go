package bucket

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
)

// maxBatch bounds how many writes share one commit.
const maxBatch = 256

// maxReruns bounds how often a shared commit is tried again without a failed write
// before the rest get a transaction each.
const maxReruns = 3

type op struct {
	ctx   context.Context
	actor int64
	fn    func(*Tx) error
	err   error
	done  chan error
}

// writer is the only goroutine that opens write transactions. It takes what waits in
// the queue, without delay, into one commit. It ends after Close.
func (db *DB) writer() {
	defer close(db.drained)
	for {
		select {
		case o := <-db.queue:
			db.commit(db.gather(o))
		case <-db.closing:
			for {
				select {
				case o := <-db.queue:
					db.commit(db.gather(o))
				default:
					return
				}
			}
		}
	}
}

func (db *DB) gather(first *op) []*op {
	batch := []*op{first}
	for len(batch) < maxBatch {
		select {
		case o := <-db.queue:
			batch = append(batch, o)
		default:
			return batch
		}
	}
	return batch
}

// commit runs the writes of a batch in one transaction. bbolt has no savepoints: when
// one fails after it has written, the transaction is rolled back and the others run
// again without it. Every answer waits for the commit, a refusal too, because it may
// rest on what another write of the batch did.
func (db *DB) commit(batch []*op) {
	all := batch
	for try := 0; len(batch) > 0; try++ {
		if try > maxReruns && len(batch) > 1 {
			for i, o := range batch {
				if !db.attempt([]*op{o}, nil) {
					db.fail(batch[i:])
					break
				}
			}
			break
		}
		var failed *op
		if !db.attempt(batch, &failed) {
			db.fail(all) // nothing of them was committed yet
			break
		}
		if failed == nil {
			break
		}
		rest := make([]*op, 0, len(batch)-1)
		for _, o := range batch {
			if o != failed {
				rest = append(rest, o)
			}
		}
		batch = rest
	}
	for _, o := range all {
		o.done <- o.err
	}
}

func (db *DB) fail(ops []*op) {
	for _, o := range ops {
		o.err = ErrStopped
	}
}

// attempt runs the ops in one transaction and commits it. When failed is set on return
// nothing was committed because that op failed after writing. It reports false when
// the store has stopped.
func (db *DB) attempt(ops []*op, failed **op) bool {
	if db.stopped.Load() {
		return false
	}
	b, err := db.bolt.Begin(true)
	if err != nil {
		db.fatal(fmt.Errorf("cannot begin a transaction: %w", err))
		return false
	}
	at := db.clock()
	if last := db.LastChange(); at.Before(last) {
		at = last // the log never runs backwards, whatever the clock does
	}
	dirty := false
	rest := &later{}
	for _, o := range ops {
		tx := &Tx{bolt: b, at: at, actor: o.actor, writable: true, op: o, later: rest}
		if o.err = o.ctx.Err(); o.err != nil {
			continue
		}
		o.err = run(o.fn, tx)
		tx.writable = false
		if o.err == nil {
			dirty = dirty || tx.dirty
			continue
		}
		if tx.dirty {
			b.Rollback()
			if failed != nil {
				*failed = o
			}
			return true
		}
	}
	if !dirty {
		b.Rollback()
		return true
	}
	if o, err := (&Tx{bolt: b, writable: true, later: rest}).settle(); err != nil {
		b.Rollback()
		if o.err = err; failed != nil {
			*failed = o
		}
		return true
	}
	seq := logSequence(b)
	if err := b.Commit(); err != nil {
		db.fatal(fmt.Errorf("cannot commit, the outcome is unknown: %w", err))
		return false
	}
	db.announce(seq, at)
	return true
}

// run calls fn and turns a panic into an error, so that one request cannot end the writer.
func run(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot finish a write: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// fatal stops all further writes: after a failed commit bbolt may show data that is not
// on the disk, so the only safe step is to restart and read again.
func (db *DB) fatal(err error) {
	if db.stopped.Swap(true) {
		return
	}
	if db.onFatal != nil {
		go db.onFatal(err)
	}
}

// Tx is a transaction on all tables.
type Tx struct {
	bolt     *bbolt.Tx
	at       time.Time        // zero until it is asked for
	clock    func() time.Time // tells it
	actor    int64
	writable bool
	dirty    bool
	writes   int
	logged   bool     // last is known: nobody else appends to the log while it runs
	last     [32]byte // hash of the last entry of the change log
	opened   []opened // of a transaction that only reads
	key      [16]byte // room for one that is looked up
	known    known    // of a transaction that writes
	op       *op      // that it is part of
	later    *later   // what all ops of the attempt have left to be done; nil when there is no attempt
}

// opened is a bucket that a transaction has looked up, with a cursor for looking up keys
// in it.
type opened struct {
	name   string
	bucket *bbolt.Bucket
	cursor *bbolt.Cursor
}

// PublicTx is a read transaction that opens public tables only: the compiler refuses a
// private table where only this is at hand.
type PublicTx struct{ tx *Tx }

// Reader is what public tables are read through: *Tx or *PublicTx.
type Reader interface{ reader() *Tx }

func (tx *Tx) reader() *Tx      { return tx }
func (p *PublicTx) reader() *Tx { return p.tx }

// Now is the time of the transaction in UTC, in whole seconds as the API shows times.
func (tx *Tx) Now() time.Time {
	if tx.at.IsZero() && tx.clock != nil {
		tx.at = tx.clock()
	}
	return tx.at.UTC().Truncate(time.Second)
}

// Now is the time of the transaction in UTC, in whole seconds.
func (p *PublicTx) Now() time.Time { return p.tx.Now() }

// Writes is how many writes the transaction was asked for so far: a caller that makes
// several changes in it can tell whether one that was refused has left something behind.
func (tx *Tx) Writes() int { return tx.writes }

// Actor is the account that the transaction acts for, 0 for the server itself.
func (tx *Tx) Actor() int64 { return tx.actor }

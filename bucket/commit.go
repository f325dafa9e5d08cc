package bucket

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"alcove/bucket/changelog"
	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

// maxBatch bounds how many writes share one commit.
const maxBatch = 256

// maxReruns bounds how often a shared commit is tried again without a failed write
// before the rest get a transaction each.
const maxReruns = 3

type op struct {
	ctx  context.Context
	by   changelog.By
	fn   func(*Tx) error
	err  error
	done chan error
}

// writer is the only goroutine that opens write transactions. It takes what waits in
// the queue, without delay, into one commit. It ends after Close.
func (db *DB) writer() {
	defer close(db.drained)
	debug.SetPanicOnFault(true) // run and try make errors of it
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

// commit runs the writes of a batch in one transaction. There are no savepoints: when
// one fails after it has written, the transaction is rolled back and the others run
// again without it. Every answer waits for the commit, a refusal too, because it may
// rest on what another write of the batch did.
func (db *DB) commit(all []*op) {
	batch := db.admit(all)
	for try := 0; len(batch) > 0; try++ {
		var failed *op
		out := db.attempt(batch, &failed)
		if out == cramped && len(batch) > 1 || out == undone && try == maxReruns {
			db.commitEach(batch, failed)
			break
		}
		if out == stopped {
			db.reportAll(all, out) // a refusal, too, may rest on what was not committed
			break
		}
		if out != undone {
			db.reportAll(batch, out)
			break
		}
		batch = without(batch, failed)
	}
	for _, o := range all {
		o.done <- o.err
	}
}

// admit leaves out the writes that the disk does not allow now.
func (db *DB) admit(all []*op) []*op {
	ordinary, freeing := db.kv.Admit()
	var batch []*op
	for _, o := range all {
		if o.err = ordinary; o.ctx.Value(frees{}) != nil {
			o.err = freeing
		}
		if o.err == nil {
			batch = append(batch, o)
		}
	}
	return batch
}

// commitEach gives each of the writes that are left a transaction of its own.
func (db *DB) commitEach(batch []*op, failed *op) {
	for i, o := range batch {
		if o == failed {
			continue
		}
		out := db.attempt([]*op{o}, nil)
		if db.reportAll([]*op{o}, out); out == stopped {
			db.reportAll(batch[i+1:], out)
			return
		}
	}
}

// reportAll tells writes why they were not made.
func (db *DB) reportAll(ops []*op, out outcome) {
	why := map[outcome]error{stopped: ErrStopped, cramped: kv.ErrNoSpace, barred: kv.ErrReadOnly}[out]
	for _, o := range ops {
		if why != nil {
			o.err = why
		}
	}
}

func without(batch []*op, failed *op) []*op {
	rest := make([]*op, 0, len(batch))
	for _, o := range batch {
		if o != failed {
			rest = append(rest, o)
		}
	}
	return rest
}

// outcome is what became of a transaction.
type outcome int

const (
	decided outcome = iota // it was committed, or there was nothing to commit
	undone                 // nothing was committed, because one write failed after it had written
	again                  // nothing was committed, and it is worth trying again
	cramped                // nothing was committed, because the disk has no room for it
	barred                 // nothing was committed, because the file system can only be read
	stopped                // the outcome is unknown, or there was none
)

// attempt is try, as often as the engine says that it is worth it.
func (db *DB) attempt(ops []*op, failed **op) outcome {
	for {
		if out := db.try(ops, failed); out != again {
			return out
		}
	}
}

// try runs the ops in one transaction and commits it. When failed is set on return
// nothing was committed because that op failed after writing.
func (db *DB) try(ops []*op, failed **op) (out outcome) {
	if db.stopped.Load() {
		return stopped
	}
	defer func() {
		if p := recover(); p != nil { // in the engine, whose locks cannot be given back any more
			db.wedged.Store(true)
			db.fatal(fmt.Errorf("cannot commit, the outcome is unknown: panic: %v\n%s", p, debug.Stack()))
			out = stopped
		}
	}()
	b, err := db.kv.Begin(true)
	if err != nil {
		db.fatal(err)
		return stopped
	}
	db.writing.Store(db.clock().UnixNano())
	defer db.writing.Store(0)
	at := db.notBefore(db.clock()) // the log never runs backwards, whatever the clock does
	dirty, held := false, commitTimer{began: time.Now()}
	rest := &deferred{chain: chain{at: at}}
	for _, o := range ops {
		tx := &Tx{kv: b, db: db, at: at, by: o.by, writable: true, op: o, deferred: rest}
		if o.err = o.ctx.Err(); o.err != nil {
			continue
		}
		before := time.Now()
		o.err = run(o.fn, tx)
		held.op(o, tx, time.Since(before))
		tx.writable = false
		if rest.failed != nil {
			b.Rollback()
			rest.failed.err = rest.why
			return undo(failed, rest.failed)
		}
		if o.err == nil {
			dirty = dirty || tx.dirty
			continue
		}
		if tx.dirty {
			b.Rollback()
			return undo(failed, o)
		}
	}
	if !dirty {
		b.Rollback()
		return decided
	}
	if o, err := (&Tx{kv: b, writable: true, deferred: rest}).finish(); err != nil {
		b.Rollback()
		o.err = err
		return undo(failed, o)
	}
	db.reportSlow(&held)
	seq, position := logSequence(b), b.Position()
	if plantAckFirst || plantIndexFirst {
		db.plant(ops, b, seq, at)
	}
	written, err := b.Commit()
	if err != nil {
		return db.uncommitted(err)
	}
	db.latencies.committed(&held, written)
	db.announce(position, seq, at, rest.chain.public)
	return decided
}

// undo names the op because of which nothing was committed, to who has others to commit.
func undo(failed **op, o *op) outcome {
	if failed == nil {
		return decided
	}
	*failed = o
	return undone
}

// uncommitted is the outcome of a commit that failed.
func (db *DB) uncommitted(err error) outcome {
	switch {
	case errors.Is(err, kv.ErrAgain):
		return again
	case errors.Is(err, kv.ErrNoSpace):
		return cramped
	case errors.Is(err, kv.ErrReadOnly):
		return barred
	}
	db.fatal(fmt.Errorf("cannot commit, the outcome is unknown: %w", err))
	return stopped
}

// run calls fn and turns a panic into an error, so that one request cannot end the writer.
func run(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if isFault(p) { // the pages that a commit would touch cannot be trusted either
				panic(p)
			}
			if damaged, ok := p.(*damage.Error); ok {
				err = damaged
				return
			}
			err = fmt.Errorf("cannot finish a write: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// fatal stops all further writes: after a failed commit the engine may show data that is not
// on the disk, so the only safe step is to restart and read again.
func (db *DB) fatal(err error) {
	if db.stopped.Swap(true) {
		return
	}
	if db.onFatal != nil {
		go db.onFatal(err)
	}
}

package bucket

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// later is what the ops of one attempt have left to be done before its commit: records,
// documents and entries of the change log, which are made while the writer goes on, and what is
// put in the order of its keys.
type later struct {
	bundles []*bundle                // in the order of the writes; all but the last are full
	due     map[string]bool          // buckets that wait for what is in them
	pending map[place]errand         // records that are in them
	cursors map[string]*bbolt.Cursor // for looking keys up
	entries map[string]*waiting      // by the bucket that they go to
	chain   chain
	failed  *op // what it left could not be made, because of why
	why     error
}

// errand is something that an op has left: a *recording, a *rendering or a *logging.
type errand interface {
	// prepare does what needs no transaction, on any goroutine.
	prepare() error
	// deliver stores what was prepared, on the writer and in the order of the writes.
	deliver(tx *Tx, o *op) error
}

// bundle is a few errands that one goroutine prepares: another one while the writer goes on,
// or the writer itself when it comes to need them and nobody has begun.
type bundle struct {
	errands []left
	taken   atomic.Bool
	made    chan struct{} // closed when all of them are prepared
}

// left is an errand of an op.
type left struct {
	errand
	op  *op
	err error // of its preparation
}

// bundled is how many errands go together: they take some 100 µs, and another goroutine 1 µs.
const bundled = 16

// mostLeft bounds how many bundles wait for the writer.
const mostLeft = 256

// leave lets an errand be done before the commit. buckets are those that wait for it.
func (tx *Tx) leave(e errand, buckets []string) {
	l := tx.later
	if len(buckets) > 0 && !l.due[buckets[0]] {
		if l.due == nil {
			l.due = map[string]bool{}
		}
		for _, name := range buckets {
			l.due[name] = true
		}
	}
	last := len(l.bundles) - 1
	if last < 0 || len(l.bundles[last].errands) == bundled {
		l.bundles = append(l.bundles, &bundle{errands: make([]left, 0, bundled), made: make(chan struct{})})
		last++
	}
	b := l.bundles[last]
	if b.errands = append(b.errands, left{errand: e, op: tx.op}); len(b.errands) == bundled {
		go b.run()
	}
}

// run prepares a bundle, unless somebody does. As a goroutine it ends by itself, also when
// nobody wants the bundle any more.
func (b *bundle) run() {
	if b.taken.Swap(true) {
		return
	}
	defer close(b.made)
	for i := range b.errands {
		b.errands[i].try()
	}
}

func (l *left) try() {
	defer func() {
		if p := recover(); p != nil {
			l.err = fmt.Errorf("cannot prepare a write: panic: %v\n%s", p, debug.Stack())
		}
	}()
	l.err = l.prepare()
}

// settle does the errands that were left. An error is that of the op which is returned with it.
func (tx *Tx) settle() (*op, error) {
	l := tx.later
	if l == nil || len(l.bundles) == 0 {
		return nil, nil
	}
	bundles := l.bundles
	l.bundles = nil
	clear(l.due)
	clear(l.pending)
	for _, b := range bundles {
		b.run()
		<-b.made
		for i := range b.errands {
			e := &b.errands[i]
			if e.err == nil {
				e.err = e.deliver(tx, e.op)
			}
			if e.err != nil {
				return e.op, e.err
			}
		}
	}
	return nil, nil
}

// settled is settle for who is about to look at what the errands store. What could not be made
// undoes the op that left it, whoever has met that.
func (tx *Tx) settled() error {
	o, err := tx.settle()
	if err != nil {
		tx.later.failed, tx.later.why = o, err
	}
	return err
}

// finish does all that was left for later. An error is that of the op which is returned with it.
func (tx *Tx) finish() (*op, error) {
	if o, err := tx.settle(); err != nil {
		return o, err
	}
	for name, w := range tx.later.entries {
		if len(w.entries) == 0 {
			continue
		}
		at := w.entries[0].op
		if err := run(func(tx *Tx) error { return w.put(tx.bolt.Bucket([]byte(name)), &at) }, tx); err != nil {
			return at, fmt.Errorf("cannot update %s: %w", name, err)
		}
	}
	return nil, nil
}

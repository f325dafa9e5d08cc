package bucket

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"alcove/bucket/kv"
)

// deferred is what the ops of one attempt have left to be done before its commit: records,
// documents and entries of the change log, which are made while the writer goes on, and what is
// put in the order of its keys.
type deferred struct {
	batches []*writeBatch               // in the order of the writes; all but the last are full
	due     map[string]bool             // buckets that wait for what is in them
	pending map[recordRef]deferredWrite // records that are in them
	entries map[string]*writeBuffer     // by the bucket that they go to
	chain   chain
	failed  *op // what it left could not be made, because of why
	why     error
}

// deferredWrite is something that an op has left: a *deferredPut, a *deferredDoc or a *deferredLog.
type deferredWrite interface {
	// prepare does what needs no transaction, on any goroutine.
	prepare() error
	// apply stores what was prepared, on the writer and in the order of the writes.
	apply(tx *Tx, o *op) error
}

// writeBatch is a few deferred writes that one goroutine prepares: another one while the writer goes on,
// or the writer itself when it comes to need them and none has begun.
type writeBatch struct {
	writes []deferredItem
	taken  atomic.Bool
	made   chan struct{} // closed when all of them are prepared
}

// deferredItem is a deferred write of an op.
type deferredItem struct {
	deferredWrite
	op  *op
	err error // of its preparation
}

// batchSize is how many deferred writes go together: they take some 100 µs, and another goroutine 1 µs.
const batchSize = 16

// maxBatches bounds how many batches wait for the writer.
const maxBatches = 256

// deferWrite lets a deferred write be done before the commit. buckets are those that wait for it.
func (tx *Tx) deferWrite(e deferredWrite, buckets []string) {
	l := tx.deferred
	if len(buckets) > 0 && !l.due[buckets[0]] {
		if l.due == nil {
			l.due = map[string]bool{}
		}
		for _, name := range buckets {
			l.due[name] = true
		}
	}
	last := len(l.batches) - 1
	if last < 0 || len(l.batches[last].writes) == batchSize {
		l.batches = append(l.batches, &writeBatch{writes: make([]deferredItem, 0, batchSize), made: make(chan struct{})})
		last++
	}
	b := l.batches[last]
	if b.writes = append(b.writes, deferredItem{deferredWrite: e, op: tx.op}); len(b.writes) == batchSize {
		go b.run()
	}
}

// run prepares a batch, unless another goroutine does. As a goroutine it ends by itself, also when
// the batch is not wanted any more.
func (b *writeBatch) run() {
	if b.taken.Swap(true) {
		return
	}
	defer close(b.made)
	for i := range b.writes {
		b.writes[i].try()
	}
}

func (l *deferredItem) try() {
	defer func() {
		if p := recover(); p != nil {
			l.err = fmt.Errorf("cannot prepare a write: panic: %v\n%s", p, debug.Stack())
		}
	}()
	l.err = l.prepare()
}

// flush does the deferred writes that were left. An error is that of the op which is returned with it.
func (tx *Tx) flush() (*op, error) {
	l := tx.deferred
	if l == nil || len(l.batches) == 0 {
		return nil, nil
	}
	batches := l.batches
	l.batches = nil
	clear(l.due)
	clear(l.pending)
	for _, b := range batches {
		b.run()
		<-b.made
		for i := range b.writes {
			e := &b.writes[i]
			if e.err == nil {
				e.err = e.apply(tx, e.op)
			}
			if e.err != nil {
				return e.op, e.err
			}
		}
	}
	return nil, nil
}

// flushPending is flush before a look at what the deferred writes store. One that could not be made
// undoes the op that left it, whichever has met that.
func (tx *Tx) flushPending() error {
	o, err := tx.flush()
	if err != nil {
		tx.deferred.failed, tx.deferred.why = o, err
	}
	return err
}

// finish does all that was left for later. An error is that of the op which is returned with it.
func (tx *Tx) finish() (*op, error) {
	if o, err := tx.flush(); err != nil {
		return o, err
	}
	for name, w := range tx.deferred.entries {
		if len(w.entries) == 0 {
			continue
		}
		at := w.entries[0].op
		if err := run(func(tx *Tx) error { return w.put(tx.kv.Bucket(name), &at) }, tx); err != nil {
			return at, fmt.Errorf("cannot update %s: %w", name, err)
		}
	}
	return nil, nil
}

// deferredDoc is a document on its way.
type deferredDoc struct {
	docs   *Docs
	key    Pair
	make   func() (Doc, error)
	sealed []byte
}

// PutDeferred is Put of a document that make renders, at once or on another goroutine while
// the transaction goes on. make must not use the transaction, and what it reads must stay
// as it is. The document is there for the reads that follow, and an error of make
// is one of the write.
func (d *Docs) PutDeferred(tx *Tx, key Pair, make func() (Doc, error)) error {
	if tx.deferred == nil {
		doc, err := make()
		if err != nil {
			return err
		}
		return d.Put(tx, key, doc)
	}
	tx.touch()
	tx.deferWrite(&deferredDoc{docs: d, key: key, make: make}, []string{d.bucketName()})
	return nil
}

func (r *deferredDoc) prepare() error {
	doc, err := r.make()
	if err == nil {
		r.sealed = encodeDoc(pairKeys.enc(r.key), doc)
	}
	return err
}

func (r *deferredDoc) apply(tx *Tx, _ *op) error {
	return r.docs.put(tx, pairKeys.enc(r.key), r.sealed)
}

// writeBuffer are entries of an index, or records, that the ops of one attempt have put or deleted. They
// go to the bucket in the order of their keys, which spares bbolt most of its searching and moving:
// right before the commit, or when an op of the attempt opens the bucket (Tx.bucket).
type writeBuffer struct {
	fresh   bool // one of a record that was not in the index is among them
	entries []bufferedWrite
}

// bufferedWrite is an entry that is to be put, or, with a nil value, to be deleted.
type bufferedWrite struct {
	key, value []byte
	at         int // in the order of the writes, of which the last one of a key counts
	op         *op
}

// buffer leaves an entry of an op for later. It refuses the keys that bbolt would refuse.
func (l *deferred) buffer(bucket string, key, value []byte, fresh bool, o *op) error {
	if err := kv.CheckKey(key); err != nil {
		return err
	}
	w := l.entries[bucket]
	if w == nil {
		if l.entries == nil {
			l.entries = map[string]*writeBuffer{}
		}
		w = &writeBuffer{}
		l.entries[bucket] = w
	}
	w.fresh = w.fresh || fresh
	w.entries = append(w.entries, bufferedWrite{key, value, len(w.entries), o})
	return nil
}

// put does what was left for later. at is the op of the entry that it has come to.
func (w *writeBuffer) put(b kv.Bucket, at **op) error {
	slices.SortFunc(w.entries, func(x, y bufferedWrite) int {
		return cmp.Or(bytes.Compare(x.key, y.key), cmp.Compare(x.at, y.at))
	})
	if w.fresh {
		b.Grows()
	}
	for i, e := range w.entries {
		if i+1 < len(w.entries) && bytes.Equal(w.entries[i+1].key, e.key) {
			continue
		}
		*at = e.op
		var err error
		if e.value == nil {
			err = b.Delete(e.key)
		} else {
			err = b.Put(e.key, e.value)
		}
		if err != nil {
			return err
		}
	}
	clear(w.entries)
	w.entries, w.fresh = w.entries[:0], false
	return nil
}

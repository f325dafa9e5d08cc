// Package memory is an engine that keeps everything in memory. It is for tests: it has none of the
// habits of a file, so that what the store takes for granted beyond package kv fails on it.
package memory

import (
	"bytes"
	"errors"
	"iter"
	"maps"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"alcove/bucket/kv"
)

// Store is what an engine holds, as a file does: it is there for as long as the process runs, and
// can be opened again.
type Store struct {
	writing sync.Mutex // held by the transaction that writes

	mu        sync.Mutex
	committed state
}

// state is what a commit has left. It is never changed: a transaction that writes copies what it
// changes.
type state struct {
	position uint64
	buckets  map[string]*bucket
}

type bucket struct {
	sequence uint64
	entries  []entry // by their keys
}

type entry struct{ key, value []byte }

var (
	errClosed   = errors.New("the store is closed")
	errEnded    = errors.New("the transaction has ended")
	errReadOnly = errors.New("the transaction only reads")
)

// New is an empty store.
func New() *Store { return &Store{} }

// Open is an engine on the store.
func (s *Store) Open() kv.Store { return &engine{Store: s} }

type engine struct {
	*Store
	closed atomic.Bool
}

func (s *engine) Begin(write bool) (kv.Tx, error) {
	if s.closed.Load() {
		return nil, errClosed
	}
	if write {
		s.writing.Lock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &tx{store: s.Store, write: write, state: s.committed, changed: map[string]bool{}}
	if write {
		t.position++
		t.buckets = maps.Clone(t.buckets)
		if t.buckets == nil {
			t.buckets = map[string]*bucket{}
		}
	}
	return t, nil
}

func (s *engine) Admit() (ordinary, frees error) { return nil, nil }

func (s *engine) Close() error {
	s.closed.Store(true)
	return nil
}

type tx struct {
	state
	store   *Store
	write   bool
	ended   bool
	changed map[string]bool // buckets that are the transaction's own
	lent    []entry         // what was handed out, see end
}

// end gives up what was handed out: who looks at it later sees nothing that makes sense.
func (t *tx) end() {
	t.ended = true
	for _, e := range t.lent {
		for _, b := range [][]byte{e.key, e.value} {
			for i := range b {
				b[i] = 0xdb
			}
		}
	}
	t.lent = nil
	if t.write {
		t.store.writing.Unlock()
	}
}

// lend is an entry of its own for the caller.
func (t *tx) lend(e entry) (key, value []byte) {
	e = entry{bytes.Clone(e.key), append([]byte{}, e.value...)}
	t.lent = append(t.lent, e)
	return e.key, e.value
}

func (t *tx) Bucket(name string) kv.Bucket {
	if t.buckets[name] == nil {
		return nil
	}
	return &view{t, name}
}

func (t *tx) Create(name string) (kv.Bucket, error) {
	if err := t.mayWrite(); err != nil {
		return nil, err
	}
	if t.buckets[name] == nil {
		t.buckets[name], t.changed[name] = &bucket{}, true
	}
	return &view{t, name}, nil
}

func (t *tx) Drop(name string) error {
	if err := t.mayWrite(); err != nil {
		return err
	}
	if t.buckets[name] == nil {
		return errors.New("there is no such bucket")
	}
	delete(t.buckets, name)
	delete(t.changed, name)
	return nil
}

func (t *tx) mayWrite() error {
	switch {
	case t.ended:
		return errEnded
	case !t.write:
		return errReadOnly
	}
	return nil
}

func (t *tx) Buckets() []string { return slices.Sorted(maps.Keys(t.buckets)) }

func (t *tx) Position() uint64 { return t.position }

func (t *tx) Commit() (written time.Duration, err error) {
	if err := t.mayWrite(); err != nil {
		return 0, err
	}
	t.store.mu.Lock()
	t.store.committed = t.state
	t.store.mu.Unlock()
	t.end()
	return 0, nil
}

func (t *tx) Rollback() error {
	if t.ended {
		return errEnded
	}
	t.end()
	return nil
}

// view is a bucket in a transaction.
type view struct {
	tx   *tx
	name string
}

func (v *view) bucket() *bucket {
	if v.tx.ended {
		panic(errEnded)
	}
	return v.tx.buckets[v.name]
}

// own is the bucket, for a change.
func (v *view) own() (*bucket, error) {
	if err := v.tx.mayWrite(); err != nil {
		return nil, err
	}
	b := v.bucket()
	if !v.tx.changed[v.name] {
		b = &bucket{b.sequence, slices.Clone(b.entries)}
		v.tx.buckets[v.name], v.tx.changed[v.name] = b, true
	}
	return b, nil
}

// find is where a key is, or would be.
func (b *bucket) find(key []byte) (at int, there bool) {
	return sort.Find(len(b.entries), func(i int) int { return bytes.Compare(key, b.entries[i].key) })
}

func (v *view) Get(key []byte) []byte {
	b := v.bucket()
	at, there := b.find(key)
	if !there {
		return nil
	}
	_, value := v.tx.lend(b.entries[at])
	return value
}

func (v *view) Put(key, value []byte) error {
	b, err := v.own()
	if err == nil {
		err = kv.CheckKey(key)
	}
	if err != nil {
		return err
	}
	e := entry{bytes.Clone(key), bytes.Clone(value)}
	at, there := b.find(key)
	if there {
		b.entries[at] = e
	} else {
		b.entries = slices.Insert(b.entries, at, e)
	}
	return nil
}

func (v *view) Delete(key []byte) error {
	b, err := v.own()
	if err != nil {
		return err
	}
	if at, there := b.find(key); there {
		b.entries = slices.Delete(b.entries, at, at+1)
	}
	return nil
}

func (v *view) Ascend(from []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		b := v.bucket()
		at, _ := b.find(from)
		for _, e := range b.entries[at:] {
			if !yield(v.tx.lend(e)) {
				return
			}
		}
	}
}

func (v *view) Descend(below []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		b := v.bucket()
		at := len(b.entries)
		if below != nil {
			at, _ = b.find(below)
		}
		for _, e := range slices.Backward(b.entries[:at]) {
			if !yield(v.tx.lend(e)) {
				return
			}
		}
	}
}

func (v *view) Sequence() uint64 { return v.bucket().sequence }

func (v *view) SetSequence(n uint64) error {
	b, err := v.own()
	if err == nil {
		b.sequence = n
	}
	return err
}

// Grows says nothing here.
func (v *view) Grows() {}

// Package bolt is the embedded engine of the store: one file of bbolt.
package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"alcove/bucket/kv"
)

// Store is an open file.
type Store struct {
	*bbolt.DB
	File  *os.File       // nil of one that is only read, or made again
	Ahead *Preallocation // nil before Preallocate, then writes take what they need
}

// Begin begins a transaction, one that writes with room in the file ahead of it.
func (s *Store) Begin(write bool) (kv.Tx, error) {
	b, err := s.DB.Begin(write)
	if err != nil {
		return nil, fmt.Errorf("cannot begin a transaction: %w", err)
	}
	if write && s.Ahead != nil {
		if err := s.Ahead.ahead(s.DB, b.Size()); err != nil {
			b.Rollback()
			return nil, err
		}
	}
	return &tx{Tx: b, store: s}, nil
}

// tx is a transaction with the buckets that it has looked up: to look one up takes longer than to
// find a key in it.
type tx struct {
	*bbolt.Tx
	store *Store
	open  []*bucket
}

func (t *tx) Bucket(name string) kv.Bucket {
	for _, b := range t.open {
		if b.name == name {
			return b
		}
	}
	if b := t.Tx.Bucket([]byte(name)); b != nil {
		return t.opened(name, b)
	}
	return nil
}

func (t *tx) opened(name string, b *bbolt.Bucket) *bucket {
	t.open = append(t.open, &bucket{Bucket: b, name: name})
	return t.open[len(t.open)-1]
}

func (t *tx) Create(name string) (kv.Bucket, error) {
	if b := t.Bucket(name); b != nil {
		return b, nil
	}
	b, err := t.CreateBucket([]byte(name))
	if err != nil {
		return nil, err
	}
	return t.opened(name, b), nil
}

func (t *tx) Drop(name string) error {
	t.open = nil
	return t.DeleteBucket([]byte(name))
}

func (t *tx) Buckets() (names []string) {
	for k := range ascend(t.Cursor(), nil) {
		names = append(names, string(k))
	}
	return names
}

func (t *tx) Position() uint64 { return uint64(t.ID()) }

func (t *tx) Commit() (written time.Duration, err error) {
	used, id := t.Size(), t.ID()
	if err := t.Tx.Commit(); err != nil {
		return 0, t.store.uncommitted(err, used, id)
	}
	disk := t.Stats()
	return disk.GetWriteTime(), nil
}

// uncommitted tells what a failed commit has left: bbolt has written nothing when the file may
// not grow, and nothing that counts when the file system took no more writes before its last
// page. In all other cases the outcome is unknown.
func (s *Store) uncommitted(err error, used int64, id int) error {
	switch {
	case errors.Is(err, berrors.ErrMaxSizeReached) && s.Ahead != nil && s.Ahead.Taken > 0:
		more, err := s.Ahead.widen(s.DB, used)
		switch {
		case err != nil:
			return err
		case more:
			return kv.ErrAgain
		}
		return kv.ErrNoSpace
	case errors.Is(err, syscall.EROFS) && s.newest() < id:
		return kv.ErrReadOnly
	}
	return err
}

// newest is the number of the last transaction that readers can see.
func (s *Store) newest() (id int) {
	if err := s.View(func(tx *bbolt.Tx) error { id = tx.ID(); return nil }); err != nil {
		return 1 << 62
	}
	return id
}

// bucket is a bucket with a cursor for looking keys up in it.
type bucket struct {
	*bbolt.Bucket
	name string
	find *bbolt.Cursor
}

func (b *bucket) Get(key []byte) []byte {
	if b.find == nil {
		b.find = b.Cursor()
	}
	if k, v := b.find.Seek(key); bytes.Equal(k, key) {
		return v
	}
	return nil
}

// Filled is how full bbolt leaves pages behind where a bucket grows: keys are ids and times, so
// what is new comes last, and pages that are left half empty would stay so.
const Filled = 0.9

func (b *bucket) Grows() { b.FillPercent = Filled }

func (b *bucket) Ascend(from []byte) iter.Seq2[[]byte, []byte] { return ascend(b.Cursor(), from) }

func ascend(c *bbolt.Cursor, from []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		for k, v := c.Seek(from); k != nil; k, v = c.Next() {
			if !yield(k, v) {
				return
			}
		}
	}
}

func (b *bucket) Descend(below []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		c := b.Cursor()
		var first, k, v []byte
		if b.Writable() {
			if first, _ = c.First(); first == nil {
				return
			}
		}
		if below != nil {
			k, _ = c.Seek(below)
		}
		if k == nil {
			k, v = c.Last()
		} else {
			k, v = back(c, k, first)
		}
		for ; k != nil; k, v = back(c, k, first) {
			if !yield(k, v) {
				return
			}
		}
	}
}

// back moves a cursor from key k to the entry before it, nil when k is the first. In a
// transaction that has emptied whole pages bbolt answers nil once for each of them, and
// its Last never returns when all are empty. In one that only reads first is nil.
func back(c *bbolt.Cursor, k, first []byte) (key, value []byte) {
	if first == nil {
		return c.Prev()
	}
	if bytes.Equal(k, first) {
		return nil, nil
	}
	for key == nil {
		key, value = c.Prev()
	}
	return key, value
}

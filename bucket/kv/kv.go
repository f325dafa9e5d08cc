// Package kv is what the store needs of the engine below it: named buckets with ordered keys,
// snapshots to read from, and batches of writes that are committed as one.
//
// Bytes that come out of a transaction are valid only until it ends, and must not be changed. A
// transaction belongs to one goroutine at a time.
package kv

import (
	"errors"
	"iter"
	"time"
)

// MaxKey is how many bytes a key has at most; it has at least one.
const MaxKey = 32768

// Errors of a key that no engine takes.
var (
	ErrKeyRequired = errors.New("key required")
	ErrKeyTooLarge = errors.New("key too large")
)

// CheckKey fails for a key that no engine takes.
func CheckKey(key []byte) error {
	switch {
	case len(key) == 0:
		return ErrKeyRequired
	case len(key) > MaxKey:
		return ErrKeyTooLarge
	}
	return nil
}

// Errors of Commit after which nothing was committed, and the engine goes on. After any other one
// the outcome is unknown.
var (
	ErrAgain    = errors.New("cannot commit: the same writes may succeed now") // as there is more room
	ErrNoSpace  = errors.New("cannot write: the disk is full")
	ErrReadOnly = errors.New("cannot write: the file system can only be read")
)

// Store is an engine.
type Store interface {
	// Begin begins a transaction. There is one that writes at a time; others wait for it to end.
	Begin(write bool) (Tx, error)
	// Admit tells why nothing can be written now, or only what gives space back.
	Admit() (ordinary, frees error)
	Close() error
}

// Tx is a transaction: a snapshot of all buckets as of the last commit before it began, with its
// own writes.
type Tx interface {
	// Bucket is the one with a name, nil where there is none.
	Bucket(name string) Bucket
	// Create makes a bucket, if it is not there.
	Create(name string) (Bucket, error)
	// Drop removes a bucket that is there with all that is in it.
	Drop(name string) error
	// Buckets are the names of all buckets, ascending.
	Buckets() []string
	// Position is a number that ascends with each commit: that of the last one before the
	// transaction began, or the one that this transaction is about to make.
	Position() uint64
	// Commit makes all writes durable, or none, and tells how long the disk took for it. The
	// transaction has ended then, whatever came of it.
	Commit() (written time.Duration, err error)
	// Rollback ends a transaction without its writes.
	Rollback() error
}

// Bucket is an ordered map with a number of its own. It must not be written to while it is
// scanned.
type Bucket interface {
	Get(key []byte) []byte // nil where there is none
	Put(key, value []byte) error
	Delete(key []byte) error // one that is not there is no error
	// Ascend yields the entries from a key on, that with the key itself first.
	Ascend(from []byte) iter.Seq2[[]byte, []byte]
	// Descend yields the entries below a key, the highest first; all of them where it is nil.
	Descend(below []byte) iter.Seq2[[]byte, []byte]
	Sequence() uint64
	SetSequence(uint64) error
	// Grows is a hint: what is new in this transaction comes behind what is there.
	Grows()
}

// First is the first entry of a scan, nil where there is none.
func First(scan iter.Seq2[[]byte, []byte]) (key, value []byte) {
	for k, v := range scan {
		return k, v
	}
	return nil, nil
}

// View runs fn in a transaction that only reads.
func View(s Store, fn func(Tx) error) error {
	tx, err := s.Begin(false)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return fn(tx)
}

// Update runs fn in a transaction that writes, and commits it unless fn fails.
func Update(s Store, fn func(Tx) error) error {
	tx, err := s.Begin(true)
	if err != nil {
		return err
	}
	ended := false
	defer func() {
		if !ended { // also in a panic
			tx.Rollback()
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	ended = true
	_, err = tx.Commit()
	return err
}

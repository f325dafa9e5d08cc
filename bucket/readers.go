package bucket

import (
	"sync"
	"time"

	"alcove/bucket/kv"
)

// readers are transactions that only read and wait for the next one who does. To begin one, to
// look its buckets up and to end it takes longer than to find a document in it, and while nobody
// writes the next one would see the very same.
//
// One that waits keeps bbolt from moving its map and from using pages again. So none waits
// while there is a transaction that writes: close comes before it begins, and open after it has
// ended. What is taken from here has therefore begun after the last commit, as one that is begun
// now. A transaction is in the hands of one goroutine at a time, as bbolt wants it.
type readers struct {
	mu   sync.Mutex
	idle []*Tx
	turn uint64 // another one whenever somebody begins or ends to write
	wait bool   // whether they may; not before the first open: of a copy that is checked nobody ends them
}

// readersMost is how many transactions wait at most.
const readersMost = 64

// take takes a transaction that waits, nil when there is none. One that is begun instead is
// of the turn that is returned, which has to be told before it begins.
func (r *readers) take() (tx *Tx, turn uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := len(r.idle) - 1; last >= 0 {
		tx, r.idle = r.idle[last], r.idle[:last]
	}
	return tx, r.turn
}

// keep lets a transaction wait, and reports whether it may: the caller ends one that may not.
func (r *readers) keep(tx *Tx) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.wait || tx.turn != r.turn || len(r.idle) == readersMost {
		return false
	}
	r.idle = append(r.idle, tx)
	return true
}

// close ends all that wait, and lets none wait until open.
func (r *readers) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wait, r.turn = false, r.turn+1
	for i, tx := range r.idle {
		_ = tx.kv.Rollback() // of what only reads it cannot fail
		r.idle[i] = nil
	}
	r.idle = r.idle[:0]
}

// open lets transactions wait again that begin from now on.
func (r *readers) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wait, r.turn = true, r.turn+1
}

// beginRead is a transaction for one who reads, which endRead takes back.
func (db *DB) beginRead() (*Tx, error) {
	tx, turn := db.readers.take()
	if tx != nil {
		return tx, nil
	}
	b, err := db.kv.Begin(false)
	if err != nil {
		return nil, err
	}
	return newReader(db, b, turn), nil
}

func newReader(db *DB, b kv.Tx, turn uint64) *Tx {
	tx := &Tx{kv: b, db: db, turn: turn}
	tx.public.tx = tx
	return tx
}

// endRead takes a transaction back. One in which something went wrong is not used again.
func (db *DB) endRead(tx *Tx, good bool) error {
	if good {
		tx.at, tx.clock = time.Time{}, time.Time{}
		if db.readers.keep(tx) {
			return nil
		}
	}
	return tx.kv.Rollback()
}

package bucket

import (
	"fmt"
	"time"

	"alcove/bucket/changelog"
	"alcove/bucket/kv"
)

// Tx is a transaction on all tables.
type Tx struct {
	kv        kv.Tx
	db        *DB       // nil in the preparation of a store
	at        time.Time // see Now; zero until it is asked for
	clock     time.Time // see Clock; zero until it is asked for
	by        changelog.By
	writable  bool
	dirty     bool
	lenient   bool // scans pass over damaged records, see DB
	writes    int
	chain     chain     // of a transaction that writes and leaves nothing for later
	public    PublicTx  // of a transaction that only reads: itself
	key       [16]byte  // room for one that is looked up
	readCache readCache // of a transaction that writes
	op        *op       // that it is part of
	deferred  *deferred // what all ops of the attempt have left to be done; nil when there is no attempt
}

// PublicTx is a read transaction that opens public tables only: the compiler refuses a
// private table where only this is at hand.
type PublicTx struct{ tx *Tx }

// Reader is what public tables are read through: *Tx or *PublicTx.
type Reader interface{ reader() *Tx }

func (tx *Tx) reader() *Tx      { return tx }
func (p *PublicTx) reader() *Tx { return p.tx }

// Now is the time of the transaction in UTC, in whole seconds as the API shows times. It is
// never before the last change of the store, whatever the clock says: what is dated with it
// stays in order, and what has run out by it does not come back.
func (tx *Tx) Now() time.Time {
	if tx.at.IsZero() && tx.db != nil {
		tx.at = tx.db.notBefore(tx.db.clock())
	}
	return tx.at.UTC().Truncate(time.Second)
}

// Clock decides what may be shown from some day on, in UTC and whole seconds. It is what the
// machine's clock says, be it before the last change of the store, so that a day that was never
// reached shows nothing, though something was dated beyond it by a clock that ran ahead. It
// stands still while that clock is in doubt.
func (tx *Tx) Clock() time.Time {
	if tx.clock.IsZero() && tx.db != nil {
		if tx.clock = tx.db.clock(); tx.db.time != nil {
			tx.clock = tx.db.time.due()
		}
	}
	return tx.clock.UTC().Truncate(time.Second)
}

// Latest decides what has run out, as links, tokens and accounts do, in UTC and whole seconds: it
// is the latest that it can be, by the store or by the machine's clock, so that nothing opens
// again because one of them is wrong.
func (tx *Tx) Latest() time.Time {
	t := tx.Now()
	if tx.db != nil && tx.db.time != nil {
		if wall := tx.db.time.latest().UTC().Truncate(time.Second); wall.After(t) {
			return wall
		}
	}
	return t
}

// Now is the time of the transaction in UTC, in whole seconds.
func (p *PublicTx) Now() time.Time { return p.tx.Now() }

// Writes is how many writes the transaction was asked for so far: a caller that makes
// several changes in it can tell whether one that was refused has left something behind.
func (tx *Tx) Writes() int { return tx.writes }

// Actor is the account that the transaction acts for, 0 for the server itself.
func (tx *Tx) Actor() int64 { return tx.by.Account }

// bucket is a bucket with all that was written so far in the transaction.
func (tx *Tx) bucket(name string) kv.Bucket {
	if tx.deferred != nil && tx.deferred.due[name] {
		if err := tx.flushPending(); err != nil {
			panic(fmt.Sprintf("cannot look into %s: %v", name, err))
		}
	}
	return tx.stored(name)
}

// stored is a bucket without what deferred writes bring to it.
func (tx *Tx) stored(name string) kv.Bucket {
	b := tx.kv.Bucket(name)
	if b == nil {
		panic("bucket " + name + " was not prepared")
	}
	if tx.deferred != nil {
		if w := tx.deferred.entries[name]; w != nil && len(w.entries) > 0 {
			var at *op
			if err := w.put(b, &at); err != nil {
				panic(fmt.Sprintf("cannot update %s: %v", name, err))
			}
		}
	}
	return b
}

func (tx *Tx) touch() {
	if !tx.writable {
		panic("a write outside its transaction")
	}
	tx.dirty = true
	tx.writes++
}

// Lenient reports whether what is damaged is passed over: in the repair of a file.
func (tx *Tx) Lenient() bool { return tx.lenient }

package bucket

import (
	"fmt"

	"alcove/bucket/kv"
)

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

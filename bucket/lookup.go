package bucket

import (
	"bytes"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"
)

// bucket is a bucket with all that was written so far in the transaction.
func (tx *Tx) bucket(name string) *bbolt.Bucket {
	if !tx.writable {
		return tx.open(name).bucket
	}
	if tx.deferred != nil && tx.deferred.due[name] {
		if err := tx.flushPending(); err != nil {
			panic(fmt.Sprintf("cannot look into %s: %v", name, err))
		}
	}
	return tx.stored(name)
}

// stored is a bucket of a transaction that writes, without what deferred writes bring to it.
func (tx *Tx) stored(name string) *bbolt.Bucket {
	b := tx.bolt.Bucket([]byte(name))
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

// open looks a bucket up once in a transaction that only reads.
func (tx *Tx) open(name string) *opened {
	for i := range tx.opened {
		if tx.opened[i].name == name {
			return &tx.opened[i]
		}
	}
	b := tx.bolt.Bucket([]byte(name))
	if b == nil {
		panic("bucket " + name + " was not prepared")
	}
	tx.opened = append(tx.opened, opened{name: strings.Clone(name), bucket: b})
	return &tx.opened[len(tx.opened)-1]
}

// cursor is the one that a transaction which only reads has in a bucket.
func (tx *Tx) cursor(name string) *bbolt.Cursor {
	o := tx.open(name)
	if o.cursor == nil {
		o.cursor = o.bucket.Cursor()
	}
	return o.cursor
}

// value is what a bucket has under a key, nil for nothing.
func (tx *Tx) value(name string, key []byte) []byte {
	if tx.writable {
		return tx.bucket(name).Get(key)
	}
	return tx.look(name, key)
}

// look is value without what deferred writes bring to the bucket.
func (tx *Tx) look(name string, key []byte) []byte {
	if k, v := tx.finder(name).Seek(key); bytes.Equal(k, key) {
		return v
	}
	return nil
}

// finder is a cursor for looking a key up in a bucket, which is good until the next one is asked
// for. It does not see what deferred writes bring to the bucket.
func (tx *Tx) finder(name string) *bbolt.Cursor {
	if !tx.writable {
		return tx.cursor(name)
	}
	b := tx.stored(name)
	if tx.deferred == nil {
		return b.Cursor()
	}
	c := tx.deferred.cursors[name]
	if c == nil {
		if tx.deferred.cursors == nil {
			tx.deferred.cursors = map[string]*bbolt.Cursor{}
		}
		c = b.Cursor()
		tx.deferred.cursors[name] = c
	}
	return c
}

// valueNear is value for keys that are often asked for from the last one down, as those of
// a list with the newest first: the key before the last one is looked at before the tree.
func (tx *Tx) valueNear(name string, key []byte) []byte {
	if !tx.writable {
		if o := tx.open(name); o.cursor != nil {
			if k, v := o.cursor.Prev(); bytes.Equal(k, key) {
				return v
			}
		}
	}
	return tx.value(name, key)
}

func (tx *Tx) touch() {
	if !tx.writable {
		panic("a write outside its transaction")
	}
	tx.dirty = true
	tx.writes++
}

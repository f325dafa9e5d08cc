package bucket

import (
	"bytes"
	"cmp"
	"slices"

	"alcove/bucket/kv"
)

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

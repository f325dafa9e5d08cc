package bucket

import (
	"encoding/binary"
	"errors"
	"iter"

	"alcove/bucket/changelog"
	"alcove/record"
)

// Pair is the key of records that belong to another: owner first, so that a scan finds
// all of one owner in order.
type Pair struct{ A, B int64 }

// Table keeps records of type R under keys of type K in one bucket. Put and Delete keep
// its indexes and append to the change log in the same transaction.
//
// Generic code is compiled once for each type of records. So the methods convert records and keys, and AnyTable does the
// work.
type Table[K, R any] struct {
	Any   *AnyTable
	codec codec[K]
}

type codec[K any] struct {
	enc func(K) []byte
	dec func([]byte) K
}

var (
	intKeys = codec[int64]{
		func(id int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) },
		func(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) },
	}
	nameKeys = codec[string]{
		func(s string) []byte { return []byte(s) },
		func(b []byte) string { return string(b) },
	}
	pairKeys = codec[Pair]{
		func(p Pair) []byte { return appendPair(make([]byte, 0, 16), p) },
		func(b []byte) Pair {
			return Pair{int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))}
		},
	}
)

func appendPair(b []byte, p Pair) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, uint64(p.A)), uint64(p.B))
}

// Name is the name of the table.
func (t *Table[K, R]) Name() string { return t.Any.name }

// NextID hands out the next id of the table: ascending from 1, never twice, also not
// after the record that had it is gone.
func (t *Table[K, R]) NextID(tx *Tx) (int64, error) { return t.Any.nextID(tx) }

// typed gives a record its type, if there is one.
func typed[R any](r any, err error) (*R, error) {
	if r == nil {
		return nil, err
	}
	return r.(*R), err
}

// Get reads one record. It fails with ErrNotFound or a *DamagedError.
func (t *Table[K, R]) Get(tx *Tx, key K) (*R, error) {
	return typed[R](t.Any.get(tx, t.codec.enc(key)))
}

// OrZero is Get, or the zero value where there is no record.
func (t *Table[K, R]) OrZero(tx *Tx, key K) (r R, err error) {
	have, err := t.Get(tx, key)
	if errors.Is(err, ErrNotFound) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	return *have, nil
}

// Flushed is Get of a record whose index entries are written before.
func (t *Table[K, R]) Flushed(tx *Tx, key K) (*R, error) {
	return typed[R](t.Any.flushed(tx, t.codec.enc(key)))
}

// Lookup is Get in a copy, of which an older program may have made a table too few: then it is
// ErrNotFound, too.
func (t *Table[K, R]) Lookup(tx *Tx, key K) (*R, error) {
	if tx.kv.Bucket(t.Any.bucketName()) == nil {
		return nil, ErrNotFound
	}
	return t.Get(tx, key)
}

// ReadAhead is Get before a transaction that is to write the record, of a table whose records hold
// no slice, map or pointer.
func (t *Table[K, R]) ReadAhead(tx *Tx, a *Ahead, key K) (*R, error) {
	return typed[R](t.Any.readAhead(tx, a, t.codec.enc(key)))
}

// Pending is a record that was put and not stored yet, nil when there is none. It must not be changed.
func (t *Table[K, R]) Pending(tx *Tx, key K) *R {
	if w := t.Any.pending(tx, t.codec.enc(key)); w != nil {
		return w.is.(*R)
	}
	return nil
}

// Has reports whether there is a record under the key.
func (t *Table[K, R]) Has(tx *Tx, key K) bool {
	k := t.codec.enc(key)
	return t.Any.pending(tx, k) != nil || tx.stored(t.Any.bucketName()).Get(k) != nil
}

// Put stores a record, its index entries and a change. Members of the stored one that the
// program does not know stay, at any depth.
func (t *Table[K, R]) Put(tx *Tx, key K, r *R) error { return t.Any.put(tx, t.codec.enc(key), r) }

// PutDeferred is Put of a record whose slices and pointers stay as they are: it is encoded on
// another goroutine while the transaction goes on. Reads that follow get it.
func (t *Table[K, R]) PutDeferred(tx *Tx, key K, r *R) error {
	return t.Any.putDeferred(tx, t.codec.enc(key), r)
}

// Delete removes a record, its index entries, and notes the change. Deleting what is
// not there is ErrNotFound.
func (t *Table[K, R]) Delete(tx *Tx, key K) error { return t.Any.delete(tx, t.codec.enc(key)) }

// MoveCounted moves the entries of a record in the indexes by counts.
func (t *Table[K, R]) MoveCounted(tx *Tx, key K, r *R, was, is record.Counts) error {
	return t.Any.moveCounted(tx, t.codec.enc(key), r, was, is)
}

// Is reports whether an entry of the change log is about a record of the table, and its key.
func (t *Table[K, R]) Is(c *changelog.Change) (key K, yes bool) {
	if c.Table != t.Any.name {
		return key, false
	}
	return t.codec.dec(c.Key), true
}

// Row is one record of a scan with its key.
type Row[K, R any] struct {
	Key    K
	Record *R
}

// All yields the records whose encoded key begins with prefix (nil for all), ascending,
// and stops after the first error. The table must not be written meanwhile.
func (t *Table[K, R]) All(tx *Tx, prefix []byte) iter.Seq2[Row[K, R], error] {
	return t.rows(t.Any.all(tx, prefix))
}

// From yields the records from a key on, ascending, and stops after the first error. The table must not be written
// meanwhile.
func (t *Table[K, R]) From(tx *Tx, key K) iter.Seq2[Row[K, R], error] {
	return t.rows(t.Any.from(tx, t.codec.enc(key)))
}

func (t *Table[K, R]) rows(stored iter.Seq2[row, error]) iter.Seq2[Row[K, R], error] {
	return func(yield func(Row[K, R], error) bool) {
		for r, err := range stored {
			var one Row[K, R]
			if err == nil {
				one = Row[K, R]{t.codec.dec(r.key), r.record.(*R)}
			}
			if !yield(one, err) {
				return
			}
		}
	}
}

// EachReadable calls fn for the records of a table that are whole.
func (t *Table[K, R]) EachReadable(tx *Tx, fn func(*R) error) error {
	return t.Any.eachReadable(tx, func(r any) error { return fn(r.(*R)) })
}

// PublicTable is a table whose records anyone may read.
type PublicTable[K, R any] struct{ Table[K, R] }

// Get reads one record. It fails with ErrNotFound or a *DamagedError.
func (t *PublicTable[K, R]) Get(tx Reader, key K) (*R, error) { return t.Table.Get(tx.reader(), key) }

// OrZero is Get, or the zero value where there is no record.
func (t *PublicTable[K, R]) OrZero(tx Reader, key K) (R, error) {
	return t.Table.OrZero(tx.reader(), key)
}

// All yields the records under a key prefix, ascending.
func (t *PublicTable[K, R]) All(tx Reader, prefix []byte) iter.Seq2[Row[K, R], error] {
	return t.Table.All(tx.reader(), prefix)
}

// Key is a Pair as the keys of its table, and of the indexes of that, have it.
func (p Pair) Key() []byte { return pairKeys.enc(p) }

// Prefix is the beginning of all keys of a Pair table that belong to an owner.
func Prefix(owner int64) []byte { return intKeys.enc(owner) }

// KeyPair is the Pair of such a key, zero where it is none.
func KeyPair(key []byte) Pair {
	if len(key) != 16 {
		return Pair{}
	}
	return pairKeys.dec(key)
}

package bucket

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"alcove/bucket/changelog"
	"alcove/bucket/damage"
	"alcove/bucket/kv"
	"alcove/record"
)

// Pair is the key of records that belong to another: owner first, so that a scan finds
// all of one owner in order.
type Pair struct{ A, B int64 }

// Table keeps records of type R under keys of type K in one bucket. Put and Delete keep
// its indexes and append to the change log in the same transaction.
type Table[K, R any] struct {
	name    string // without "r:"
	bucket  string // see bucketName
	codec   codec[K]
	quiet   bool // not in the change log: state of transfers, not of the repository
	secret  bool // its keys open something: none is told
	public  bool // everyone may read it
	flat    bool // its records hold no slice, map or pointer: who copies one has all of it
	indexes []*Index[K, R]

	// Of a table of the schema, so that not every use puts them together; see nameBucket.
	all    []string                            // its bucket and those of its indexes
	counts func(*Tx, K) (record.Counts, error) // of its items, where an index is by them
	shape  *shape                              // of its records, see unknown.go
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

func (t *Table[K, R]) bucketName() string {
	if t.bucket == "" { // one that is not among those of the schema
		return "r:" + t.name
	}
	return t.bucket
}

// nameBucket notes what every use of the table would otherwise have to put together.
func (t *Table[K, R]) nameBucket() {
	t.bucket = "r:" + t.name
	t.all = []string{t.bucket}
	t.shape = shapeOf(reflect.TypeFor[R]())
	for _, ix := range t.indexes {
		if ix.sum == nil { // a total is told of a deferred write at once
			t.all = append(t.all, ix.bucket)
		}
		if ix.counted != nil {
			t.counts = ix.counts
		}
	}
}

// NextID hands out the next id of the table: ascending from 1, never twice, also not
// after the record that had it is gone.
func (t *Table[K, R]) NextID(tx *Tx) (int64, error) {
	tx.touch()
	b := tx.stored(t.bucketName())
	n, err := checkSequence(t.bucketName(), b.Sequence())
	if err == nil {
		err = b.SetSequence(addSequenceChecksum(t.bucketName(), n+1))
	}
	if err != nil {
		return 0, fmt.Errorf("cannot number a record of %s: %w", t.name, err)
	}
	return int64(n + 1), nil
}

// Get reads one record. It fails with ErrNotFound or a *DamagedError.
func (t *Table[K, R]) Get(tx *Tx, key K) (*R, error) {
	k := t.codec.enc(key)
	if r := t.cachedRead(tx, k); r != nil {
		return r, nil
	}
	if w := t.pending(tx, k); w != nil {
		return w.copy()
	}
	v := tx.stored(t.bucketName()).Get(k)
	if v == nil {
		return nil, t.missing(tx, k)
	}
	r, err := t.decodePrefetched(tx, k, v)
	if err == nil && tx.writable && t.cacheable() {
		t.cacheRead(tx, k, r, t.entriesOf(r)) // before the caller changes it
	}
	return r, err
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

// missing is the error of a key that is not there: ErrNotFound, unless it has become
// another one.
func (t *Table[K, R]) missing(tx *Tx, key []byte) error {
	var err error
	if lookAround(tx, t.bucketName(), key, func(k, v []byte) bool {
		_, err = open(t.bucketName(), k, v)
		return err != nil
	}) {
		return err
	}
	return ErrNotFound
}

// Has reports whether there is a record under the key.
func (t *Table[K, R]) Has(tx *Tx, key K) bool {
	k := t.codec.enc(key)
	return t.pending(tx, k) != nil || tx.stored(t.bucketName()).Get(k) != nil
}

func (t *Table[K, R]) decode(k, v []byte) (*R, error) {
	if v == nil {
		return nil, ErrNotFound
	}
	payload, err := open(t.bucketName(), k, v)
	if err != nil {
		return nil, err
	}
	r := new(R)
	if err := json.Unmarshal(payload, r); err != nil {
		return nil, &damage.Error{Bucket: t.bucketName(), Key: bytes.Clone(k), Reason: err.Error()}
	}
	return r, nil
}

// Put stores a record, its index entries and a change. Members of the stored one that the
// program does not know stay, at any depth.
func (t *Table[K, R]) Put(tx *Tx, key K, r *R) error {
	tx.touch()
	k := t.codec.enc(key)
	b := tx.bucket(t.bucketName())
	sealed, err := envelope(r)
	if err != nil {
		return err
	}
	v := b.Get(k)
	sealed = t.keep(sealed, t.unknown(k, v))
	writeEnvelopeHead(t.bucketName(), k, sealed)
	what := changelog.Changed
	was, have := tx.readCache[recordRef{t.name, string(k)}]
	var old *R
	if !have {
		if old, err = t.decodePrefetched(tx, k, v); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if old == nil {
			what = changelog.Created
			b.Grows()
		}
	}
	if err := b.Put(k, sealed); err != nil {
		return fmt.Errorf("cannot store a record of %s: %w", t.name, err)
	}
	if t.cacheable() {
		if !have && old != nil {
			was.entries = t.entriesOf(old)
		}
		err = t.move(tx, k, was.entries, r)
	} else {
		err = t.update(tx, k, old, r)
	}
	if err != nil || t.quiet {
		return err
	}
	return tx.note(t.name, k, what, sealed[envelopeHead:])
}

// move puts the entries of a record in the place of those that it had, if any.
func (t *Table[K, R]) move(tx *Tx, key []byte, was [][]IndexEntry, r *R) error {
	is := t.entriesOf(r)
	for i, ix := range t.indexes {
		var old []IndexEntry
		if was != nil {
			old = was[i]
		}
		if err := ix.replace(tx, key, old, is[i]); err != nil {
			return err
		}
	}
	t.cacheRead(tx, key, r, is)
	return nil
}

// update keeps up the indexes of a table; either record may be nil.
func (t *Table[K, R]) update(tx *Tx, key []byte, old, new *R) error {
	var counts *record.Counts // the same for all that ask for them
	for _, ix := range t.indexes {
		if ix.counted != nil && counts == nil {
			c, err := ix.counts(tx, t.codec.dec(key))
			if err != nil {
				return err
			}
			counts = &c
		}
		if err := ix.update(tx, key, old, new, counts); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes a record, its index entries, and notes the change. Deleting what is
// not there is ErrNotFound.
func (t *Table[K, R]) Delete(tx *Tx, key K) error {
	tx.touch()
	k := t.codec.enc(key)
	b := tx.bucket(t.bucketName())
	old, err := t.decodePrefetched(tx, k, b.Get(k))
	if err != nil {
		return err
	}
	if err := b.Delete(k); err != nil {
		return fmt.Errorf("cannot delete a record of %s: %w", t.name, err)
	}
	delete(tx.readCache, recordRef{t.name, string(k)})
	if err := t.update(tx, k, old, nil); err != nil {
		return err
	}
	if t.quiet {
		return nil
	}
	return tx.note(t.name, k, changelog.Deleted, nil)
}

// Row is one record of a scan with its key.
type Row[K, R any] struct {
	Key    K
	Record *R
}

// All yields the records whose encoded key begins with prefix (nil for all), ascending,
// and stops after the first error. The table must not be written meanwhile.
func (t *Table[K, R]) All(tx *Tx, prefix []byte) iter.Seq2[Row[K, R], error] {
	return func(yield func(Row[K, R], error) bool) {
		b := tx.bucket(t.bucketName())
		if !tx.writable && len(prefix) > 0 {
			// A record that a flipped bit has moved out of the scan stands before or behind it.
			if k, v := kv.First(b.Descend(prefix)); k != nil {
				if _, err := open(t.bucketName(), k, v); err != nil {
					yield(Row[K, R]{}, err)
					return
				}
			}
		}
		for k, v := range b.Ascend(prefix) {
			if !bytes.HasPrefix(k, prefix) {
				if _, err := open(t.bucketName(), k, v); err != nil {
					yield(Row[K, R]{}, err)
				}
				return
			}
			r, err := t.decode(k, v)
			if err != nil && tx.lenient {
				continue
			}
			if err != nil {
				yield(Row[K, R]{}, err)
				return
			}
			if !yield(Row[K, R]{t.codec.dec(k), r}, nil) {
				return
			}
		}
	}
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

// From yields the records from a key on, ascending, and stops after the first error. The table must not be written
// meanwhile.
func (t *Table[K, R]) From(tx *Tx, key K) iter.Seq2[Row[K, R], error] {
	return func(yield func(Row[K, R], error) bool) {
		for k, v := range tx.bucket(t.bucketName()).Ascend(t.codec.enc(key)) {
			r, err := t.decode(k, v)
			if !yield(Row[K, R]{t.codec.dec(k), r}, err) || err != nil {
				return
			}
		}
	}
}

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

// Lenient reports whether what is damaged is passed over: in the repair of a file.
func (tx *Tx) Lenient() bool { return tx.lenient }

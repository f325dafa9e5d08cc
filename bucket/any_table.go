package bucket

import (
	"bytes"
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

// AnyTable is what is behind a Table, for records of whatever type and keys as they are stored. A record is a pointer to
// it, or nil where there is none.
type AnyTable struct {
	name    string // without "r:"
	bucket  string // see bucketName
	quiet   bool   // not in the change log: state of transfers, not of the repository
	secret  bool   // its keys open something: none is told
	public  bool   // everyone may read it
	flat    bool   // its records hold no slice, map or pointer: who copies one has all of it
	indexes []*index

	records reflect.Type  // without the pointer
	fresh   func() any    // a record
	clone   func(any) any // of a record: it shares its slices, maps and pointers

	// Of a table of the schema, so that not every use puts them together; see nameBucket.
	buckets []string                                 // its own and those of its indexes
	counts  func(*Tx, []byte) (record.Counts, error) // of its items, where an index is by them
	shape   *shape                                   // of its records, see unknown.go
}

func (t *AnyTable) bucketName() string {
	if t.bucket == "" { // one that is not among those of the schema
		return "r:" + t.name
	}
	return t.bucket
}

// nameBucket notes what every use of the table would otherwise have to put together.
func (t *AnyTable) nameBucket() {
	t.bucket = "r:" + t.name
	t.buckets = []string{t.bucket}
	t.shape = shapeOf(t.records)
	for _, ix := range t.indexes {
		if ix.sum == nil { // a total is told of a deferred write at once
			t.buckets = append(t.buckets, ix.bucket)
		}
		if ix.counted != nil {
			t.counts = ix.counts
		}
	}
}

func (t *AnyTable) nextID(tx *Tx) (int64, error) {
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

func (t *AnyTable) get(tx *Tx, k []byte) (any, error) {
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

// missing is the error of a key that is not there: ErrNotFound, unless it has become
// another one.
func (t *AnyTable) missing(tx *Tx, key []byte) error {
	var err error
	if lookAround(tx, t.bucketName(), key, func(k, v []byte) bool {
		_, err = open(t.bucketName(), k, v)
		return err != nil
	}) {
		return err
	}
	return ErrNotFound
}

func (t *AnyTable) decode(k, v []byte) (any, error) {
	if v == nil {
		return nil, ErrNotFound
	}
	payload, err := open(t.bucketName(), k, v)
	if err != nil {
		return nil, err
	}
	r := t.fresh()
	if err := json.Unmarshal(payload, r); err != nil {
		return nil, &damage.Error{Bucket: t.bucketName(), Key: bytes.Clone(k), Reason: err.Error()}
	}
	return r, nil
}

func (t *AnyTable) put(tx *Tx, k []byte, r any) error {
	tx.touch()
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
	var old any
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
func (t *AnyTable) move(tx *Tx, key []byte, was [][]IndexEntry, r any) error {
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
func (t *AnyTable) update(tx *Tx, key []byte, old, new any) error {
	var counts *record.Counts // the same for all that ask for them
	for _, ix := range t.indexes {
		if ix.counted != nil && counts == nil {
			c, err := ix.counts(tx, key)
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

func (t *AnyTable) delete(tx *Tx, k []byte) error {
	tx.touch()
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

// row is one record of a scan with its key.
type row struct {
	key    []byte
	record any
}

func (t *AnyTable) all(tx *Tx, prefix []byte) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		b := tx.bucket(t.bucketName())
		if !tx.writable && len(prefix) > 0 {
			// A record that a flipped bit has moved out of the scan stands before or behind it.
			if k, v := kv.First(b.Descend(prefix)); k != nil {
				if _, err := open(t.bucketName(), k, v); err != nil {
					yield(row{}, err)
					return
				}
			}
		}
		for k, v := range b.Ascend(prefix) {
			if !bytes.HasPrefix(k, prefix) {
				if _, err := open(t.bucketName(), k, v); err != nil {
					yield(row{}, err)
				}
				return
			}
			r, err := t.decode(k, v)
			if err != nil && tx.lenient {
				continue
			}
			if !yield(row{k, r}, err) || err != nil {
				return
			}
		}
	}
}

func (t *AnyTable) from(tx *Tx, key []byte) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		for k, v := range tx.bucket(t.bucketName()).Ascend(key) {
			r, err := t.decode(k, v)
			if !yield(row{k, r}, err) || err != nil {
				return
			}
		}
	}
}

func (t *AnyTable) eachReadable(tx *Tx, fn func(any) error) error {
	if tx.kv.Bucket(t.bucketName()) == nil {
		return fmt.Errorf("cannot use the copy of the database: it has no %s; another version of the program has made it", t.name)
	}
	for k, v := range tx.bucket(t.bucketName()).Ascend(nil) {
		r, err := t.decode(k, v)
		if err != nil {
			continue
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// moveCounted moves the entries of a record in the indexes by counts.
func (t *AnyTable) moveCounted(tx *Tx, k []byte, r any, was, is record.Counts) error {
	for _, ix := range t.indexes {
		if ix.counted == nil {
			continue
		}
		if err := ix.replace(tx, k, ix.counted(was, r), ix.counted(is, r)); err != nil {
			return err
		}
	}
	return nil
}

func (t *AnyTable) flushed(tx *Tx, k []byte) (any, error) {
	if t.pending(tx, k) != nil {
		if err := tx.flushPending(); err != nil {
			return nil, err
		}
	}
	return t.get(tx, k)
}

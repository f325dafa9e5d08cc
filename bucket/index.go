package bucket

import (
	"bytes"
	"fmt"
	"slices"

	"alcove/record"
)

// Index is an ordered index of a table: its keys sort as the answers of the API do,
// so that a page costs the same wherever it is. An entry is
//
//	sort key | record key  →  length of the record key (1) | value | CRC-32C of all that (4)
//
// where sort key and value come from one function of the record. The value holds the
// few fixed-width facts that a list tests without reading the record.
type Index[K any] struct {
	*index
	codec codec[K]
}

// index is what is behind an Index, for keys as they are stored.
type index struct {
	name    string // TABLE.NAME
	bucket  string // "i:" and the name
	secret  bool   // its sort keys are not to be told
	version int    // raised when entries changes its meaning: the index is then rebuilt
	seed    uint32 // checksum of the bucket's name, with which those of its entries begin
	entries func(r any) []IndexEntry
	// Of an index by counts, instead of entries: the counts of an item, and its places with
	// certain counts.
	counts  func(*Tx, []byte) (record.Counts, error)
	counted func(record.Counts, any) []IndexEntry
	// Of a Total, instead of entries.
	sum func(r any) int64
}

// IndexEntry is one place of a record in an index. Two of one record have other sort keys,
// or the same value.
type IndexEntry struct{ Sort, Value []byte }

// AddIndex gives the table an index. entries are the places of a record; the version is raised when
// they change their meaning.
func (t *Table[K, R]) AddIndex(name string, version int, entries func(*R) []IndexEntry) *Index[K] {
	ix := t.Any.addIndex(name, version)
	ix.entries = func(r any) []IndexEntry { return entries(r.(*R)) }
	return &Index[K]{ix, t.codec}
}

// AddIndex is that of a Table, for everyone.
func (t *PublicTable[K, R]) AddIndex(name string, version int, entries func(*R) []IndexEntry) PublicIndex[K] {
	return t.Table.AddIndex(name, version, entries).Public()
}

// AddCountedIndex is AddIndex with places that depend on what is counted of an item, too, which counts
// tells; when that changes, MoveCounted has to be called.
func (t *PublicTable[K, R]) AddCountedIndex(name string, version int, counts func(*Tx, K) (record.Counts, error), entries func(record.Counts, *R) []IndexEntry) PublicIndex[K] {
	ix := t.Any.addIndex(name, version)
	ix.counts = func(tx *Tx, key []byte) (record.Counts, error) { return counts(tx, t.codec.dec(key)) }
	ix.counted = func(c record.Counts, r any) []IndexEntry { return entries(c, r.(*R)) }
	return PublicIndex[K]{&Index[K]{ix, t.codec}}
}

func (t *AnyTable) addIndex(name string, version int) *index {
	ix := &index{name: t.name + "." + name, version: version}
	ix.bucket = "i:" + ix.name
	ix.seed = seedOf(ix.bucket)
	t.indexes = append(t.indexes, ix)
	return ix
}

// Public is the index for everyone, also where its table is not: for entries that tell nothing but what
// everyone may know.
func (ix *Index[K]) Public() PublicIndex[K] { return PublicIndex[K]{ix} }

func (ix *index) bucketName() string { return ix.bucket }

// places are the entries of a record, none of nil.
func (ix *index) places(tx *Tx, key []byte, r any) ([]IndexEntry, error) {
	if r == nil || ix.counted == nil {
		return ix.entriesOf(r, nil), nil
	}
	c, err := ix.counts(tx, key)
	return ix.entriesOf(r, &c), err
}

// entriesOf are the entries of a record with certain counts, none of nil.
func (ix *index) entriesOf(r any, counts *record.Counts) []IndexEntry {
	switch {
	case r == nil:
		return nil
	case ix.counted == nil:
		return ix.entries(r)
	}
	return ix.counted(*counts, r)
}

// update puts the entries of a record in the place of another's; either may be nil. The
// counts are those of its item, for an index by them.
func (ix *index) update(tx *Tx, key []byte, old, new any, counts *record.Counts) error {
	if ix.sum != nil {
		return ix.add(tx, old, new)
	}
	return ix.replace(tx, key, ix.entriesOf(old, counts), ix.entriesOf(new, counts))
}

// fill adds a record to an index that is being made.
func (ix *index) fill(tx *Tx, key []byte, r any) error {
	if ix.sum != nil {
		return ix.add(tx, nil, r)
	}
	is, err := ix.places(tx, key, r)
	if err != nil {
		return err
	}
	return ix.replace(tx, key, nil, is)
}

// replace puts the entries of a record in the place of those that it had.
func (ix *index) replace(tx *Tx, key []byte, was, is []IndexEntry) error {
	return ix.moves(key, was, is, func(k, v []byte) error { return ix.write(tx, k, v, len(was) == 0) })
}

// moves are the entries that come and, with a nil value, go when those of a record change. Both
// lists are gone through once, in their order: a record has an entry for each of its authors.
func (ix *index) moves(key []byte, was, is []IndexEntry, write func(k, v []byte) error) error {
	if slices.EqualFunc(was, is, IndexEntry.equal) {
		return nil
	}
	return differ(was, is, IndexEntry.compare, func(e IndexEntry, comes bool) error {
		k := join(e.Sort, key)
		if !comes {
			return write(k, nil)
		}
		return write(k, ix.sealed(k, len(key), e.Value))
	})
}

// differ tells the entries that go, and those that come or have another value, in the order of
// their keys. It compares n log n times.
func differ(was, is []IndexEntry, compare func(a, b IndexEntry) int, tell func(e IndexEntry, comes bool) error) error {
	was, is = inOrder(was, compare), inOrder(is, compare)
	for len(was)+len(is) > 0 {
		order := 0
		switch {
		case len(was) == 0:
			order = 1
		case len(is) == 0:
			order = -1
		default:
			order = compare(was[0], is[0])
		}
		var err error
		switch {
		case order < 0:
			err = tell(was[0], false)
		case order > 0 || !bytes.Equal(was[0].Value, is[0].Value):
			err = tell(is[0], true)
		}
		if err != nil {
			return err
		}
		if order <= 0 {
			was = was[1:]
		}
		if order >= 0 {
			is = is[1:]
		}
	}
	return nil
}

// inOrder are entries by their keys, each key once.
func inOrder(entries []IndexEntry, compare func(a, b IndexEntry) int) []IndexEntry {
	ordered := true
	for i := 1; i < len(entries) && ordered; i++ {
		ordered = compare(entries[i-1], entries[i]) < 0
	}
	if ordered {
		return entries
	}
	entries = slices.Clone(entries)
	slices.SortFunc(entries, compare)
	return slices.CompactFunc(entries, func(a, b IndexEntry) bool { return compare(a, b) == 0 })
}

// write puts an entry, or deletes it where the value is nil, before the transaction is
// committed and before any op in it looks. A fresh one is of a record that had none.
func (ix *index) write(tx *Tx, key, value []byte, fresh bool) (err error) {
	if tx.deferred != nil {
		err = tx.deferred.buffer(ix.bucketName(), key, value, fresh, tx.op)
	} else {
		b := tx.bucket(ix.bucketName())
		if fresh {
			b.Grows()
		}
		if value == nil {
			err = b.Delete(key)
		} else {
			err = b.Put(key, value)
		}
	}
	if err != nil {
		return fmt.Errorf("cannot update index %s: %w", ix.name, err)
	}
	return nil
}

// compare is the order of the keys of entries of one record.
func (e IndexEntry) compare(other IndexEntry) int { return bytes.Compare(e.Sort, other.Sort) }

func (e IndexEntry) equal(other IndexEntry) bool {
	return bytes.Equal(e.Sort, other.Sort) && bytes.Equal(e.Value, other.Value)
}

// sealed is the value of an entry as it is stored.
func (ix *index) sealed(k []byte, keyLength int, value []byte) []byte {
	v := append(append(make([]byte, 0, 1+len(value)+entrySum), byte(keyLength)), value...)
	return appendSum(ix.seed, k, v)
}

func join(a, b []byte) []byte { return append(append(make([]byte, 0, len(a)+len(b)), a...), b...) }

package bucket

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"alcove/bucket/kv"
)

// Hit is one entry of an index scan. Sort and Value are valid only in the transaction.
type Hit[K any] struct {
	Key         K
	Sort, Value []byte
}

// Ascending yields the entries whose sort key begins with prefix, lowest first.
func (ix *Index[K]) Ascending(tx *Tx, prefix []byte) iter.Seq[Hit[K]] {
	return ix.ascendingFrom(tx, prefix, nil)
}

// PeekAscending is Ascending in a transaction that writes, without what it has left for later.
func (ix *Index[K]) PeekAscending(tx *Tx, prefix []byte) iter.Seq[Hit[K]] {
	return func(yield func(Hit[K]) bool) {
		for k, v := range tx.stored(ix.bucketName()).Ascend(prefix) {
			if !bytes.HasPrefix(k, prefix) || !yield(ix.hit(k, v)) {
				return
			}
		}
	}
}

// ascendingFrom is Ascending from a key on, which is nil or begins with prefix.
func (ix *Index[K]) ascendingFrom(tx *Tx, prefix, from []byte) iter.Seq[Hit[K]] {
	if from == nil {
		from = prefix
	}
	return func(yield func(Hit[K]) bool) {
		b := tx.bucket(ix.bucketName())
		if !tx.writable && len(from) > 0 {
			ix.check(kv.First(b.Descend(from)))
		}
		ix.scan(b.Ascend(from), prefix, yield)
	}
}

// Descending yields the entries whose sort key begins with prefix, highest first.
func (ix *Index[K]) Descending(tx *Tx, prefix []byte) iter.Seq[Hit[K]] {
	return ix.descendingFrom(tx, prefix, nil)
}

// descendingFrom is Descending from a key on, which is nil or begins with prefix.
func (ix *Index[K]) descendingFrom(tx *Tx, prefix, from []byte) iter.Seq[Hit[K]] {
	end := after(prefix)
	if from != nil {
		end = append(bytes.Clone(from), 0) // the lowest key above it
	}
	return func(yield func(Hit[K]) bool) {
		b := tx.bucket(ix.bucketName())
		if end != nil {
			ix.check(kv.First(b.Ascend(end)))
		}
		ix.scan(b.Descend(end), prefix, yield)
	}
}

// scan yields entries as long as they have the prefix.
func (ix *Index[K]) scan(entries iter.Seq2[[]byte, []byte], prefix []byte, yield func(Hit[K]) bool) {
	for k, v := range entries {
		if !bytes.HasPrefix(k, prefix) {
			ix.check(k, v)
			return
		}
		if !yield(ix.hit(k, v)) {
			return
		}
	}
}

// First is the record key of the lowest entry under an exact sort key.
func (ix *Index[K]) First(tx *Tx, sort []byte) (K, bool) {
	for h := range ix.Ascending(tx, sort) {
		if bytes.Equal(h.Sort, sort) {
			return h.Key, true
		}
	}
	var none K
	return none, false
}

// Holds reports whether a record has an entry under an exact sort key.
func (ix *Index[K]) Holds(tx *Tx, sort []byte, key K) bool {
	return ix.get(tx, join(sort, ix.codec.enc(key))) != nil
}

// get is the value of an entry, nil where there is none. One that a flipped bit has moved away is damage.
func (ix *index) get(tx *Tx, k []byte) []byte {
	v := tx.bucket(ix.bucketName()).Get(k)
	if v != nil {
		ix.check(k, v)
		return v
	}
	lookAround(tx, ix.bucketName(), k, func(k, v []byte) bool {
		ix.check(k, v)
		return false
	})
	return nil
}

func (ix *Index[K]) hit(k, v []byte) Hit[K] {
	ix.check(k, v)
	at := len(k) - int(v[0])
	return Hit[K]{ix.codec.dec(k[at:]), k[:at], v[1 : len(v)-entrySum]}
}

// check panics when an entry is damaged; no entry is not. The entries before and behind those
// of a scan are checked, too: one that a flipped bit has moved out of it is there.
func (ix *index) check(k, v []byte) {
	if k != nil && !entryWhole(ix.seed, k, v) {
		panic(damagedEntry(ix.bucketName(), k))
	}
}

// after is the lowest key above all keys with the prefix, nil when there is none.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// PublicIndex is an index of a public table.
type PublicIndex[K any] struct{ ix *Index[K] }

// Ascending yields the entries whose sort key begins with prefix, lowest first.
func (p PublicIndex[K]) Ascending(tx Reader, prefix []byte) iter.Seq[Hit[K]] {
	return p.ix.Ascending(tx.reader(), prefix)
}

// Descending yields the entries whose sort key begins with prefix, highest first.
func (p PublicIndex[K]) Descending(tx Reader, prefix []byte) iter.Seq[Hit[K]] {
	return p.ix.Descending(tx.reader(), prefix)
}

// Holds is Index.Holds.
func (p PublicIndex[K]) Holds(tx Reader, sort []byte, key K) bool {
	return p.ix.Holds(tx.reader(), sort, key)
}

// SortKey builds a sort key: integers and times as eight big-endian bytes, text as it
// is with a zero byte behind it. Negative numbers and times before 1970 sort first.
func SortKey(parts ...any) []byte {
	b := make([]byte, 0, 24)
	for i, p := range parts {
		switch p := p.(type) {
		case int64:
			b = binary.BigEndian.AppendUint64(b, uint64(p)^1<<63)
		case int:
			b = binary.BigEndian.AppendUint64(b, uint64(int64(p))^1<<63)
		case time.Time:
			b = binary.BigEndian.AppendUint64(b, uint64(p.Unix())^1<<63)
		case string:
			b = append(append(b, p...), 0)
		default:
			panic(fmt.Sprintf("no sort key for part %d", i)) // to name its type would cost every caller
		}
	}
	return b
}

// Behind is Ascending from behind the place of a key among the entries with that very sort key,
// whether the key is there or not: what it costs does not depend on how many come before.
func (ix *Index[K]) Behind(tx *Tx, sort []byte, key K) iter.Seq[Hit[K]] {
	place := append(slices.Clone(sort), ix.codec.enc(key)...)
	return ix.ascendingFrom(tx, sort, append(place, 0))
}

// Walk yields the entries whose sort key begins with prefix, in either direction. With
// from it begins at the first entry whose key, sort key and record key together, is from
// or lies beyond it.
func (ix *Index[K]) Walk(tx *Tx, prefix, from []byte, ascending bool) iter.Seq[Hit[K]] {
	if ascending {
		return ix.ascendingFrom(tx, prefix, from)
	}
	return ix.descendingFrom(tx, prefix, from)
}

// Behind is Index.Behind.
func (p PublicIndex[K]) Behind(tx Reader, sort []byte, key K) iter.Seq[Hit[K]] {
	return p.ix.Behind(tx.reader(), sort, key)
}

// Keys are the keys of an index scan, which must not be written meanwhile.
func Keys[K any](hits iter.Seq[Hit[K]]) (keys []K) {
	for hit := range hits {
		keys = append(keys, hit.Key)
	}
	return keys
}

// peekValue is the value of an entry, nil for none. It costs the same whether there is one. The entries beside its place
// are looked at, too: one that a flipped bit has moved there is damage.
func (ix *index) peekValue(tx *Tx, key []byte) (value []byte) {
	if v := tx.stored(ix.bucketName()).Get(key); v != nil {
		ix.check(key, v)
		value = v[1 : len(v)-entrySum]
	}
	if lookAround(tx, ix.bucketName(), key, func(k, v []byte) bool { return !entryWhole(ix.seed, k, v) }) {
		panic(damagedEntry(ix.bucketName(), key))
	}
	return value
}

// ValueOf is the value of the entry that a record has under an exact sort key, nil for none.
func (ix *Index[K]) ValueOf(tx *Tx, sort []byte, key K) []byte {
	return ix.peekValue(tx, join(sort, ix.codec.enc(key)))
}

// Walk is Index.Walk.
func (p PublicIndex[K]) Walk(tx Reader, prefix, from []byte, ascending bool) iter.Seq[Hit[K]] {
	return p.ix.Walk(tx.reader(), prefix, from, ascending)
}

// Value is the value of the entry that a record has under an exact sort key, nil for none.
func (p PublicIndex[K]) Value(tx Reader, sort []byte, key K) []byte {
	v := p.ix.get(tx.reader(), join(sort, p.ix.codec.enc(key)))
	if v == nil {
		return nil
	}
	return v[1 : len(v)-entrySum]
}

// Index is the index behind it, for callers with a Tx.
func (p PublicIndex[K]) Index() *Index[K] { return p.ix }

// SortedInt is the number that a sort key begins with.
func SortedInt(sort []byte) int64 { return intKeys.dec(sort[:8]) ^ math.MinInt64 }

// SortedTime is the time that a sort key begins with.
func SortedTime(sort []byte) time.Time {
	return time.Unix(intKeys.dec(sort[:8])^math.MinInt64, 0).UTC()
}

package bucket

import (
	"iter"
	"slices"
)

// Behind is Ascending from behind the place of a key among the entries with that very sort key,
// whether the key is there or not: what it costs does not depend on how many come before.
func (ix *Index[K, R]) Behind(tx *Tx, sort []byte, key K) iter.Seq[Hit[K]] {
	place := append(slices.Clone(sort), ix.codec.enc(key)...)
	return ix.ascendingFrom(tx, sort, append(place, 0))
}

// Walk yields the entries whose sort key begins with prefix, in either direction. With
// from it begins at the first entry whose key, sort key and record key together, is from
// or lies beyond it.
func (ix *Index[K, R]) Walk(tx *Tx, prefix, from []byte, ascending bool) iter.Seq[Hit[K]] {
	if ascending {
		return ix.ascendingFrom(tx, prefix, from)
	}
	return ix.descendingFrom(tx, prefix, from)
}

// Behind is Index.Behind.
func (p PublicIndex[K, R]) Behind(tx Reader, sort []byte, key K) iter.Seq[Hit[K]] {
	return p.ix.Behind(tx.reader(), sort, key)
}

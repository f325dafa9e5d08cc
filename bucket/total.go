package bucket

import (
	"encoding/binary"
	"fmt"
)

// Total is a sum over the records of a table, kept up in the transactions that change them
// and made again like an index: bytes that are promised, say, without reading who promised.
type Total[K, R any] struct{ ix *Index[K, R] }

// AddTotal adds up what of tells of each record. The version is raised when of changes.
func (t *Table[K, R]) AddTotal(name string, version int, of func(*R) int64) Total[K, R] {
	ix := t.AddIndex(name, version, nil)
	ix.sum = of
	return Total[K, R]{ix}
}

var totalKey = []byte("total")

// sealedTotal is a total as it is stored: like an index entry whose key is no record's.
func (ix *Index[K, R]) sealedTotal(sum int64) []byte {
	return ix.sealed(totalKey, 0, binary.BigEndian.AppendUint64(nil, uint64(sum)))
}

// Sum is the total as this transaction sees it.
func (t Total[K, R]) Sum(tx *Tx) int64 {
	if v := tx.bucket(t.ix.bucketName()).Get(totalKey); v != nil {
		if !entryWhole(t.ix.seed, totalKey, v) {
			panic(damagedEntry(t.ix.bucketName(), totalKey))
		}
		return int64(binary.BigEndian.Uint64(v[1:]))
	}
	return 0
}

// add counts a record that takes the place of another; either may be nil.
func (ix *Index[K, R]) add(tx *Tx, old, new *R) error {
	var more int64
	if old != nil {
		more -= ix.sum(old)
	}
	if new != nil {
		more += ix.sum(new)
	}
	if more == 0 {
		return nil
	}
	sum := Total[K, R]{ix}.Sum(tx) + more
	if err := tx.bucket(ix.bucketName()).Put(totalKey, ix.sealedTotal(sum)); err != nil {
		return fmt.Errorf("cannot update total %s: %w", ix.name, err)
	}
	return nil
}

// AddNumber counts the records of which of says so, all where it is nil. The version is raised when of changes.
func (t *Table[K, R]) AddNumber(name string, version int, of func(*R) bool) Total[K, R] {
	return t.AddTotal(name, version, func(r *R) int64 {
		if of == nil || of(r) {
			return 1
		}
		return 0
	})
}

// Public is the total for everyone.
func (t Total[K, R]) Public() PublicTotal[K, R] { return PublicTotal[K, R]{t} }

// PublicTotal is a Total that anyone may read.
type PublicTotal[K, R any] struct{ total Total[K, R] }

// Sum is the total as this transaction sees it.
func (t PublicTotal[K, R]) Sum(tx Reader) int64 { return t.total.Sum(tx.reader()) }

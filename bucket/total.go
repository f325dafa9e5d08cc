package bucket

import (
	"encoding/binary"
	"fmt"
)

// Total is a sum over the records of a table, kept up in the transactions that change them
// and made again like an index: bytes that are promised, say, without reading who promised.
type Total struct{ ix *index }

// AddTotal adds up what of tells of each record. The version is raised when of changes.
func (t *Table[K, R]) AddTotal(name string, version int, of func(*R) int64) Total {
	ix := t.Any.addIndex(name, version)
	ix.sum = func(r any) int64 { return of(r.(*R)) }
	return Total{ix}
}

var totalKey = []byte("total")

// sealedTotal is a total as it is stored: like an index entry whose key is no record's.
func (ix *index) sealedTotal(sum int64) []byte {
	return ix.sealed(totalKey, 0, binary.BigEndian.AppendUint64(nil, uint64(sum)))
}

// Sum is the total as this transaction sees it.
func (t Total) Sum(tx *Tx) int64 {
	if v := tx.bucket(t.ix.bucketName()).Get(totalKey); v != nil {
		if !entryWhole(t.ix.seed, totalKey, v) {
			panic(damagedEntry(t.ix.bucketName(), totalKey))
		}
		return int64(binary.BigEndian.Uint64(v[1:]))
	}
	return 0
}

// add counts a record that takes the place of another; either may be nil.
func (ix *index) add(tx *Tx, old, new any) error {
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
	sum := Total{ix}.Sum(tx) + more
	if err := tx.bucket(ix.bucketName()).Put(totalKey, ix.sealedTotal(sum)); err != nil {
		return fmt.Errorf("cannot update total %s: %w", ix.name, err)
	}
	return nil
}

// AddNumber counts the records of which of says so, all where it is nil. The version is raised when of changes.
func (t *Table[K, R]) AddNumber(name string, version int, of func(*R) bool) Total {
	return t.AddTotal(name, version, func(r *R) int64 {
		if of == nil || of(r) {
			return 1
		}
		return 0
	})
}

// Public is the total for everyone.
func (t Total) Public() PublicTotal { return PublicTotal{t} }

// PublicTotal is a Total that anyone may read.
type PublicTotal struct{ total Total }

// Sum is the total as this transaction sees it.
func (t PublicTotal) Sum(tx Reader) int64 { return t.total.Sum(tx.reader()) }

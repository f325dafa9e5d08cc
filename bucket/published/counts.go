package published

import (
	"alcove/bucket"
	"alcove/record"
)

// Counts has what is counted of items that are public, or were; an item that was never used or
// cited is not in it. It is written many times a minute and tells nothing of the
// repository, so it is not in the change log. The orders by a count are indexes of the
// public items (public.go), whose entries AddCounts and Cite keep up.
var Counts = bucket.Public(bucket.ByPair[record.Counts]("counts").Unlogged())

// countsIn tells the counts of the items of a kind by their ids.
func countsIn(kind int64) func(*bucket.Tx, int64) (record.Counts, error) {
	return func(tx *bucket.Tx, id int64) (record.Counts, error) { return CountsOf(tx, bucket.Pair{A: kind, B: id}) }
}

// CountsOf are the counts of an item, zero when there are none.
func CountsOf(tx *bucket.Tx, key bucket.Pair) (record.Counts, error) {
	c, err := Counts.OrZero(tx, key)
	if err != nil && tx.Lenient() {
		return record.Counts{}, nil
	}
	return c, err
}

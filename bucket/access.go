package bucket

import (
	"iter"

	"alcove/record"
)

// Accesses has the requests of the last weeks that operators look up: refused ones, those of
// administrators, and those that changed something. The key is the number of the request, which
// the change log has too and which ascends with the time. It is no change of the repository, and
// addresses do not stay, so it is not in the change log.
var Accesses = &Table[int64, record.Access]{name: "accesses", codec: intKeys, quiet: true}

// AccessesFrom yields the requests from a number on, ascending, and stops after the first error.
func AccessesFrom(tx *Tx, number int64) iter.Seq2[Row[int64, record.Access], error] {
	return func(yield func(Row[int64, record.Access], error) bool) {
		for k, v := range tx.bucket(Accesses.bucketName()).Ascend(intKeys.enc(number)) {
			r, err := Accesses.decode(k, v)
			if !yield(Row[int64, record.Access]{intKeys.dec(k), r}, err) || err != nil {
				return
			}
		}
	}
}

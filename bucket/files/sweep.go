package files

import (
	"context"

	"alcove/bucket"
	"alcove/record"
)

// Orphans has the blobs that no record named when they were last looked at, under their
// SHA-256 in hex. It tells nothing of the repository, so it is not in the change log.
var Orphans = bucket.ByName[record.Orphan]("orphans").Unlogged()

// SweepStates has under SweepKey what the sweeper of blobs has done last, and what it may do. It is
// not in the change log.
var SweepStates = bucket.ByName[record.SweepState]("sweep").Unlogged()

// SweepKey is the only key of SweepStates.
const SweepKey = "blobs"

// SweepStateOf is what SweepStates has, the zero value when there is nothing yet.
func SweepStateOf(tx *bucket.Tx) (record.SweepState, error) {
	return SweepStates.OrZero(tx, SweepKey)
}

// HoldSweep keeps the sweeper from removing anything until an operator allows it: the records were
// made again, and bytes that none of them names may be all that is left of something.
func HoldSweep(ctx context.Context, db *bucket.DB) error {
	return db.Update(ctx, 0, func(tx *bucket.Tx) error {
		state, err := SweepStateOf(tx)
		if err != nil {
			return err
		}
		state.Held, state.Allowed = true, 0
		return SweepStates.Put(tx, SweepKey, &state)
	})
}

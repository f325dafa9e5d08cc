package bucket

import (
	"context"
	"errors"

	"alcove/record"
)

// Orphans has the blobs that no record named when they were last looked at, under their
// SHA-256 in hex. It tells nothing of the repository, so it is not in the change log.
var Orphans = &Table[string, record.Orphan]{name: "orphans", codec: nameKeys, quiet: true}

// SweepStates has under SweepKey what the sweeper of blobs has done last, and what it may do. It is
// not in the change log.
var SweepStates = &Table[string, record.SweepState]{name: "sweep", codec: nameKeys, quiet: true}

// SweepKey is the only key of SweepStates.
const SweepKey = "blobs"

// SweepStateOf is what SweepStates has, the zero value when there is nothing yet.
func SweepStateOf(tx *Tx) (state record.SweepState, err error) {
	s, err := SweepStates.Get(tx, SweepKey)
	if errors.Is(err, ErrNotFound) {
		return state, nil
	}
	if err == nil {
		state = *s
	}
	return state, err
}

// HoldSweep keeps the sweeper from removing anything until an operator allows it: the records were
// made anew, and bytes that none of them names may be all that is left of something.
func (db *DB) HoldSweep(ctx context.Context) error {
	return db.Update(ctx, 0, func(tx *Tx) error {
		state, err := SweepStateOf(tx)
		if err != nil {
			return err
		}
		state.Held, state.Allowed = true, 0
		return SweepStates.Put(tx, SweepKey, &state)
	})
}

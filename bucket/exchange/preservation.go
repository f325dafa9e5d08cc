package exchange

import (
	"alcove/bucket"
	"alcove/record"
)

// Preservations has the items, by kind and id, whose objects in the storage root of OCFL are to be looked at. It is no
// change of the repository, so it is not in the change log.
var (
	Preservations = bucket.ByPair[record.Preservation]("preservations").Unlogged()
	// PreservationStates has under preservationKey how far the work is.
	PreservationStates = bucket.ByName[record.PreservationState]("preservation").Unlogged()

	// PreservationsNumber is how many items wait, and PreservationsFailing of how many the last try failed.
	PreservationsNumber  = Preservations.AddNumber("waits", 1, nil)
	PreservationsFailing = Preservations.AddNumber("fails", 1, func(p *record.Preservation) bool { return p.Tries > 0 })
)

const preservationKey = "ocfl"

// Preservation is how far the work with the storage root is, the zero value before it began.
func Preservation(tx *bucket.Tx) (record.PreservationState, error) {
	return PreservationStates.OrZero(tx, preservationKey)
}

// PutPreservation stores it.
func PutPreservation(tx *bucket.Tx, s record.PreservationState) error {
	return PreservationStates.Put(tx, preservationKey, &s)
}

// Preserve has the object of an item looked at.
func Preserve(tx *bucket.Tx, item bucket.Pair) error {
	p, err := Preservations.OrZero(tx, item)
	if err != nil {
		return err
	}
	return Preservations.Put(tx, item, &record.Preservation{Turn: p.Turn + 1})
}

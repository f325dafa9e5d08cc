package bucket

import (
	"errors"

	"alcove/record"
)

// Preservations has the items, by kind and id, whose objects in the storage root of OCFL are to be looked at. It is no
// change of the repository, so it is not in the change log.
var (
	Preservations = &Table[Pair, record.Preservation]{name: "preservations", codec: pairKeys, quiet: true}
	// PreservationStates has under preservationKey how far the work is.
	PreservationStates = &Table[string, record.PreservationState]{name: "preservation", codec: nameKeys, quiet: true}

	// PreservationsNumber is how many items wait, and PreservationsFailing of how many the last try failed.
	PreservationsNumber  = addTotal(Preservations, "waits", 1, func(*record.Preservation) int64 { return 1 })
	PreservationsFailing = addTotal(Preservations, "fails", 1, func(p *record.Preservation) int64 { return truth(p.Tries > 0) })
)

const preservationKey = "ocfl"

// Preservation is how far the work with the storage root is, the zero value before it began.
func Preservation(tx *Tx) (record.PreservationState, error) {
	s, err := PreservationStates.Get(tx, preservationKey)
	if errors.Is(err, ErrNotFound) {
		return record.PreservationState{}, nil
	}
	if err != nil {
		return record.PreservationState{}, err
	}
	return *s, nil
}

// PutPreservation stores it.
func PutPreservation(tx *Tx, s record.PreservationState) error {
	return PreservationStates.Put(tx, preservationKey, &s)
}

// Preserve has the object of an item looked at.
func Preserve(tx *Tx, item Pair) error {
	p, err := Preservations.Get(tx, item)
	if errors.Is(err, ErrNotFound) {
		p, err = &record.Preservation{}, nil
	}
	if err != nil {
		return err
	}
	return Preservations.Put(tx, item, &record.Preservation{Turn: p.Turn + 1})
}

// LogHead is the last entry of the change log.
func LogHead(tx *Tx) (Head, error) {
	for e, err := range EntriesBefore(tx, LogEnd(tx)+1) {
		return Head{Sequence: e.Sequence, Hash: e.Hash}, err
	}
	return Head{}, nil
}

// InLog reports whether a place is one of the change log.
func InLog(tx *Tx, h Head) (bool, error) {
	if h.Sequence == 0 {
		return true, nil
	}
	for e, err := range Entries(tx, h.Sequence-1) {
		return err == nil && e.Sequence == h.Sequence && e.Hash == h.Hash, err
	}
	return false, nil
}

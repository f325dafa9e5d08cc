package bucket

import (
	"errors"

	"alcove/record"
)

// Registrations has the DOIs that a registrar knows or is to know. Their order is the one in which it is told. It is no
// change of the repository, so it is not in the change log.
var (
	Registrations = &Table[int64, record.Registration]{name: "registrations", codec: intKeys, quiet: true}
	// RegistrarStates has under registrarKey how far the work is.
	RegistrarStates = &Table[string, record.RegistrarState]{name: "registrar", codec: nameKeys, quiet: true}

	// RegistrationsByDOI finds the registration of a DOI in the form of record.BareDOI.
	RegistrationsByDOI = addIndex(Registrations, "doi", 1, func(r *record.Registration) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(record.BareDOI(r.DOI))}}
	})
	// RegistrationsByItem has those of a version of an item, which is a kind and an id, and under 0 those of the item.
	RegistrationsByItem = addIndex(Registrations, "item", 2, func(r *record.Registration) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(r.Kind, r.Item, int64(r.Version))}}
	})
	// RegistrationsWaiting has those of which the registrar has to be told something, RegistrationsParked those that an
	// operator has to look at.
	RegistrationsWaiting = addIndex(Registrations, "waiting", 1, func(r *record.Registration) []IndexEntry {
		if !r.Waits() {
			return nil
		}
		return []IndexEntry{{Sort: []byte{}}}
	})
	RegistrationsParked = addIndex(Registrations, "parked", 1, func(r *record.Registration) []IndexEntry {
		if !r.Parked {
			return nil
		}
		return []IndexEntry{{Sort: []byte{}}}
	})
	// RegistrationsTroubled has both, by the time of the last try that failed.
	RegistrationsTroubled = addIndex(Registrations, "troubled", 1, func(r *record.Registration) []IndexEntry {
		if !r.Parked && !r.Waits() {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(r.Failed)}}
	})

	// RegistrationsNumber, WaitingNumber, ParkedNumber and FailingNumber are how many there are of each.
	RegistrationsNumber = addTotal(Registrations, "registered", 1, func(r *record.Registration) int64 { return truth(r.Registered()) })
	WaitingNumber       = addTotal(Registrations, "waits", 1, func(r *record.Registration) int64 { return truth(r.Waits()) })
	ParkedNumber        = addTotal(Registrations, "parks", 1, func(r *record.Registration) int64 { return truth(r.Parked) })
	FailingNumber       = addTotal(Registrations, "fails", 1, func(r *record.Registration) int64 { return truth(r.Fails()) })
)

func truth(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

const registrarKey = "registrar"

// Registrar is how far the work with the registrar is, the zero value before it began.
func Registrar(tx *Tx) (record.RegistrarState, error) {
	s, err := RegistrarStates.Get(tx, registrarKey)
	if errors.Is(err, ErrNotFound) {
		return record.RegistrarState{}, nil
	}
	if err != nil {
		return record.RegistrarState{}, err
	}
	return *s, nil
}

// PutRegistrar stores it.
func PutRegistrar(tx *Tx, s record.RegistrarState) error {
	return RegistrarStates.Put(tx, registrarKey, &s)
}

// LogEnd is the sequence of the last entry of the change log.
func LogEnd(tx *Tx) uint64 { return logSequence(tx.kv) }

// DOIRegistered reports whether a registrar has confirmed that a DOI leads to an item.
func DOIRegistered(tx Reader, doi string) (bool, error) {
	id, known := RegistrationsByDOI.First(tx.reader(), SortKey(record.BareDOI(doi)))
	if !known {
		return false, nil
	}
	r, err := Registrations.Get(tx.reader(), id)
	return err == nil && r.Registered(), err
}

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

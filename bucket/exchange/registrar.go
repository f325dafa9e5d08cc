package exchange

import (
	"alcove/bucket"
	"alcove/record"
)

// Registrations has the DOIs that a registrar knows or is to know. Their order is the one in which it is told. It is no
// change of the repository, so it is not in the change log.
var (
	Registrations = bucket.ByID[record.Registration]("registrations").Unlogged()
	// RegistrarStates has under registrarKey how far the work is.
	RegistrarStates = bucket.ByName[record.RegistrarState]("registrar").Unlogged()

	// RegistrationsByDOI finds the registration of a DOI in the form of record.BareDOI; the value says
	// whether it is done (DOIRegistered).
	RegistrationsByDOI = Registrations.AddIndex("doi", 2, func(r *record.Registration) []bucket.IndexEntry {
		entry := bucket.IndexEntry{Sort: bucket.SortKey(record.BareDOI(r.DOI))}
		if r.Registered() {
			entry.Value = []byte{1}
		}
		return []bucket.IndexEntry{entry}
	})
	// RegistrationsByItem has those of a version of an item, which is a kind and an id, and under 0 those of the item.
	RegistrationsByItem = Registrations.AddIndex("item", 2, func(r *record.Registration) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(r.Kind, r.Item, int64(r.Version))}}
	})
	// RegistrationsWaiting has those of which the registrar has to be told something, RegistrationsParked those that an
	// operator has to look at.
	RegistrationsWaiting = Registrations.AddIndex("waiting", 1, func(r *record.Registration) []bucket.IndexEntry {
		if !r.Waits() {
			return nil
		}
		return []bucket.IndexEntry{{Sort: []byte{}}}
	})
	RegistrationsParked = Registrations.AddIndex("parked", 1, func(r *record.Registration) []bucket.IndexEntry {
		if !r.Parked {
			return nil
		}
		return []bucket.IndexEntry{{Sort: []byte{}}}
	})
	// RegistrationsTroubled has both, by the time of the last try that failed.
	RegistrationsTroubled = Registrations.AddIndex("troubled", 1, func(r *record.Registration) []bucket.IndexEntry {
		if !r.Parked && !r.Waits() {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(r.Failed)}}
	})

	// RegistrationsNumber, WaitingNumber, ParkedNumber and FailingNumber are how many there are of each.
	RegistrationsNumber = Registrations.AddNumber("registered", 1, func(r *record.Registration) bool { return r.Registered() })
	WaitingNumber       = Registrations.AddNumber("waits", 1, func(r *record.Registration) bool { return r.Waits() })
	ParkedNumber        = Registrations.AddNumber("parks", 1, func(r *record.Registration) bool { return r.Parked })
	FailingNumber       = Registrations.AddNumber("fails", 1, func(r *record.Registration) bool { return r.Fails() })
)

const registrarKey = "registrar"

// Registrar is how far the work with the registrar is, the zero value before it began.
func Registrar(tx *bucket.Tx) (record.RegistrarState, error) {
	return RegistrarStates.OrZero(tx, registrarKey)
}

// PutRegistrar stores it.
func PutRegistrar(tx *bucket.Tx, s record.RegistrarState) error {
	return RegistrarStates.Put(tx, registrarKey, &s)
}

// registrationsByDOI tells everyone which DOIs are registered.
var registrationsByDOI = RegistrationsByDOI.Public()

// DOIRegistered reports whether a registrar has confirmed that a DOI leads to an item.
func DOIRegistered(tx bucket.Reader, doi string) bool {
	sort := bucket.SortKey(record.BareDOI(doi))
	for hit := range registrationsByDOI.Ascending(tx, sort) {
		return len(hit.Sort) == len(sort) && len(hit.Value) == 1
	}
	return false
}

// Package doi tells a registrar of DOIs what each of them leads to. The change log says which items changed; for each
// a registration is stored, which waits until the registrar has confirmed what the item is now. Publishing never
// waits for it, and what is not public is never told.
//
//	doi.go       the service, and what operators ask of it
//	wanted.go    which DOIs an item has, and in which state they are to be
//	follow.go    the change log is read
//	send.go      what waits is sent, one after the other
//	outcome.go   what came of a try is stored
//	compare.go   what the registrar has is compared with what it was told
//	datacite.go  the API of DataCite
package doi

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/record"
)

// Registrar knows DOIs. Its methods may be repeated: after an answer that was lost they do the same again.
type Registrar interface {
	// Put gives a DOI a state, an address and metadata.
	Put(ctx context.Context, doi, state, address string, metadata map[string]any) error
	// Get is what the registrar has of a DOI, ErrUnknown for nothing.
	Get(ctx context.Context, doi string) (Known, error)
	// Delete removes a draft. That of one that there is not is no error.
	Delete(ctx context.Context, doi string) error
}

// Known is what a registrar has of a DOI.
type Known struct{ State, URL, Title string }

// ErrUnknown says that the registrar does not know a DOI.
var ErrUnknown = errors.New("the registrar does not know the DOI")

// Describe is the metadata of a public version of an item and the address of its page, of the item as a whole for
// version 0.
type Describe func(tx *bucket.Tx, kind, item int64, version int) (metadata map[string]any, address string, err error)

// Gone is what takes the place of the metadata of an item that was withdrawn, nil for nothing: where the title must not be
// read any more, neither must it be at the registrar.
type Gone func(tx *bucket.Tx, kind, item int64) (metadata map[string]any, err error)

// Confirmed is told that the registrar has confirmed a DOI of an item, or has lost it: that of a version, of the item as
// a whole for version 0.
type Confirmed func(tx *bucket.Tx, kind, item int64, version int) error

// Service is the work with a registrar.
type Service struct {
	DB        *bucket.DB
	Registrar Registrar
	Address   string   // of the registrar's API, for people
	Prefixes  []string // of DOIs that the registrar takes from us, each with its slash
	SiteURL   string
	Describe  Describe
	Gone      Gone
	Confirmed Confirmed
	Log       *slog.Logger

	sent, failed atomic.Int64
	failures     int // of the registrar in a row; Run alone uses it
}

// Figures are the work in numbers.
type Figures struct {
	Registered, Waiting, Parked int64
	Failing                     int64 // of those that wait or are parked
	Sent, Failed                int64 // requests since the start
	State                       record.RegistrarState
}

// Numbers reads the figures of a store.
func Numbers(db *bucket.DB) (f Figures, err error) {
	err = db.View(func(tx *bucket.Tx) (err error) {
		f.Registered, f.Waiting, f.Parked = exchange.RegistrationsNumber.Sum(tx), exchange.WaitingNumber.Sum(tx), exchange.ParkedNumber.Sum(tx)
		f.Failing = exchange.FailingNumber.Sum(tx)
		f.State, err = exchange.Registrar(tx)
		return err
	})
	return f, err
}

// Figures are Numbers with what was sent.
func (s *Service) Figures() (Figures, error) {
	f, err := Numbers(s.DB)
	f.Sent, f.Failed = s.sent.Load(), s.failed.Load()
	return f, err
}

// most is how many registrations or items one transaction takes.
const most = 200

// Pending are the registrations that wait and those that are parked, at most a number of each.
func Pending(db *bucket.DB, n int) (list []record.Registration, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		for _, ix := range []*bucket.Index[int64]{exchange.RegistrationsParked, exchange.RegistrationsWaiting} {
			left := n
			for hit := range ix.Ascending(tx, nil) {
				if left--; left < 0 {
					break
				}
				r, err := exchange.Registrations.Get(tx, hit.Key)
				if err != nil {
					return err
				}
				list = append(list, *r)
			}
		}
		return nil
	})
	return list, err
}

// Troubled are a number of the registrations that wait or are parked behind some that are skipped, that whose try failed
// last first, and whether there are more.
func Troubled(tx *bucket.Tx, skip, n int) (list []record.Registration, more bool, err error) {
	for hit := range exchange.RegistrationsTroubled.Descending(tx, nil) {
		if skip--; skip >= 0 {
			continue
		}
		if len(list) == n {
			return list, true, nil
		}
		r, err := exchange.Registrations.Get(tx, hit.Key)
		if err != nil {
			return nil, false, err
		}
		list = append(list, *r)
	}
	return list, false, nil
}

// Retry has what is parked or waits for its time tried again: one DOI, or all for "". With takeOver a DOI that the
// registrar already has of another becomes that of the item here. It tells how many there are.
func Retry(ctx context.Context, db *bucket.DB, doi string, takeOver bool) (n int, err error) {
	var ids []int64
	err = db.View(func(tx *bucket.Tx) error {
		if doi != "" {
			if id, known := exchange.RegistrationsByDOI.First(tx, bucket.SortKey(record.BareDOI(doi))); known {
				ids = append(ids, id)
			}
			return nil
		}
		for _, ix := range []*bucket.Index[int64]{exchange.RegistrationsParked, exchange.RegistrationsWaiting} {
			for hit := range ix.Ascending(tx, nil) {
				ids = append(ids, hit.Key)
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	err = change(ctx, db, ids, func(_ *bucket.Tx, r *record.Registration) error {
		r.Parked, r.Due, r.Changed, r.Begun, r.Turn = false, time.Time{}, true, r.Begun || takeOver, r.Turn+1
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(ids), setState(ctx, db, func(state *record.RegistrarState) {
		state.Halted, state.Cause, state.Resume, state.Turn = "", "", time.Time{}, state.Turn+1
	})
}

// Compare has the registrar asked what it knows before anything more is sent.
func Compare(ctx context.Context, db *bucket.DB) error {
	return setState(ctx, db, func(state *record.RegistrarState) { state.Compare = true })
}

// change changes registrations, some in a transaction. One that is gone meanwhile is left out.
func change(ctx context.Context, db *bucket.DB, ids []int64, how func(tx *bucket.Tx, r *record.Registration) error) error {
	for some := range slices.Chunk(ids, most) {
		err := db.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
			for _, id := range some {
				r, err := exchange.Registrations.Get(tx, id)
				if errors.Is(err, bucket.ErrNotFound) {
					continue
				}
				if err != nil {
					return err
				}
				if err := how(tx, r); err != nil {
					return err
				}
				if err := exchange.Registrations.Put(tx, id, r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func setState(ctx context.Context, db *bucket.DB, how func(*record.RegistrarState)) error {
	return db.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		state, err := exchange.Registrar(tx)
		if err != nil {
			return err
		}
		how(&state)
		return exchange.PutRegistrar(tx, state)
	})
}

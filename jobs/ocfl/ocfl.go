// Package ocfl keeps a storage root of OCFL with everything that the repository shows to the public: an object for each
// article and each collection, in it a version for each public version, and one more whenever what the public sees of it
// changes. The change log says which items changed; each of them waits in the store until its object is what the item
// is. Publishing never waits for it.
//
//	ocfl.go     the service, and what operators ask of it
//	follow.go   the change log is read, and the directory is tested
//	write.go    what waits is written, one item after the other
//	object.go   the object of an item
//	erase.go    erased bytes are taken out
package ocfl

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"alcove/blobs"
	format "alcove/blobs/ocfl"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/exchange"
	"alcove/record"
)

// Version is a public version of an item, as a reader without an account gets it.
type Version struct {
	Published time.Time
	Files     []format.File // those of the item, and those that describe it
}

// Source tells what is public.
type Source struct {
	// Numbers are the public versions of an item, none of one that is not public.
	Numbers func(tx *bucket.Tx, kind, item int64) ([]int, error)
	Version func(tx *bucket.Tx, kind, item int64, version int) (*Version, error)
}

// Service is the work with a storage root.
type Service struct {
	DB     *bucket.DB
	Blobs  blobs.Store
	Link   func(ref blobs.Ref, size int64, to string) error // gives a blob another name
	Dir    string                                           // of the storage root, an absolute path
	By     format.User                                      // of versions
	Source Source
	Log    *slog.Logger

	written, removed, failed atomic.Int64
	root                     *format.Root   // nil while it is not known to be ours
	mark                     changelog.Head // in the root
	failures                 int            // of the root in a row; Run alone uses it
}

// Figures are the work in numbers.
type Figures struct {
	Waiting, Failing         int64  // items, and those of which the last try failed
	Behind                   uint64 // changes of the repository that were not looked at
	State                    record.PreservationState
	Written, Removed, Failed int64 // objects since the start, and tries
}

// Numbers reads the figures of a store.
func Numbers(db *bucket.DB) (f Figures, err error) {
	err = db.View(func(tx *bucket.Tx) (err error) {
		f.Waiting, f.Failing = exchange.PreservationsNumber.Sum(tx), exchange.PreservationsFailing.Sum(tx)
		f.State, err = exchange.Preservation(tx)
		f.Behind = tx.LogEnd() - min(f.State.Sequence, tx.LogEnd())
		return err
	})
	return f, err
}

// Figures are Numbers with what was done.
func (s *Service) Figures() (Figures, error) {
	f, err := Numbers(s.DB)
	f.Written, f.Removed, f.Failed = s.written.Load(), s.removed.Load(), s.failed.Load()
	return f, err
}

// Failing is an item whose object could not be written.
type Failing struct {
	Item  string    `json:"item"` // kind and id
	Tries int       `json:"tries"`
	Due   time.Time `json:"due"`
	Error string    `json:"error"`
}

// Failures are the first items whose objects could not be written, at most a number of them.
func Failures(db *bucket.DB, n int) (list []Failing, err error) {
	list = []Failing{}
	err = db.View(func(tx *bucket.Tx) error {
		for row, err := range exchange.Preservations.All(tx, nil) {
			if err != nil {
				return err
			}
			if row.Record.Tries > 0 {
				list = append(list, Failing{name(row.Key), row.Record.Tries, row.Record.Due, row.Record.Error})
			}
			if len(list) == n {
				break
			}
		}
		return nil
	})
	return list, err
}

// Again has every object compared with its item, and a storage root made where there is none: an operator says so after
// the directory was lost or put aside.
func Again(ctx context.Context, db *bucket.DB) error {
	return setState(ctx, db, func(state *record.PreservationState) { *state = record.PreservationState{Sequence: state.Sequence} })
}

func setState(ctx context.Context, db *bucket.DB, how func(*record.PreservationState)) error {
	return db.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		state, err := exchange.Preservation(tx)
		if err != nil {
			return err
		}
		how(&state)
		return exchange.PutPreservation(tx, state)
	})
}

// kinds are the names of kinds in ids.
var kinds = map[int64]string{record.KindArticle: "article", record.KindCollection: "collection"}

// id is that of the object of an item.
func (s *Service) id(item bucket.Pair) string {
	return format.ID(s.DB.Identity().ID, kinds[item.A], item.B)
}

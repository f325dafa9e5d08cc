package doi

import (
	"context"
	"errors"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/record"
)

// compare asks the registrar what it has of each DOI that it was told. What differs is sent again; what it does not know
// was lost there.
func (s *Service) compare(ctx context.Context) error {
	var ids []int64
	err := s.DB.View(func(tx *bucket.Tx) error {
		for row, err := range exchange.Registrations.All(tx, nil) {
			if err != nil {
				return err
			}
			if row.Record.Begun {
				ids = append(ids, row.Key)
			}
		}
		return nil
	})
	for _, id := range ids {
		if err != nil {
			return err
		}
		var r *record.Registration
		err = s.DB.View(func(tx *bucket.Tx) (err error) {
			r, err = exchange.Registrations.Get(tx, id)
			return err
		})
		if errors.Is(err, bucket.ErrNotFound) {
			err = nil
			continue
		}
		if err != nil {
			return err
		}
		known, asked := s.Registrar.Get(ctx, r.DOI)
		if e, ok := errors.AsType[*Refused](asked); ok && e.foreign() {
			// Another account has this DOI now: the others are compared nevertheless.
			if err = s.park(ctx, id, r, asked); err != nil {
				return err
			}
			continue
		}
		if asked != nil && !errors.Is(asked, ErrUnknown) {
			return asked
		}
		if known.State == r.Sent && (known.URL == r.URL || r.Sent == record.DOIDraft) {
			continue
		}
		s.Log.Warn("the registrar has something else of a DOI than it was told, and is told again", "doi", r.DOI, "state", known.State, "url", known.URL)
		err = change(ctx, s.DB, []int64{id}, func(tx *bucket.Tx, r *record.Registration) error {
			was := r.Registered()
			if r.Sent, r.Sum, r.Changed, r.Turn = known.State, "", true, r.Turn+1; was == r.Registered() {
				return nil
			}
			if err := exchange.Registrations.Put(tx, id, r); err != nil {
				return err
			}
			return s.Confirmed(tx, r.Kind, r.Item, r.Version)
		})
	}
	if err != nil {
		return err
	}
	return setState(ctx, s.DB, func(state *record.RegistrarState) { state.Compare, state.Compared = false, s.DB.Time() })
}

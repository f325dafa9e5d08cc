package doi

import (
	"context"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// itemTables are the tables whose changes may change what a DOI leads to, with the kind of their items.
var itemTables = map[string]int64{
	"articles": bucket.KindArticle, "article_versions": bucket.KindArticle, "withdrawn_versions": bucket.KindArticle, "tombstones": bucket.KindArticle,
	"collections": bucket.KindCollection, "collection_versions": bucket.KindCollection, "withdrawn_collections": bucket.KindCollection, "collection_tombstones": bucket.KindCollection,
}

// entriesMost is how many entries of the change log one transaction reads.
const entriesMost = 500

// Begin has what is published from now on registered, when nothing was before: what is public by then is told when an
// operator says so (RegisterAll).
func (s *Service) Begin(ctx context.Context) error {
	return s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		state, err := bucket.Registrar(tx)
		if err != nil || state.SiteURL != "" {
			return err
		}
		state.SiteURL, state.Sequence = s.SiteURL, bucket.LogEnd(tx)
		return bucket.PutRegistrar(tx, state)
	})
}

// follow reads the change log up to its end.
func (s *Service) follow(ctx context.Context) error {
	for ctx.Err() == nil {
		end := true
		err := s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
			state, err := bucket.Registrar(tx)
			if err != nil {
				return err
			}
			var items []bucket.Pair
			last, n := state.Sequence, 0
			for c, err := range bucket.Changes(tx, state.Sequence) {
				if err != nil {
					return err
				}
				last = c.Sequence
				if kind := itemTables[c.Table]; kind != 0 && !slices.Contains(items, bucket.Pair{A: kind, B: c.ID()}) {
					items = append(items, bucket.Pair{A: kind, B: c.ID()})
				}
				if n++; n == entriesMost || len(items) == most {
					break
				}
			}
			end = n < entriesMost && len(items) < most
			if last == state.Sequence {
				return nil
			}
			for _, item := range items {
				if err := s.note(tx, item.A, item.B); err != nil {
					return err
				}
			}
			state.Sequence = last
			return bucket.PutRegistrar(tx, state)
		})
		if err != nil || end {
			return err
		}
	}
	return ctx.Err()
}

// RegisterAll has everything that is public told to the registrar, whenever it was published. It tells how many items
// there are.
func (s *Service) RegisterAll(ctx context.Context) (n int, err error) {
	var items []bucket.Pair
	err = s.DB.View(func(tx *bucket.Tx) error {
		for row, err := range bucket.PublicArticles.All(tx, nil) {
			if err != nil {
				return err
			}
			items = append(items, bucket.Pair{A: bucket.KindArticle, B: row.Key})
		}
		for row, err := range bucket.PublicCollections.All(tx, nil) {
			if err != nil {
				return err
			}
			items = append(items, bucket.Pair{A: bucket.KindCollection, B: row.Key})
		}
		return nil
	})
	for some := range slices.Chunk(items, most) {
		if err != nil {
			return 0, err
		}
		err = s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
			for _, item := range some {
				if err := s.note(tx, item.A, item.B); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return len(items), err
}

// moved has each DOI told again when the address of the site is another one.
func (s *Service) moved(ctx context.Context) error {
	var ids []int64
	moved := false
	err := s.DB.View(func(tx *bucket.Tx) error {
		state, err := bucket.Registrar(tx)
		if moved = state.SiteURL != s.SiteURL; err != nil || !moved {
			return err
		}
		for row, err := range bucket.Registrations.All(tx, nil) {
			if err != nil {
				return err
			}
			ids = append(ids, row.Key)
		}
		return nil
	})
	if err != nil || !moved {
		return err
	}
	if err := change(ctx, s.DB, ids, func(_ *bucket.Tx, r *record.Registration) { r.Changed = r.Changed || r.Registered() }); err != nil {
		return err
	}
	return setState(ctx, s.DB, func(state *record.RegistrarState) { state.SiteURL = s.SiteURL })
}

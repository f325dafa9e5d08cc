package doi

import (
	"context"
	"slices"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/published"
	"alcove/record"
)

// entriesMost is how many entries of the change log one transaction reads.
const entriesMost = 500

// Begin has what is published from now on registered, when nothing was before: what is public by then is told when an
// operator says so (RegisterAll).
func (s *Service) Begin(ctx context.Context) error {
	return s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		state, err := exchange.Registrar(tx)
		if err != nil || state.SiteURL != "" {
			return err
		}
		state.SiteURL, state.Sequence = s.SiteURL, tx.LogEnd()
		return exchange.PutRegistrar(tx, state)
	})
}

// follow reads the change log up to its end.
func (s *Service) follow(ctx context.Context) error {
	for ctx.Err() == nil {
		end := true
		err := s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
			state, err := exchange.Registrar(tx)
			if err != nil {
				return err
			}
			touched := map[bucket.Pair][]int{} // the versions that changed, by item
			var order []bucket.Pair
			last, n := state.Sequence, 0
			for c, err := range tx.Changes(state.Sequence) {
				if err != nil {
					return err
				}
				last, n = c.Sequence, n+1
				of := versionTables[c.Table]
				if kind := max(of, itemTables[c.Table]); kind != 0 {
					item := bucket.Pair{A: kind, B: c.ID()}
					if _, seen := touched[item]; !seen {
						order, touched[item] = append(order, item), nil
					}
					if of != 0 {
						touched[item] = append(touched[item], c.Version())
					}
				}
				if n == entriesMost {
					break
				}
			}
			end = n < entriesMost
			if last == state.Sequence {
				return nil
			}
			for _, item := range order {
				if err := s.note(tx, item.A, item.B, touched[item]); err != nil {
					return err
				}
			}
			state.Sequence = last
			return exchange.PutRegistrar(tx, state)
		})
		if err != nil || end {
			return err
		}
	}
	return ctx.Err()
}

// RegisterAll has everything that is public told to the registrar, whenever it was published. It tells how many versions
// there are.
func (s *Service) RegisterAll(ctx context.Context) (n int, err error) {
	for _, kind := range []int64{record.KindArticle, record.KindCollection} {
		var versions []bucket.Pair // by item
		err = s.DB.View(func(tx *bucket.Tx) (err error) {
			if kind == record.KindArticle {
				versions, err = keysOf(tx, &published.ArticleVersions.Table)
			} else {
				versions, err = keysOf(tx, &published.CollectionVersions.Table)
			}
			return err
		})
		if err != nil {
			return 0, err
		}
		n += len(versions)
		for some := range slices.Chunk(versions, most) {
			err := s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
				for left := some; len(left) > 0; {
					item := left[0].A
					var of []int
					for len(left) > 0 && left[0].A == item {
						of, left = append(of, int(left[0].B)), left[1:]
					}
					if err := s.note(tx, kind, item, of); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

func keysOf[V any](tx *bucket.Tx, table *bucket.Table[bucket.Pair, V]) (keys []bucket.Pair, err error) {
	for row, err := range table.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		keys = append(keys, row.Key)
	}
	return keys, nil
}

// moved has each DOI told again when the address of the site is another one.
func (s *Service) moved(ctx context.Context) error {
	var ids []int64
	moved := false
	err := s.DB.View(func(tx *bucket.Tx) error {
		state, err := exchange.Registrar(tx)
		if moved = state.SiteURL != s.SiteURL; err != nil || !moved {
			return err
		}
		for row, err := range exchange.Registrations.All(tx, nil) {
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
	if err := change(ctx, s.DB, ids, func(_ *bucket.Tx, r *record.Registration) error {
		r.Changed = r.Changed || r.Registered()
		return nil
	}); err != nil {
		return err
	}
	return setState(ctx, s.DB, func(state *record.RegistrarState) { state.SiteURL = s.SiteURL })
}

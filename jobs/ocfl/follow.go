package ocfl

import (
	"context"
	"errors"
	"fmt"

	format "alcove/blobs/ocfl"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/exchange"
	"alcove/bucket/published"
	"alcove/bucket/withdrawn"
	"alcove/record"
)

const (
	entriesMost = 500 // of the change log that one transaction reads
	itemsMost   = 200 // that one transaction has looked at
)

// tables are where what the public sees is stored.
var tables = map[string]int64{
	"article_versions": record.KindArticle, "public_articles": record.KindArticle, "tombstones": record.KindArticle,
	"collection_versions": record.KindCollection, "public_collections": record.KindCollection, "collection_tombstones": record.KindCollection,
}

// follow reads the change log up to its end.
func (s *Service) follow(ctx context.Context) error {
	for ctx.Err() == nil {
		end := true
		err := s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
			state, err := exchange.Preservation(tx)
			if err != nil {
				return err
			}
			var touched []bucket.Pair
			seen := map[bucket.Pair]bool{}
			last, n := state.Sequence, 0
			for c, err := range tx.Changes(state.Sequence) {
				if err != nil {
					return err
				}
				last, n = c.Sequence, n+1
				if item := (bucket.Pair{A: tables[c.Table], B: c.ID()}); item.A != 0 && !seen[item] {
					seen[item], touched = true, append(touched, item)
				}
				if n == entriesMost {
					break
				}
			}
			end = n < entriesMost
			if last == state.Sequence {
				return nil
			}
			for _, item := range touched {
				if err := exchange.Preserve(tx, item); err != nil {
					return err
				}
			}
			state.Sequence = last
			return exchange.PutPreservation(tx, state)
		})
		if err != nil || end {
			return err
		}
	}
	return ctx.Err()
}

// takeAll has every item looked at that is public or was, and follows the change log from where it was before that. It may
// be done again.
func (s *Service) takeAll(ctx context.Context) error {
	var begin uint64
	err := s.DB.View(func(tx *bucket.Tx) error {
		begin = tx.LogEnd()
		return nil
	})
	if err != nil {
		return err
	}
	whole := func(id int64) int64 { return id }
	item := func(key bucket.Pair) int64 { return key.A }
	first := func(id int64) bucket.Pair { return bucket.Pair{A: id} }
	for _, next := range []func(*bucket.Tx, int64) ([]bucket.Pair, error){
		itemsOf(record.KindArticle, &published.Articles.Table, whole, whole),
		itemsOf(record.KindCollection, &published.Collections.Table, whole, whole),
		itemsOf(record.KindArticle, withdrawn.Tombstones, item, first),
		itemsOf(record.KindCollection, withdrawn.CollectionTombstones, item, first),
	} {
		for last := int64(0); ; {
			done := false
			err := s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
				list, err := next(tx, last)
				if done = len(list) == 0; err != nil || done {
					return err
				}
				for _, item := range list {
					if err := exchange.Preserve(tx, item); err != nil {
						return err
					}
				}
				last = list[len(list)-1].B
				return nil
			})
			if err != nil {
				return err
			}
			if done {
				break
			}
		}
	}
	return setState(ctx, s.DB, func(state *record.PreservationState) { state.Dir, state.Sequence = s.Dir, begin })
}

// itemsOf gives the next items of a table behind one, whose id a key has; from is the first key of an id.
func itemsOf[K, R any](kind int64, table *bucket.Table[K, R], id func(K) int64, from func(int64) K) func(*bucket.Tx, int64) ([]bucket.Pair, error) {
	return func(tx *bucket.Tx, last int64) (list []bucket.Pair, err error) {
		for row, err := range table.From(tx, from(last+1)) {
			if err != nil {
				return nil, err
			}
			if item := id(row.Key); item != last {
				list, last = append(list, bucket.Pair{A: kind, B: item}), item
			}
			if len(list) == itemsMost {
				break
			}
		}
		return list, nil
	}
}

// prepare opens the storage root, or makes it where nothing was before, and tests that it is that of this repository and
// not ahead of it. Anything else it leaves alone.
func (s *Service) prepare() error {
	if s.root != nil {
		return nil
	}
	var state record.PreservationState
	var head changelog.Head
	err := s.DB.View(func(tx *bucket.Tx) (err error) {
		if state, err = exchange.Preservation(tx); err == nil {
			head, err = tx.LogHead()
		}
		return err
	})
	if err != nil {
		return err
	}
	root, mark, err := format.Open(s.Dir)
	switch {
	case errors.Is(err, format.ErrBlank) && state.Dir == s.Dir:
		return fmt.Errorf("%w, but there was: mount its file system, or alcove ocfl again has everything written again", err)
	case errors.Is(err, format.ErrBlank):
		mark = format.Mark{Repository: s.DB.Identity().ID, Position: head.String()}
		root, err = format.Make(s.Dir, mark)
	}
	if err != nil {
		return err
	}
	if err := s.belongs(mark); err != nil {
		return errors.Join(err, root.Close())
	}
	if err := root.Complete(); err != nil {
		return errors.Join(err, root.Close())
	}
	s.root = root
	return nil
}

// belongs tests that a mark is of this repository, and of nothing that it does not know.
func (s *Service) belongs(mark format.Mark) error {
	if mark.Repository != s.DB.Identity().ID {
		return fmt.Errorf("%s has the items of the repository %s, not of %s: nothing is written there", s.Dir, mark.Repository, s.DB.Identity().ID)
	}
	head, err := changelog.ParseHead(mark.Position)
	if err != nil {
		return fmt.Errorf("cannot read how far %s is: %w", s.Dir, err)
	}
	known := false
	err = s.DB.View(func(tx *bucket.Tx) (err error) {
		known, err = tx.InLog(head)
		return err
	})
	if err == nil && !known {
		err = fmt.Errorf("%s has items that this repository does not know, as it was restored from an earlier snapshot: nothing is written there; "+
			"name another directory, or put this one aside, then alcove ocfl again", s.Dir)
	}
	s.mark = head
	return err
}

// advance notes in the root how far the store is from which objects are made, before they are.
func (s *Service) advance() error {
	var head changelog.Head
	err := s.DB.View(func(tx *bucket.Tx) (err error) {
		head, err = tx.LogHead()
		return err
	})
	if err != nil || head == s.mark {
		return err
	}
	if err := s.root.SetMark(format.Mark{Repository: s.DB.Identity().ID, Position: head.String()}); err != nil {
		return fmt.Errorf("cannot note how far the storage root of OCFL is: %w", err)
	}
	s.mark = head
	return nil
}

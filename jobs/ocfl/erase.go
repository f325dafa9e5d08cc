package ocfl

import (
	"context"
	"errors"
	"fmt"

	format "alcove/blobs/ocfl"
	"alcove/bucket"
	"alcove/bucket/exchange"
)

// Erase removes each object from a storage root that names one of some digests in any of its versions, as their bytes were
// erased, and has it made again of what its item is then. No server runs meanwhile. Of a directory in which nothing was
// made yet it does nothing.
func Erase(ctx context.Context, db *bucket.DB, dir string, digests []string) error {
	if dir == "" || len(digests) == 0 {
		return nil
	}
	f, err := Numbers(db)
	if err != nil {
		return err
	}
	root, mark, err := format.Open(dir)
	if errors.Is(err, format.ErrBlank) && f.State.Dir != dir {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot tell whether ocfl_dir has what was erased: %w", err)
	}
	defer root.Close()
	if mark.Repository != db.Identity().ID {
		return fmt.Errorf("cannot tell whether ocfl_dir has what was erased: %s has the items of another repository", dir)
	}
	if err := root.Clean(); err != nil { // an object that was being made, or taken away
		return err
	}
	return root.Objects(ctx, func(at string) error {
		has, err := root.Holds(at, digests)
		if err != nil {
			return fmt.Errorf("cannot tell whether an object has what was erased: %w", err)
		}
		if !has {
			return nil
		}
		id, err := root.Take(at)
		if err != nil {
			return err
		}
		_, kind, item, ok := format.ParseID(id)
		for number, name := range kinds {
			if ok && name == kind {
				return db.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
					return exchange.Preserve(tx, bucket.Pair{A: number, B: item})
				})
			}
		}
		return nil
	})
}

package items

import (
	"context"
	"errors"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
)

// readAtOnce bounds how many files one transaction reads ahead: a long one would hold up a writer that
// makes the database larger.
const readAtOnce = 1000

// checkPatience bounds how long a publication waits for integrity checks under way.
const checkPatience = 30 * time.Second

// FilesAhead reads what indexes have of an article's files for the writes of a context.
func (s *Service) FilesAhead(ctx context.Context, article int64, in ...*bucket.Index[int64]) (_ context.Context, checking []int64) {
	var ids []int64
	err := s.DB.View(func(tx *bucket.Tx) error {
		for _, ix := range in {
			ids = append(ids, bucket.Keys(ix.Ascending(tx, bucket.SortKey(article)))...)
		}
		return nil
	})
	ahead := &bucket.Ahead{}
	for some := range slices.Chunk(ids, readAtOnce) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			break
		}
		err = s.DB.View(func(tx *bucket.Tx) error {
			for _, id := range some {
				f, err := files.Files.ReadAhead(tx, ahead, id)
				if err != nil {
					continue
				}
				if f.BeingChecked() {
					checking = append(checking, id)
				}
				if f.Added > 0 {
					files.PublicFiles.ReadAhead(tx, ahead, id)
				}
			}
			return nil
		})
	}
	if len(ids) == 0 || err != nil {
		return ctx, checking
	}
	return ahead.With(ctx), checking
}

// AwaitChecks waits until none of some files is being checked any more, or patience ends:
// publish names the file then.
func (s *Service) AwaitChecks(ctx context.Context, checking []int64) {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	for len(checking) > 0 {
		changed := s.DB.Changed()
		err := s.DB.View(func(tx *bucket.Tx) error {
			for len(checking) > 0 {
				if f, err := files.Files.Get(tx, checking[0]); err == nil && f.BeingChecked() {
					break
				}
				checking = checking[1:]
			}
			return nil
		})
		if err != nil || len(checking) == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

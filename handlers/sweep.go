package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/record"
)

// How often blobs are looked at that no record may name any more: a few times in the grace,
// within bounds.
const (
	sweepSoonest = 20 * time.Millisecond
	sweepLatest  = 6 * time.Hour
)

// sweepFew is how many notes one transaction changes.
const sweepFew = 1000

// sweeper removes blobs that no record names: those that were seen without a name, and were
// again after the grace, unless something stored them anew, or holds them, since the first
// time. Deleting a record removes no bytes, and what a crash leaves between the bytes and
// their record is found here too.
type sweeper struct {
	db    *bucket.DB
	blobs *blobs.Store
	grace time.Duration
	log   *slog.Logger
	named func(blobs.Ref) (bool, error) // whether a record names a blob
}

// sweepBlobs runs the sweeper from time to time. It ends with its context.
func (a *API) sweepBlobs(ctx context.Context) {
	s := &sweeper{db: a.DB, blobs: a.Blobs, grace: a.Limits.SweepGrace, log: a.Log}
	s.named = s.look
	every := min(max(s.grace/4, sweepSoonest), sweepLatest)
	for {
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return
		}
		if err := s.sweep(ctx, time.Now()); err != nil && ctx.Err() == nil {
			a.Log.Error("cannot remove bytes that nothing needs", "error", err)
		}
	}
}

func (s *sweeper) look(ref blobs.Ref) (named bool, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		_, named = bucket.FilesByBlob.First(tx, bucket.SortKey(ref.String()))
		return nil
	})
	return named, err
}

// sweep goes through all blobs once.
func (s *sweeper) sweep(ctx context.Context, now time.Time) error {
	seen, err := s.seen()
	if err != nil {
		return err
	}
	var count int
	var bytes int64
	begun := time.Now()
	notes := notes{db: s.db, ctx: ctx}
	var published map[string]bool // read when something is about to be removed
	err = s.blobs.Walk(ctx, func(e blobs.Entry) error {
		if e.Ref.IsZero() {
			return nil // not ours
		}
		named, err := s.named(e.Ref)
		if err != nil || named {
			return err
		}
		// Whoever holds since a time before this one may have met a name that has gone meanwhile.
		looked := now.Add(time.Since(begun))
		key := e.Ref.String()
		first, again := seen[key]
		delete(seen, key)
		switch {
		case !again, !e.Modified.Before(first): // stored since
			if same, err := s.blobs.Unchanged(e); err != nil || !same {
				return err // stored between the walk and the look: the next sweep sees to it
			}
			return notes.add(key, &record.Orphan{Seen: looked})
		case now.Sub(first) < s.grace:
			return nil
		}
		if published == nil {
			if published, err = s.published(); err != nil {
				return err
			}
		}
		if published[key] {
			s.log.Error("a record names bytes that the index of files does not have; they stay", "sha256", key)
			return nil
		}
		removed, err := s.blobs.Remove(e.Ref, first)
		if err != nil || !removed {
			return err
		}
		s.log.Info("removed bytes that no record names", "sha256", key, "size", e.Size, "since", first)
		count, bytes = count+1, bytes+e.Size
		return notes.add(key, nil)
	})
	for key := range seen { // named again, or gone
		err = errors.Join(err, notes.add(key, nil))
	}
	if count > 0 {
		s.log.Info("swept", "blobs", count, "bytes", bytes)
	}
	return errors.Join(err, notes.write())
}

// published are the blobs that the records of published files name. Those of the working
// copies name them too, and an index finds these; but what the public was shown is not
// removed because one record or one entry of an index is lost, and nothing is while one of
// the records cannot be read.
func (s *sweeper) published() (map[string]bool, error) {
	named := map[string]bool{}
	err := s.db.View(func(tx *bucket.Tx) error {
		for row, err := range bucket.PublicFiles.All(tx, nil) {
			if err != nil {
				return fmt.Errorf("cannot tell which bytes published files need: %w", err)
			}
			named[row.Record.SHA256] = true
		}
		for row, err := range bucket.Files.All(tx, nil) { // one that is damaged may be in no index
			if err != nil {
				return fmt.Errorf("cannot tell which bytes files need: %w", err)
			}
			named[row.Record.SHA256] = true
		}
		return nil
	})
	return named, err
}

// seen are the blobs without a name that were met before, and since when.
func (s *sweeper) seen() (map[string]time.Time, error) {
	seen := map[string]time.Time{}
	err := s.db.View(func(tx *bucket.Tx) error {
		for row, err := range bucket.Orphans.All(tx, nil) {
			if err != nil {
				return err
			}
			seen[row.Key] = row.Record.Seen
		}
		return nil
	})
	return seen, err
}

// notes are changes of notes that wait to be written.
type notes struct {
	db   *bucket.DB
	ctx  context.Context
	keys []string
	of   []*record.Orphan // nil for one to forget
}

func (n *notes) add(key string, o *record.Orphan) error {
	n.keys, n.of = append(n.keys, key), append(n.of, o)
	if len(n.keys) < sweepFew {
		return nil
	}
	return n.write()
}

func (n *notes) write() error {
	if len(n.keys) == 0 {
		return nil
	}
	err := n.db.Update(bucket.Frees(n.ctx), 0, func(tx *bucket.Tx) error {
		for i, key := range n.keys {
			var err error
			if o := n.of[i]; o != nil {
				err = bucket.Orphans.Put(tx, key, o)
			} else if err = bucket.Orphans.Delete(tx, key); errors.Is(err, bucket.ErrNotFound) {
				err = nil
			}
			if err != nil {
				return fmt.Errorf("cannot note what no record names: %w", err)
			}
		}
		return nil
	})
	n.keys, n.of = nil, nil
	return err
}

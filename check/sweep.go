package check

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/record"
)

// How often blobs are looked at that no record may name any more: a few times in the grace,
// within bounds.
const (
	sweepSoonest = 20 * time.Millisecond
	sweepLatest  = 6 * time.Hour
	sweepWord    = 5 * time.Second // how soon an operator's word is noticed, and that the clock was set
)

const (
	sweepFew   = 1000    // notes that one transaction changes
	sweepLeast = 10      // blobs that may always be removed at a time, however few there are
	sweepMost  = 100_000 // that one pass removes at most, even by the operator's word
)

// Sweeper removes blobs that no record names: those that were seen without a name, and were
// again after the grace, unless something has stored them once more, or holds them, since the first
// time. Deleting a record removes no bytes, and what a crash leaves between the bytes and
// their record is found here too. When more are to go than a share of all blobs, none does
// without an operator's word: rather than that so much was deleted, the records may be wrong.
type Sweeper struct {
	DB    *bucket.DB
	Blobs blobs.Store
	Grace time.Duration // for how long bytes stay that no record names
	Share int           // how many percent of all blobs may be removed at a time
	Log   *slog.Logger

	named func(blobs.Ref) (bool, error) // whether a record names a blob
}

// Run sweeps from time to time, by the time of its last look: a server that is often restarted
// sweeps too. It ends with its context.
func (s *Sweeper) Run(ctx context.Context) {
	s.named = s.look
	every := min(max(s.Grace/4, sweepSoonest), sweepLatest)
	for {
		wait, err := s.wait(every)
		if err == nil && wait <= 0 {
			err = s.sweep(ctx, s.DB.Time(), s.DB.Ago(s.Grace))
			wait = every
		}
		pause := min(wait, sweepWord)
		if err != nil && ctx.Err() == nil {
			s.Log.Error("cannot remove bytes that nothing needs", "error", err)
			pause = every
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// wait is how long it is until the next look.
func (s *Sweeper) wait(every time.Duration) (time.Duration, error) {
	state, err := SweepStatus(s.DB)
	since := s.DB.Time().Sub(state.Last)
	if err != nil || state.Allowed > 0 || since < 0 {
		return 0, err
	}
	return every - since, nil
}

func (s *Sweeper) look(ref blobs.Ref) (named bool, err error) {
	err = s.DB.View(func(tx *bucket.Tx) error {
		_, named = files.ByBlob.First(tx, bucket.SortKey(ref.String()))
		return nil
	})
	return named, err
}

// sweep goes through all blobs once. A blob that was seen before old and not since has waited for its grace.
func (s *Sweeper) sweep(ctx context.Context, now, old time.Time) error {
	seen, err := s.seen()
	if err != nil {
		return err
	}
	begun := time.Now()
	notes := notes{db: s.DB, ctx: ctx}
	var found sweeping
	err = s.Blobs.Walk(ctx, func(e blobs.Entry) error {
		if e.Ref.IsZero() {
			return nil // not ours
		}
		found.blobs++
		named, err := s.named(e.Ref)
		if err != nil || named {
			return err
		}
		// A holder since a time before this one may have met a name that has gone meanwhile.
		looked := now.Add(time.Since(begun))
		key := e.Ref.String()
		first, again := seen[key]
		delete(seen, key)
		switch {
		case !again, !e.Modified.Before(first), first.After(looked): // stored since, or noted by a clock that ran ahead
			if same, err := s.Blobs.Unchanged(e); err != nil || !same {
				return err // stored between the walk and the look: the next sweep sees to it
			}
			return notes.add(key, &record.Orphan{Seen: looked})
		case first.After(old):
			return nil
		}
		found.add(e, first)
		return nil
	})
	for key := range seen { // named again, or gone
		err = errors.Join(err, notes.add(key, nil))
	}
	if err == nil {
		err = s.remove(ctx, &found, &notes)
	}
	if err = errors.Join(err, notes.write()); err != nil {
		return err
	}
	return s.note(ctx, now, &found)
}

// sweeping is what a pass has found, and done.
type sweeping struct {
	blobs     int64 // all of them
	due       int64 // that would go
	bytes     int64 // of those
	list      []lost
	state     record.SweepState // before
	removed   int64
	remaining bool // too many to be removed without a word
}

type lost struct {
	ref   blobs.Ref
	size  int64
	first time.Time // when it was seen without a name
}

func (w *sweeping) add(e blobs.Entry, first time.Time) {
	w.due, w.bytes = w.due+1, w.bytes+e.Size
	if len(w.list) < sweepMost {
		w.list = append(w.list, lost{e.Ref, e.Size, first})
	}
}

// remove removes what a pass has found, if it is not too much.
func (s *Sweeper) remove(ctx context.Context, found *sweeping, notes *notes) (err error) {
	if found.state, err = SweepStatus(s.DB); err != nil || found.due == 0 {
		return err
	}
	most := max(sweepLeast, found.blobs*int64(s.Share)/100)
	if found.state.Held {
		most = 0
	}
	if found.due > max(most, found.state.Allowed) {
		found.remaining = true
		s.Log.Error("no bytes are removed: too many stored files are named by no record, perhaps because the records are not the right ones; if they are, alcove sweep allow removes them",
			"blobs", found.due, "bytes", found.bytes, "of", found.blobs, "most", most)
		return nil
	}
	published, err := s.published()
	if err != nil {
		return err
	}
	var bytes int64
	for _, l := range found.list {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		key := l.ref.String()
		if published[key] {
			s.Log.Error("a record names bytes that the index of files does not have; they stay", "sha256", key)
			continue
		}
		if named, err := s.named(l.ref); err != nil || named {
			if err != nil {
				return err
			}
			continue // since the look: the next sweep forgets the note
		}
		removed, err := s.Blobs.Remove(l.ref, l.first)
		if err != nil {
			return err
		}
		if !removed {
			continue
		}
		s.Log.Info("removed bytes that no record names", "sha256", key, "size", l.size, "since", l.first)
		found.removed, bytes = found.removed+1, bytes+l.size
		if err := notes.add(key, nil); err != nil {
			return err
		}
	}
	if found.removed > 0 {
		s.Log.Info("swept", "blobs", found.removed, "bytes", bytes)
	}
	return nil
}

// note stores what came of a pass. An operator's word that was not needed, or not for all of it,
// holds until the pass after it, no longer.
func (s *Sweeper) note(ctx context.Context, now time.Time, found *sweeping) error {
	err := s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		state, err := files.SweepStateOf(tx)
		if err != nil {
			return err
		}
		state.Last, state.Blobs, state.Removed = now.UTC(), found.blobs-found.removed, found.removed
		if state.Waiting, state.WaitingBytes = 0, 0; found.remaining {
			state.Waiting, state.WaitingBytes = found.due, found.bytes
		}
		if state.Allowed == found.state.Allowed { // and not given meanwhile
			if state.Allowed = 0; found.due > int64(len(found.list)) && found.removed > 0 {
				state.Allowed = found.due - found.removed
			}
		}
		return files.SweepStates.Put(tx, files.SweepKey, &state)
	})
	if err != nil {
		return fmt.Errorf("cannot note what was swept: %w", err)
	}
	return nil
}

// SweepStatus tells when the sweeper looked last, what it did, and what waits for a word.
func SweepStatus(db *bucket.DB) (state record.SweepState, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		state, err = files.SweepStateOf(tx)
		return err
	})
	return state, err
}

// AllowSweep lets the sweeper remove as many blobs as it has told that it would, once.
func AllowSweep(ctx context.Context, db *bucket.DB) (state record.SweepState, err error) {
	err = db.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		if state, err = files.SweepStateOf(tx); err != nil {
			return err
		}
		state.Allowed, state.Held = state.Waiting, false
		return files.SweepStates.Put(tx, files.SweepKey, &state)
	})
	return state, err
}

// published are the blobs that the records of published files name. Those of the working
// copies name them too, and an index finds these; but what the public was shown is not
// removed because one record or one entry of an index is lost, and nothing is while one of
// the records cannot be read.
func (s *Sweeper) published() (map[string]bool, error) {
	named := map[string]bool{}
	err := s.DB.View(func(tx *bucket.Tx) error {
		for row, err := range files.PublicFiles.All(tx, nil) {
			if err != nil {
				return fmt.Errorf("cannot tell which bytes published files need: %w", err)
			}
			named[row.Record.SHA256] = true
		}
		for row, err := range files.Files.All(tx, nil) { // one that is damaged may be in no index
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
func (s *Sweeper) seen() (map[string]time.Time, error) {
	seen := map[string]time.Time{}
	err := s.DB.View(func(tx *bucket.Tx) error {
		for row, err := range files.Orphans.All(tx, nil) {
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
				err = files.Orphans.Put(tx, key, o)
			} else if err = files.Orphans.Delete(tx, key); errors.Is(err, bucket.ErrNotFound) {
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

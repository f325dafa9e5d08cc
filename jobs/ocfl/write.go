package ocfl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/record"
)

const (
	lookEvery = 10 * time.Second // how often it is looked what is due, besides after each change
	lookLeast = time.Second      // between two looks
	firstWait = 30 * time.Second // after a try that failed; each further one waits twice as long
	mostWait  = time.Hour        // at most
	failMost  = 3                // items in a row that may fail before the directory itself is taken to be ill
)

// Run writes what waits until its context ends.
func (s *Service) Run(ctx context.Context) {
	defer s.close()
	for {
		changed := s.DB.Changed()
		wait := s.look(ctx)
		if !s.pause(ctx, wait) {
			return
		}
		if wait > lookLeast {
			continue
		}
		select {
		case <-changed:
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return
		}
	}
}

// pause waits, as long as no operator says meanwhile that all is to be tried again.
func (s *Service) pause(ctx context.Context, wait time.Duration) bool {
	for end := time.Now().Add(wait); time.Until(end) > 0; {
		select {
		case <-time.After(min(time.Until(end), lookEvery)):
		case <-ctx.Done():
			return false
		}
		if f, err := Numbers(s.DB); wait > lookLeast && err == nil && f.State.Halted == "" {
			break
		}
	}
	return ctx.Err() == nil
}

// look does what there is to do, and tells how long to wait. An error is told once, until there is another one or none.
func (s *Service) look(ctx context.Context) time.Duration {
	begun := s.written.Load() + s.removed.Load()
	err := s.round(ctx)
	if ctx.Err() != nil {
		return 0
	}
	f, wrong := s.Figures()
	if n := f.Written + f.Removed - begun; n > 0 {
		s.Log.Info("the storage root of OCFL has followed", "objects", n, "waiting", f.Waiting, "failing", f.Failing)
	}
	said := ""
	if err != nil {
		said = err.Error()
	}
	if wrong != nil || said != f.State.Halted {
		if said != "" {
			s.Log.Error("cannot write the storage root of OCFL", "dir", s.Dir, "error", said)
		}
		if err := setState(ctx, s.DB, func(state *record.PreservationState) { state.Halted = said }); err != nil && ctx.Err() == nil {
			s.Log.Error("cannot note why the storage root of OCFL is not written", "error", err)
		}
	}
	if err == nil {
		s.failures = 0
		return lookLeast
	}
	s.close() // it is tested again before the next try
	s.failures++
	return backoff(s.failures)
}

func (s *Service) close() {
	if s.root != nil {
		_ = s.root.Close()
		s.root = nil
	}
}

// backoff is how long to wait after some tries that failed.
func backoff(tries int) time.Duration { return min(firstWait<<min(max(tries-1, 0), 20), mostWait) }

// round looks at what changed, and writes what is due.
func (s *Service) round(ctx context.Context) error {
	state := record.PreservationState{}
	err := s.DB.View(func(tx *bucket.Tx) (err error) {
		state, err = exchange.Preservation(tx)
		return err
	})
	if err != nil {
		return err
	}
	if state.Dir != s.Dir {
		s.close() // what was open may be a directory that is gone
	}
	if err := s.prepare(); err != nil {
		s.failed.Add(1)
		return err
	}
	if state.Dir != s.Dir {
		err = s.takeAll(ctx)
	}
	if err == nil {
		err = s.follow(ctx)
	}
	if err != nil {
		return err
	}
	return s.drain(ctx)
}

// drain writes what is due until nothing is, one item after the other.
func (s *Service) drain(ctx context.Context) error {
	for last, failed := (bucket.Pair{}), 0; ctx.Err() == nil; {
		item, p, err := s.next(last)
		if err != nil || p == nil {
			return err
		}
		last = item
		if err = s.advance(); err == nil {
			err = s.item(ctx, item)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			failed = 0
		} else {
			failed++
			s.failed.Add(1)
			s.Log.Error("cannot write an object of OCFL", "item", name(item), "error", err)
		}
		if wrong := s.done(ctx, item, p, err); wrong != nil {
			return wrong
		}
		if err != nil { // is it still the directory that it was?
			s.close()
			if err := s.prepare(); err != nil {
				return err
			}
		}
		if failed == failMost {
			return err
		}
	}
	return ctx.Err()
}

func name(item bucket.Pair) string { return fmt.Sprintf("%s %d", kinds[item.A], item.B) }

// next is the first item behind one that is due, nil for none.
func (s *Service) next(last bucket.Pair) (item bucket.Pair, p *record.Preservation, err error) {
	err = s.DB.View(func(tx *bucket.Tx) error {
		for row, err := range exchange.Preservations.From(tx, bucket.Pair{A: last.A, B: last.B + 1}) {
			if err != nil {
				return err
			}
			if !row.Record.Due.After(tx.Latest()) {
				item, p = row.Key, row.Record
				return nil
			}
		}
		return nil
	})
	return item, p, err
}

// done forgets an item whose object is what it is, unless it changed meanwhile, or says when the next try is due.
func (s *Service) done(ctx context.Context, item bucket.Pair, before *record.Preservation, failed error) error {
	return s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		p, err := exchange.Preservations.Get(tx, item)
		switch {
		case errors.Is(err, bucket.ErrNotFound):
			return nil
		case err != nil:
			return err
		case failed != nil:
			p.Tries, p.Error = p.Tries+1, failed.Error()
			p.Due = tx.Now().Add(backoff(p.Tries))
			return exchange.Preservations.Put(tx, item, p)
		case p.Turn != before.Turn:
			return nil
		}
		return exchange.Preservations.Delete(tx, item)
	})
}

package jobs

import (
	"context"
	"sync"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"
)

// Requests that operators look up later are stored about once a second: those that were refused
// (401, 403, 429), those by the token of an administrator, and those that changed something. They
// stay for some weeks, because they tell addresses of people.
const (
	accessesEvery = time.Second
	accessesMost  = 20_000 // that wait; what comes to more is only counted
	refusedMost   = 20     // refusals of an address and minute that are stored one by one
	refusedFrom   = 10_000 // addresses whose refusals are told apart in a minute
	accessesBatch = 2000   // of one commit
)

// accessLog is what waits to be stored. Its methods are safe for concurrent use.
type accessLog struct {
	mu      sync.Mutex
	waiting map[int64]record.Access
	minute  int64 // that refused is of
	refused map[string]*refusals
	dropped int64 // that found no place, ever
}

// refusals are those of an address in a minute.
type refusals struct {
	stored int
	number int64         // of the last one that was not stored by itself
	more   record.Access // the last one, with how many
}

func newAccessLog() *accessLog {
	return &accessLog{waiting: map[int64]record.Access{}, refused: map[string]*refusals{}}
}

// NoteAccess takes a request to be stored. A bounded one is a refusal of a caller that may send any
// number of them.
func (j *Jobs) NoteAccess(number int64, e record.Access, bounded bool, caller string) {
	j.accesses.note(number, e, bounded, caller)
}

// note takes a request to be stored. Of the refusals of one caller in a minute only the first are
// stored one by one.
func (s *accessLog) note(number int64, e record.Access, bounded bool, caller string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bounded {
		if minute := e.At.Unix() / 60; minute != s.minute {
			s.closeMinute()
			s.minute = minute
		}
		r := s.refused[caller]
		if r == nil {
			if len(s.refused) >= refusedFrom {
				caller, e.Address = "", "" // all others together
				r = s.refused[caller]
			}
			if r == nil {
				r = &refusals{}
				s.refused[caller] = r
			}
		}
		if r.stored >= refusedMost {
			e.Count = r.more.Count + 1
			r.number, r.more = number, e
			return
		}
		r.stored++
	}
	s.put(number, e)
}

func (s *accessLog) put(number int64, e record.Access) {
	if len(s.waiting) >= accessesMost {
		s.dropped += int64(e.Count)
		return
	}
	s.waiting[number] = e
}

// closeMinute passes on what was only counted, so that no refusal is missing from the sum.
func (s *accessLog) closeMinute() {
	for _, r := range s.refused {
		if r.more.Count > 0 {
			s.put(r.number, r.more)
		}
	}
	clear(s.refused)
}

// take takes some of what waits. last says that nothing comes after it.
func (s *accessLog) take(now time.Time, last bool) map[int64]record.Access {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last || now.Unix()/60 != s.minute {
		s.closeMinute()
	}
	if len(s.waiting) <= accessesBatch {
		all := s.waiting
		s.waiting = map[int64]record.Access{}
		return all
	}
	some := map[int64]record.Access{}
	for number, e := range s.waiting {
		if len(some) == accessesBatch {
			break
		}
		some[number] = e
		delete(s.waiting, number)
	}
	return some
}

// back puts back what could not be stored, as far as there is room.
func (s *accessLog) back(batch map[int64]record.Access) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for number, e := range batch {
		s.put(number, e)
	}
}

// storeAccesses stores requests about once a second until its context ends, and what is left then.
func (j *Jobs) storeAccesses(ctx context.Context) {
	tick := time.NewTicker(accessesEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			j.flushAccesses(false)
		case <-ctx.Done():
		}
	}
	j.flushAccesses(true)
}

func (j *Jobs) flushAccesses(last bool) {
	for {
		batch := j.accesses.take(time.Now(), last)
		if len(batch) == 0 {
			return
		}
		err := j.DB.Update(bucket.Frees(context.Background()), 0, func(tx *bucket.Tx) error {
			for number, e := range batch {
				e.At = tx.Now().Add(-time.Since(e.At)) // by the clock of the store, which is guarded
				if err := users.Accesses.Put(tx, number, &e); err != nil {
					return err
				}
			}
			return pruneAccesses(tx, tx.Now().Add(-j.Limits.AccessesKeep))
		})
		if err != nil { // the disk may be full: they are kept in memory for a while
			j.accesses.back(batch)
			j.Log.Error("cannot store who was refused", "error", err)
			return
		}
	}
}

// pruneAccesses removes some of the requests that are older than they are kept.
func pruneAccesses(tx *bucket.Tx, before time.Time) error {
	var old []int64
	for row, err := range users.Accesses.All(tx, nil) {
		if err != nil {
			return err
		}
		if !row.Record.At.Before(before) || len(old) == 2*accessesBatch {
			break
		}
		old = append(old, row.Key)
	}
	for _, number := range old {
		if err := users.Accesses.Delete(tx, number); err != nil {
			return err
		}
	}
	return nil
}

package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"alcove/cli/fetch"
	"alcove/cli/operate"
	"alcove/record"
)

// mirrorTask asks for a round in which all mirrors are read, or how far one is.
type mirrorTask struct {
	Round int64 `json:"round"` // 0 to begin one
}

// mirrorReport tells how far a round is.
type mirrorReport struct {
	Round   int64           `json:"round"` // its number since the start, of those in which all mirrors are read
	Over    bool            `json:"over"`
	Mirrors int             `json:"mirrors"` // that are to be read
	Read    int             `json:"read"`    // of them
	Loaded  int             `json:"loaded"`  // items that are new, or have something new
	Already int             `json:"already"` // items in which nothing has changed
	Bytes   int64           `json:"bytes"`   // of files that were transferred
	Failed  []record.Mirror `json:"failed"`
	Problem string          `json:"problem"` // for which it ended early
}

// mirrorJob reads mirrors again, one after another: of a server those that are due, and all when it is asked to. The store
// has when each was read last, so that the job goes on after a restart where it was.
type mirrorJob struct {
	s     *Server
	every atomic.Int64 // nanoseconds after which a mirror is due, 0 for never
	wake  chan struct{}

	halt    context.CancelFunc // nil before start
	running sync.WaitGroup

	mu    sync.Mutex
	asked int64 // number of the round that was asked for last
	now   mirrorReport
	last  mirrorReport // of the last round in which all were read
}

func newMirrorJob(s *Server) *mirrorJob { return &mirrorJob{s: s, wake: make(chan struct{}, 1)} }

// mirrorLook is how often is looked for mirrors that are due.
const mirrorLook = time.Minute

// start reads mirrors that are due until stop.
func (j *mirrorJob) start() {
	ctx, cancel := context.WithCancel(context.Background())
	j.halt = cancel
	j.running.Go(func() {
		for ctx.Err() == nil {
			j.round(ctx)
			wait := mirrorLook
			if every := time.Duration(j.every.Load()); every > 0 {
				wait = min(wait, every)
			}
			select {
			case <-time.After(wait):
			case <-j.wake:
			case <-ctx.Done():
			}
		}
	})
}

func (j *mirrorJob) stop() {
	if j.halt != nil {
		j.halt()
	}
	j.running.Wait()
}

// setEvery sets how long a look at a mirror counts.
func (j *mirrorJob) setEvery(d time.Duration) {
	j.every.Store(int64(d))
	j.soon()
}

// soon has the job look at once which mirrors are due.
func (j *mirrorJob) soon() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// do asks for a round, or tells how far one is.
func (t mirrorTask) do(j *mirrorJob) mirrorReport {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t.Round == 0 {
		// One that runs may have read already what has changed since.
		j.asked = max(j.asked, j.last.Round, j.now.Round) + 1
		j.soon()
		return mirrorReport{Round: j.asked}
	}
	switch {
	case j.last.Round >= t.Round:
		return j.last
	case j.now.Round >= t.Round:
		return j.now
	}
	return mirrorReport{} // it has not begun, and j.now is of the one before
}

// note changes what is told of the round.
func (j *mirrorJob) note(change func(*mirrorReport)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(&j.now)
}

// round reads the mirrors that are due, or all where that was asked for.
func (j *mirrorJob) round(ctx context.Context) {
	j.mu.Lock()
	all := j.asked > j.last.Round
	j.now = mirrorReport{Failed: []record.Mirror{}}
	if all {
		j.now.Round = j.asked
	}
	j.mu.Unlock()
	err := j.readAll(ctx, all)
	if err != nil && ctx.Err() == nil {
		j.s.log.Error("cannot read the mirrors", "error", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.now.Over = true; err != nil {
		j.now.Problem = err.Error()
	}
	if all {
		j.last = j.now
	}
}

// readAll reads what round says. The error is not about a mirror; a panic becomes one.
func (j *mirrorJob) readAll(ctx context.Context, all bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			j.s.log.Error("panic in the background", "work", "mirrors", "panic", p)
		}
	}()
	list, err := operate.ListMirrors(j.s.db)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(m record.Mirror) bool { return !all && !j.due(m) })
	if j.note(func(r *mirrorReport) { r.Mirrors = len(list) }); len(list) == 0 {
		return nil
	}
	// Those that were read longest ago come first, so that a server that is often restarted comes to all of them.
	slices.SortStableFunc(list, func(a, b record.Mirror) int { return a.Tried.Compare(b.Tried) })
	if l := j.s.loading; l != nil {
		if err := l.enter(ctx, func() {}); err != nil {
			return err
		}
		defer l.leave()
	}
	notes, err := fetch.OpenNotes(j.s.Config.Data)
	if err != nil {
		return err
	}
	round := &mirrorRound{job: j, notes: notes, servers: map[mirrorTrust]*servers{}}
	defer round.close()
	for _, m := range list {
		failure, err := round.read(ctx, m)
		if ctx.Err() != nil || err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		if m.Failure = failure; failure != "" {
			j.s.log.Warn("a mirror is not fresh", "address", m.Address, "reason", failure)
		}
		j.note(func(r *mirrorReport) {
			if r.Read++; failure != "" {
				r.Failed = append(r.Failed, m)
			}
		})
	}
	round.whole = len(j.now.Failed) == 0
	j.s.log.Info("mirrors were read", "mirrors", len(list), "failed", len(j.now.Failed), "loaded", j.now.Loaded, "bytes", j.now.Bytes)
	return nil
}

// mirrorFigures are the metrics of the mirrors.
func (s *Server) mirrorFigures(t *exposition) error {
	f, err := s.api.MirrorFigures()
	if err != nil {
		return err
	}
	t.family("alcove_mirrors", "gauge", "Items of other servers that are kept fresh, as alcove mirror list has them.")
	t.sample(float64(f.All))
	t.family("alcove_mirrors_failing", "gauge", "Those of which the last look failed.")
	t.sample(float64(f.Failing))
	return nil
}

// due reports whether a mirror is to be read now. A time in the future is that of a clock that was wrong, and counts for
// nothing.
func (j *mirrorJob) due(m record.Mirror) bool {
	every, since := time.Duration(j.every.Load()), j.s.db.Time().Sub(m.Tried)
	return every > 0 && (since < 0 || since >= every)
}

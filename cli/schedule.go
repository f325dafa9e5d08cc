package cli

import (
	"context"
	"sync"
	"time"

	"alcove/check"
)

// schedule is the goroutine that begins full checks.
type schedule struct {
	stop    context.CancelFunc // nil before it was started
	running sync.WaitGroup
}

func (s *Server) newChecker() *check.Checker {
	return check.New(check.Options{
		Dir: s.Config.Data, DB: s.db, Blobs: s.blobs, Index: s.index, Log: s.log, Repair: s.api.Jobs.Repair,
		Every: s.Config.CheckEvery, Rate: s.Config.CheckRate, OCFL: s.Config.OCFLDir,
	})
}

// checkFigures are the metrics of checks.
func (s *Server) checkFigures(t *exposition) {
	r := s.checker.Report()
	last, success := time.Time{}, time.Time{}
	if r.Ended != nil && r.State == check.Done {
		last = *r.Ended
	}
	if r.LastSuccess != nil {
		success = *r.LastSuccess
	}
	t.family("alcove_check_last_success_seconds", "gauge", "End of the last full check that left no problem, in Unix seconds, 0 for none.")
	t.sample(seconds(success))
	t.family("alcove_check_last_seconds", "gauge", "End of the last check when none runs, in Unix seconds, 0 for none.")
	t.sample(seconds(last))
	t.family("alcove_check_problems", "gauge", "Problems that the last check has found and left, or the one that runs until now.")
	t.sample(float64(r.Left()))
	t.family("alcove_check_running", "gauge", "1 while a check runs.")
	t.sample(truth(r.State == check.Running))
}

// startChecks begins full checks when they are due, until stopChecks.
func (s *Server) startChecks() {
	ctx, cancel := context.WithCancel(context.Background())
	s.checks.stop = cancel
	s.checks.running.Go(func() { s.checker.Schedule(ctx) })
}

// stopChecks ends the check that runs, which goes on after the next start.
func (s *Server) stopChecks() {
	if s.checks.stop != nil {
		s.checks.stop()
	}
	s.checker.Stop()
	s.checks.running.Wait()
}

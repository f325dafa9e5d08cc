package jobs

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
)

// A panic in the work behind the API is logged as an error, and the work begins again; the rest
// goes on, and all of it ends with Close (security.md N06).
func TestThreatBackgroundPanic(t *testing.T) {
	var told atomic.Int32
	j := New(Options{Log: slog.New(counter{slog.DiscardHandler, &told})})
	again, other := make(chan struct{}), make(chan struct{})
	runs := 0
	j.background("work that fails", func(ctx context.Context) {
		if runs++; runs == 1 {
			panic("it failed")
		}
		close(again)
		<-ctx.Done()
	})
	j.background("other work", func(ctx context.Context) {
		<-again
		close(other)
	})
	<-again
	<-other
	j.Close()
	if told.Load() != 1 || runs != 2 {
		t.Errorf("%d errors were logged of %d runs", told.Load(), runs)
	}
}

// Work that had no turn before all ends, as on a busy machine, still stores what waits.
func TestBackgroundBegunLate(t *testing.T) {
	j := New(Options{Log: slog.New(slog.DiscardHandler)})
	j.stop()
	stored := false
	j.background("work without a turn", func(ctx context.Context) {
		<-ctx.Done()
		stored = true
	})
	j.Close()
	if !stored {
		t.Error("the work never ran")
	}
}

// counter counts errors.
type counter struct {
	slog.Handler
	n *atomic.Int32
}

func (c counter) Enabled(context.Context, slog.Level) bool { return true }

func (c counter) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelError {
		c.n.Add(1)
	}
	return nil
}

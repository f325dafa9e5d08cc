package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// results are the samples of all rounds by the name of the measure.
type results struct {
	names   []string // in the order of the table
	samples map[string][]sample
	most    int64 // bytes of Alcove's RssAnon while it was only read, the most that was seen
	after   int64 // at the end
}

func (r *results) values(name string, of func(sample) float64) []float64 {
	var out []float64
	for _, s := range r.samples[name] {
		out = append(out, of(s))
	}
	return out
}

// A ratio is of one of these.
func rps(s sample) float64 { return s.rps }
func cpu(s sample) float64 { return s.cpu }
func p50(s sample) float64 { return s.p50 }
func p99(s sample) float64 { return s.p99 }

// rounds runs every measure for a time d in every round, so that what disturbs the
// machine for a while disturbs all of them.
func rounds(ctx context.Context, n int, d time.Duration, reads, writes []measure, watched *alcove) (*results, error) {
	r := &results{samples: map[string][]sample{}}
	for round := range n {
		begin := time.Now()
		if err := quiet(ctx, watched.server); err != nil { // the last round has written
			return nil, err
		}
		for i, m := range append(reads[:len(reads):len(reads)], writes...) {
			s, err := m.run(ctx, d)
			if err != nil {
				return nil, fmt.Errorf("cannot measure %q: %w", m.name, err)
			}
			if round == 0 {
				r.names = append(r.names, m.name)
			}
			r.samples[m.name] = append(r.samples[m.name], s)
			if r.after, err = rssAnon(watched.pid()); err != nil {
				return nil, err
			}
			if i < len(reads) {
				r.most = max(r.most, r.after)
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d: %v\n", round+1, n, time.Since(begin).Round(time.Second))
	}
	return r, nil
}

// quiet waits until a server has no background work, such as bringing its index up to date; half
// a minute at most.
func quiet(ctx context.Context, s *server) error { return idle(ctx, s, 30*time.Second) }

// idle is quiet for at most a time d.
func idle(ctx context.Context, s *server, d time.Duration) error {
	before, err := cpuTime(s.pid())
	for deadline := time.Now().Add(d); time.Now().Before(deadline); {
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(300 * time.Millisecond):
		}
		var now time.Duration
		if now, err = cpuTime(s.pid()); err == nil && now-before <= tick {
			return nil
		}
		before = now
	}
	return err
}

package main

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// bench is one run:
//
//	dir/alcove      the program, unless another was named
//	dir/server.log  what it said, over all its starts
//	dir/data        the server's data directory, or
//	dir/image       a file system, mounted at dir/mnt with the data directory in it
type bench struct {
	settings
	dir   string
	bin   string
	began time.Time
	total tally
	notes []string // what else the report tells
}

// store is a server with its oracle.
type store struct {
	srv *server
	o   *oracle
	r   *rand.Rand // for the moments of harm

	whole  bool // the index must be of use after the next start
	polite bool // the server was asked to end: it answers all that it does
}

func keys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// fresh makes a store with people in an empty data directory. Its server does not run.
func (b *bench) fresh(ctx context.Context, data string) (*store, error) {
	srv, err := newServer(b.bin, data, filepath.Join(b.dir, "server.log"))
	if err != nil {
		return nil, err
	}
	if b.plant != "" {
		srv.Env = []string{"TORTURE_PLANT=" + b.plant}
	}
	tokens, err := srv.people(ctx, b.writers)
	if err != nil {
		return nil, err
	}
	seed := b.seed + uint64(b.total.Cycles)
	return &store{srv: srv, o: newOracle(seed, tokens, data), r: rand.New(rand.NewPCG(seed, 7))}, nil
}

// leave ends the server of a store and adds up its tally.
func (b *bench) leave(st *store) {
	if st == nil {
		return
	}
	st.srv.Kill()
	b.gather(st)
}

// gather moves the tally of a store to that of the run, and tells what was found wrong.
func (b *bench) gather(st *store) {
	o := st.o
	for _, text := range o.wrongs {
		fmt.Println(text)
	}
	if len(o.wrongs) > 0 {
		fmt.Printf("the end of the server's log:\n%s\n", st.srv.Tail())
	}
	t, n := &b.total, o.tally
	t.Cycles += n.Cycles
	t.Acked += n.Acked
	t.Doubt += n.Doubt
	t.Done += n.Done
	t.Refused += n.Refused
	t.Verified += n.Verified
	t.Lost += n.Lost
	t.Half += n.Half
	t.Wrong += n.Wrong
	t.Slowest = max(t.Slowest, n.Slowest)
	o.tally, o.wrongs = tally{}, nil
}

// span is how long the next load lasts.
func (b *bench) span(r *rand.Rand) time.Duration {
	return b.atLeast + time.Duration(r.Int64N(int64(b.atMost-b.atLeast)+1))
}

// under loads the server, which must be ready, does harm after a while, and returns when
// all writers have ended: harm must end the server, or be the end of what is wanted.
func (st *store) under(ctx context.Context, d time.Duration, harm func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var loading sync.WaitGroup
	loading.Go(func() { st.o.load(ctx, st.srv.Base()) })
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	err := harm()
	cancel()
	loading.Wait()
	return err
}

// again starts the server after harm was done, verifies what it has and checks its data.
// The server runs on. Something wrong is errBad.
func (b *bench) again(ctx context.Context, st *store) error {
	if err := st.srv.Start(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		st.o.cycle = max(st.o.cycle, 1)
		st.o.found(lost, nil, "%v", err)
		return b.judge(st)
	}
	st.o.count(func(t *tally) { t.Slowest = max(t.Slowest, st.srv.Ready()) })
	return b.verify(ctx, st)
}

// verify is again of a server that runs.
func (b *bench) verify(ctx context.Context, st *store) error {
	st.o.broken.Store(false)
	clear(st.o.allowed)
	n := st.o.tally.Cycles + 1
	st.o.verify(st.srv.Base(), n%25 == 0 || n == b.cycles)
	if st.srv.Ended() {
		st.o.found(wrong, nil, "the server has ended by itself: %v", st.srv.Err())
		return b.judge(st)
	}
	if why := st.srv.check(ctx); why != "" && ctx.Err() == nil {
		st.o.found(wrong, nil, "alcove check finds: %s", why)
	}
	for _, it := range st.o.done {
		if st.polite {
			st.o.found(wrong, it, "a write was done and not answered by a server that was asked to end")
		}
	}
	st.o.done = nil
	if st.whole {
		if why := st.srv.harmed(ctx); why != "" && ctx.Err() == nil {
			st.o.found(wrong, nil, "%s", why)
		}
	}
	return b.judge(st)
}

// judge ends a cycle.
func (b *bench) judge(st *store) error {
	bad := st.o.tally.bad() > 0
	st.o.count(func(t *tally) { t.Cycles++ })
	b.gather(st)
	if b.total.Cycles%10 == 0 || bad {
		fmt.Println(b.total.line())
	}
	if bad {
		return errBad
	}
	return nil
}

func (t tally) line() string {
	return fmt.Sprintf("%d cycles: %d acknowledged, %d in doubt (%d of them done), %d refused, %d items verified, %d lost, %d half done, %d wrong; ready in %d ms at most",
		t.Cycles, t.Acked, t.Doubt, t.Done, t.Refused, t.Verified, t.Lost, t.Half, t.Wrong, t.Slowest.Milliseconds())
}

// report tells what came of the run.
func (b *bench) report() {
	for _, n := range b.notes {
		fmt.Println(n)
	}
	fmt.Printf("%s %s: %s, in %s\n", b.mode, b.setup(), b.total.line(), time.Since(b.began).Round(100*time.Millisecond))
	if b.plant != "" && b.total.bad() > 0 {
		fmt.Printf("the planted bug %s was found after %d cycles\n", b.plant, b.total.Cycles)
	}
}

// setup is what the mode ran on.
func (b *bench) setup() string {
	if !mounts[b.mode] {
		return "-"
	}
	return strings.TrimSuffix(b.system+","+b.options, ",")
}

// empty removes a data directory, for the next store.
func empty(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("cannot remove the last store: %w", err)
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// runKill kills the server at random moments: under load, in a start, and while it builds an
// index (security.md F18).
func runKill(ctx context.Context, b *bench) error {
	data := filepath.Join(b.dir, "data")
	var st *store
	defer func() { b.leave(st) }()
	for n := 0; n < b.cycles && ctx.Err() == nil; n++ {
		if n%b.renew == 0 {
			b.leave(st)
			if err := empty(data); err != nil {
				return err
			}
			var err error
			if st, err = b.fresh(ctx, data); err != nil {
				return err
			}
			if err := st.srv.Start(ctx); err != nil {
				return err
			}
		}
		err := st.under(ctx, b.span(st.r), func() error {
			st.o.broken.Store(true)
			st.srv.Kill()
			return nil
		})
		if err != nil {
			return err
		}
		started, err := st.breakStarts(func() error { st.srv.Kill(); return nil })
		if err != nil {
			return err
		}
		// A kill leaves all that was written to the index, and that must never be anything
		// that the store does not have. One that was being made may be of no use.
		st.whole = !started
		if err := b.again(ctx, st); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// breakStarts now and then starts the server and ends it at once, by what end does to it,
// sometimes without an index, which it builds again then.
func (st *store) breakStarts(end func() error) (started bool, err error) {
	for st.r.IntN(4) == 0 {
		if st.r.IntN(2) == 0 {
			if err := os.RemoveAll(filepath.Join(st.srv.Data, "index")); err != nil {
				return started, fmt.Errorf("cannot remove the index: %w", err)
			}
		}
		if err := st.srv.Launch(); err != nil {
			return started, err
		}
		time.Sleep(time.Duration(st.r.IntN(200)) * time.Millisecond)
		if err := end(); err != nil {
			return started, err
		}
		started = true
	}
	return started, nil
}

// runFirst kills the very first start of an empty directory, again and again, and then looks that
// a store comes of it all the same (security.md K23).
func runFirst(ctx context.Context, b *bench) error {
	for n := 0; n < b.cycles && ctx.Err() == nil; n++ {
		if err := b.first(ctx, filepath.Join(b.dir, fmt.Sprintf("first%d", n))); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (b *bench) first(ctx context.Context, data string) error {
	srv, err := newServer(b.bin, data, filepath.Join(b.dir, "server.log"))
	if err != nil {
		return err
	}
	st := &store{srv: srv, o: newOracle(b.seed+uint64(b.total.Cycles), nil, data)}
	r := newOracle(b.seed+uint64(b.total.Cycles), []string{""}, data).writers[0].r
	for range 1 + r.IntN(3) {
		if err := srv.Launch(); err != nil {
			return err
		}
		time.Sleep(time.Duration(r.IntN(60_000)) * time.Microsecond)
		srv.Kill()
	}
	tokens, err := srv.people(ctx, b.writers)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		st.o.found(lost, nil, "after kills in the first start: %v", err)
		return b.judge(st)
	}
	st.o = newOracle(b.seed+uint64(b.total.Cycles), tokens, data)
	defer b.leave(st)
	if err := srv.Start(ctx); err != nil {
		st.o.found(lost, nil, "after kills in the first start: %v", err)
		return b.judge(st)
	}
	err = st.under(ctx, 50*time.Millisecond, func() error {
		st.o.broken.Store(true)
		srv.Kill()
		return nil
	})
	if err != nil {
		return err
	}
	if err := b.again(ctx, st); err != nil {
		return err
	}
	srv.Kill()
	return empty(data)
}

// runTerm stops the server by SIGTERM under load: it ends with 0, and what it acknowledged is
// there (security.md K22).
func runTerm(ctx context.Context, b *bench) error {
	st, err := b.fresh(ctx, filepath.Join(b.dir, "data"))
	if err != nil {
		return err
	}
	defer func() { b.leave(st) }()
	st.polite = true
	slowest := time.Duration(0)
	for n := 0; n < b.cycles && ctx.Err() == nil; n++ {
		if n == 0 {
			if err := st.srv.Start(ctx); err != nil {
				return err
			}
		}
		err := st.under(ctx, b.span(st.r), func() error {
			asked := time.Now()
			if err := st.srv.Stop(); err != nil {
				st.o.found(wrong, nil, "after SIGTERM under load: %v", err)
			}
			slowest = max(slowest, time.Since(asked))
			return nil
		})
		if err != nil {
			return err
		}
		if err := b.again(ctx, st); err != nil {
			return err
		}
	}
	b.notes = append(b.notes, fmt.Sprintf("stopped within %d ms of SIGTERM at most", slowest.Milliseconds()))
	return ctx.Err()
}

// runRewind puts the database back to what it was before the load: the oracle must see
// that what was acknowledged since is lost, or it proves nothing.
func runRewind(ctx context.Context, b *bench) error {
	st, err := b.fresh(ctx, filepath.Join(b.dir, "data"))
	if err != nil {
		return err
	}
	defer func() { b.leave(st) }()
	database := filepath.Join(st.srv.Data, "alcove.db")
	for range b.cycles {
		before, err := os.ReadFile(database)
		if err != nil {
			return fmt.Errorf("cannot keep the database: %w", err)
		}
		if err := st.srv.Start(ctx); err != nil {
			return err
		}
		err = st.under(ctx, b.span(st.r), func() error {
			st.o.broken.Store(true)
			st.srv.Kill()
			return nil
		})
		if err != nil {
			return err
		}
		if err := os.WriteFile(database, before, 0o600); err != nil {
			return fmt.Errorf("cannot put the database back: %w", err)
		}
		if err := b.again(ctx, st); err != nil {
			return err
		}
		st.srv.Kill()
	}
	return ctx.Err()
}

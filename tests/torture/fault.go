package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// injection is a fault of the disk that strace makes of the n-th call.
type injection struct {
	calls string // as strace names them
	fault string // errno
}

// injections are the faults of the mode eio, one after another for each n.
var injections = []injection{
	{"fsync,fdatasync", "EIO"},
	{"pwrite64", "EIO"},
	{"rename,renameat,renameat2", "EIO"},
	{"pwrite64", "ENOSPC"},
	{"rename,renameat,renameat2", "ENOSPC"},
}

// sweep is after how many n the mode eio begins again.
const sweep = 200

// hitTime bounds how long a load goes on until the n-th call has come.
const hitTime = 12 * time.Second

// endTime bounds how long the server may take to end after a commit that failed: it lets
// requests under way end.
const endTime = 12 * time.Second

// hits counts what came of one injection.
type hits struct{ tried, hit, inStart, ended int }

// runEIO makes the n-th call of a kind fail, for n from 1 or -from on, under load (security.md
// K05, K06). One cycle is one n with one of the injections. The calls are counted in each thread,
// from the start of the server on, so it runs Go code on one thread at a time.
func runEIO(ctx context.Context, b *bench) error {
	data := filepath.Join(b.dir, "data")
	var st *store
	defer func() { b.leave(st) }()
	counts := map[injection]*hits{}
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
			st.srv.Env = append(st.srv.Env, "GOMAXPROCS=1")
		}
		in := injections[n%len(injections)]
		if counts[in] == nil {
			counts[in] = &hits{}
		}
		if err := b.inject(ctx, st, in, (n/len(injections)+b.from-1)%sweep+1, counts[in]); err != nil {
			return err
		}
	}
	for _, in := range injections {
		if c := counts[in]; c != nil {
			b.notes = append(b.notes, fmt.Sprintf("%s at %s: the n-th call came in %d of %d runs (in %d of them before the server was ready), and the server ended in %d",
				in.fault, in.calls, c.hit, c.tried, c.inStart, c.ended))
		}
	}
	return ctx.Err()
}

// inject runs the server with one fault under load, and then without it.
func (b *bench) inject(ctx context.Context, st *store, in injection, n int, c *hits) error {
	trace := filepath.Join(b.dir, "strace.log")
	if err := os.RemoveAll(trace); err != nil {
		return fmt.Errorf("cannot remove the last trace: %w", err)
	}
	c.tried++
	st.srv.Kill() // the one that was verified last
	st.srv.Wrap = []string{"strace", "-f", "-qq", "-y", "--seccomp-bpf", "-o", trace, "-e", "trace=" + in.calls,
		"-e", fmt.Sprintf("inject=%s:error=%s:when=%d", in.calls, in.fault, n)}
	st.o.broken.Store(true)
	err := st.srv.Start(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	started := err == nil
	if _, hit := injected(trace); !started && !hit {
		return err
	}
	if started {
		if _, hit := injected(trace); hit {
			c.inStart++
		}
		begun := time.Now()
		err := st.under(ctx, b.span(st.r), func() error {
			for _, hit := injected(trace); !hit && !st.srv.Ended() && time.Since(begun) < hitTime && ctx.Err() == nil; _, hit = injected(trace) {
				time.Sleep(10 * time.Millisecond)
			}
			return nil
		})
		if err != nil {
			return err
		}
	} else {
		c.inStart++
	}
	call, hit := injected(trace)
	if hit {
		c.hit++
	}
	b.mustEnd(st, call, c)
	st.srv.Kill()
	st.srv.Wrap = nil
	return b.again(ctx, st)
}

// injected is the first call that was made to fail.
func injected(trace string) (call string, hit bool) {
	text, err := os.ReadFile(trace)
	if err != nil {
		return "", false
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.Contains(line, "(INJECTED)") {
			return line, true
		}
	}
	return "", false
}

// mustEnd looks that the server ends by itself, and not with 0, once a call on its database
// has failed, and says why.
func (b *bench) mustEnd(st *store, call string, c *hits) {
	if strings.Contains(call, "/alcove.db>") {
		select {
		case <-st.srv.Gone():
		case <-time.After(endTime):
			st.o.found(wrong, nil, "the server goes on after %s", call)
			return
		}
	}
	if !st.srv.Ended() {
		return
	}
	c.ended++
	if st.srv.Err() == nil {
		st.o.found(wrong, nil, "the server ended with 0 after %s", call)
	}
	if said := st.srv.Tail(); !strings.Contains(said, "level=ERROR") && !strings.Contains(said, "alcove serve: ") {
		st.o.found(wrong, nil, "the server ended without a word after %s", call)
	}
}

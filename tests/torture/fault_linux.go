package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const mib = 1 << 20

// levels is how many fill levels the mode diskfull has: between 0 and 60 MiB are left.
const levels = 40

// floors are what the server leaves free, in turn: nothing, so that it meets the end of the disk
// itself, a little, and what it leaves by default.
var floors = []string{"0", "2MiB", "16MiB", "64MiB"}

// spaceTime bounds how long the server may take to write again once there is space.
const spaceTime = 20 * time.Second

// runDiskFull fills a small file system to levels that differ, under load (security.md K07, K26,
// I15: the log lies on it, too). Writes are refused with 507 and nothing else, reading and
// deleting go on, and once there is space everything goes on without a restart.
func runDiskFull(ctx context.Context, b *bench) (err error) {
	d := b.disk()
	d.size = 400 * mib // xfs takes no less than 300
	var st *store
	defer func() {
		b.leave(st)
		err = errors.Join(err, d.unmount())
	}()
	refused := 0
	for n := 0; n < b.cycles && ctx.Err() == nil; n++ {
		if n%min(b.renew, 10) == 0 {
			b.leave(st)
			st = nil
			if err := d.make(); err != nil {
				return err
			}
			if st, err = b.fresh(ctx, filepath.Join(d.mnt, "data")); err != nil {
				return err
			}
			st.srv.Log = filepath.Join(d.mnt, "server.log")
		}
		before := b.total.Refused
		if err := b.fillUp(ctx, st, d, n); err != nil {
			return err
		}
		if b.total.Refused > before {
			refused++
		}
	}
	b.notes = append(b.notes, fmt.Sprintf("writes were refused in %d of %d fillings", refused, b.total.Cycles))
	return ctx.Err()
}

// fillUp is one filling.
func (b *bench) fillUp(ctx context.Context, st *store, d *disk, n int) error {
	left := int64(n%levels) * 60 * mib / (levels - 1)
	st.srv.Args = []string{"--disk-floor", floors[n%len(floors)], "--disk-reserve", "1MiB", "--log-level", "info"}
	if err := st.srv.Start(ctx); err != nil {
		return err
	}
	defer st.srv.Kill()
	filler := filepath.Join(d.mnt, "filler")
	defer os.Remove(filler)
	// Half of the load goes on while there is space, so that some of it is under way.
	err := st.under(ctx, b.span(st.r), func() error {
		st.o.allowed[http.StatusInsufficientStorage] = true
		st.o.allowed[http.StatusBadRequest] = true // a file that cannot be moved now is not ready to be published
		if err := fill(d.mnt, filler, left); err != nil {
			return err
		}
		select {
		case <-time.After(b.span(st.r) + b.atMost):
		case <-ctx.Done():
		}
		return nil
	})
	if err != nil {
		return err
	}
	if st.srv.Ended() {
		st.o.found(wrong, nil, "the server ended with %d bytes left on the disk: %v", left, st.srv.Err())
		return b.judge(st)
	}
	clear(st.o.allowed)
	st.readsAndDeletes()
	if err := os.Remove(filler); err != nil {
		return fmt.Errorf("cannot remove the filler: %w", err)
	}
	st.writesAgain(ctx)
	return b.verify(ctx, st)
}

// fill makes a file that leaves so many bytes of the file system, those for root included.
func fill(mnt, path string, left int64) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("cannot fill the disk: %w", err)
	}
	defer f.Close()
	size := int64(0)
	for step := int64(64 * mib); step >= 4096; {
		var s unix.Statfs_t
		if err := unix.Statfs(mnt, &s); err != nil {
			return fmt.Errorf("cannot tell what is free: %w", err)
		}
		more := int64(s.Bfree)*s.Frsize - left
		if more < 4096 {
			return nil
		}
		step = min(step, more)
		if err := unix.Fallocate(int(f.Fd()), 0, size, step); errors.Is(err, unix.ENOSPC) {
			step /= 2 // what is left is in pieces, or kept back
			continue
		} else if err != nil {
			return fmt.Errorf("cannot fill the disk: %w", err)
		}
		size += step
	}
	return nil
}

// readsAndDeletes checks that every account can read its items and delete some of them.
func (st *store) readsAndDeletes() {
	transport := newTransport()
	defer transport.CloseIdleConnections()
	for _, w := range st.o.writers {
		w.c = &client{st.srv.Base(), w.token, transport}
		deleted := 0
		for _, it := range w.items {
			if it.id == 0 || it.doubt != nil || it.now.Gone {
				continue
			}
			var d seen
			if err := w.c.get(it.path(""), &d); err != nil {
				st.o.found(wrong, it, "it cannot be read on a full disk: %v", err)
			}
			if deleted < 3 && it.now.Version == 0 && it.now.Held == nil && !it.unclear {
				w.remove(it)
				deleted++
			}
		}
	}
}

// writesAgain waits until a write is taken again, and is found.
func (st *store) writesAgain(ctx context.Context) {
	transport := newTransport()
	defer transport.CloseIdleConnections()
	w := st.o.writers[0]
	w.c = &client{st.srv.Base(), w.token, transport}
	st.o.allowed[http.StatusInsufficientStorage] = true
	defer clear(st.o.allowed)
	for deadline := time.Now().Add(spaceTime); ctx.Err() == nil; {
		had := len(w.items)
		w.create(articles)
		if len(w.items) > had {
			return
		}
		if time.Now().After(deadline) {
			st.o.found(wrong, nil, "nothing is stored %s after there was space again", spaceTime)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

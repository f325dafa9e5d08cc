package handlers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"alcove/blobs/archive"
	"alcove/handlers/endpoint"
	"alcove/record"
)

func TestPlansAreBounded(t *testing.T) {
	laidOut := func(files int) *archiveLayout {
		layout, err := archive.New(make([]archive.Entry, files), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		return &archiveLayout{archive: &endpoint.Archive{Plan: layout}}
	}
	k := endpoint.Cache[archiveKey, *archiveLayout]{Most: archiveCacheBytes}
	find := func(position uint64, key archiveKey) *archiveLayout {
		p, _ := k.Find(position, key)
		return p
	}
	keep := func(position uint64, key archiveKey, p *archiveLayout) { k.Keep(position, key, p, p.bytes()) }
	small := laidOut(50_000)
	for i := range int64(20) {
		key := archiveKey{article: i}
		keep(7, key, small)
		keep(7, key, small)
		if find(7, key) != small || k.Cost > archiveCacheBytes || k.Cost < len(k.Values)*small.bytes() {
			t.Fatalf("after %d: %d plans, %d bytes", i, len(k.Values), k.Cost)
		}
	}
	last := archiveKey{article: 19}
	if keep(7, archiveKey{article: 99}, laidOut(600_000)); find(7, archiveKey{article: 99}) != nil || find(7, last) == nil {
		t.Error("one that is too large is kept")
	}
	if find(8, last) != nil || find(6, last) != nil {
		t.Error("found after a commit")
	}
	if keep(6, archiveKey{article: 98}, small); find(6, archiveKey{article: 98}) != nil || find(7, last) == nil {
		t.Error("what was read before takes the place of what was read later")
	}
	if keep(8, archiveKey{article: 98}, small); find(8, last) != nil || len(k.Values) != 1 {
		t.Error("kept over a commit")
	}
}

// A few large archives are laid out at a time; others wait, for a bounded time, and a caller that goes does not.
func TestLayoutsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time passes only where all wait
		gone, leave := context.WithCancel(context.Background())
		leave()
		a, c := &API{layouts: make(chan struct{}, layoutsAtOnce)}, &endpoint.Call{Context: gone}
		var turns []func()
		for range layoutsAtOnce {
			a.layouts <- struct{}{}
			turns = append(turns, func() { <-a.layouts })
		}
		began := time.Now()
		if _, err := a.layOut(c, largeArchive+1); !errors.Is(err, record.ErrUnavailable) || time.Since(began) != 0 {
			t.Errorf("one too many, of a caller that has gone: %v after %s", err, time.Since(began))
		}
		if done, err := a.layOut(c, largeArchive); err != nil {
			t.Errorf("a small one: %v", err)
		} else {
			done()
		}
		c.Context = t.Context()
		if _, err := a.layOut(c, largeArchive+1); !errors.Is(err, record.ErrUnavailable) || time.Since(began) != layoutWait {
			t.Errorf("one too many: %v after %s", err, time.Since(began))
		}
		time.AfterFunc(10*time.Millisecond, turns[0])
		done, err := a.layOut(c, largeArchive+1)
		if err != nil {
			t.Fatalf("after a turn ended: %v", err)
		}
		if done(); len(a.layouts) != layoutsAtOnce-1 {
			t.Errorf("%d turns are taken", len(a.layouts))
		}
	})
}

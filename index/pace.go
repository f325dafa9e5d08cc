package index

import (
	"context"
	"fmt"
	"time"

	api "github.com/blevesearch/bleve_index_api"
)

// A batch costs about as much again as its documents when these are few, and what it leaves
// on the disk is merged sooner. So a change waits for others to go with, but never when
// a search waits for it: one that is not up to date wakes the feeding goroutine.
const (
	// patience is how long a change waits at most.
	patience = 500 * time.Millisecond
	// plenty is how many changes are not waited with: a search would wait longer for them
	// than it saves.
	plenty = 1000
)

// linger waits, while an index is up to date but for a few changes, until there are enough
// of them, the first has waited long enough, or a search wakes it.
func (sd *subindex) linger() {
	left := sd.left()
	if left == 0 || left >= plenty {
		return
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	for sd.left() < plenty {
		changed := sd.db.Changed()
		if sd.left() >= plenty {
			return
		}
		select {
		case <-changed:
		case <-sd.wake:
			return
		case <-late.C:
			return
		case <-sd.ctx.Done():
			return
		}
	}
}

// left is how many changes are to be looked at. Before an index is complete, or while one
// is being built beside it, there is always more to do. One that has failed and goes on in
// memory, while the next one is put off, takes few batches like any other.
func (sd *subindex) left() uint64 {
	sd.mu.Lock()
	defer sd.mu.Unlock()
	putOff := sd.next == nil && time.Now().Before(sd.putOff)
	if !sd.ready || sd.building || sd.live == nil || (sd.wanted || sd.live.failed() != nil) && !putOff {
		return plenty
	}
	return sd.db.Sequence() - sd.applied
}

// batchOf is how many documents a batch for an index has at most. One that is being built,
// or is far behind, answers no search before many batches have come.
func (sd *subindex) batchOf(g *generation) int {
	if !g.complete || sd.db.Sequence() > g.at.seq+farBehind {
		return manyDocs
	}
	return maxDocs
}

// applyPaced is apply of a batch that is one of many: it returns when the batch can be
// searched and the large one before it is on the disk, so that a long backlog does not pile
// up in memory and the disk is not waited for either.
func (g *generation) applyPaced(b *api.Batch, at position, large bool) error {
	if !large || g.failed() != nil {
		return g.apply(b, at, false)
	}
	if err := g.synced(); err != nil {
		return err
	}
	persisted := make(chan error, 1)
	b.SetPersistedCallback(func(err error) { persisted <- err })
	if err := g.apply(b, at, false); err != nil {
		return err
	}
	g.unsynced, g.unsyncedAt = persisted, at.seq
	return nil
}

// synced returns when the last large batch is on the disk.
func (g *generation) synced() error {
	if g.unsynced == nil {
		return nil
	}
	late := time.NewTimer(g.timeout)
	defer late.Stop()
	var err error
	select {
	case err = <-g.unsynced:
	case <-g.broken:
		err = g.failed()
	case <-late.C:
		err = context.DeadlineExceeded
	}
	g.unsynced = nil
	if err != nil {
		err = fmt.Errorf("cannot write to the search index: %w", err)
		g.fail(err)
		return err
	}
	g.durable = max(g.durable, g.unsyncedAt)
	return nil
}

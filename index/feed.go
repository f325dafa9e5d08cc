package index

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"alcove/bucket"
	api "github.com/blevesearch/bleve_index_api"
)

const (
	// saveEvery is how many changes that touch nothing public may pass before the
	// position is written for them alone.
	saveEvery = 20000
	// waitFrom is how many documents make a batch worth waiting for until it is on the
	// disk, so that a long backlog does not pile up in memory.
	waitFrom = 20
	// chunk is how many articles a rebuild adds before it looks at new changes.
	chunk = 200

	firstPause = time.Second
	longPause  = time.Minute
)

// feed is the one goroutine that writes to indexes. It ends after Close.
func (ix *Index) feed() {
	defer close(ix.done)
	defer ix.finish()
	pause := time.Duration(0)
	for ix.ctx.Err() == nil {
		changed := ix.db.Changed()
		more, err := ix.step()
		switch {
		case err != nil:
			ix.log.Error("the search index does not follow the store", "error", err)
			ix.mu.Lock()
			ix.problem = err
			ix.mu.Unlock()
			pause = min(max(2*pause, firstPause), longPause)
			again := time.NewTimer(pause)
			select {
			case <-again.C:
			case <-ix.ctx.Done():
			}
			again.Stop()
		case !more:
			pause = 0
			select {
			case <-changed:
			case <-ix.wake:
			case <-ix.ctx.Done():
			}
		}
	}
}

// step does a bounded piece of work and reports whether there is more to do.
func (ix *Index) step() (more bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot feed the search index: panic: %v\n%s", p, debug.Stack())
		}
	}()
	ix.mu.Lock()
	live := ix.live
	wanted := ix.wanted
	ix.mu.Unlock()
	lost := live == nil || live.failed() != nil
	if live != nil && lost {
		live.freeze()
	}
	if (lost || wanted && live.complete) && ix.next == nil {
		ix.show(func() { ix.building = true })
		if ix.next, err = ix.create(); err != nil {
			return false, err
		}
		if live == nil {
			live, lost, ix.next = ix.next, false, nil
			ix.show(func() { ix.live = live })
		}
	}
	if !lost {
		if more, err = ix.advance(live); err != nil && live.failed() == nil {
			return false, err
		}
		if live.failed() != nil {
			return true, nil
		}
		ix.show(func() {
			ix.applied = live.at.seq
			if live.complete && !ix.ready {
				ix.ready = true
				ix.finished()
			}
		})
	}
	if ix.next == nil {
		return more, nil
	}
	busy, err := ix.advance(ix.next)
	if err != nil {
		ix.drop(ix.next)
		ix.next = nil
		return false, err
	}
	if !busy {
		ix.swap()
	}
	return true, nil
}

// show changes what other goroutines see, and wakes those who wait for it.
func (ix *Index) show(change func()) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	change()
	close(ix.moved)
	ix.moved = make(chan struct{})
}

// finished notes, under ix.mu, that an index was built.
func (ix *Index) finished() {
	ix.building, ix.wanted, ix.problem = false, false, nil
	ix.built++
}

// swap puts the index that was built in the place of the one in use.
func (ix *Index) swap() {
	old := ix.live
	ix.show(func() {
		ix.live, ix.ready, ix.applied = ix.next, true, ix.next.at.seq
		ix.finished()
	})
	ix.next = nil
	ix.drop(old)
}

func (ix *Index) drop(g *generation) {
	g.close()
	ix.discard(g.dir)
}

// advance brings an index on by one batch, and reports whether there is more to do.
func (ix *Index) advance(g *generation) (more bool, err error) {
	more, err = ix.follow(g)
	if err != nil || more || g.complete {
		return more, err
	}
	n := min(chunk, len(g.todo))
	if err := ix.write(g, g.todo[:n], g.at); err != nil {
		return false, err
	}
	g.todo = g.todo[n:]
	if len(g.todo) > 0 {
		return true, nil
	}
	b := api.NewBatch()
	b.SetInternal(keyFingerprint, []byte(ix.fingerprint))
	b.SetInternal(keyComplete, []byte{1})
	if err := g.apply(b, g.at, true); err != nil {
		return false, err
	}
	g.complete = true
	return true, nil
}

// follow applies what the change log has after the position of an index.
func (ix *Index) follow(g *generation) (more bool, err error) {
	var ids []int64
	var to position
	count := -1
	err = ix.db.View(func(tx *bucket.Tx) (err error) {
		ids, to, err = changes(tx, g.at)
		if err == nil && to == g.at && g.complete && !g.counted {
			count = len(everything(tx))
		}
		return err
	})
	if errors.Is(err, errLog) {
		g.fail(err)
	}
	if err != nil {
		return false, err
	}
	if count >= 0 {
		g.counted = true
		if n := g.documents(); n != uint64(count) {
			err := fmt.Errorf("cannot use the search index: it has %d documents for %d articles", n, count)
			g.fail(err)
			return false, err
		}
	}
	switch {
	case to == g.at:
		return false, nil
	case len(ids) > 0:
		err = ix.write(g, ids, to)
	case to.seq-g.saved >= saveEvery && g.complete:
		err = g.apply(api.NewBatch(), to, false)
	default:
		g.at = to
	}
	return err == nil, err
}

// write reads articles from the store and puts them in an index, in as many batches as
// their size asks for; only the last one carries the new position.
func (ix *Index) write(g *generation, ids []int64, to position) error {
	for len(ids) > 0 {
		var items []item
		var rest []int64
		err := ix.db.View(func(tx *bucket.Tx) (err error) {
			items, rest, err = load(tx, ids)
			return err
		})
		if err != nil {
			return err
		}
		b := api.NewBatch()
		for _, it := range items {
			if it.gone {
				b.Delete(docKey(it.id))
			} else {
				b.Update(ix.document(it))
			}
		}
		at := g.at
		if len(rest) == 0 {
			at = to
		}
		if err := g.apply(b, at, len(items) >= waitFrom || len(rest) > 0); err != nil {
			return err
		}
		ids = rest
	}
	return nil
}

// document makes the document of an article; one that cannot be made only exists.
func (ix *Index) document(it item) (d api.Document) {
	defer func() {
		if p := recover(); p != nil {
			ix.log.Error("an article cannot be searched", "article", it.id, "panic", p, "stack", string(debug.Stack()))
			it.version = nil
			d = it.doc()
		}
	}()
	return it.doc()
}

// finish writes the position and releases everything.
func (ix *Index) finish() {
	ix.mu.Lock()
	live := ix.live
	ix.mu.Unlock()
	if live != nil && live.complete && live.failed() == nil && live.at.seq != live.durable {
		// When it fails the next start reads a little more of the log.
		if err := live.apply(api.NewBatch(), live.at, true); err != nil {
			ix.log.Warn("the search index was not written to its end", "error", err)
		}
	}
	if ix.next != nil {
		ix.drop(ix.next)
	}
	if live != nil {
		live.close()
	}
	ix.show(func() { ix.closed = true })
}

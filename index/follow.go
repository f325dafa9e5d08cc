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
	// saveEvery is how many changes that touch nothing here may pass before the
	// position is written for them alone.
	saveEvery = 20000
	// waitFrom is how many documents make a batch that is waited for, at the next one,
	// until it is on the disk.
	waitFrom = 20
	// chunk is how many items a rebuild adds before it looks at new changes.
	chunk = manyDocs

	firstPause = time.Second
	longPause  = time.Minute
)

// feed is the one goroutine that writes to indexes. It ends after Close.
func (sd *subindex) feed() {
	defer close(sd.done)
	defer sd.finish()
	pause := time.Duration(0)
	behind := &lag{}
	awaited := true // a search may wait for what there is
	for sd.ctx.Err() == nil {
		if !awaited {
			sd.linger()
		}
		awaited = false
		changed := sd.db.Changed()
		more, err := sd.step()
		behind.note(sd, err == nil && !more)
		sd.stall(err)
		switch {
		case err != nil:
			sd.log.Error("the search index does not follow the store", "error", err)
			pause = longer(pause)
			again := time.NewTimer(pause)
			select {
			case <-again.C:
			case <-sd.ctx.Done():
			}
			again.Stop()
		case !more:
			pause = 0
			again := sd.again()
			select {
			case <-changed:
			case <-again.C:
				awaited = true
			case <-sd.wake:
				awaited = true
			case <-sd.ctx.Done():
			}
			again.Stop()
		}
	}
}

// longer is how long to wait after the next failure.
func longer(pause time.Duration) time.Duration { return min(max(2*pause, firstPause), longPause) }

// stall notes whether the index in use follows the store: while it does not, no search waits for it.
func (sd *subindex) stall(err error) {
	sd.mu.Lock()
	same := err == nil && sd.stuck == nil
	sd.mu.Unlock()
	if same {
		return
	}
	sd.show(func() {
		if sd.stuck = err; err != nil {
			sd.problem = err
		}
	})
}

// again is when the building of the next index that was put off is due.
func (sd *subindex) again() *time.Timer {
	if sd.next != nil || sd.putOff.IsZero() {
		return time.NewTimer(time.Hour)
	}
	return time.NewTimer(time.Until(sd.putOff))
}

// later puts the building of the next index off, as it cannot be made now. The one in use goes on.
func (sd *subindex) later(err error) {
	sd.pause = longer(sd.pause)
	sd.putOff = time.Now().Add(sd.pause)
	sd.log.Error("the search index cannot be built again yet", "error", err, "again", sd.pause)
	sd.show(func() { sd.building, sd.problem = false, err })
}

// step does a bounded piece of work and reports whether there is more to do.
func (sd *subindex) step() (more bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot feed the search index: panic: %v\n%s", p, debug.Stack())
		}
	}()
	sd.mu.Lock()
	live := sd.live
	wanted := sd.wanted
	sd.mu.Unlock()
	failed := live != nil && live.failed() != nil
	lost := live == nil || failed && !live.inMemory()
	if failed && lost {
		live.freeze(&sd.tasks)
	}
	due := lost || !time.Now().Before(sd.putOff) // where nothing follows the store nothing is put off
	if (lost || failed || wanted && live.complete) && sd.next == nil && due {
		sd.show(func() { sd.building = true })
		switch sd.next, err = sd.create(); {
		case err != nil && lost:
			return false, err
		case err != nil:
			sd.later(err)
		case live == nil:
			live, lost, sd.next = sd.next, false, nil
			sd.show(func() { sd.live = live })
		}
	}
	if !lost {
		if more, err = sd.advance(live); err != nil {
			if live.failed() == nil {
				return false, err
			}
			live.rejects = failed // once more in memory, or never
			return true, nil
		}
		sd.show(func() {
			sd.applied = live.at.seq
			if live.complete && !sd.ready && live.failed() == nil {
				sd.ready = true
				sd.finished()
			}
		})
	}
	if sd.next == nil {
		return more, nil
	}
	busy, err := sd.advance(sd.next)
	if err != nil {
		sd.drop(sd.next)
		sd.next = nil
		if lost {
			return false, err
		}
		sd.later(err)
		return more, nil
	}
	if !busy {
		sd.swap()
	}
	return true, nil
}

// show changes what other goroutines see, and wakes those who wait for it.
func (sd *subindex) show(change func()) {
	sd.mu.Lock()
	defer sd.mu.Unlock()
	change()
	close(sd.moved)
	sd.moved = make(chan struct{})
}

// finished notes, under sd.mu, that an index was built.
func (sd *subindex) finished() {
	sd.building, sd.wanted, sd.problem = false, false, nil
	sd.built++
}

// swap puts the index that was built in the place of the one in use.
func (sd *subindex) swap() {
	old := sd.live
	sd.show(func() {
		sd.live, sd.ready, sd.applied = sd.next, true, sd.next.at.seq
		sd.finished()
	})
	sd.next, sd.pause, sd.putOff = nil, 0, time.Time{}
	sd.tasks.Go(func() { sd.drop(old) }) // one that has failed may take its time
}

func (sd *subindex) drop(g *generation) {
	g.close()
	sd.discard(g.dir)
}

// advance brings an index on by one batch, and reports whether there is more to do.
func (sd *subindex) advance(g *generation) (more bool, err error) {
	more, err = sd.follow(g)
	if err != nil || more || g.complete {
		return more, err
	}
	n := min(chunk, len(g.todo))
	if err := sd.write(g, g.todo[:n], g.at); err != nil {
		return false, err
	}
	g.todo = g.todo[n:]
	sd.show(func() { sd.added += n })
	if len(g.todo) > 0 {
		return true, nil
	}
	b := api.NewBatch()
	b.SetInternal(keyFingerprint, []byte(sd.fingerprint))
	b.SetInternal(keyComplete, []byte{1})
	if err := g.apply(b, g.at, true); err != nil {
		return false, err
	}
	g.complete = true
	return true, nil
}

// follow applies what the change log has after the position of an index.
func (sd *subindex) follow(g *generation) (more bool, err error) {
	var keys []key
	var to position
	count := int64(-1)
	err = sd.db.View(func(tx *bucket.Tx) (err error) {
		keys, to, err = changes(tx, sd.kinds, g.at, sd.batchOf(g))
		if err == nil && to == g.at && g.complete && !g.counted {
			count = 0
			for _, k := range sd.kinds {
				count += k.number(tx)
			}
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
			err := fmt.Errorf("cannot use the search index: it has %d documents for %d items", n, count)
			g.fail(err)
			return false, err
		}
	}
	switch {
	case to == g.at:
		return false, nil
	case len(keys) > 0:
		err = sd.write(g, keys, to)
	case to.seq-g.saved >= saveEvery && g.complete:
		err = g.apply(api.NewBatch(), to, false)
	default:
		g.at = to
	}
	return err == nil, err
}

// write reads items from the store and puts them in an index, in as many batches as
// their size asks for; only the last one carries the new position.
func (sd *subindex) write(g *generation, keys []key, to position) error {
	for len(keys) > 0 {
		var items []item
		var rest []key
		err := sd.db.View(func(tx *bucket.Tx) (err error) {
			items, rest, err = load(tx, sd.kinds, keys, sd.batchOf(g))
			return err
		})
		if err != nil {
			return err
		}
		b := api.NewBatch()
		for _, it := range items {
			if it.gone {
				b.Delete(it.key.doc())
			} else {
				b.Update(sd.document(it))
			}
		}
		at := g.at
		if len(rest) == 0 {
			at = to
		}
		if err := g.applyPaced(b, at, len(items) >= waitFrom || len(rest) > 0); err != nil {
			return err
		}
		keys = rest
	}
	return nil
}

// document makes the document of an item; one that cannot be made only exists.
func (sd *subindex) document(it item) (d api.Document) {
	defer func() {
		if p := recover(); p != nil {
			sd.log.Error("an item cannot be searched", "kind", it.name, "id", it.id, "panic", p, "stack", string(debug.Stack()))
			it.text = nil
			d = it.doc()
		}
	}()
	return it.doc()
}

// finish writes the position and releases everything.
func (sd *subindex) finish() {
	sd.mu.Lock()
	live := sd.live
	sd.mu.Unlock()
	if live != nil && live.complete && live.failed() == nil && live.at.seq != live.durable {
		// When it fails the next start reads a little more of the log.
		if err := live.apply(api.NewBatch(), live.at, true); err != nil {
			sd.log.Warn("the search index was not written to its end", "error", err)
		}
	}
	if sd.next != nil {
		sd.drop(sd.next)
	}
	if live != nil {
		live.close()
	}
	sd.show(func() { sd.closed = true })
}

package index

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"alcove/index/segments"
	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
)

// An index that has failed goes on taking changes in memory while the next one is built
// beside it, so that searches miss nothing meanwhile. One that cannot even do that stays
// as it was for searches; one whose files cannot be read answers none, and they wait.

// ErrDamaged says that a search has met damage. The index is being built again: a search
// that asks once more, after Wait, meets none.
var ErrDamaged = errors.New("the search index is damaged")

// inMemoryTimeout bounds a batch of an index that has failed.
const inMemoryTimeout = 2 * time.Second

// persistPause is how long Bleve waits before it tries to write again what it could not:
// it would try without a pause.
const persistPause = 100 * time.Millisecond

func init() {
	// Bleve's goroutines read mapped files, which may have lost their end. Such a read is a fault,
	// and ends the process, unless the goroutine has asked for a panic, which Bleve makes
	// an error of. These events come in the goroutines that merge and write.
	scorch.RegistryEventCallbacks["alcove"] = func(scorch.Event) bool {
		debug.SetPanicOnFault(true)
		return true
	}
}

// inMemory reports whether an index that has failed can still take changes in memory.
func (g *generation) inMemory() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.complete && !g.rejects && !g.damaged && !g.stopped && !g.closed
}

// markDamaged notes that the files cannot be read.
func (g *generation) markDamaged(err error) {
	g.mu.Lock()
	g.damaged = true
	g.mu.Unlock()
	g.fail(err)
}

// readable reports whether searches can read an index.
func (g *generation) readable() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return !g.damaged && !g.closed && (g.frozen != nil || !g.stopped)
}

// reader gives the index in use, and a view of it as it is now, which the caller closes.
func (sd *subindex) reader() (*generation, api.IndexReader, error) {
	for {
		sd.mu.Lock()
		g := sd.live
		sd.mu.Unlock()
		if g == nil {
			return nil, nil, ErrUnavailable
		}
		if g.readable() {
			if r, err := g.reader(); err == nil {
				return g, r, nil
			}
		}
		sd.mu.Lock()
		same := sd.live == g
		sd.mu.Unlock()
		if same { // otherwise the next one has taken its place meanwhile
			return nil, nil, ErrUnavailable
		}
	}
}

// suspect is called when a search fails, and gives the error of the search. If the files
// are damaged, that is ErrDamaged, and the index is built again; if not, the fault is in
// the query or in us, and building would not help. The files of an index are read at most
// once a minute.
func (sd *subindex) suspect(g *generation, cause error) error {
	sd.log.Error("a search failed", "error", cause)
	g.checking.Lock()
	defer g.checking.Unlock()
	if !g.readable() {
		return fmt.Errorf("%w: %w", cause, ErrDamaged)
	}
	if time.Since(g.checked) < time.Minute {
		return cause
	}
	g.checked = time.Now()
	paths, err := g.segments()
	if err != nil {
		return cause
	}
	if err := segments.VerifyAll(sd.ctx, paths); err != nil && !errors.Is(err, context.Canceled) {
		sd.foundDamaged(g, err)
		return fmt.Errorf("%w: %w", cause, ErrDamaged)
	}
	return cause
}

// foundDamaged notes that the files of an index cannot be read.
func (sd *subindex) foundDamaged(g *generation, err error) {
	sd.show(func() { sd.ready = sd.ready && sd.live != g })
	g.markDamaged(err)
}

// Expected is how long it will take, probably, until all items of a scope can be found: 0
// when they can. Changes that the index has not taken in yet do not count (see Wait).
func (ix *Index) Expected(s Scope) time.Duration {
	if s.kind == nil {
		return 0
	}
	sd := ix.subindex(s)
	sd.mu.Lock()
	defer sd.mu.Unlock()
	if sd.ready && sd.live != nil && sd.live.readable() {
		return 0
	}
	left := time.Duration(max(sd.adding-sd.added, 1))
	if sd.added < chunk { // nothing is known yet
		return left * time.Millisecond
	}
	return left * time.Since(sd.began) / time.Duration(sd.added)
}

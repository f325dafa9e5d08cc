package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

// matchTimeout bounds one search, whatever its caller allows.
const matchTimeout = 10 * time.Second

// ErrUnavailable is returned while there is nothing to search in: no index could be
// opened or made yet, or the Index was closed.
var ErrUnavailable = errors.New("search is not available")

// Matches are the items that a query found.
type Matches struct{ ids []int64 }

// Contains reports whether an item is among the matches.
func (m Matches) Contains(id int64) bool {
	_, ok := slices.BinarySearch(m.ids, id)
	return ok
}

// Len is how many items match.
func (m Matches) Len() int { return len(m.ids) }

// IDs are the ids of the items, ascending. The caller must not change them.
func (m Matches) IDs() []int64 { return m.ids }

// Match finds all items of a scope that a query describes, as of the last change that
// the index has seen (see Wait). While a first index is being built it finds those of
// the items that are in it already; Status tells. It does not authorise: the caller
// says for whom it asks, and reads the items in a way that checks who they belong to.
//
// A limited number of searches run at a time; others wait for their turn or the end of
// ctx. A search takes at most ten seconds.
func (ix *Index) Match(ctx context.Context, s Scope, q Query) (Matches, error) {
	if q.root == nil || s.kind == nil {
		return Matches{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, matchTimeout)
	defer cancel()
	select {
	case ix.turns <- struct{}{}:
		defer func() { <-ix.turns }()
	case <-ctx.Done():
		return Matches{}, fmt.Errorf("cannot search: %w", ctx.Err())
	}
	return ix.side(s).match(ctx, s, q)
}

func (sd *side) match(ctx context.Context, s Scope, q Query) (Matches, error) {
	sd.mu.Lock()
	g := sd.live
	sd.mu.Unlock()
	if g == nil {
		return Matches{}, ErrUnavailable
	}
	m, err := g.match(ctx, s, q)
	if err != nil && !errors.Is(err, ErrUnavailable) && ctx.Err() == nil {
		sd.suspect(g, err)
	}
	return m, err
}

func (g *generation) match(ctx context.Context, s Scope, q Query) (m Matches, err error) {
	r, err := g.reader()
	if err != nil {
		return Matches{}, err
	}
	defer r.Close()
	// A file that lost its end under us is a fault in mapped memory.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			m, err = Matches{}, fmt.Errorf("cannot search: panic: %v\n%s", p, debug.Stack())
		}
	}()
	e := &evaluation{ctx: ctx, reader: r}
	if err := e.enter(s); err != nil {
		return Matches{}, fmt.Errorf("cannot search: %w", err)
	}
	docs, err := e.eval(q.root)
	if err != nil {
		return Matches{}, fmt.Errorf("cannot search: %w", err)
	}
	return e.matches(docs, s.kind.id)
}

// matches turns document numbers into the ids of items of a kind.
func (e *evaluation) matches(docs set, kind byte) (Matches, error) {
	ids := make([]int64, 0, docs.len())
	for n := range docs.all {
		key, err := e.reader.ExternalID(docNumber(n))
		if err != nil {
			return Matches{}, fmt.Errorf("cannot search: %w", err)
		}
		if len(key) != 9 || key[0] != kind {
			return Matches{}, fmt.Errorf("cannot search: document %d has the key %q", n, key)
		}
		ids = append(ids, int64(binary.BigEndian.Uint64([]byte(key[1:]))))
		if err := e.step(); err != nil {
			return Matches{}, fmt.Errorf("cannot search: %w", err)
		}
	}
	slices.Sort(ids)
	return Matches{ids}, nil
}

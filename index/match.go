package index

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// matchTimeout bounds one search, whatever its caller allows.
const matchTimeout = 10 * time.Second

// ErrUnavailable is returned while there is nothing to search in: no index could be
// opened or made yet, or the Index was closed.
var ErrUnavailable = errors.New("search is not available")

// Match finds all items of a scope that a query describes, as of the last change that
// the index has seen (see Wait). While a first index is being built it finds those of
// the items that are in it already; Status tells. It does not authorise: the caller
// says for whom it asks, and reads the items in a way that checks who they belong to.
// The caller closes what it gets.
//
// It costs about the same however many items there are and match, except that a phrase
// costs a look at every item that has all its words. A limited number of searches run at
// a time; others wait for their turn or the end of ctx. A search takes at most ten
// seconds.
func (ix *Index) Match(ctx context.Context, s Scope, q Query) (*Matches, error) {
	if q.root == nil || s.kind == nil {
		return &Matches{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, matchTimeout)
	defer cancel()
	select {
	case ix.turns <- struct{}{}:
		defer func() { <-ix.turns }()
	case <-ctx.Done():
		return nil, fmt.Errorf("cannot search: %w", ctx.Err())
	}
	return ix.side(s).match(ctx, s, q)
}

func (sd *side) match(ctx context.Context, s Scope, q Query) (*Matches, error) {
	sd.mu.Lock()
	g := sd.live
	sd.mu.Unlock()
	if g == nil {
		return nil, ErrUnavailable
	}
	m, err := g.match(ctx, s, q)
	if err != nil {
		if !errors.Is(err, ErrUnavailable) && ctx.Err() == nil {
			sd.suspect(g, err)
		}
		return nil, err
	}
	m.broken = func(err error) { sd.suspect(g, err) }
	return m, nil
}

func (g *generation) match(ctx context.Context, s Scope, q Query) (*Matches, error) {
	r, err := g.reader()
	if err != nil {
		return nil, err
	}
	snapshot, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		r.Close()
		return nil, fmt.Errorf("cannot search in a %T", r)
	}
	m := &Matches{snapshot: snapshot, kind: s.kind.id}
	err = guarded(func() error {
		for _, segment := range snapshot.Segments() {
			docs, err := evaluate(ctx, segment, s, q.root)
			if err != nil {
				return err
			}
			m.add(segment, docs)
		}
		return nil
	})
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("cannot search: %w", err)
	}
	return m, nil
}

// guarded runs what reads segments. A file that lost its end under us is a fault in
// mapped memory, and a damaged one can make Bleve panic: both are errors.
func guarded(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return read()
}

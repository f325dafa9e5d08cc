package index

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// matchTimeout bounds one search from Match to Close, whatever its caller allows.
const matchTimeout = 5 * time.Second

// ErrUnavailable is returned while there is nothing to search in: no index could be
// opened or made yet, or the Index was closed.
var ErrUnavailable = errors.New("search is not available")

// Match finds the items of a scope that a query describes, as of the last change that
// the index has seen (see Wait). While a first index is being built it finds those of
// the items that are in it already; Status tells. It does not authorise: the caller
// says for whom it asks, and reads the items in a way that checks who they belong to.
// The caller closes what it gets, in the time of a search: it takes at most five seconds,
// and what is asked of Matches after that, or after the end of ctx, fails.
//
// It costs about the same however many items there are and match. A limited number of
// searches run at a time, until they are closed; others wait for their turn or the end of
// ctx.
func (ix *Index) Match(ctx context.Context, s Scope, q Query) (*Matches, error) {
	if q.root == nil || s.kind == nil {
		return &Matches{asked: true}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, matchTimeout)
	select {
	case ix.turns <- struct{}{}:
	case <-ctx.Done():
		defer cancel()
		return nil, fmt.Errorf("cannot search: %w", ctx.Err())
	}
	release := func() {
		cancel()
		<-ix.turns
	}
	m, err := ix.side(s).match(ctx, s, q)
	if err != nil {
		release()
		return nil, err
	}
	m.release = release
	return m, nil
}

func (sd *side) match(ctx context.Context, s Scope, q Query) (*Matches, error) {
	g, r, err := sd.reader()
	if err != nil {
		return nil, err
	}
	snapshot, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		r.Close()
		return nil, fmt.Errorf("cannot search in a %T", r)
	}
	segments := g.segmentCaches.about(snapshot)
	m := &Matches{ctx: ctx, scope: s, root: q.root, snapshot: snapshot, broken: func(err error) error { return sd.suspect(g, err) }}
	m.add(segments)
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

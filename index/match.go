package index

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"alcove/index/segments"
)

// matchTimeout bounds one search from Match to Close, whatever its caller allows.
const matchTimeout = 5 * time.Second

// ErrUnavailable is returned while there is nothing to search in: no index could be
// opened or made yet, or the Index was closed.
var ErrUnavailable = errors.New("search is not available")

// Matches are the items that a query describes.
type Matches = segments.Matches

// Match finds the items of a scope that a query describes, as of the last change that
// the index has seen (see Wait). While a first index is being built it finds those of
// the items that are in it already; Status tells. It does not authorise: the caller
// says for which account it asks, and reads the items in a way that checks who they belong to.
// The caller closes what it gets, in the time of a search: it takes at most five seconds,
// and what is asked of Matches after that, or after the end of ctx, fails.
//
// It costs about the same however many items there are and match. A limited number of
// searches run at a time, until they are closed; others wait for their turn or the end of
// ctx.
func (ix *Index) Match(ctx context.Context, s Scope, q Query) (*Matches, error) {
	if q.root == nil || s.kind == nil {
		return segments.Nothing(), nil
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
	m, err := ix.subindex(s).match(ctx, s, q)
	if err != nil {
		release()
		return nil, err
	}
	m.OnClose(release)
	return m, nil
}

func (sd *subindex) match(ctx context.Context, s Scope, q Query) (*Matches, error) {
	g, r, err := sd.reader()
	if err != nil {
		return nil, err
	}
	in := segments.Scope{Kind: s.kind.id, Narrow: q.narrow}
	if s.kind != anyKind {
		in.Values = []segments.Value{{Field: fKind, Text: s.kind.name}}
	}
	if s.private {
		in.Values = append(in.Values, segments.Value{Field: fAccount, Text: strconv.FormatInt(s.account, 10)})
	}
	m, err := segments.Find(ctx, r, in, q.root, func(err error) error { return sd.suspect(g, err) })
	if err == nil {
		m.CountBy(sd.tags)
	}
	return m, err
}

package handlers

import (
	"time"

	"alcove/bucket"
)

// candidateIndexes are other ways to the items of a list than the order that it asks for: the indexes of
// what its filter asks for besides. When the walk along the order meets too little, they are
// walked as far as it has come, and the first that comes to its end has all that can be on the
// page. So a page costs a few times what the shortest way costs, whichever that is.
type candidateIndexes struct {
	tx         bucket.Reader
	passes     func(bucket.Hit[int64]) (position, bool) // the place of an item in the order
	candidates []*candidate
	walked     int
	checkAt    int // how far the walk has come when the ways are followed next
	found      []position
}

// candidate is an index with all items that can pass a filter in some pieces, each of which is walked
// from the newest on.
type candidate struct {
	scan     scan
	prefixes [][]byte                // their prefixes, of those that were not walked to their end
	over     func(value []byte) bool // nothing behind in the piece can pass
	last     position                // in the first of them
	walked   int
	found    []position // that pass
}

func newCandidateIndexes(tx bucket.Reader, passes func(bucket.Hit[int64]) (position, bool)) *candidateIndexes {
	return &candidateIndexes{tx: tx, passes: passes, checkAt: minScan}
}

func (r *candidateIndexes) add(scan scan, over func(value []byte) bool, prefixes ...[]byte) {
	r.candidates = append(r.candidates, &candidate{scan: scan, prefixes: prefixes, over: over, last: first(false)})
}

// candidateIndexes are for a list that is walked along its order.
func (l *listing) candidateIndexes(tx bucket.Reader, f *filter) *candidateIndexes {
	var have bucket.Facts
	r := newCandidateIndexes(tx, func(hit bucket.Hit[int64]) (position, bool) {
		bucket.ReadFacts(&have, hit.Value)
		return position{id: uint64(hit.Key)}, f.passes(&have) // its place may ask for counts
	})
	if order := l.orders["modified_date"]; order != nil && f.order != "modified_date" && !f.modifiedSince.IsZero() {
		r.add(order, modifiedBefore(f.modifiedSince), nil)
	}
	if order := l.orders["published_date"]; order != nil && !f.byPublished() && !f.publishedSince.IsZero() {
		r.add(order, publishedBefore(f.publishedSince), nil)
	}
	taken := l.pickPrefixIndex(f)
	for i, n := range l.prefixIndexes {
		if asked := n.value(f); asked != nil && i != taken {
			r.add(n.scan, publishedBefore(f.publishedSince), bucket.SortKey(*asked))
		}
	}
	return r
}

func modifiedBefore(since time.Time) func([]byte) bool {
	return func(value []byte) bool { return !since.IsZero() && bucket.IndexedFacts(value).Modified.Before(since) }
}

func publishedBefore(since time.Time) func([]byte) bool {
	return func(value []byte) bool { return !since.IsZero() && bucket.IndexedFacts(value).Published.Before(since) }
}

// exceeded notes an item that was walked past, and reports whether another way has come to its end:
// its items are found then.
func (r *candidateIndexes) exceeded(int) bool {
	if r.walked++; r.walked < r.checkAt {
		return false
	}
	r.checkAt += r.checkAt / 2
	for _, w := range r.candidates {
		if r.advance(w) {
			r.found = w.found
			return true
		}
	}
	return false
}

// follow walks a way on until it is as long as the walk along the order, and reports whether that
// was its end.
func (r *candidateIndexes) advance(w *candidate) bool {
	for len(w.prefixes) > 0 {
		if !r.advanceRange(w, w.prefixes[0]) {
			return false
		}
		w.prefixes, w.last = w.prefixes[1:], first(false)
	}
	return true
}

func (r *candidateIndexes) advanceRange(w *candidate, prefix []byte) bool {
	for hit := range w.scan(r.tx, prefix, key(prefix, w.last), false) {
		here := position{at(hit.Sort[len(prefix):]), uint64(hit.Key)}
		if here == w.last {
			continue
		}
		if w.over(hit.Value) {
			return true
		}
		w.last = here
		if place, ok := r.passes(hit); ok {
			w.found = append(w.found, place)
		}
		if w.walked++; w.walked >= r.walked {
			return false
		}
	}
	return true
}

package handlers

import (
	"time"

	"alcove/bucket"
)

// rivals are other ways to the items of a list than the order that it asks for: the indexes of
// what its filter asks for besides. When the walk along the order meets too little, they are
// walked as far as it has come, and the first that comes to its end has all that can be on the
// page. So a page costs a few times what the shortest way costs, whichever that is.
type rivals struct {
	tx     bucket.Reader
	passes func(bucket.Hit[int64]) (position, bool) // the place of an item in the order
	ways   []*way
	walked int
	look   int // how far the walk has come when the ways are followed next
	found  []position
}

// way is an index with all items that can pass a filter in one piece, walked from the newest on.
type way struct {
	along  along
	prefix []byte
	over   func(value []byte) bool // nothing behind can pass
	last   position
	walked int
	found  []position // that pass
}

func newRivals(tx bucket.Reader, passes func(bucket.Hit[int64]) (position, bool)) *rivals {
	return &rivals{tx: tx, passes: passes, look: someItems}
}

func (r *rivals) add(along along, prefix []byte, over func(value []byte) bool) {
	r.ways = append(r.ways, &way{along: along, prefix: prefix, over: over, last: first(false)})
}

// rivals are for a list that is walked along its order.
func (l *listing) rivals(tx bucket.Reader, f *filter) *rivals {
	var have bucket.Facts
	r := newRivals(tx, func(hit bucket.Hit[int64]) (position, bool) {
		bucket.ReadFacts(&have, hit.Value)
		return position{id: uint64(hit.Key)}, f.passes(&have) // its place may ask for counts
	})
	if order := l.orders["modified_date"]; order != nil && f.order != "modified_date" && !f.modifiedSince.IsZero() {
		r.add(order, nil, modifiedBefore(f.modifiedSince))
	}
	if order := l.orders["published_date"]; order != nil && !f.byPublished() && !f.publishedSince.IsZero() {
		r.add(order, nil, publishedBefore(f.publishedSince))
	}
	taken := l.narrowed(f)
	for i, n := range l.narrow {
		if asked := n.asked(f); asked != nil && i != taken {
			r.add(n.along, bucket.SortKey(*asked), publishedBefore(f.publishedSince))
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

// tooLong notes an item that was walked past, and reports whether another way has come to its end:
// its items are found then.
func (r *rivals) tooLong(int) bool {
	if r.walked++; r.walked < r.look {
		return false
	}
	r.look += r.look / 2
	for _, w := range r.ways {
		if r.follow(w) {
			r.found = w.found
			return true
		}
	}
	return false
}

// follow walks a way on until it is as long as the walk along the order, and reports whether that
// was its end.
func (r *rivals) follow(w *way) bool {
	for hit := range w.along(r.tx, w.prefix, key(w.prefix, w.last), false) {
		here := position{at(hit.Sort[len(w.prefix):]), uint64(hit.Key)}
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

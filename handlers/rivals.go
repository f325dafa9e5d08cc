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
	filter *filter
	ways   []*way
	walked int
	look   int // how far the walk has come when the ways are followed next
	found  []int64
}

// way is an index with all items that can pass a filter in one piece, walked from the newest on.
type way struct {
	along  along
	prefix []byte
	over   func(*bucket.Facts) bool // nothing behind can pass
	last   position
	walked int
	ids    []int64 // that pass
}

// rivals are for a list that is walked along its order, nil when there is no other way.
func (l *listing) rivals(tx bucket.Reader, f *filter) *rivals {
	r := &rivals{tx: tx, filter: f, look: someItems}
	add := func(along along, prefix []byte, over func(*bucket.Facts) bool) {
		r.ways = append(r.ways, &way{along: along, prefix: prefix, over: over, last: first(false)})
	}
	modified := func(have *bucket.Facts) bool { return before(have.Modified, f.modifiedSince) }
	published := func(have *bucket.Facts) bool { return before(have.Published, f.publishedSince) }
	if order := l.orders["modified_date"]; order != nil && f.order != "modified_date" && !f.modifiedSince.IsZero() {
		add(order, nil, modified)
	}
	if order := l.orders["published_date"]; order != nil && !f.byPublished() && !f.publishedSince.IsZero() {
		add(order, nil, published)
	}
	taken := l.narrowed(f)
	for i, n := range l.narrow {
		if asked := n.asked(f); asked != nil && i != taken {
			add(n.along, bucket.SortKey(*asked), published)
		}
	}
	if r.ways == nil {
		return nil
	}
	return r
}

// before is never so without a bound.
func before(t, since time.Time) bool { return !since.IsZero() && t.Before(since) }

// tooLong notes an item that was walked past, and reports whether another way has come to its end:
// its items are found then.
func (r *rivals) tooLong(int) bool {
	if r == nil {
		return false
	}
	if r.walked++; r.walked < r.look {
		return false
	}
	r.look += r.look / 2
	for _, w := range r.ways {
		if r.follow(w) {
			r.found = w.ids
			return true
		}
	}
	return false
}

// follow walks a way on until it is as long as the walk along the order, and reports whether that
// was its end.
func (r *rivals) follow(w *way) bool {
	var have bucket.Facts
	for hit := range w.along(r.tx, w.prefix, key(w.prefix, w.last), false) {
		at := position{at(hit.Sort[len(w.prefix):]), uint64(hit.Key)}
		if at == w.last {
			continue
		}
		bucket.ReadFacts(&have, hit.Value)
		if w.over(&have) {
			return true
		}
		if w.last = at; r.filter.passes(&have) {
			w.ids = append(w.ids, hit.Key)
		}
		if w.walked++; w.walked >= r.walked {
			return false
		}
	}
	return true
}

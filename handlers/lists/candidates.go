package lists

import (
	"time"

	"alcove/bucket"
	"alcove/bucket/facts"
)

// candidateIndexes are the other indexes that could answer a filter than the one that is scanned.
// When the scan has passed by too much, they are followed as far as it has come, and the first that
// comes to its end has all that can be on the page. So a page costs a few times what the index
// with the fewest entries costs, whichever that is.
type candidateIndexes struct {
	tx         bucket.Reader
	passes     func(bucket.Hit[int64]) (Position, bool) // the position of an item in the order
	candidates []*candidate
	passed     int // items that the scan has passed by
	checkAt    int // how many it will have when the candidates are followed next
	found      []Position
}

// candidate is an index with all items that can pass a filter, below some prefixes. It is followed
// from the newest on.
type candidate struct {
	order    order
	prefixes [][]byte                // that it was not followed to the end of
	over     func(value []byte) bool // nothing behind, below the prefix, can pass
	last     Position                // below the first of them
	followed int
	found    []Position // that pass
}

func newCandidateIndexes(tx bucket.Reader, passes func(bucket.Hit[int64]) (Position, bool)) *candidateIndexes {
	return &candidateIndexes{tx: tx, passes: passes, checkAt: minScan}
}

func (c *candidateIndexes) add(order order, over func(value []byte) bool, prefixes ...[]byte) {
	c.candidates = append(c.candidates, &candidate{order: order, prefixes: prefixes, over: over, last: first(false)})
}

// candidates are those of a list of public items.
func (q *PublicQuery) candidates(tx bucket.Reader) *candidateIndexes {
	var have facts.Facts
	c := newCandidateIndexes(tx, func(hit bucket.Hit[int64]) (Position, bool) {
		facts.Read(&have, hit.Value)
		return Position{ID: uint64(hit.Key)}, q.passes(&have) // its position may ask for counts
	})
	if order := q.orders["modified_date"]; order != nil && q.order != "modified_date" && !q.modifiedSince.IsZero() {
		c.add(order, modifiedBefore(q.modifiedSince), nil)
	}
	if order := q.orders["published_date"]; order != nil && !q.byPublished() && !q.publishedSince.IsZero() {
		c.add(order, publishedBefore(q.publishedSince), nil)
	}
	taken := q.prefixIndex()
	for i := range q.prefixIndexes {
		p := &q.prefixIndexes[i]
		if asked := p.value(q.Filter); asked != nil && p != taken {
			c.add(p.order, publishedBefore(q.publishedSince), bucket.SortKey(*asked))
		}
	}
	return c
}

func modifiedBefore(since time.Time) func([]byte) bool {
	return func(value []byte) bool { return !since.IsZero() && facts.Indexed(value).Modified.Before(since) }
}

func publishedBefore(since time.Time) func([]byte) bool {
	return func(value []byte) bool { return !since.IsZero() && facts.Indexed(value).Published.Before(since) }
}

// exceeded notes an item that was passed by, and reports whether a candidate has come to its end:
// its items are found then.
func (c *candidateIndexes) exceeded() bool {
	if c.passed++; c.passed < c.checkAt {
		return false
	}
	c.checkAt += c.checkAt / 2
	for _, one := range c.candidates {
		if c.ends(one) {
			c.found = one.found
			return true
		}
	}
	return false
}

// ends follows a candidate until it has come as far as the scan, and reports whether that was its end.
func (c *candidateIndexes) ends(one *candidate) bool {
	for ; len(one.prefixes) > 0; one.prefixes, one.last = one.prefixes[1:], first(false) {
		if !c.follow(one, one.prefixes[0]) {
			return false
		}
	}
	return true
}

func (c *candidateIndexes) follow(one *candidate, prefix []byte) bool {
	for hit := range one.order(c.tx, prefix, key(prefix, one.last), false) {
		here := Position{at(hit.Sort[len(prefix):]), uint64(hit.Key)}
		if here == one.last {
			continue
		}
		if one.over(hit.Value) {
			return true
		}
		one.last = here
		if p, ok := c.passes(hit); ok {
			one.found = append(one.found, p)
		}
		if one.followed++; one.followed >= c.passed {
			return false
		}
	}
	return true
}

// ids are those of the items that were found.
func (c *candidateIndexes) ids() (ids []int64) {
	for _, p := range c.found {
		ids = append(ids, int64(p.ID))
	}
	return ids
}

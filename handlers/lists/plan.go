package lists

import (
	"encoding/binary"
	"iter"
	"slices"

	"alcove/bucket"
	"alcove/bucket/facts"
)

// Write writes the page, with the project of each item where that is wanted, and tells the
// position behind its last item. A page costs what its items cost, wherever it is: the plan begins
// at the position of the query.
func (q *PublicQuery) Write(tx bucket.Reader, out *Writer, projects bool) (last Position, err error) {
	last = q.From
	for e := range Page(q.Window, q.plan(tx).entries(tx)) {
		doc, err := q.doc(tx, bucket.Pair{A: int64(e.ID), B: e.Version})
		if err != nil {
			return last, err
		}
		if projects {
			out.addOfProject(doc, PublicProject(tx, e.Project))
		} else {
			out.Add(doc)
		}
		last = e.Position
	}
	return last, nil
}

// Entries yields the items of the query in its order, from its position on. An entry is good until
// the next.
func (q *PublicQuery) Entries(tx bucket.Reader) iter.Seq[*Entry] { return q.plan(tx).entries(tx) }

// Entry is an item in an order.
type Entry struct {
	Position
	facts.Facts
}

// plan is a way to the items of a query. It yields those that pass its filter and lie behind its
// position, in its order; it may use the same entry again.
type plan interface {
	entries(tx bucket.Reader) iter.Seq[*Entry]
}

// plan decides by which way the items of a query are found. An item can be public in a project that is
// not: of those that are in one, readers learn nothing.
func (q *PublicQuery) plan(tx bucket.Reader) plan {
	switch {
	case q.ProjectID != nil && PublicProject(tx, *q.ProjectID) == 0:
		return sort{q, nil}
	case q.identifies():
		return identifiers{q}
	case q.Matches != nil:
		return matchOrder{q}
	}
	return scan{q}
}

// scan follows an ordered index: a prefix index of the filter where there is one, otherwise that of
// the order. When it passes by too much, the other indexes that could answer the filter are followed
// as far (candidateIndexes), and the first that comes to its end has what is to be sorted.
type scan struct{ *PublicQuery }

func (s scan) entries(tx bucket.Reader) iter.Seq[*Entry] {
	var others *candidateIndexes // nil until the scan passes by an item
	passes := func(e *Entry) bool { return s.passes(&e.Facts) }
	exceeded := func(int) bool {
		if others == nil {
			others = s.candidates(tx)
		}
		return others.exceeded()
	}
	return until(s.scan(tx), passes, exceeded, func() iter.Seq[*Entry] { return sort{s.PublicQuery, others.ids()}.entries(tx) })
}

// identifiers sorts the items that have the identifiers of the filter.
type identifiers struct{ *PublicQuery }

func (i identifiers) entries(tx bucket.Reader) iter.Seq[*Entry] {
	ids := i.identified(tx)
	if i.Matches != nil {
		ids = slices.DeleteFunc(ids, func(id int64) bool { return !i.Matches.Contains(id) })
	}
	return sort{i.PublicQuery, ids}.entries(tx)
}

// matchOrder is a scan past what a search does not match, until it is cheaper to sort all
// matches.
type matchOrder struct{ *PublicQuery }

func (m matchOrder) entries(tx bucket.Reader) iter.Seq[*Entry] {
	budget := &scanBudget{ids: m.Matches, wanted: m.Skip + m.Take}
	passes := func(e *Entry) bool { return m.passes(&e.Facts) && m.Matches.Contains(int64(e.ID)) }
	return until(m.scan(tx), passes, budget.exceeded, func() iter.Seq[*Entry] { return sort{m.PublicQuery, m.Matches.IDs()}.entries(tx) })
}

// sort sorts items whose ids are known. Those that are not public any more are left out.
type sort struct {
	*PublicQuery
	ids []int64
}

func (s sort) entries(tx bucket.Reader) iter.Seq[*Entry] {
	var list []*Entry
	for _, id := range s.ids {
		have, ok := s.facts(tx, id)
		if !ok || !s.passes(&have) {
			continue
		}
		list = append(list, &Entry{Position{s.rank(&have), uint64(id)}, have})
	}
	return s.behind(list, s.From)
}

// behind yields entries that lie behind a position, sorted.
func (f *Filter) behind(list []*Entry, from Position) iter.Seq[*Entry] {
	list = slices.DeleteFunc(list, func(e *Entry) bool { return f.compare(e.Position, from) <= 0 })
	slices.SortFunc(list, func(a, b *Entry) int { return f.compare(a.Position, b.Position) })
	return slices.Values(list)
}

// until yields the items of a scan that pass, and the rest from sorted as soon as exceeded reports
// that this is cheaper. It is told how many have passed, each time when one has not.
func until[T any](scan iter.Seq[T], passes func(T) bool, exceeded func(passed int) bool, sorted func() iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		passed := 0
		for item := range scan {
			switch {
			case passes(item):
				if passed++; !yield(item) {
					return
				}
			case exceeded(passed):
				skip(passed, sorted())(yield)
				return
			}
		}
	}
}

// skip yields all but so many.
func skip[T any](n int, list iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for item := range list {
			if n--; n < 0 && !yield(item) {
				return
			}
		}
	}
}

// scan yields the items behind the position of a query, in its order, until none behind can pass.
func (q *PublicQuery) scan(tx bucket.Reader) iter.Seq[*Entry] {
	order, prefix := q.orders[q.order], []byte(nil)
	if p := q.prefixIndex(); p != nil {
		order, prefix = p.order, bucket.SortKey(*p.value(q.Filter))
	}
	return func(yield func(*Entry) bool) {
		var e Entry
		start := key(prefix, q.From)
		if since := q.since(); q.ascending && !since.IsZero() {
			if begin := append(slices.Clone(prefix), bucket.SortKey(since)...); slices.Compare(begin, start) > 0 {
				start = begin
			}
		}
		for hit := range order(tx, prefix, start, q.ascending) {
			e.Position = Position{at(hit.Sort[len(prefix):]), uint64(hit.Key)}
			facts.Read(&e.Facts, hit.Value)
			if q.over(&e.Facts) || e.Position != q.From && !yield(&e) {
				return
			}
		}
	}
}

// prefixIndex is the index of a part of the items that answers the filter, nil for none.
func (q *PublicQuery) prefixIndex() *prefixIndex {
	if q.byPublished() {
		for i := range q.prefixIndexes {
			if q.prefixIndexes[i].value(q.Filter) != nil {
				return &q.prefixIndexes[i]
			}
		}
	}
	return nil
}

// key is where a position is in an index.
func key(prefix []byte, p Position) []byte {
	b := binary.BigEndian.AppendUint64(slices.Clone(prefix), uint64(p.At)^1<<63)
	return binary.BigEndian.AppendUint64(b, p.ID)
}

// at reads the number that a sort key begins with.
func at(sort []byte) int64 { return int64(binary.BigEndian.Uint64(sort) ^ 1<<63) }

const (
	// A scan past this many items costs less than to learn how many match. It is given up
	// earlier, after some items, when it does not look as if it would fill the page.
	minScan, maxScan = 64, 600
	// loadCost is how many items can be passed by in the time in which the facts of a match
	// are read and the match is sorted: at a million items some 0.5 microseconds, and 1.5.
	loadCost = 3
)

// scanBudget is a scan past items that a search does not match.
type scanBudget struct {
	ids    IDSet
	wanted int // of the matches, for the page and what it skips
	passed int // items that do not match
	cost   int // of sorting the matches, in items passed by; 0 for not known
}

// exceeded notes an item that was passed by, and reports whether it is cheaper to sort
// the matches than to go on: when that would have been cheaper from the start, or as many
// items for each match still wanted, as there were for each that was met, cost more.
func (s *scanBudget) exceeded(met int) bool {
	s.passed++
	left := (s.wanted - met) * s.passed / (met + 1)
	if s.passed < minScan || s.passed+left < maxScan {
		return false
	}
	if s.cost == 0 {
		s.cost = max(1, loadCost*s.ids.Len())
	}
	return s.passed > s.cost || left > s.cost
}

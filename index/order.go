package index

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"

	"alcove/bucket"
)

// Order is an order by date, in which matches can be gone through.
type Order struct {
	Modified  bool // by modification, not by publication
	Ascending bool // the oldest first
	// From is where to begin: nothing before that second comes, in the order.
	From int64
	// Only what was published and modified then or later comes; 0 for no matter when.
	PublishedSince, ModifiedSince int64
	// Wanted is about how many items will be looked at.
	Wanted int
	// Facts reads an item whose dates the index does not have at hand.
	Facts func(id int64) (bucket.Facts, bool)
}

// Batch is matches of a time: no match of another batch lies in it. In it they are in no
// order.
type Batch struct {
	IDs      []int64
	from, to uint32
}

// Spans reports whether a time is that of the batch, in Unix seconds. An item that has
// another date than it had for the index may not.
func (b Batch) Spans(unix int64) bool { t := seconds(unix); return b.from <= t && t <= b.to }

// maxUndated is how many matches are looked up in the store for their dates.
const maxUndated = 1000

// InOrder yields all matches batch after batch, without looking at those behind the last
// one that was asked for: some ten nanoseconds for each match at first, and a microsecond
// for each that comes. ok is false while the dates of too many are not at hand.
func (m *Matches) InOrder(o Order) (batches iter.Seq[Batch], ok bool) {
	if m.Len() == 0 {
		return func(func(Batch) bool) {}, m.err == nil
	}
	list, ok := m.dated(o)
	if !ok || m.err != nil {
		return nil, false
	}
	return func(yield func(Batch) bool) {
		w := walkByDate{Order: o, parts: list, next: seconds(o.From), batchSize: max(64, 2*o.Wanted)}
		if !o.Ascending {
			w.flip = math.MaxUint32
		}
		w.next ^= w.flip
		for !w.over {
			var b Batch
			m.try(func() (err error) {
				b, err = w.batch(m.scope.kind.id)
				return err
			})
			if m.err != nil || !yield(b) {
				return
			}
		}
	}, true
}

// dated gives the segments with the dates of what matches in them.
func (m *Matches) dated(o Order) (list []datedPart, ok bool) {
	undated := 0
	for _, p := range m.parts {
		d := p.in.dates.Load()
		if d == nil {
			if undated += int(p.answer.most.GetCardinality()); undated > maxUndated {
				return nil, false
			}
			d = &dates{sparse: map[uint32][2]uint32{}}
			m.try(func() error { return p.lookUp(d, m.scope.kind.id, o.Facts) })
		}
		list = append(list, datedPart{p, d})
	}
	return list, true
}

// lookUp reads the dates of what may match.
func (f *found) lookUp(d *dates, kind byte, facts func(int64) (bucket.Facts, bool)) error {
	for it := f.answer.most.Iterator(); it.HasNext(); {
		doc := it.Next()
		id, err := f.idOf(doc, kind)
		if err != nil {
			return err
		}
		if have, ok := facts(id); ok {
			d.sparse[doc] = [2]uint32{seconds(have.Published.Unix()), seconds(have.Modified.Unix())}
		}
	}
	return nil
}

type datedPart struct {
	*found
	*dates
}

// walkByDate goes through matches by their ranks, which ascend: the seconds, or what is
// left of all seconds when the newest come first.
type walkByDate struct {
	Order
	parts     []datedPart
	flip      uint32
	next      uint32 // the first rank that was not looked at
	batchSize int    // how many matches the next batch should have, at least
	chosen    []candidate
	over      bool
}

// candidate is a document that may match.
type candidate struct{ rank, part, doc uint32 }

// batch gives the next matches. Where some of them turn out to be none, or to be of no
// use, the next batch is larger.
func (w *walkByDate) batch(kind byte) (b Batch, err error) {
	last, err := w.choose()
	if err != nil {
		return b, err
	}
	b.from, b.to = w.next^w.flip, last^w.flip
	if !w.Ascending {
		b.from, b.to = b.to, b.from
	}
	slices.SortFunc(w.chosen, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.doc, b.doc)) })
	for _, c := range w.chosen {
		if b.IDs, err = w.parts[c.part].appendID(b.IDs, kind, c.doc); err != nil {
			return b, err
		}
	}
	w.over, w.next, w.batchSize = last == math.MaxUint32, last+1, 4*w.batchSize
	return b, nil
}

// choose finds the documents of the next batch, and the rank that ends it.
func (w *walkByDate) choose() (last uint32, err error) {
	last, w.chosen = math.MaxUint32, w.chosen[:0]
	full := 4 * w.batchSize
	cut := func() {
		slices.SortFunc(w.chosen, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
		last = w.chosen[w.batchSize-1].rank
		w.chosen = w.chosen[:sort.Search(len(w.chosen), func(i int) bool { return w.chosen[i].rank > last })]
		full = max(4*w.batchSize, 2*len(w.chosen)) // all of a second belong together
	}
	for i, p := range w.parts {
		err := w.each(p, func(doc, rank uint32) {
			if rank > last {
				return
			}
			if w.chosen = append(w.chosen, candidate{rank, uint32(i), doc}); len(w.chosen) == full {
				cut()
			}
		})
		if err != nil {
			return 0, err
		}
	}
	if len(w.chosen) > w.batchSize {
		cut()
	}
	return last, nil
}

// each calls for all documents of a segment that may match and still are to come.
func (w *walkByDate) each(p datedPart, visit func(doc, rank uint32)) error {
	since, modified := seconds(w.PublishedSince), seconds(w.ModifiedSince)
	var batchSize [256]uint32
	for docs := p.answer.most.ManyIterator(); ; {
		n := docs.NextMany(batchSize[:])
		if n == 0 {
			return nil
		}
		if err := p.step(n); err != nil {
			return err
		}
		for _, doc := range batchSize[:n] {
			at, changed := p.at(doc)
			if at < since || changed < modified {
				continue
			}
			if w.Modified {
				at = changed
			}
			if rank := at ^ w.flip; rank >= w.next {
				visit(doc, rank)
			}
		}
	}
}

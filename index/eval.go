package index

import (
	"context"
	"fmt"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// evaluation answers one query in one segment of a snapshot. A leaf is the bitmap that
// the segment keeps of a term, and bitmaps are joined, so an answer is exact for any
// number of hits and costs about a bit a document; only phrases look at single documents.
// No score is computed: the orders of the API are by field.
type evaluation struct {
	ctx    context.Context
	of     segment.Segment
	dicts  map[string]segment.TermDictionary
	within *roaring.Bitmap // the documents of the scope
	steps  int
}

// checkEvery is how many steps pass between looks at the context.
const checkEvery = 4096

// step fails when the context has ended.
func (e *evaluation) step(n int) error {
	if e.steps += n; e.steps >= checkEvery {
		e.steps = 0
		return e.ctx.Err()
	}
	return nil
}

// evaluate gives the documents of a scope in a segment that a query describes.
func evaluate(ctx context.Context, s *scorch.SegmentSnapshot, scope Scope, n *node) (*roaring.Bitmap, error) {
	e := &evaluation{ctx: ctx, of: s.Segment(), dicts: map[string]segment.TermDictionary{}}
	if err := e.enter(scope, s.Deleted()); err != nil || e.within.IsEmpty() {
		return e.within, err
	}
	return e.eval(n)
}

// eval gives a bitmap that the caller may change.
func (e *evaluation) eval(n *node) (*roaring.Bitmap, error) {
	switch n.op {
	case opNone:
		return roaring.New(), nil
	case opAll:
		return e.within.Clone(), nil
	case opTerm:
		return e.term(n.field, n.terms[0])
	case opPhrase:
		return e.phrase(n.field, n.terms)
	case opOr:
		sum := roaring.New()
		for _, k := range n.kids {
			b, err := e.eval(k)
			if err != nil {
				return nil, err
			}
			sum.Or(b)
		}
		return sum, nil
	case opNot:
		return e.all([]*node{n})
	}
	return e.all(n.kids)
}

// all gives what is in every bitmap. Those that take away come last, so that only a query
// without any other needs all documents.
func (e *evaluation) all(kids []*node) (*roaring.Bitmap, error) {
	var sum *roaring.Bitmap
	for _, k := range kids {
		if k.op == opNot {
			continue
		}
		b, err := e.eval(k)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = b
		} else {
			sum.And(b)
		}
		if sum.IsEmpty() {
			return sum, nil
		}
	}
	if sum == nil {
		sum = e.within.Clone()
	}
	for _, k := range kids {
		if k.op != opNot {
			continue
		}
		b, err := e.eval(k.kids[0])
		if err != nil {
			return nil, err
		}
		sum.AndNot(b)
	}
	return sum, nil
}

// enter bounds the evaluation to the documents of a scope that were not deleted. Every
// leaf is cut down to them, so no query, however it is put together, tells anything of
// others.
func (e *evaluation) enter(s Scope, deleted *roaring.Bitmap) (err error) {
	if e.within, err = e.postings(fKind, s.kind.noun); err != nil {
		return err
	}
	if s.private {
		own, err := e.postings(fAccount, strconv.FormatInt(s.account, 10))
		if err != nil {
			return err
		}
		e.within = roaring.And(e.within, own)
	}
	if deleted != nil {
		e.within = roaring.AndNot(e.within, deleted)
	}
	return nil
}

// term is the documents of the scope with a value in a field.
func (e *evaluation) term(field, value string) (*roaring.Bitmap, error) {
	b, err := e.postings(field, value)
	if err != nil {
		return nil, err
	}
	return roaring.And(b, e.within), nil
}

// postings are the documents with a value in a field, deleted ones included. The caller
// must not change them: they may lie in the file.
func (e *evaluation) postings(field, value string) (*roaring.Bitmap, error) {
	list, err := e.list(field, value)
	if err != nil {
		return nil, err
	}
	b, err := documents(list.Iterator(false, false, false, nil))
	if err != nil {
		return nil, fmt.Errorf("cannot read the term %q: %w", value, err)
	}
	return b, nil
}

// list is what a segment keeps of a term.
func (e *evaluation) list(field, value string) (segment.PostingsList, error) {
	if err := e.ctx.Err(); err != nil {
		return nil, err
	}
	d := e.dicts[field]
	if d == nil {
		var err error
		if d, err = e.of.Dictionary(field); err != nil {
			return nil, fmt.Errorf("cannot read the field %s: %w", field, err)
		}
		e.dicts[field] = d
	}
	list, err := d.PostingsList([]byte(value), nil, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot read the term %q: %w", value, err)
	}
	return list, nil
}

// documents are all that an iterator would yield. One document, and none, have no bitmap
// in a segment.
func documents(it segment.PostingsIterator) (*roaring.Bitmap, error) {
	if whole, ok := it.(segment.OptimizablePostingsIterator); ok {
		if n, ok := whole.DocNum1Hit(); ok {
			return roaring.BitmapOf(uint32(n)), nil
		}
		if b := whole.ActualBitmap(); b != nil {
			return b, nil
		}
	}
	b := roaring.New()
	p, err := it.Next()
	for ; p != nil && err == nil; p, err = it.Next() {
		b.Add(uint32(p.Number()))
	}
	return b, err
}

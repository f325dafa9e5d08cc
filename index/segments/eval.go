package segments

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// evaluation answers one query in one segment of a snapshot. A leaf is the bitmap that
// the segment keeps of a term, and bitmaps are joined, so an answer is exact for any
// number of hits and costs about a bit a document; only phrases look at single documents,
// and only at those that are asked for. No score is computed: the orders of the API
// are by field.
type evaluation struct {
	ctx          context.Context
	segment      segment.Segment
	deleted      *roaring.Bitmap // documents of it that are there no more
	dictionaries map[string]segment.TermDictionary
	within       *roaring.Bitmap // the documents of the scope
	whole        bool            // they are all documents of the segment
	steps        int
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

// answer is what a part of a query has in a segment: surely these documents, and at most
// those. They are one bitmap where no phrase is left to look at. Nothing changes the
// bitmaps of an answer: they may lie in a file, or be part of another answer.
type answer struct {
	sure, most *roaring.Bitmap

	// Conditions that decide about the others, a document at a time.
	of       *Node
	children []answer
	negated  bool              // among the children of a conjunction: it takes away
	words    []*positionReader // of a phrase
	near     []placed          // that stand in one value
	asked    int               // how many documents were looked at, of a phrase or of near
	blocks   map[uint32]bool   // those whose documents all were
}

func exactly(b *roaring.Bitmap) answer { return answer{sure: b, most: b} }

func (a *answer) exact() bool { return a.sure == a.most }

// within is what of an answer lies in b.
func (a answer) within(b *roaring.Bitmap) answer {
	if a.exact() {
		return exactly(roaring.And(a.most, b))
	}
	a.sure, a.most = roaring.And(a.sure, b), roaring.And(a.most, b)
	return a
}

var nothing = roaring.New()

func (e *evaluation) eval(n *Node) (answer, error) {
	switch n.Op {
	case OpNone:
		return exactly(nothing), nil
	case OpAll:
		return exactly(e.within), nil
	case OpTerm:
		b, err := e.term(n.Field, n.Terms[0])
		return exactly(b), err
	case OpPrefix:
		b, err := e.prefix(n)
		return exactly(b), err
	case OpPhrase:
		return e.phrase(n)
	case OpNear:
		return e.near(n)
	case OpOr:
		return e.any(n)
	case OpNot:
		return e.all(n, []*Node{n})
	}
	return e.all(n, n.Children)
}

// any is what is in one answer or another.
func (e *evaluation) any(n *Node) (answer, error) {
	var sure, most joint
	children, exact := make([]answer, 0, len(n.Children)), true
	for _, k := range n.Children {
		a, err := e.eval(k)
		if err != nil {
			return a, err
		}
		if a.most.IsEmpty() {
			continue
		}
		children, exact = append(children, a), exact && a.exact()
		sure.or(a.sure)
	}
	switch {
	case len(children) == 0:
		return exactly(nothing), nil
	case len(children) == 1:
		return children[0], nil
	case exact:
		return exactly(sure.docs), nil
	}
	for _, a := range children {
		most.or(a.most)
	}
	return answer{sure: sure.docs, most: most.docs, of: n, children: children}, nil
}

// all is what is in every answer. Those that take away come last, so that only a query
// without any other needs all documents.
func (e *evaluation) all(n *Node, parts []*Node) (answer, error) {
	var sure, most joint
	children, exact := make([]answer, 0, len(parts)), true
	for _, k := range parts {
		if k.Op == OpNot {
			continue
		}
		a, err := e.eval(k)
		if err != nil {
			return a, err
		}
		children, exact = append(children, a), exact && a.exact()
		if most.and(a.most); most.docs.IsEmpty() {
			return exactly(nothing), nil
		}
	}
	if most.docs == nil {
		most.docs = e.within
	}
	for _, k := range parts {
		if k.Op != OpNot {
			continue
		}
		a, err := e.eval(k.Children[0])
		if err != nil {
			return a, err
		}
		a.negated = true
		children, exact = append(children, a), exact && a.exact()
		most.without(a.sure)
	}
	if exact {
		return exactly(most.docs), nil
	}
	sure.docs = most.docs
	for _, a := range children {
		if a.negated {
			sure.without(a.most)
		} else {
			sure.and(a.sure)
		}
	}
	return answer{sure: sure.docs, most: most.docs, of: n, children: children}, nil
}

// holds reports whether a document is in an answer. It is quick for documents that
// ascend, as positions are read.
func (e *evaluation) holds(a *answer, doc uint32) (bool, error) {
	switch {
	case a.sure.Contains(doc):
		return true, nil
	case a.exact() || !a.most.Contains(doc):
		return false, nil
	case a.words != nil || a.near != nil:
		block := doc >> blockBits
		if a.blocks[block] {
			return false, nil
		}
		if a.asked++; a.asked <= maxAsked {
			return e.stands(a, doc)
		}
		err := e.decideBlock(a, block)
		return err == nil && a.sure.Contains(doc), err
	}
	some := a.of.Op == OpOr
	for i := range a.children {
		in, err := e.holds(&a.children[i], doc)
		if err != nil {
			return false, err
		}
		if in != a.children[i].negated == some {
			return some, nil
		}
	}
	return !some, nil
}

// joint is a bitmap that grows out of others, which it leaves as they are.
type joint struct {
	docs *roaring.Bitmap // nil at the beginning
	own  bool            // docs belongs to this joint alone
}

func (j *joint) or(b *roaring.Bitmap) {
	switch {
	case j.docs == nil:
		j.docs = b
	case j.own:
		j.docs.Or(b)
	default:
		j.docs, j.own = roaring.Or(j.docs, b), true
	}
}

func (j *joint) and(b *roaring.Bitmap) {
	switch {
	case j.docs == nil:
		j.docs = b
	case j.own:
		j.docs.And(b)
	default:
		j.docs, j.own = roaring.And(j.docs, b), true
	}
}

func (j *joint) without(b *roaring.Bitmap) {
	switch {
	case b.IsEmpty():
	case j.own:
		j.docs.AndNot(b)
	default:
		j.docs, j.own = roaring.AndNot(j.docs, b), true
	}
}

// dictionary is the terms of a field, which a search opens once.
func (e *evaluation) dictionary(field string) (segment.TermDictionary, error) {
	if t := e.dictionaries[field]; t != nil {
		return t, nil
	}
	t, err := e.segment.Dictionary(field)
	if err != nil {
		return nil, fmt.Errorf("cannot read the field %s: %w", field, err)
	}
	e.dictionaries[field] = t
	return t, nil
}

// enter bounds an evaluation to the documents of a scope that were not deleted. Every
// leaf is cut down to them, so no query, however it is put together, tells anything of
// others.
func (e *evaluation) enter(s Scope) error {
	for _, v := range s.Values {
		b, err := e.postings(v.Field, v.Text)
		if err != nil {
			return err
		}
		if e.within == nil {
			e.within = b
		} else {
			e.within = roaring.And(e.within, b)
		}
	}
	if e.within == nil { // every document of a segment without values
		e.within = roaring.New()
		e.within.AddRange(0, e.segment.Count())
	}
	if e.deleted != nil {
		e.within = roaring.AndNot(e.within, e.deleted)
	}
	e.whole = e.within.GetCardinality() == e.segment.Count()
	return nil
}

// term is the documents of the scope with a value in a field.
func (e *evaluation) term(field, value string) (*roaring.Bitmap, error) {
	b, err := e.postings(field, value)
	if err != nil || e.whole || b.IsEmpty() {
		return b, err
	}
	return roaring.And(b, e.within), nil
}

// postings are the documents with a value in a field, deleted ones included. Do not
// change them: they may lie in the file.
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
	d, err := e.dictionary(field)
	if err != nil {
		return nil, err
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

// key is the key of a document's item.
func (e *evaluation) key(doc uint32) ([]byte, error) {
	key, err := e.segment.DocID(uint64(doc))
	if err != nil {
		return nil, fmt.Errorf("cannot read the key of a document: %w", err)
	}
	if len(key) != 9 {
		return nil, fmt.Errorf("document %d has the key %q", doc, key)
	}
	return key, nil
}

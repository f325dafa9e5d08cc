package index

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"
)

// evaluation answers one query in one segment of a snapshot. A leaf is the bitmap that
// the segment keeps of a term, and bitmaps are joined, so an answer is exact for any
// number of hits and costs about a bit a document; only phrases look at single documents,
// and only at those that somebody asks for. No score is computed: the orders of the API
// are by field.
type evaluation struct {
	ctx    context.Context
	in     *segmentCache
	words  dictionaries
	within *roaring.Bitmap // the documents of the scope
	whole  bool            // they are all documents of the segment
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

// answer is what a part of a query has in a segment: surely these documents, and at most
// those. They are one bitmap where no phrase is left to look at. Nobody changes the
// bitmaps of an answer: they may lie in a file, or be part of another answer.
type answer struct {
	sure, most *roaring.Bitmap

	// What decides about the others, a document at a time.
	of      *node
	kids    []answer
	negated bool              // among the kids of a conjunction: it takes away
	words   []*positionReader // of a phrase
	near    []placed          // that stand in one value
	asked   int               // how many documents were looked at, of a phrase or of near
}

func exactly(b *roaring.Bitmap) answer { return answer{sure: b, most: b} }

func (a *answer) exact() bool { return a.sure == a.most }

var nothing = roaring.New()

func (e *evaluation) eval(n *node) (answer, error) {
	switch n.op {
	case opNone:
		return exactly(nothing), nil
	case opAll:
		return exactly(e.within), nil
	case opTerm:
		b, err := e.term(n.field, n.terms[0])
		return exactly(b), err
	case opPrefix:
		b, err := e.prefix(n)
		return exactly(b), err
	case opPhrase:
		return e.phrase(n)
	case opNear:
		return e.near(n)
	case opOr:
		return e.any(n)
	case opNot:
		return e.all(n, []*node{n})
	}
	return e.all(n, n.kids)
}

// any is what is in one answer or another.
func (e *evaluation) any(n *node) (answer, error) {
	var sure, most joint
	kids, exact := make([]answer, 0, len(n.kids)), true
	for _, k := range n.kids {
		a, err := e.eval(k)
		if err != nil {
			return a, err
		}
		if a.most.IsEmpty() {
			continue
		}
		kids, exact = append(kids, a), exact && a.exact()
		sure.or(a.sure)
	}
	switch {
	case len(kids) == 0:
		return exactly(nothing), nil
	case len(kids) == 1:
		return kids[0], nil
	case exact:
		return exactly(sure.docs), nil
	}
	for _, a := range kids {
		most.or(a.most)
	}
	return answer{sure: sure.docs, most: most.docs, of: n, kids: kids}, nil
}

// all is what is in every answer. Those that take away come last, so that only a query
// without any other needs all documents.
func (e *evaluation) all(n *node, parts []*node) (answer, error) {
	var sure, most joint
	kids, exact := make([]answer, 0, len(parts)), true
	for _, k := range parts {
		if k.op == opNot {
			continue
		}
		a, err := e.eval(k)
		if err != nil {
			return a, err
		}
		kids, exact = append(kids, a), exact && a.exact()
		if most.and(a.most); most.docs.IsEmpty() {
			return exactly(nothing), nil
		}
	}
	if most.docs == nil {
		most.docs = e.within
	}
	for _, k := range parts {
		if k.op != opNot {
			continue
		}
		a, err := e.eval(k.kids[0])
		if err != nil {
			return a, err
		}
		a.negated = true
		kids, exact = append(kids, a), exact && a.exact()
		most.without(a.sure)
	}
	if exact {
		return exactly(most.docs), nil
	}
	sure.docs = most.docs
	for _, a := range kids {
		if a.negated {
			sure.without(a.most)
		} else {
			sure.and(a.sure)
		}
	}
	return answer{sure: sure.docs, most: most.docs, of: n, kids: kids}, nil
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
		if a.asked++; a.asked <= maxAsked {
			return e.stands(a, doc)
		}
		err := e.decide(a)
		return err == nil && a.sure.Contains(doc), err
	}
	some := a.of.op == opOr
	for i := range a.kids {
		in, err := e.holds(&a.kids[i], doc)
		if err != nil {
			return false, err
		}
		if in != a.kids[i].negated == some {
			return some, nil
		}
	}
	return !some, nil
}

// joint is a bitmap that grows out of others, which it leaves as they are.
type joint struct {
	docs *roaring.Bitmap // nil at the beginning
	own  bool            // docs is nobody else's
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

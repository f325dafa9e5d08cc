package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	api "github.com/blevesearch/bleve_index_api"
)

// evaluation answers one query from one snapshot. Every leaf is read to the end into a
// set and the sets are joined, so an answer is exact for any number of hits and costs a
// few nanoseconds a hit. No score is computed: the orders of the API are by field.
type evaluation struct {
	ctx    context.Context
	reader api.IndexReader
	within set // the documents of the scope
	steps  int
}

// checkEvery is how many steps pass between looks at the context.
const checkEvery = 4096

// step fails when the context has ended.
func (e *evaluation) step() error {
	if e.steps++; e.steps%checkEvery == 0 {
		return e.ctx.Err()
	}
	return nil
}

func (e *evaluation) eval(n *node) (set, error) {
	switch n.op {
	case opNone:
		return nil, nil
	case opAll:
		return slices.Clone(e.within), nil
	case opTerm:
		return e.term(n.field, n.terms[0])
	case opPhrase:
		return e.phrase(n.field, n.terms)
	case opOr:
		var sum set
		for _, k := range n.kids {
			s, err := e.eval(k)
			if err != nil {
				return nil, err
			}
			sum = sum.or(s)
		}
		return sum, nil
	case opNot:
		return e.all([]*node{n})
	}
	return e.all(n.kids)
}

// all gives what is in every set. Those that take away come last, so that only a query
// without any other needs the set of all documents.
func (e *evaluation) all(kids []*node) (set, error) {
	var sum set
	begun := false
	for _, k := range kids {
		if k.op == opNot {
			continue
		}
		s, err := e.eval(k)
		if err != nil {
			return nil, err
		}
		if begun {
			s = sum.and(s)
		}
		sum, begun = s, true
	}
	if !begun {
		sum = slices.Clone(e.within)
	}
	for _, k := range kids {
		if k.op != opNot {
			continue
		}
		s, err := e.eval(k.kids[0])
		if err != nil {
			return nil, err
		}
		sum = sum.without(s)
	}
	return sum, nil
}

// enter bounds the evaluation to the documents of a scope. Every leaf is cut down to
// them, so no query, however it is put together, tells anything of others. Before it
// nothing is found.
func (e *evaluation) enter(s Scope) (err error) {
	any := func(n uint64) (uint64, bool) { return n, true }
	if !s.private {
		e.within, err = e.postings(fKind, s.kind.noun, any)
		return err
	}
	if e.within, err = e.postings(fAccount, strconv.FormatInt(s.account, 10), any); err == nil {
		e.within, err = e.term(fKind, s.kind.noun)
	}
	return err
}

// term is the documents of the scope with a value in a field.
func (e *evaluation) term(field, value string) (set, error) {
	if e.within.len() == 0 {
		return nil, nil
	}
	return e.postings(field, value, e.within.from)
}

// postings are the documents with a value in a field that are wanted: from gives the
// first such number from another on. What is not wanted is leapt over, so that a word
// which is common elsewhere costs a small scope little.
func (e *evaluation) postings(field, value string, from func(uint64) (uint64, bool)) (set, error) {
	if err := e.ctx.Err(); err != nil {
		return nil, err
	}
	r, err := e.reader.TermFieldReader(e.ctx, []byte(value), field, false, false, false)
	if err != nil {
		return nil, fmt.Errorf("cannot read the term %q: %w", value, err)
	}
	defer r.Close()
	var s set
	var d api.TermFieldDoc
	hit, err := r.Next(&d)
	for err == nil && hit != nil {
		n := hit.ID.Value()
		next, ok := from(n)
		if !ok {
			break
		}
		if next == n {
			s.add(n)
			hit, err = r.Next(&d)
		} else {
			hit, err = r.Advance(docNumber(next), &d)
		}
		if err == nil {
			err = e.step()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the term %q: %w", value, err)
	}
	return s, nil
}

// docNumber is how Bleve writes the number of a document.
func docNumber(n uint64) api.IndexInternalID { return binary.BigEndian.AppendUint64(nil, n) }

// phrase finds the documents that have all terms, then compares positions. It is our own
// because Bleve's takes time in the square of how often a word is repeated in a text.
func (e *evaluation) phrase(field string, terms []string) (set, error) {
	var both set
	for i, t := range terms {
		if t == "" || slices.Index(terms, t) < i {
			continue
		}
		s, err := e.term(field, t)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			both = s
		} else {
			both = both.and(s)
		}
	}
	if both.len() == 0 {
		return nil, nil
	}
	readers := map[string]*positionReader{}
	for _, t := range terms {
		if t == "" || readers[t] != nil {
			continue
		}
		r, err := e.reader.TermFieldReader(e.ctx, []byte(t), field, true, false, true)
		if err != nil {
			return nil, fmt.Errorf("cannot read positions of %q: %w", t, err)
		}
		defer r.Close()
		readers[t] = &positionReader{reader: r}
	}
	var found set
	for doc := range both.all {
		ok, err := e.consecutive(doc, terms, readers)
		if err != nil {
			return nil, err
		}
		if ok {
			found.add(doc)
		}
	}
	return found, nil
}

// consecutive reports whether a document has the terms one after another.
func (e *evaluation) consecutive(doc uint64, terms []string, readers map[string]*positionReader) (bool, error) {
	for _, r := range readers {
		if err := r.read(doc); err != nil {
			return false, err
		}
		e.steps += len(r.at) // long texts count for more
	}
	if e.steps >= checkEvery {
		e.steps = 0
		if err := e.ctx.Err(); err != nil {
			return false, err
		}
	}
	starts := slices.Clone(readers[terms[0]].at)
	for i, t := range terms[1:] {
		if t == "" {
			continue
		}
		starts = follow(starts, readers[t].at, uint64(i+1))
		if len(starts) == 0 {
			return false, nil
		}
	}
	return len(starts) > 0, nil
}

// follow keeps the starts that have a position the given distance behind them. Both
// lists ascend.
func follow(starts, at []uint64, distance uint64) []uint64 {
	kept := starts[:0]
	j := 0
	for _, s := range starts {
		for j < len(at) && at[j] < s+distance {
			j++
		}
		if j < len(at) && at[j] == s+distance {
			kept = append(kept, s)
		}
	}
	return kept
}

// positionReader reads where a term stands, in ascending documents.
type positionReader struct {
	reader api.TermFieldReader
	doc    api.TermFieldDoc
	at     []uint64 // of the last document read, ascending
}

func (r *positionReader) read(doc uint64) error {
	hit, err := r.reader.Advance(docNumber(doc), &r.doc)
	if err != nil {
		return fmt.Errorf("cannot read positions: %w", err)
	}
	r.at = r.at[:0]
	if hit == nil || hit.ID.Value() != doc {
		return nil
	}
	for _, v := range hit.Vectors {
		r.at = append(r.at, v.Pos)
	}
	if !slices.IsSorted(r.at) {
		slices.Sort(r.at)
	}
	return nil
}

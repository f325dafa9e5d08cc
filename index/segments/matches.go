package segments

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// Matches are the items that a query describes, found as they are asked for: a segment of
// the snapshot answers the query when the first of its items is met, and a phrase is
// looked for in the items that are asked for. The snapshot stays readable
// until Close, whatever happens to the index; its files take room on the disk until then,
// and other searches may wait for this one, so it is not for keeping. One goroutine at a
// time may use Matches.
type Matches struct {
	ctx    context.Context
	scope  Scope
	root   *Node
	every  []*found // segments
	parts  []*found // those that may have matches, the one last met first
	n      int      // how many there are at most, once everything was asked
	asked  bool     // everything was
	sorted []int64  // once they were asked for
	listed bool

	columns *Columns        // of the index, for counting; nil where none are kept
	reader  api.IndexReader // nil when there is nothing to give back
	release func()          // when there is something to give back besides
	err     error           // the first failure
	broken  func(error) error
}

// Find finds what a query describes in a scope, as a reader sees it, which belongs to
// Matches from then on. broken makes the error of Close out of a failure to read, but not
// of the end of ctx.
func Find(ctx context.Context, r api.IndexReader, s Scope, root *Node, broken func(error) error) (*Matches, error) {
	snapshot, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		r.Close()
		return nil, fmt.Errorf("cannot search in a %T", r)
	}
	m := &Matches{ctx: ctx, scope: s, root: root, reader: r, broken: broken}
	list := make([]found, len(snapshot.Segments()))
	m.parts = make([]*found, len(list))
	for i, s := range snapshot.Segments() {
		list[i].evaluation = evaluation{ctx: ctx, segment: s.Segment(), deleted: s.Deleted(), dictionaries: map[string]segment.TermDictionary{}}
		m.parts[i] = &list[i]
	}
	m.every = slices.Clone(m.parts)
	return m, nil
}

// Nothing is what a query matches that asks for nothing.
func Nothing() *Matches { return &Matches{asked: true} }

// CountBy has the values of a field of very many counted by columns, which are kept.
func (m *Matches) CountBy(c *Columns) { m.columns = c }

// OnClose has a function called when the matches are closed.
func (m *Matches) OnClose(release func()) { m.release = release }

// Reader is what was searched, for tests. It may be read until Close.
func (m *Matches) Reader() api.IndexReader { return m.reader }

// found is what matches in one segment.
type found struct {
	evaluation
	base   answer            // of the query alone
	narrow []*roaring.Bitmap // the documents with each value of Scope.Narrow
	answer answer            // of both
	asked  bool
	list   segment.PostingsList // room for reading ids
	it     segment.PostingsIterator
}

// ask answers the query in a segment.
func (f *found) ask(s Scope, n *Node) error {
	if f.asked {
		return nil
	}
	if err := f.enter(s); err != nil {
		return err
	}
	a := exactly(nothing)
	if !f.within.IsEmpty() {
		var err error
		if a, err = f.eval(n); err != nil {
			return err
		}
	}
	f.base, f.answer = a, a
	for _, v := range s.Narrow {
		b, err := f.term(v.Field, v.Text)
		if err != nil {
			return err
		}
		f.narrow = append(f.narrow, b)
		f.answer = f.answer.within(b)
	}
	f.asked = true
	return nil
}

// askAll answers the query everywhere, and forgets the segments that have nothing.
func (m *Matches) askAll() {
	if m.asked || m.err != nil {
		return
	}
	m.try(func() error {
		n, kept := 0, make([]*found, 0, len(m.parts))
		for _, p := range m.parts {
			if err := p.ask(m.scope, m.root); err != nil {
				return err
			}
			n += int(p.answer.most.GetCardinality())
			if !p.base.most.IsEmpty() {
				kept = append(kept, p)
			}
		}
		m.n, m.parts, m.asked = n, kept, true
		return nil
	})
}

// Len is how many items match at most: with phrases there may be fewer, as many as have
// their words. The query is answered everywhere for it.
func (m *Matches) Len() int {
	m.askAll()
	return m.n
}

// Contains reports whether an item is among the matches. It costs about a microsecond
// for each segment that it has to look in, mostly one or two.
func (m *Matches) Contains(id int64) bool {
	if m.listed {
		_, ok := slices.BinarySearch(m.sorted, id)
		return ok
	}
	if len(m.parts) == 0 || m.err != nil {
		return false
	}
	return m.has(m.scope.Kind, id)
}

// has reports whether an item of a kind is among the matches.
func (m *Matches) has(kind byte, id int64) (in bool) {
	m.try(func() (err error) {
		var room [9]byte
		in, err = m.contains(binary.BigEndian.AppendUint64(append(room[:0], kind), uint64(id)))
		return err
	})
	return in
}

// contains looks for the document that an item has now: in all other segments it has
// none, or one that was deleted.
func (m *Matches) contains(key []byte) (bool, error) {
	for i, p := range m.parts {
		doc, now, err := p.look(key)
		if err != nil {
			return false, err
		}
		if !now {
			continue
		}
		if i > 0 { // neighbours in an order are often neighbours in a segment
			copy(m.parts[1:i+1], m.parts[:i])
			m.parts[0] = p
		}
		if err := p.ask(m.scope, m.root); err != nil {
			return false, err
		}
		return p.holds(&p.answer, doc)
	}
	return false, nil
}

// look finds the document that a key has now, if that is in the segment.
func (f *found) look(key []byte) (doc uint32, now bool, err error) {
	ids, err := f.dictionary("_id")
	if err != nil {
		return 0, false, err
	}
	if f.list, err = ids.PostingsList(key, nil, f.list); err != nil {
		return 0, false, fmt.Errorf("cannot read keys: %w", err)
	}
	f.it = f.list.Iterator(false, false, false, f.it)
	for p, err := f.it.Next(); p != nil || err != nil; p, err = f.it.Next() {
		if err != nil {
			return 0, false, fmt.Errorf("cannot read keys: %w", err)
		}
		if doc = uint32(p.Number()); f.deleted == nil || !f.deleted.Contains(doc) {
			return doc, true, nil
		}
	}
	return 0, false, nil
}

// IDs are the ids of the items, ascending; the caller must not change them. The first
// call costs some hundred nanoseconds for each.
func (m *Matches) IDs() []int64 {
	m.askAll()
	if m.listed || m.err != nil {
		return m.sorted
	}
	ids := make([]int64, 0, m.n)
	m.try(func() (err error) {
		for _, p := range m.parts {
			for docs := p.answer.most.Iterator(); docs.HasNext(); {
				if ids, err = p.appendID(ids, m.scope.Kind, docs.Next()); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if m.err == nil {
		slices.Sort(ids)
		m.sorted, m.listed, m.n = ids, true, len(ids)
	}
	return m.sorted
}

// appendID appends the id of a document that matches.
func (f *found) appendID(ids []int64, kind byte, doc uint32) ([]int64, error) {
	if in, err := f.holds(&f.answer, doc); err != nil || !in {
		return ids, err
	}
	id, err := f.idOf(doc, kind)
	if err != nil {
		return ids, err
	}
	return append(ids, id), nil
}

// idOf is the id of the item that a document is of.
func (f *found) idOf(doc uint32, kind byte) (int64, error) {
	key, err := f.key(doc)
	if err == nil && key[0] != kind {
		err = fmt.Errorf("document %d has the key %q", doc, key)
	}
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(key[1:])), f.step(1)
}

// try reads the snapshot and keeps the first failure. All that was found until then does not
// count.
func (m *Matches) try(read func() error) {
	err := guarded(read)
	if err == nil {
		return
	}
	m.err, m.n = fmt.Errorf("cannot read what a search found: %w", err), 0
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		m.err = m.broken(m.err)
	}
}

// Close gives the snapshot back; nothing is among the matches any more, but what IDs has
// given stays. It fails when some of them could not be read or not in time, so that what
// was made of them may be incomplete. Further calls do nothing and say the same.
func (m *Matches) Close() error {
	if m.reader != nil {
		m.reader.Close()
	}
	if m.release != nil {
		m.release()
	}
	m.reader, m.release, m.every, m.parts, m.n = nil, nil, nil, nil, 0
	m.sorted, m.listed, m.asked = nil, false, true
	return m.err
}

// guarded runs what reads segments. A file that lost its end under us is a fault in
// mapped memory, and a damaged one can make Bleve panic: both are errors.
func guarded(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return read()
}

package index

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// segmentCache is what searches have learned of a segment that the next ones need again.
// Segments do not change; which of their documents were deleted does from one snapshot to
// the next. It may only be used by who holds a snapshot that the segment is part of: what
// it has lies in files that are unmapped afterwards.
type segmentCache struct {
	of      segment.Segment
	deleted *roaring.Bitmap

	mu     sync.Mutex
	within map[*kind]*roaring.Bitmap // the documents of a kind
	idle   []dictionaries
}

// dictionaries are the terms of fields, for one search at a time.
type dictionaries map[string]segment.TermDictionary

// maxIdle is how many dictionaries of a field wait for the next search.
const maxIdle = 4

// segmentCaches is what is known of the segments of the latest snapshot that was asked.
type segmentCaches struct {
	mu       sync.Mutex
	snapshot *scorch.IndexSnapshot // only to be compared: it may have been given back
	segments []*segmentCache
}

// about gives what is known of the segments of a snapshot, in their order.
func (k *segmentCaches) about(s *scorch.IndexSnapshot) []*segmentCache {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.snapshot == s {
		return k.segments
	}
	before := make(map[segment.Segment]*segmentCache, len(k.segments))
	for _, one := range k.segments {
		before[one.of] = one
	}
	list := make([]*segmentCache, 0, len(s.Segments()))
	for _, part := range s.Segments() {
		list = append(list, before[part.Segment()].now(part))
	}
	k.snapshot, k.segments = s, list
	return list
}

// now is what is known of a segment that has these deletions. k is nil when nothing is.
func (k *segmentCache) now(s *scorch.SegmentSnapshot) *segmentCache {
	if k != nil && k.deleted == s.Deleted() {
		return k
	}
	return &segmentCache{of: s.Segment(), deleted: s.Deleted(), within: map[*kind]*roaring.Bitmap{}}
}

// borrow gives dictionaries to a search, which returns them.
func (k *segmentCache) borrow() dictionaries {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(k.idle); n > 0 {
		d := k.idle[n-1]
		k.idle = k.idle[:n-1]
		return d
	}
	return dictionaries{}
}

func (k *segmentCache) giveBack(d dictionaries) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.idle) < maxIdle {
		k.idle = append(k.idle, d)
	}
}

// dictionary is the terms of a field.
func (k *segmentCache) dictionary(d dictionaries, field string) (segment.TermDictionary, error) {
	if t := d[field]; t != nil {
		return t, nil
	}
	t, err := k.of.Dictionary(field)
	if err != nil {
		return nil, fmt.Errorf("cannot read the field %s: %w", field, err)
	}
	d[field] = t
	return t, nil
}

// enter bounds an evaluation to the documents of a scope that were not deleted. Every
// leaf is cut down to them, so no query, however it is put together, tells anything of
// others.
func (e *evaluation) enter(s Scope) (err error) {
	if e.within, err = e.kind(s.kind); err != nil {
		return err
	}
	if s.private {
		own, err := e.postings(fAccount, strconv.FormatInt(s.account, 10))
		if err != nil {
			return err
		}
		e.within = roaring.And(e.within, own)
	}
	e.whole = e.within.GetCardinality() == e.in.of.Count()
	return nil
}

// kind is the documents of a kind.
func (e *evaluation) kind(k *kind) (*roaring.Bitmap, error) {
	e.in.mu.Lock()
	b := e.in.within[k]
	e.in.mu.Unlock()
	if b != nil {
		return b, nil
	}
	b, err := e.postings(fKind, k.noun)
	if err != nil {
		return nil, err
	}
	if e.in.deleted != nil {
		b = roaring.AndNot(b, e.in.deleted)
	}
	e.in.mu.Lock()
	e.in.within[k] = b
	e.in.mu.Unlock()
	return b, nil
}

// term is the documents of the scope with a value in a field.
func (e *evaluation) term(field, value string) (*roaring.Bitmap, error) {
	b, err := e.postings(field, value)
	if err != nil || e.whole || b.IsEmpty() {
		return b, err
	}
	return roaring.And(b, e.within), nil
}

// postings are the documents with a value in a field, deleted ones included. Nobody may
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
	d, err := e.in.dictionary(e.words, field)
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
func (k *segmentCache) key(doc uint32) ([]byte, error) {
	key, err := k.of.DocID(uint64(doc))
	if err != nil {
		return nil, fmt.Errorf("cannot read the key of a document: %w", err)
	}
	if len(key) != 9 {
		return nil, fmt.Errorf("document %d has the key %q", doc, key)
	}
	return key, nil
}

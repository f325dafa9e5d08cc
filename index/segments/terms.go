package segments

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

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

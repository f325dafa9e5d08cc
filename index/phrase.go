package index

import (
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// phrase finds the documents that have all terms, then compares positions. It is our own
// because Bleve's takes time in the square of how often a word is repeated in a text.
func (e *evaluation) phrase(field string, terms []string) (*roaring.Bitmap, error) {
	var both *roaring.Bitmap
	for i, t := range terms {
		if t == "" || slices.Index(terms, t) < i {
			continue
		}
		b, err := e.term(field, t)
		if err != nil {
			return nil, err
		}
		if both == nil {
			both = b
		} else {
			both.And(b)
		}
		if both.IsEmpty() {
			return both, nil
		}
	}
	words, err := e.words(field, terms)
	if err != nil {
		return nil, err
	}
	found := roaring.New()
	for docs := both.Iterator(); docs.HasNext(); {
		doc := docs.Next()
		ok, err := e.consecutive(doc, words)
		if err != nil {
			return nil, err
		}
		if ok {
			found.Add(doc)
		}
	}
	return found, nil
}

// words are the readers of a phrase, nil for any word. A term that is in it twice has one.
func (e *evaluation) words(field string, terms []string) ([]*positionReader, error) {
	words := make([]*positionReader, len(terms))
	for i, t := range terms {
		if t == "" {
			continue
		}
		if first := slices.Index(terms, t); first < i {
			words[i] = words[first]
			continue
		}
		list, err := e.list(field, t)
		if err != nil {
			return nil, err
		}
		words[i] = &positionReader{it: list.Iterator(true, false, true, nil)}
	}
	return words, nil
}

// consecutive reports whether a document has the words one after another.
func (e *evaluation) consecutive(doc uint32, words []*positionReader) (bool, error) {
	read := 1
	for i, w := range words {
		if w == nil || slices.Index(words, w) < i {
			continue
		}
		if err := w.read(doc); err != nil {
			return false, err
		}
		read += len(w.at) // long texts count for more
	}
	if err := e.step(read); err != nil {
		return false, err
	}
	words[0].starts = append(words[0].starts[:0], words[0].at...)
	starts := words[0].starts
	for i, w := range words[1:] {
		if w == nil {
			continue
		}
		if starts = follow(starts, w.at, uint64(i+1)); len(starts) == 0 {
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
	it     segment.PostingsIterator
	at     []uint64 // of the last document read, ascending
	starts []uint64 // room for the caller
}

func (r *positionReader) read(doc uint32) error {
	r.at = r.at[:0]
	hit, err := r.it.Advance(uint64(doc))
	if err != nil {
		return fmt.Errorf("cannot read positions: %w", err)
	}
	if hit == nil || hit.Number() != uint64(doc) {
		return nil
	}
	for _, l := range hit.Locations() {
		r.at = append(r.at, l.Pos())
	}
	if !slices.IsSorted(r.at) {
		slices.Sort(r.at)
	}
	return nil
}

package segments

import (
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

const (
	// fewPhrases are looked at as soon as they are found to have all words.
	fewPhrases = 32
	// maxAsked is how many documents of a segment are looked at one by one, in any order. After that those of
	// its block are, in theirs, and after maxBlocks all: one costs 40 microseconds in a list that is read from its
	// beginning, which grows with the list, and one in a list that is read on (at 100,000 items).
	maxAsked = 64
	// blockBits is the size of a block: 256 documents.
	blockBits = 8
	maxBlocks = 64
)

// phrase gives the documents that have all terms. Their positions are compared when
// a document is asked for, and at once where they are few. It is our own because Bleve's takes time
// in the square of how often a word is repeated in a text.
func (e *evaluation) phrase(n *Node) (answer, error) {
	var most joint
	for i, t := range n.Terms {
		if t == "" || slices.Index(n.Terms, t) < i {
			continue
		}
		b, err := e.term(n.Field, t)
		if err != nil {
			return answer{}, err
		}
		if most.and(b); most.docs.IsEmpty() {
			return exactly(nothing), nil
		}
	}
	words, err := e.readers(n.Field, n.Terms)
	if err != nil {
		return answer{}, err
	}
	return e.decided(answer{sure: nothing, most: most.docs, of: n, words: words})
}

// decided is an answer whose documents are looked at where they are few.
func (e *evaluation) decided(a answer) (answer, error) {
	if a.most.GetCardinality() > fewPhrases {
		return a, nil
	}
	err := e.decide(&a)
	return a, err
}

// decide looks at all documents that may be in an answer, which is exact then.
func (e *evaluation) decide(a *answer) error {
	found := roaring.New()
	for docs := a.most.Iterator(); docs.HasNext(); {
		doc := docs.Next()
		in, err := e.stands(a, doc)
		if err != nil {
			return err
		}
		if in {
			found.Add(doc)
		}
	}
	a.sure, a.most = found, found
	return nil
}

// decideBlock looks at all documents of a block that may be in an answer. Those that are in it are sure then.
func (e *evaluation) decideBlock(a *answer, block uint32) error {
	if len(a.blocks) == maxBlocks {
		return e.decide(a)
	}
	if a.blocks == nil {
		a.sure, a.blocks = roaring.New(), map[uint32]bool{}
	}
	docs := a.most.Iterator()
	for docs.AdvanceIfNeeded(block << blockBits); docs.HasNext() && docs.PeekNext()>>blockBits == block; {
		doc := docs.Next()
		in, err := e.stands(a, doc)
		if err != nil {
			return err
		}
		if in {
			a.sure.Add(doc)
		}
	}
	a.blocks[block] = true
	return nil
}

// stands reports whether the words of a phrase, or the parts of near, stand in a document
// as they should.
func (e *evaluation) stands(a *answer, doc uint32) (bool, error) {
	if a.near != nil {
		return e.together(doc, a.near)
	}
	starts, err := e.starts(doc, a.words)
	return len(starts) > 0, err
}

// readers are those of the words of a phrase, nil for any word. A term that is in it twice
// has one.
func (e *evaluation) readers(field string, terms []string) ([]*positionReader, error) {
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
		words[i] = &positionReader{list: list}
	}
	return words, nil
}

// starts are the positions in a document from which the words stand one after another. They
// are good until the first word is looked for again.
func (e *evaluation) starts(doc uint32, words []*positionReader) ([]uint64, error) {
	read := 1
	for i, w := range words {
		if w == nil || slices.Index(words, w) < i {
			continue
		}
		if err := w.read(doc); err != nil {
			return nil, err
		}
		read += len(w.at) // long texts count for more
	}
	if err := e.step(read); err != nil {
		return nil, err
	}
	words[0].starts = append(words[0].starts[:0], words[0].at...)
	starts := words[0].starts
	for i, w := range words[1:] {
		if w == nil {
			continue
		}
		if starts = follow(starts, w.at, uint64(i+1)); len(starts) == 0 {
			return nil, nil
		}
	}
	return starts, nil
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

// positionReader reads where a term stands. It goes on from the last document quickly,
// and from the beginning when it is asked about an earlier one.
type positionReader struct {
	list   segment.PostingsList
	it     segment.PostingsIterator
	last   uint32   // the last document read
	at     []uint64 // in it, ascending
	starts []uint64 // room for the caller
}

func (r *positionReader) read(doc uint32) error {
	if r.it == nil || doc <= r.last {
		r.it = r.list.Iterator(true, false, true, r.it)
	}
	r.at, r.last = r.at[:0], doc
	hit, err := r.it.Advance(uint64(doc))
	if err != nil {
		return fmt.Errorf("cannot read positions: %w", err)
	}
	if hit == nil || hit.Number() != uint64(doc) {
		if hit != nil {
			r.last = uint32(hit.Number()) // it is passed, and may be asked for yet
		}
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

package segments

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
)

// maxExpansion is how many words a prefix stands for, in a field of a segment.
const maxExpansion = 5000

// prefix gives the documents of the scope that have one of the terms of a prefix in its
// field.
func (e *evaluation) prefix(n *Node) (*roaring.Bitmap, error) {
	d, err := e.dictionary(n.Field)
	if err != nil {
		return nil, err
	}
	begin := n.Terms[0]
	end := []byte(begin)
	end[len(end)-1]++ // there is no 0xff in UTF-8
	terms, all := d.AutomatonIterator(nil, []byte(begin), end), roaring.New()
	for range maxExpansion {
		entry, err := terms.Next()
		if err != nil {
			return nil, fmt.Errorf("cannot read the words of %s: %w", n.Field, err)
		}
		if entry == nil {
			break
		}
		if err := e.addTerm(all, n.Field, entry.Term); err != nil {
			return nil, err
		}
	}
	for _, t := range n.Terms[1:] {
		if err := e.addTerm(all, n.Field, t); err != nil {
			return nil, err
		}
	}
	if !e.whole {
		all.And(e.within)
	}
	return all, nil
}

// addTerm adds the documents that have a term.
func (e *evaluation) addTerm(all *roaring.Bitmap, field, term string) error {
	b, err := e.postings(field, term)
	if err == nil {
		all.Or(b)
	}
	return err
}

package index

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// Matches are the items that a query found: a bit for each in every segment of the
// snapshot that was asked. The snapshot stays readable until Close, whatever happens to
// the index; its files take room on the disk until then, so it is not for keeping. One
// goroutine at a time may use Matches.
type Matches struct {
	kind   byte
	parts  []*found // the segments with matches, the one last met first
	n      int
	sorted []int64 // once they were asked for
	listed bool

	snapshot *scorch.IndexSnapshot // nil when there is nothing to give back
	err      error                 // the first failure
	broken   func(error)
}

// found is what matches in one segment.
type found struct {
	in   *scorch.SegmentSnapshot
	docs *roaring.Bitmap
	ids  segment.TermDictionary // from the key of an item to its document, once needed
	list segment.PostingsList   // room for reading ids
	it   segment.PostingsIterator
}

func (m *Matches) add(s *scorch.SegmentSnapshot, docs *roaring.Bitmap) {
	if n := int(docs.GetCardinality()); n > 0 {
		m.n += n
		m.parts = append(m.parts, &found{in: s, docs: docs})
	}
}

// Len is how many items match. It costs nothing.
func (m *Matches) Len() int { return m.n }

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
	in := false
	m.try(func() (err error) {
		var room [9]byte
		in, err = m.contains(binary.BigEndian.AppendUint64(append(room[:0], m.kind), uint64(id)))
		return err
	})
	return in
}

// contains looks for the document that an item has now: in all other segments it has
// none, or one that was deleted.
func (m *Matches) contains(key []byte) (bool, error) {
	for i, p := range m.parts {
		matches, now, err := p.look(key)
		if err != nil {
			return false, err
		}
		if now { // neighbours in an order are often neighbours in a segment
			copy(m.parts[1:i+1], m.parts[:i])
			m.parts[0] = p
			return matches, nil
		}
	}
	return false, nil
}

// look reports whether a key is that of a match, and whether its document here is the one
// it has now.
func (f *found) look(key []byte) (matches, now bool, err error) {
	if f.ids == nil {
		if f.ids, err = f.in.Segment().Dictionary("_id"); err != nil {
			return false, false, fmt.Errorf("cannot read keys: %w", err)
		}
	}
	if f.list, err = f.ids.PostingsList(key, nil, f.list); err != nil {
		return false, false, fmt.Errorf("cannot read keys: %w", err)
	}
	f.it = f.list.Iterator(false, false, false, f.it)
	deleted := f.in.Deleted()
	for p, err := f.it.Next(); p != nil || err != nil; p, err = f.it.Next() {
		if err != nil {
			return false, false, fmt.Errorf("cannot read keys: %w", err)
		}
		n := uint32(p.Number())
		if f.docs.Contains(n) {
			return true, true, nil
		}
		now = now || deleted == nil || !deleted.Contains(n)
	}
	return false, now, nil
}

// IDs are the ids of the items, ascending; the caller must not change them. The first
// call costs some hundred nanoseconds for each.
func (m *Matches) IDs() []int64 {
	if m.listed || m.err != nil {
		return m.sorted
	}
	ids := make([]int64, 0, m.n)
	m.try(func() error {
		for _, p := range m.parts {
			for docs := p.docs.Iterator(); docs.HasNext(); {
				n := docs.Next()
				key, err := p.in.DocID(uint64(n))
				if err != nil {
					return fmt.Errorf("cannot read the key of a document: %w", err)
				}
				if len(key) != 9 || key[0] != m.kind {
					return fmt.Errorf("document %d has the key %q", n, key)
				}
				ids = append(ids, int64(binary.BigEndian.Uint64(key[1:])))
			}
		}
		return nil
	})
	if m.err == nil {
		slices.Sort(ids)
		m.sorted, m.listed = ids, true
	}
	return m.sorted
}

// try reads the snapshot and keeps the first failure.
func (m *Matches) try(read func() error) {
	if err := guarded(read); err != nil {
		m.err = fmt.Errorf("cannot read what a search found: %w", err)
		m.broken(m.err)
	}
}

// Close gives the snapshot back; nothing is among the matches any more, but what IDs has
// given stays. It fails when some of them could not be read, so that what was made of
// them may be incomplete. Further calls do nothing and say the same.
func (m *Matches) Close() error {
	if m.snapshot != nil {
		m.snapshot.Close()
	}
	m.snapshot, m.parts, m.n = nil, nil, 0
	m.sorted, m.listed = nil, false
	return m.err
}

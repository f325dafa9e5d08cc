package segments

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Part is the matches of one kind among those of all. It is good until they are closed.
type Part struct {
	m      *Matches
	kind   byte
	value  Value // that all of them have
	sorted []int64
	listed bool
}

// Of is the matches whose keys begin with a kind and that have a value, which all of that kind have.
func (m *Matches) Of(kind byte, value Value) *Part { return &Part{m: m, kind: kind, value: value} }

// Len is how many there are at most, as of Matches.
func (p *Part) Len() (n int) {
	p.each(func(_ *found, docs *roaring.Bitmap) error {
		n += int(docs.GetCardinality())
		return nil
	})
	return n
}

// Contains reports whether an item is among them, as Matches does.
func (p *Part) Contains(id int64) bool {
	return len(p.m.parts) > 0 && p.m.err == nil && p.m.has(p.kind, id)
}

// IDs are the ids of the items, ascending; the caller must not change them.
func (p *Part) IDs() []int64 {
	if p.listed {
		return p.sorted
	}
	var ids []int64
	p.each(func(f *found, docs *roaring.Bitmap) (err error) {
		for it := docs.Iterator(); it.HasNext() && err == nil; {
			ids, err = f.appendID(ids, p.kind, it.Next())
		}
		return err
	})
	if p.m.err != nil {
		return nil
	}
	slices.Sort(ids)
	p.sorted, p.listed = ids, true
	return ids
}

// each reads the documents of the kind that may match, in each segment.
func (p *Part) each(read func(*found, *roaring.Bitmap) error) {
	p.m.askAll()
	p.m.eachPart(func(f *found) error {
		of, err := f.postings(p.value.Field, p.value.Text)
		if err != nil {
			return err
		}
		return read(f, roaring.And(of, f.answer.most))
	})
}

package segments

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Facet asks how many of the matches have each value of a field of whole values. Having been narrowed by
// that field does not count for it, so that a reader sees what another value would give.
type Facet struct {
	Field  string
	Values []string // that are counted; nil for all that there are
	Most   int      // the most frequent so many are told; 0 for all
	Many   bool     // a field with very many values, counted by column: Most is at least 1
}

// Count is how many matches have a value.
type Count struct {
	Value string
	N     int
}

// Total is how many items match, exactly: phrases are looked at in all that have their words.
func (m *Matches) Total() (n int) {
	m.askAll()
	m.eachPart(func(p *found) error {
		set, err := p.all(&p.answer)
		if err == nil {
			n += int(set.GetCardinality())
		}
		return err
	})
	return n
}

// Facets counts, the most frequent value first, values with the same count in their order. Values
// without a match are left out. A value costs an intersection of two bitmaps in each segment, about
// a microsecond, whatever the number of matches.
func (m *Matches) Facets(facets ...Facet) [][]Count {
	m.askAll()
	list := make([][]Count, len(facets))
	for i, f := range facets {
		if f.Many && m.columns != nil {
			list[i] = m.countColumn(f)
			continue
		}
		counts := map[string]int{}
		m.eachPart(func(p *found) error {
			set, err := p.past(m.scope, f.Field)
			if err != nil || set.IsEmpty() {
				return err
			}
			return p.count(set, f, counts)
		})
		list[i] = most(counts, f.Most)
	}
	return list
}

// eachPart reads all segments that may have matches.
func (m *Matches) eachPart(read func(*found) error) {
	if m.err != nil {
		return
	}
	m.try(func() error {
		for _, p := range m.parts {
			if err := read(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// all is every document of an answer.
func (f *found) all(a *answer) (*roaring.Bitmap, error) {
	if a.exact() {
		return a.most, nil
	}
	set := roaring.New()
	for docs := a.most.Iterator(); docs.HasNext(); {
		doc := docs.Next()
		in, err := f.holds(a, doc)
		if err != nil {
			return nil, err
		}
		if in {
			set.Add(doc)
		}
	}
	a.sure, a.most = set, set
	return set, nil
}

// past is what matches when nothing but the values of a field does not narrow it.
func (f *found) past(s Scope, field string) (*roaring.Bitmap, error) {
	if !slices.ContainsFunc(s.Narrow, func(v Value) bool { return v.Field == field }) {
		return f.all(&f.answer)
	}
	set, err := f.all(&f.base)
	for i, v := range s.Narrow {
		if v.Field != field && err == nil {
			set = roaring.And(set, f.narrow[i])
		}
	}
	return set, err
}

// count adds how many documents of a set have each value.
func (f *found) count(set *roaring.Bitmap, of Facet, counts map[string]int) error {
	if of.Values != nil {
		for _, value := range of.Values {
			b, err := f.postings(of.Field, value)
			if err != nil {
				return err
			}
			if n := int(b.AndCardinality(set)); n > 0 {
				counts[value] += n
			}
		}
		return nil
	}
	d, err := f.dictionary(of.Field)
	if err != nil {
		return err
	}
	terms := d.AutomatonIterator(nil, nil, nil)
	for range maxExpansion {
		entry, err := terms.Next()
		if err != nil {
			return fmt.Errorf("cannot read the values of %s: %w", of.Field, err)
		}
		if entry == nil {
			break
		}
		b, err := f.postings(of.Field, entry.Term)
		if err != nil {
			return err
		}
		if n := int(b.AndCardinality(set)); n > 0 {
			counts[entry.Term] += n
		}
	}
	return nil
}

// most are the most frequent values, 0 for all.
func most(counts map[string]int, n int) []Count {
	list := make([]Count, 0, len(counts))
	for value, n := range counts {
		list = append(list, Count{value, n})
	}
	slices.SortFunc(list, frequent)
	if n > 0 && len(list) > n {
		list = list[:n]
	}
	return list
}

func frequent(a, b Count) int {
	return cmp.Or(b.N-a.N, cmp.Compare(a.Value, b.Value))
}

package segments

import (
	"fmt"
	"slices"
	"sync"

	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// Columns are, for each document of the segments of an index, the values of one field that has very
// many: tags. To look for each of 130,000 tags among the matches would take half a second in each search;
// to look at the tags of each match takes 4 ms for 32,000 of 100,000 items (BenchmarkFacets). A segment
// never changes, so its column is made once, in that half second, and kept while snapshots have the
// segment; it takes four bytes for each document and for each of its values.
type Columns struct {
	field string

	mu      sync.Mutex
	columns map[segment.Segment]*column
	terms   []string
	numbers map[string]uint32 // of terms
	most    int               // of terms, after which all is made again without those that are gone
}

// column has the numbers of the terms of document n at numbers[starts[n]:starts[n+1]].
type column struct{ starts, numbers []uint32 }

// NewColumns keeps the columns of a field.
func NewColumns(field string) *Columns {
	c := &Columns{field: field}
	c.clear()
	return c
}

func (c *Columns) clear() {
	c.columns, c.terms, c.numbers, c.most = map[segment.Segment]*column{}, nil, map[string]uint32{}, 0
}

// spareTerms is how many terms that no document has any more are kept at least.
const spareTerms = 1 << 16

// of gives the columns of some segments, and the terms that they number.
func (c *Columns) of(parts []*found) ([]*column, []string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.most > 0 && len(c.terms) > c.most {
		c.clear()
	}
	list, made := make([]*column, len(parts)), false
	for i, p := range parts {
		if list[i] = c.columns[p.segment]; list[i] != nil {
			continue
		}
		var err error
		if list[i], err = c.column(p); err != nil {
			return nil, nil, err
		}
		c.columns[p.segment], made = list[i], true
	}
	if made {
		for s := range c.columns {
			if !slices.ContainsFunc(parts, func(p *found) bool { return p.segment == s }) {
				delete(c.columns, s)
			}
		}
	}
	if c.most == 0 {
		c.most = 2*len(c.terms) + spareTerms
	}
	return list, c.terms, nil
}

// column reads the column of a segment.
func (c *Columns) column(p *found) (*column, error) {
	d, err := p.dictionary(c.field)
	if err != nil {
		return nil, err
	}
	type pair struct{ doc, number uint32 }
	var pairs []pair
	col := &column{starts: make([]uint32, p.segment.Count()+1)}
	for terms := d.AutomatonIterator(nil, nil, nil); ; {
		entry, err := terms.Next()
		if err != nil {
			return nil, fmt.Errorf("cannot read the values of %s: %w", c.field, err)
		}
		if entry == nil {
			break
		}
		n, known := c.numbers[entry.Term]
		if !known {
			n = uint32(len(c.terms))
			c.terms, c.numbers[entry.Term] = append(c.terms, entry.Term), n
		}
		docs, err := p.postings(c.field, entry.Term)
		if err != nil {
			return nil, err
		}
		for it := docs.Iterator(); it.HasNext(); {
			doc := it.Next()
			pairs = append(pairs, pair{doc, n})
			col.starts[doc+1]++
		}
	}
	for i := 1; i < len(col.starts); i++ {
		col.starts[i] += col.starts[i-1]
	}
	col.numbers = make([]uint32, len(pairs))
	next := slices.Clone(col.starts)
	for _, one := range pairs {
		col.numbers[next[one.doc]] = one.number
		next[one.doc]++
	}
	return col, nil
}

// countColumn counts the values of the matches by their columns.
func (m *Matches) countColumn(f Facet) (list []Count) {
	if m.err != nil {
		return nil
	}
	m.try(func() error {
		columns, terms, err := m.columns.of(m.parts)
		if err != nil {
			return err
		}
		counts := make([]uint32, len(terms))
		for i, p := range m.parts {
			set, err := p.past(m.scope, f.Field)
			if err != nil {
				return err
			}
			var room [256]uint32
			at, docs := columns[i], set.ManyIterator()
			for n := docs.NextMany(room[:]); n > 0; n = docs.NextMany(room[:]) {
				for _, doc := range room[:n] {
					for _, number := range at.numbers[at.starts[doc]:at.starts[doc+1]] {
						counts[number]++
					}
				}
				if err := p.step(n); err != nil {
					return err
				}
			}
		}
		list = mostOf(counts, terms, max(f.Most, 1))
		return nil
	})
	return list
}

// mostOf are the n most frequent of many values, of which there is at least one.
func mostOf(counts []uint32, terms []string, n int) (list []Count) {
	for i, c := range counts {
		one := Count{terms[i], int(c)}
		if c == 0 || len(list) == n && frequent(list[n-1], one) < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, one, frequent)
		if list = slices.Insert(list, at, one); len(list) > n {
			list = list[:n]
		}
	}
	return list
}

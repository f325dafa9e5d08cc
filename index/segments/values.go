package segments

import (
	"fmt"
	"slices"

	api "github.com/blevesearch/bleve_index_api"
)

// Values and Similar look among all that the scope has, whatever the query describes. They tell of
// values only that some item has now: those of an item that is gone may stand in a segment for long.

// Values are the values of a field that begin so, the most frequent n.
func (m *Matches) Values(field, begin string, n int) []Count {
	m.askAll()
	counts := map[string]int{}
	m.everywhere(func(p *found) error {
		d, err := p.dictionary(field)
		if err != nil {
			return err
		}
		end := []byte(begin)
		end[len(end)-1]++ // there is no 0xff in UTF-8
		terms := d.AutomatonIterator(nil, []byte(begin), end)
		for range maxExpansion {
			entry, err := terms.Next()
			if err != nil {
				return fmt.Errorf("cannot read the values of %s: %w", field, err)
			}
			if entry == nil {
				break
			}
			if err := p.tally(field, entry.Term, counts); err != nil {
				return err
			}
		}
		return nil
	})
	return most(counts, n)
}

// Near is a value and how many letters have to be changed, left out or put in to come to it.
type Near struct {
	Count
	Distance int
}

// maxNear is how many values near to a word are counted.
const maxNear = 100

// Similar are values of a field from which a word differs by at most so many letters, one or two: the
// nearest first, of those the most frequent. Bleve walks its dictionaries with an automaton for that.
func (m *Matches) Similar(field, word string, distance int) (list []Near) {
	m.askAll()
	if m.err != nil || m.reader == nil {
		return nil
	}
	m.try(func() error {
		fuzzy, ok := m.reader.(api.IndexReaderFuzzy)
		if !ok {
			return fmt.Errorf("cannot look for similar words in a %T", m.reader)
		}
		words, err := fuzzy.FieldDictFuzzy(field, word, distance, "")
		if err != nil {
			return fmt.Errorf("cannot look for similar words: %w", err)
		}
		defer words.Close()
		for range maxNear {
			entry, err := words.Next()
			if err != nil {
				return fmt.Errorf("cannot look for similar words: %w", err)
			}
			if entry == nil {
				break
			}
			counts := map[string]int{}
			for _, p := range m.every {
				if err := p.tally(field, entry.Term, counts); err != nil {
					return err
				}
			}
			if n := counts[entry.Term]; n > 0 {
				list = append(list, Near{Count{entry.Term, n}, int(entry.EditDistance)})
			}
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b Near) int {
		if a.Distance != b.Distance {
			return a.Distance - b.Distance
		}
		return frequent(a.Count, b.Count)
	})
	return list
}

// Finds reports whether the scope has anything that a query describes.
func (m *Matches) Finds(n *Node) (some bool) {
	m.askAll()
	m.everywhere(func(p *found) error {
		if some {
			return nil
		}
		a, err := p.eval(n)
		if err != nil {
			return err
		}
		set, err := p.all(&a)
		some = err == nil && !set.IsEmpty()
		return err
	})
	return some
}

// tally adds how many documents of the scope have a value.
func (f *found) tally(field, value string, counts map[string]int) error {
	b, err := f.postings(field, value)
	if err != nil {
		return err
	}
	if n := int(b.AndCardinality(f.within)); n > 0 {
		counts[value] += n
	}
	return f.step(1)
}

// everywhere reads all segments.
func (m *Matches) everywhere(read func(*found) error) {
	if m.err != nil {
		return
	}
	m.try(func() error {
		for _, p := range m.every {
			if err := read(p); err != nil {
				return err
			}
		}
		return nil
	})
}

package index

import (
	"strings"
	"unicode/utf8"

	"alcove/index/segments"
)

// Marks finds the words of a search in a text, as the index does: whatever their case, accents and
// endings. The zero Marks finds none.
type Marks struct {
	terms  map[string]bool
	begins []string
}

// Marks are those of the words that a query asks for, without those of NOT and of filters of whole values.
func (q Query) Marks() *Marks {
	m := &Marks{terms: map[string]bool{}}
	if q.root == nil {
		return m
	}
	whole, begins := segments.Words(q.root, []string{fTitle, fDescription, fMore, fCategory, fReferences, fResourceTitle})
	for _, t := range whole {
		m.terms[t] = true
	}
	m.begins = begins
	return m
}

// maxMarked is how many words of a text are marked.
const maxMarked = 100

// Spans are where words begin and end in a text, in bytes, in its order.
func (m *Marks) Spans(text string) (spans [][2]int) {
	if m == nil || len(m.terms) == 0 && len(m.begins) == 0 {
		return nil
	}
	for i := 0; i < len(text) && len(spans) < maxMarked; {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !letter(r) {
			i += size
			continue
		}
		end := i
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !letter(r) {
				break
			}
			end += size
		}
		if m.has(text[i:end]) {
			spans = append(spans, [2]int{i, end})
		}
		i = end
	}
	return spans
}

func (m *Marks) has(word string) bool {
	if len(word) > maxTerm {
		return false
	}
	folded := fold(word)
	if m.terms[forms[fTitle].term(folded)] {
		return true
	}
	for _, begin := range m.begins {
		if strings.HasPrefix(strings.ToLower(folded), begin) {
			return true
		}
	}
	return false
}

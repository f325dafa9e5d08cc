package index

import "alcove/index/segments"

// ranking says what the order of relevance is made of: a word in the title counts most, then one among
// the authors and the tags, then the categories and the description, then the rest. The numbers were chosen on 40 of the
// 60 judged searches of tests/search.
var ranking = segments.Ranking{
	Weights: []segments.Weight{
		{Field: fTitle, Boost: 10, B: 0.5, Usual: 8},
		{Field: fTagWords, Boost: 2.5, B: 0.5, Usual: 8},
		{Field: fPeople, Boost: 2.8, B: 0.5, Usual: 4},
		{Field: fCategory, Boost: 1, B: 0.5, Usual: 4},
		{Field: fDescription, Boost: 1, B: 0.75, Usual: 120},
		{Field: fReferences, Boost: 0.3, B: 0.75, Usual: 30},
		{Field: fMore, Boost: 0.3, B: 0.75, Usual: 60},
	},
	K1: 2.4, All: 1, Phrase: 1.5, Near: 1.1,
	Words: []string{fTitle, fDescription, fMore, fAuthor, fCategory, fReferences, fResourceTitle, fTag},
}

// Ranked is a match in the order of relevance.
type Ranked struct {
	Kind  Kind
	ID    int64
	Score float64
}

// Kind is a kind of public item.
type Kind byte

// The kinds.
const (
	Article    Kind = 'a'
	Collection Kind = 'c'
	Project    Kind = 'p'
)

// Top gives the best n of some matches, best first.
func Top(m *Matches, n int) []Ranked {
	list := make([]Ranked, 0, n)
	for _, s := range m.Top(n, &ranking) {
		list = append(list, Ranked{Kind(s.Kind), s.ID, s.Score})
	}
	return list
}

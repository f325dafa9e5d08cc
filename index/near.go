package index

import (
	"cmp"
	"slices"
)

// placed finds where a part of a query stands in a document: where a word does, or where a
// phrase begins, or one of several of them.
type placed [][]*positionReader

// near gives the documents in which one value of a field has all kids, such as all names that
// are asked for of one person: values stand more than valueGap apart. Positions are compared
// as those of phrases are. A word with a star stands anywhere in the document.
func (e *evaluation) near(n *node) (answer, error) {
	all, err := e.all(n, n.kids)
	if err != nil || all.most.IsEmpty() {
		return all, err
	}
	a := answer{sure: nothing, most: all.most, of: n}
	for _, k := range n.kids {
		p, ok, err := e.placed(k)
		if err != nil {
			return answer{}, err
		}
		if ok {
			a.near = append(a.near, p)
		}
	}
	if len(a.near) < 2 {
		return all, nil
	}
	return e.decided(a)
}

// placed is how a part of a query is found in a document, false for one that has no place.
func (e *evaluation) placed(n *node) (p placed, ok bool, err error) {
	switch n.op {
	case opTerm, opPhrase:
		words, err := e.readers(n.field, n.terms)
		return placed{words}, err == nil, err
	case opOr:
		for _, k := range n.kids {
			more, ok, err := e.placed(k)
			if !ok || err != nil {
				return nil, false, err
			}
			p = append(p, more...)
		}
		return p, true, nil
	}
	return nil, false, nil
}

// together reports whether each of some parts stands in a document within one value.
func (e *evaluation) together(doc uint32, parts []placed) (bool, error) {
	type place struct {
		at   uint64
		part int
	}
	var places []place
	for i, p := range parts {
		for _, words := range p {
			starts, err := e.starts(doc, words)
			if err != nil {
				return false, err
			}
			for _, at := range starts {
				places = append(places, place{at, i})
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	in, some := make([]int, len(parts)), 0 // of the parts between the first place and this one
	first := 0
	for _, p := range places {
		if in[p.part]++; in[p.part] == 1 {
			some++
		}
		for ; p.at-places[first].at > valueGap; first++ {
			if in[places[first].part]--; in[places[first].part] == 0 {
				some--
			}
		}
		if some == len(parts) {
			return true, nil
		}
	}
	return false, nil
}

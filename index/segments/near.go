package segments

import (
	"cmp"
	"slices"
)

// ValueGap is how far apart two values of one field stand at least.
const ValueGap = 100

// placed finds where a part of a query stands in a document: where a word does, or where a
// phrase begins, or one of several of them.
type placed [][]*positionReader

// near gives the documents in which one value of a field has all children, such as all names that
// are asked for of one person: values stand more than ValueGap apart. Positions are compared
// as those of phrases are. A word with a star stands anywhere in the document.
func (e *evaluation) near(n *Node) (answer, error) {
	all, err := e.all(n, n.Children)
	if err != nil || all.most.IsEmpty() {
		return all, err
	}
	a := answer{sure: nothing, most: all.most, of: n}
	for _, k := range n.Children {
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
func (e *evaluation) placed(n *Node) (p placed, ok bool, err error) {
	switch n.Op {
	case OpTerm, OpPhrase:
		words, err := e.readers(n.Field, n.Terms)
		return placed{words}, err == nil, err
	case OpOr:
		for _, k := range n.Children {
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
		for ; p.at-places[first].at > ValueGap; first++ {
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

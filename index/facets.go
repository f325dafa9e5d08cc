package index

import (
	"slices"

	"alcove/index/segments"
	"alcove/record"
	"alcove/record/catalogue"
)

// Facet is what public items can be told apart by, with a count of each value.
type Facet string

// The facets. Their values are ids, as digits, but those of kinds (article, collection, project),
// years (four digits) and tags (as exact has them).
const (
	ByKind     Facet = fKind
	ByType     Facet = fItemType
	ByCategory Facet = fBranch // a category stands for those below it too
	ByYear     Facet = fYear
	ByLicense  Facet = fLicense
	ByGroup    Facet = fGroup
	ByTag      Facet = fTag
)

// Count is how many matches have a value.
type Count = segments.Count

// Only narrows a query to the items with a value of a facet.
func (q Query) Only(f Facet, value string) Query {
	if f == ByTag {
		value = exact(value)
	}
	q.narrow = append(slices.Clip(q.narrow), segments.Value{Field: string(f), Text: cut(value, maxTerm)})
	return q
}

// And is what both queries describe.
func (q Query) And(other Query) Query {
	return Query{and(q.root, other.root), append(slices.Clip(q.narrow), other.narrow...)}
}

// By is the query for what a person has written: an ORCID, or all names of one author in any order.
func By(author string) Query {
	if id, ok := record.ReadORCID(author); ok {
		return Query{root: term(fORCID, bareORCID(id))}
	}
	var names []*segments.Node
	for _, t := range split(cut(author, maxText), forms[fAuthor]) {
		if t.kind == part && len(names) < maxPhrase {
			names = append(names, term(fAuthor, t.term))
		}
	}
	if names == nil {
		return Query{root: &segments.Node{Op: segments.OpNone}}
	}
	return Query{root: near(fAuthor, names...)}
}

// Facets counts how many of the matches have each value of some facets, at most so many values of
// each. Having been narrowed to a value of a facet does not count for that facet. Of categories
// those at the top are counted, and those on the way to one and right below it.
func Facets(m *Matches, category int64, most int, facets ...Facet) [][]Count {
	ask := make([]segments.Facet, len(facets))
	for i, f := range facets {
		ask[i] = segments.Facet{Field: string(f), Most: most, Many: f == ByTag}
		if f == ByCategory {
			ask[i].Values, ask[i].Most = catalogue.Around(category), 0
		}
	}
	return m.Facets(ask...)
}

// Of is the matches of one kind among those of PublicItems.
func Of(m *Matches, s Scope) *segments.Part {
	return m.Of(s.kind.id, segments.Value{Field: fKind, Text: s.kind.name})
}

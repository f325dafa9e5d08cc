package record

import (
	"slices"
)

// Counts are what readers did with a public item, and how many public items cite it.
type Counts struct {
	Views     int64 `json:"views"`     // one per visitor and day
	Shares    int64 `json:"shares"`    // one per visitor and day
	Downloads int64 `json:"downloads"` // one per visitor, file or archive, and day
	Cites     int64 `json:"cites"`     // items whose latest public version names the DOI
}

// Counter is one of the numbers of Counts.
type Counter int

// The counters, as statistics order them.
const (
	Views Counter = iota
	Downloads
	Shares
	Cites
)

// Of is the number of a counter.
func (c Counts) Of(n Counter) int64 { return [...]int64{c.Views, c.Downloads, c.Shares, c.Cites}[n] }

// Plus are the counts with a number of times others.
func (c Counts) Plus(more Counts, times int64) Counts {
	return Counts{c.Views + times*more.Views, c.Shares + times*more.Shares, c.Downloads + times*more.Downloads, c.Cites + times*more.Cites}
}

// Sum is what is counted of all public items of an author, or in a group, together.
type Sum struct {
	Counts
	Articles int64 `json:"articles,omitempty"` // how many public articles a group has; not counted of authors
}

// Citation is what the latest public version of an item names.
type Citation struct {
	Cited   []string `json:"cited"`             // as Metadata.Cited tells it
	Members []int64  `json:"members,omitempty"` // articles of a collection, sorted
	Group   int64    `json:"group,omitempty"`   // 0 for none
	Authors []int64  `json:"authors,omitempty"` // ids of people, sorted, each once; none where they are more than MostCounted
}

// Empty reports whether it names nothing.
func (c *Citation) Empty() bool {
	return len(c.Cited) == 0 && len(c.Members) == 0 && c.Group == 0 && len(c.Authors) == 0
}

// Equal reports whether two name the same.
func (c *Citation) Equal(d *Citation) bool {
	return slices.Equal(c.Cited, d.Cited) && slices.Equal(c.Members, d.Members) && c.Group == d.Group && slices.Equal(c.Authors, d.Authors)
}

// Citation is what the version names.
func (v *ArticleVersion) Citation() Citation {
	return Citation{Cited: v.Cited(), Group: v.GroupID, Authors: peopleIDs(v.Authors)}
}

// Citation is what the version names.
func (v *CollectionVersion) Citation() Citation {
	members := slices.Clone(v.Articles)
	slices.Sort(members)
	return Citation{v.Cited(), slices.Compact(members), v.GroupID, peopleIDs(v.Authors)}
}

// Citation is what the project names: it has no DOIs, and its members are no authors.
func (p *PublicProject) Citation() Citation { return Citation{Group: p.GroupID} }

// MostCounted is how many authors an item may have to count for them. A view writes a row or two for each, and each DOI
// that a publication names one: with 5,000 authors a view took 115 ms of the store's only writer.
const MostCounted = 50

// peopleIDs are the ids of people, sorted, each once; none where they are more than MostCounted.
func peopleIDs(people []Person) (ids []int64) {
	for i := range people {
		ids = append(ids, people[i].ID)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) > MostCounted {
		return nil
	}
	return ids
}

// Cited are the DOIs that the references and related materials name, in whatever
// relation: bare, sorted, each once. One with a version at its end names the item as a
// whole, too, so that both forms are there.
func (m *Metadata) Cited() []string {
	cited := []string{}
	for _, material := range m.Materials() {
		if w := ReadWork(material.Identifier, material.Type); w.Type == "DOI" {
			cited = append(cited, w.Value, ItemDOI(w.Value))
		}
	}
	slices.Sort(cited)
	return slices.Compact(cited)
}

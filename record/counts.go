package record

import (
	"regexp"
	"slices"
)

// Counts are what readers did with a public item, and how many public items cite it.
type Counts struct {
	Views     int64 `json:"views"`     // one per visitor and day
	Shares    int64 `json:"shares"`    // one per visitor and day
	Downloads int64 `json:"downloads"` // one per visitor, file or archive, and day
	Cites     int64 `json:"cites"`     // items whose latest public version names the DOI
}

// Citation is what the latest public version of an item names.
type Citation struct {
	Cited   []string `json:"cited"`             // as Metadata.Cited tells it
	Members []int64  `json:"members,omitempty"` // articles of a collection, sorted
}

// Citation is what an article names.
func (m *Metadata) Citation() Citation { return Citation{Cited: m.Cited()} }

// maxCited is the length of a DOI beyond which it is not looked at, in bytes.
const maxCited = 1000

var doiForm = regexp.MustCompile(`^10\.[0-9.]+/.`)

// Cited are the DOIs that the references and related materials name, in whatever
// relation: bare, sorted, each once. One with a version at its end names the item as a
// whole, too, so that both forms are there.
func (m *Metadata) Cited() []string {
	cited := []string{}
	for _, material := range m.Materials() {
		doi := BareDOI(material.Identifier)
		if len(doi) > maxCited || !doiForm.MatchString(doi) {
			continue
		}
		cited = append(cited, doi, ItemDOI(doi))
	}
	slices.Sort(cited)
	return slices.Compact(cited)
}

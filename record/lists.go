package record

import (
	"encoding/json"
	"fmt"
)

// Lists are how many entries the lists of one item may have, 0 for any number. The work of a
// request grows with them.
type Lists struct {
	Authors      int
	References   int // and as many related materials
	Tags         int
	Funding      int // grants
	Categories   int
	CustomValues int // of all custom fields together
	Members      int // and invitations, of a project
	Articles     int // of a collection
}

// Bounded refuses a list with more entries than most (422). One that has become longer than that,
// because the bound was another one, may stay as long as it is or be shortened: had is how many
// entries it has now.
func Bounded(field string, entries, had, most int) error {
	if most <= 0 || entries <= most || entries <= had {
		return nil
	}
	return Wrong(field, fmt.Sprintf("may hold at most %d entries", most)).With("limit", most)
}

// Within refuses lists of a body that are too long for the item that has m. It looks at how long
// they are and at nothing else, so it comes before all work on them. How many authors the body of
// an article may have is another bound, see Check.
func (b *ArticleBody) Within(l Lists, m *Metadata, _ int) error {
	for _, list := range []struct {
		field              string
		sent               bool
		entries, had, most int
	}{
		{"tags", b.Tags != nil, length(b.Tags), len(m.Tags), l.Tags},
		{"keywords", b.Keywords != nil, length(b.Keywords), len(m.Tags), l.Tags},
		{"references", b.References != nil, length(b.References), len(m.References), l.References},
		{"related_materials", b.Materials != nil, length(b.Materials), m.MaterialCount(), l.References},
		{"funding_list", b.Grants != nil, length(b.Grants), len(m.FundingList), l.Funding},
		{"categories", b.Categories != nil, length(b.Categories), len(m.Categories), l.Categories},
		{"categories_by_source_id", b.SourceIDs != nil, length(b.SourceIDs), len(m.Categories), l.Categories},
	} {
		if !list.sent {
			continue
		}
		if err := Bounded(list.field, list.entries, list.had, list.most); err != nil {
			return err
		}
	}
	if b.CustomFields != nil {
		if err := Bounded("custom_fields", customValues(*b.CustomFields), customValues(m.CustomFields), l.CustomValues); err != nil {
			return err
		}
	}
	if b.CustomFieldsList != nil {
		return Bounded("custom_fields_list", customValues(listed(*b.CustomFieldsList)), customValues(m.CustomFields), l.CustomValues)
	}
	return nil
}

// Within is that of an article, for a collection that has some authors.
func (b *CollectionBody) Within(l Lists, m *Metadata, authors int) error {
	if err := Bounded("authors", length(b.Authors), authors, l.Authors); err != nil {
		return err
	}
	body := b.described()
	body.Categories = b.Categories
	return body.Within(l, m, authors)
}

// Within is that of an article, for a project.
func (b *ProjectBody) Within(l Lists, p *Project) error {
	return b.described().Within(l, p.Metadata(), 0)
}

// Fits refuses what a body has made of an item: references that came beside materials in other
// relations. had is how many materials there were.
func (m *Metadata) Fits(l Lists, had int) error {
	return Bounded("references", m.MaterialCount(), had, l.References)
}

// MaterialCount is how many materials Materials gives.
func (m *Metadata) MaterialCount() int {
	if len(m.Related) > 0 {
		return len(m.Related)
	}
	return len(m.References)
}

func length[T any](list *[]T) int {
	if list == nil {
		return 0
	}
	return len(*list)
}

// customValues counts the values of custom fields; a field without one counts, too.
func customValues(fields []CustomField) (n int) {
	for _, f := range fields {
		var list []json.RawMessage
		if len(f.Value) > 0 && f.Value[0] == '[' && json.Unmarshal(f.Value, &list) == nil {
			n += max(1, len(list))
		} else {
			n++
		}
	}
	return n
}

// freeWeight is how many bytes of an item's metadata do not count against the quota: what nearly
// every item has.
const freeWeight = 16 << 10

// authorWeight is what an author of an item counts: about what a person takes in the store.
const authorWeight = 200

// Weight is by how many bytes the metadata of an item with so many authors is longer than what
// counts nothing.
func (m *Metadata) Weight(authors int) int64 {
	n := len(m.Title) + len(m.Description) + len(m.Funding) + len(m.MetadataReason) + 8*len(m.Categories) + authorWeight*authors
	for _, list := range [][]string{m.Tags, m.References, m.FundingList} {
		n += 4 * len(list)
		for _, text := range list {
			n += len(text)
		}
	}
	for _, f := range m.CustomFields {
		n += len(f.Name) + len(f.Value)
	}
	for _, r := range m.Related {
		n += len(r.Identifier) + len(r.Title)
	}
	return max(0, int64(n-freeWeight))
}

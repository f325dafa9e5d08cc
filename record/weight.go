package record

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

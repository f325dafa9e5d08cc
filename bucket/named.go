package bucket

import "alcove/record"

// mostNamed is how many related materials of one item can be named by their id elsewhere.
const mostNamed = 500

// What an account can name by an id: the grants and related materials of its items. The
// sort keys are the account and the id.
var (
	ArticlesByNamed    = addIndex(Articles, "named", 1, func(a *record.Article) []IndexEntry { return nameable(a.AccountID, &a.Metadata) })
	CollectionsByNamed = addIndex(Collections, "named", 1, func(c *record.Collection) []IndexEntry { return nameable(c.AccountID, &c.Metadata) })
	ProjectsByNamed    = addIndex(Projects, "named", 1, func(p *record.Project) []IndexEntry {
		return nameable(p.AccountID, p.Metadata())
	})
)

func nameable(account int64, m *record.Metadata) (entries []IndexEntry) {
	for _, title := range m.GrantTitles() {
		entries = append(entries, IndexEntry{Sort: SortKey(account, record.FundingID(title))})
	}
	for i, r := range m.Materials() {
		if i == mostNamed {
			break
		}
		entries = append(entries, IndexEntry{Sort: SortKey(account, r.ID())})
	}
	return entries
}

package bucket

import "alcove/record"

// Public versions by the people whom they name.
var (
	VersionsByAuthor = PublicIndex[Pair, record.ArticleVersion]{addIndex(&ArticleVersions.Table, "author", 1, func(v *record.ArticleVersion) []IndexEntry {
		return byPeople(v.Authors)
	})}
	CollectionVersionsByAuthor = PublicIndex[Pair, record.CollectionVersion]{addIndex(&CollectionVersions.Table, "author", 1, func(v *record.CollectionVersion) []IndexEntry {
		return byPeople(v.Authors)
	})}
)

func byPeople(authors []record.Person) (entries []IndexEntry) {
	for _, p := range authors {
		entries = append(entries, IndexEntry{Sort: SortKey(p.ID)})
	}
	return entries
}

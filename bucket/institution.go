package bucket

import "alcove/record"

// Tables and indexes of the institution: its groups, and who may do what in them.
var (
	Groups = &Table[int64, record.Group]{name: "groups", codec: intKeys}
	// Grants is keyed by account id and group id.
	Grants = &Table[Pair, record.Grant]{name: "grants", codec: pairKeys}

	// GrantsByGroup finds who has roles in a group.
	GrantsByGroup = addIndex(Grants, "group", 1, func(g *record.Grant) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(g.GroupID)}}
	})
	// AccountsByInstitution sorts an institution's accounts by id; the value is the group
	// (IndexedGroup).
	AccountsByInstitution = addIndex(Accounts, "institution", 1, func(a *record.Account) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(a.InstitutionID), Value: intKeys.enc(a.GroupID)}}
	})
	// ArticlesByPublished sorts an institution's articles by their latest publication,
	// those that were never published first; the value is the group (IndexedGroup).
	ArticlesByPublished = addIndex(Articles, "institution_published", 1, func(a *record.Article) []IndexEntry {
		published := int64(0)
		if a.Published != nil {
			published = a.Published.Unix()
		}
		return []IndexEntry{{Sort: SortKey(a.InstitutionID, published), Value: intKeys.enc(a.GroupID)}}
	})
	// ArticlesByModified sorts an institution's articles by their last change; the value
	// is the group (IndexedGroup).
	ArticlesByModified = addIndex(Articles, "institution_modified", 1, func(a *record.Article) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(a.InstitutionID, a.Modified), Value: intKeys.enc(a.GroupID)}}
	})
	// PeopleSeen has people under the account that may see them, record.Everyone for all.
	PeopleSeen = addIndex(People, "seen", 1, func(p *record.Person) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(p.SeenBy())}}
	})
	// PeopleByWord is PeopleSeen with the words of the name and the ORCID iD behind the
	// account, so that what begins alike stands together.
	PeopleByWord = addIndex(People, "word", 1, func(p *record.Person) []IndexEntry {
		var entries []IndexEntry
		for _, w := range p.SearchWords() {
			entries = append(entries, IndexEntry{Sort: SortKey(p.SeenBy(), w)})
		}
		return entries
	})
)

// IndexedGroup reads the value of the indexes by institution.
func IndexedGroup(value []byte) int64 { return intKeys.dec(value) }

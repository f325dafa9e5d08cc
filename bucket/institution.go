package bucket

import (
	"encoding/binary"
	"hash/fnv"

	"alcove/record"
)

// Tables and indexes of the institution: its groups, and who may do what in them.
var (
	Groups = &Table[int64, record.Group]{name: "groups", codec: intKeys}
	// Grants is keyed by account id and group id.
	Grants = &Table[Pair, record.Grant]{name: "grants", codec: pairKeys}

	// GrantsByGroup finds who has roles in a group.
	GrantsByGroup = addIndex(Grants, "group", 1, func(g *record.Grant) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(g.GroupID)}}
	})
	// AccountsByInstitution sorts an institution's accounts by id; the value holds AccountFacts.
	AccountsByInstitution = addIndex(Accounts, "institution", 2, func(a *record.Account) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(a.InstitutionID), Value: accountFacts(a)}}
	})
	// ArticlesByPublished sorts an institution's articles by their latest publication,
	// those that were never published first; the value holds their WorkingFacts.
	ArticlesByPublished = addIndex(Articles, "institution_published", 3, func(a *record.Article) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(a.InstitutionID, publication(a)), Value: workingFacts(&a.Working)}}
	})
	// ArticlesByGroup is ArticlesByPublished of each group; those of no group are not in it.
	ArticlesByGroup = addIndex(Articles, "institution_group", 2, func(a *record.Article) []IndexEntry {
		if a.GroupID == 0 {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(a.InstitutionID, a.GroupID, publication(a)), Value: workingFacts(&a.Working)}}
	})
	// ArticlesByModified sorts an institution's articles by their last change; the value
	// holds their WorkingFacts.
	ArticlesByModified = addIndex(Articles, "institution_modified", 3, func(a *record.Article) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(a.InstitutionID, a.Modified), Value: workingFacts(&a.Working)}}
	})
	// PeopleSeen has people under the account that may see them, record.Everyone for all; the value
	// says whether something public names them, and whether they have an account (SeenPerson).
	PeopleSeen = addIndex(People, "seen", 2, func(p *record.Person) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(p.SeenBy()), Value: []byte{seenBits(p)}}}
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

// The publication states of a working copy, as the status filter of own lists numbers them.
const (
	StatusDraft = iota + 1
	StatusPrivate
	StatusPublic
)

// WorkingFacts are what lists of an institution are narrowed by without reading a record.
type WorkingFacts struct {
	Facts
	Status   int64
	Resource uint64 // see ResourceNumber
}

// publication is when an article was last published in Unix seconds, NoTime for never.
func publication(a *record.Article) int64 {
	if a.Published == nil {
		return NoTime
	}
	return a.Published.Unix()
}

// workingFacts are the Facts, a byte for the status, and the number of the resource's DOI.
func workingFacts(w *record.Working) []byte {
	status := map[string]byte{"draft": StatusDraft, "private": StatusPrivate, "public": StatusPublic}[w.Status()]
	return binary.BigEndian.AppendUint64(append(facts(w), status), ResourceNumber(record.BareDOI(w.ResourceDOI)))
}

// ReadWorkingFacts reads the value of an index with WorkingFacts.
func ReadWorkingFacts(f *WorkingFacts, value []byte) {
	ReadFacts(&f.Facts, value)
	f.Status, f.Resource = int64(value[factBytes]), binary.BigEndian.Uint64(value[factBytes+1:])
}

// ResourceNumber stands for the bare DOI of a resource where there is little room: the same for
// the same one, and hardly ever for another. 0 is that of none.
func ResourceNumber(doi string) uint64 {
	if doi == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(doi))
	return h.Sum64()
}

// AccountFacts are what a search for people reads without the accounts: of 10,000 it takes 5 ms instead of 75 (BenchmarkPeople).
type AccountFacts struct {
	Group    int64
	Admin    bool
	Disabled bool
	Ends     int64  // Unix seconds, rounded down, 0 for never
	Text     string // record.Account.SearchText
}

const accountText = 8 + 8 + 1 // where the text begins

func accountFacts(a *record.Account) []byte {
	ends, flags := int64(0), byte(0)
	if !a.Expires.IsZero() {
		ends = max(1, a.Expires.Unix())
	}
	if a.Admin {
		flags |= 1
	}
	if a.Disabled {
		flags |= 2
	}
	return append(append(append(intKeys.enc(a.GroupID), intKeys.enc(ends)...), flags), a.SearchText()...)
}

// ReadAccountFacts reads the value of AccountsByInstitution.
func ReadAccountFacts(value []byte) AccountFacts {
	return AccountFacts{IndexedGroup(value), value[accountText-1]&1 != 0, value[accountText-1]&2 != 0, intKeys.dec(value[8:]), string(value[accountText:])}
}

// IndexedGroup reads the group in the value of AccountsByInstitution.
func IndexedGroup(value []byte) int64 { return intKeys.dec(value) }

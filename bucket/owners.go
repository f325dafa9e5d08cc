package bucket

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"alcove/record"
)

// The owner of a private record stands in small indexes, so that a foreign one is refused
// without being read: it costs what an id costs that was never given.
var (
	ArticleOwners = addOwners(Articles, func(a *record.Article) Owner {
		return Owner{a.AccountID, a.ProjectID, a.InstitutionID, a.GroupID}
	})
	CollectionOwners = addOwners(Collections, func(c *record.Collection) Owner {
		return Owner{Account: c.AccountID, Institution: c.InstitutionID, Group: c.GroupID}
	})
	ProjectOwners = addOwners(Projects, func(p *record.Project) Owner {
		return Owner{Account: p.AccountID, Institution: p.InstitutionID, Group: p.GroupID}
	})
	// FileOwners has the article of a file in the place of a project, and so has ReviewOwners that
	// of a review.
	FileOwners   = addOwners(Files, func(f *record.File) Owner { return Owner{Account: f.AccountID, In: f.ArticleID} })
	ReviewOwners = addOwners(Reviews, func(r *record.Review) Owner {
		return Owner{r.AccountID, r.ArticleID, r.InstitutionID, r.GroupID}
	})
	NoteOwners    = addOwners(ProjectNotes, func(n *record.ProjectNote) Owner { return Owner{Account: n.AccountID, In: n.ProjectID} })
	AccountOwners = addOwners(Accounts, func(a *record.Account) Owner {
		return Owner{Account: a.ID, Institution: a.InstitutionID, Group: a.GroupID}
	})
	FieldOwners = addOwners(Fields, func(f *record.Field) Owner { return Owner{Group: f.GroupID} })
)

// Owner is the account that a record belongs to, the item that it is in, and the institution and
// the group whose administrators may do something with it, 0 for none. The zero value is that of a
// record that is not there.
type Owner struct{ Account, In, Institution, Group int64 }

// Owners finds the owner of records by their ids.
type Owners[R any] struct {
	table *Table[int64, R]
	index *Index[int64, R]
	of    func(*R) Owner
}

func addOwners[R any](t *Table[int64, R], of func(*R) Owner) Owners[R] {
	return Owners[R]{t, addIndex(t, "owner", 2, func(r *R) []IndexEntry {
		o := of(r)
		b := appendPair(make([]byte, 0, 32), Pair{o.Account, o.In})
		return []IndexEntry{{Value: appendPair(b, Pair{o.Institution, o.Group})}}
	}), of}
}

// Of is the owner of a record. Its cost does not depend on whether there is one. In a
// transaction that writes it does not see records that other writes of the same commit make, whose
// ids that are not known yet.
func (o Owners[R]) Of(tx *Tx, id int64) (owner Owner) {
	k := intKeys.enc(id)
	if w := o.table.pending(tx, k); w != nil {
		return o.of(&w.is)
	}
	if v := o.index.peekValue(tx, k); v != nil {
		account, of := pairKeys.dec(v), pairKeys.dec(v[16:])
		owner = Owner{account.A, account.B, of.A, of.B}
	}
	return owner
}

// Seen is what an account may know of a person.
type Seen struct {
	Named   bool // the account may name it by its id
	Public  bool // something public names it
	Profile bool // it is that of an account
}

// SeenPerson is Owners for people: what an account may read of a person; empty if there is none.
func SeenPerson(tx *Tx, id, account int64) (s Seen) {
	k := intKeys.enc(id)
	if w := People.pending(tx, k); w != nil {
		return Seen{w.is.VisibleTo(account), w.is.Public, w.is.AccountID != 0}
	}
	for _, by := range []int64{record.Everyone, account} {
		if v := PeopleSeen.peekValue(tx, append(SortKey(by), k...)); v != nil {
			s = Seen{true, v[0]&seenPublic != 0, v[0]&seenProfile != 0}
		}
	}
	return s
}

// The values of PeopleSeen.
const (
	seenPublic = 1 << iota
	seenProfile
)

func seenBits(p *record.Person) (bits byte) {
	if p.Public {
		bits |= seenPublic
	}
	if p.AccountID != 0 {
		bits |= seenProfile
	}
	return bits
}

// peekValue is the value of an entry, nil for none, for the same cost. The entries beside its place
// are looked at, too: one that a flipped bit has moved there is damage.
func (ix *Index[K, R]) peekValue(tx *Tx, key []byte) (value []byte) {
	if v := tx.stored(ix.bucketName()).Get(key); v != nil {
		ix.check(key, v)
		value = v[1 : len(v)-entrySum]
	}
	if lookAround(tx, ix.bucketName(), key, func(k, v []byte) bool { return !entryWhole(ix.seed, k, v) }) {
		panic(damagedEntry(ix.bucketName(), key))
	}
	return value
}

// ValueOf is the value of the entry that a record has under an exact sort key, nil for none.
func (ix *Index[K, R]) ValueOf(tx *Tx, sort []byte, key K) []byte {
	return ix.peekValue(tx, join(sort, ix.codec.enc(key)))
}

// Orders of an account's working copies. Under the account a sort key has 1 and a time,
// or 0 where there is none, so that a list can show those last in either direction. The
// value holds their Facts.
var (
	// OwnArticlesByPublished sorts an account's articles by their latest publication.
	OwnArticlesByPublished = addIndex(Articles, "own_published", 3, func(a *record.Article) []IndexEntry { return byPublished(&a.Working) })
	// OwnArticlesByModified sorts an account's articles by their last change.
	OwnArticlesByModified = addIndex(Articles, "own_modified", 3, func(a *record.Article) []IndexEntry { return byModified(&a.Working) })
	// ArticlesByAuthor finds the articles that name a person.
	ArticlesByAuthor = addIndex(Articles, "author", 1, func(a *record.Article) []IndexEntry { return byAuthor(&a.Working) })

	// OwnCollectionsByPublished sorts an account's collections by their latest publication.
	OwnCollectionsByPublished = addIndex(Collections, "own_published", 3, func(c *record.Collection) []IndexEntry { return byPublished(&c.Working) })
	// OwnCollectionsByModified sorts an account's collections by their last change.
	OwnCollectionsByModified = addIndex(Collections, "own_modified", 3, func(c *record.Collection) []IndexEntry { return byModified(&c.Working) })
	// CollectionsByAuthor finds the collections that name a person.
	CollectionsByAuthor = addIndex(Collections, "author", 1, func(c *record.Collection) []IndexEntry { return byAuthor(&c.Working) })
)

// ProjectsByCreated sorts all projects by creation.
var ProjectsByCreated = addIndex(Projects, "created", 1, func(p *record.Project) []IndexEntry {
	return []IndexEntry{{Sort: SortKey(p.Created)}}
})

func byPublished(w *record.Working) []IndexEntry {
	if w.Published == nil {
		return []IndexEntry{{Sort: SortKey(w.AccountID, 0), Value: facts(w)}}
	}
	return []IndexEntry{{Sort: SortKey(w.AccountID, 1, *w.Published), Value: facts(w)}}
}

func byModified(w *record.Working) []IndexEntry {
	return []IndexEntry{{Sort: SortKey(w.AccountID, 1, w.Modified), Value: facts(w)}}
}

func byAuthor(w *record.Working) (entries []IndexEntry) {
	for _, id := range w.Authors {
		entries = append(entries, IndexEntry{Sort: SortKey(id)})
	}
	return entries
}

func facts(w *record.Working) []byte {
	f := Facts{Modified: w.Modified, Type: w.Type, Institution: w.InstitutionID, Group: w.GroupID, Project: w.ProjectID, Version: int64(w.Version)}
	if w.Published != nil {
		f.Published = *w.Published
	}
	return f.Bytes()
}

// Facts are what lists and searches are narrowed by without reading a record.
type Facts struct {
	Published, Modified                        time.Time // Published is zero for never
	Type, Institution, Group, Project, Version int64     // Version is the latest public one, 0 for none
	// Counts are known of public items only, by PublicIndex.Facts.
	Counts record.Counts
}

// NoTime stands in indexes for no time, before all times.
const NoTime = -1 << 39

const (
	factBytes   = 7 * 8
	countsBytes = 4 * 8
)

// Bytes are the facts as an index holds them, without the counts: eight bytes each, big
// endian, in the order of Facts; times are Unix seconds, with NoTime for none.
func (f Facts) Bytes() []byte {
	published := int64(NoTime)
	if !f.Published.IsZero() {
		published = f.Published.Unix()
	}
	b := make([]byte, 0, factBytes+countsBytes)
	for _, n := range []int64{published, f.Modified.Unix(), f.Type, f.Institution, f.Group, f.Project, f.Version} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// IndexedFacts reads the value of an index with Facts.
func IndexedFacts(value []byte) (f Facts) {
	ReadFacts(&f, value)
	return f
}

// ReadFacts is IndexedFacts for who reads many.
func ReadFacts(f *Facts, value []byte) {
	_ = value[factBytes-1]
	n := func(i int) int64 { return int64(binary.BigEndian.Uint64(value[8*i:])) }
	f.Published, f.Modified = time.Time{}, time.Unix(n(1), 0).UTC()
	if n(0) != NoTime {
		f.Published = time.Unix(n(0), 0).UTC()
	}
	f.Type, f.Institution, f.Group, f.Project, f.Version = n(2), n(3), n(4), n(5), n(6)
	f.Counts = record.Counts{}
}

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

package bucket

import (
	"encoding/binary"
	"time"

	"alcove/record"
)

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

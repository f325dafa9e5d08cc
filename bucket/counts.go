package bucket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"alcove/record"
)

// Kinds of public items, the first half of the keys of Counts and Citations.
const (
	KindArticle int64 = 1 + iota
	KindCollection
	KindProject
)

// Counts has what is counted of items that are public, or were; an item that was never used or
// cited is not in it. It is written many times a minute and tells nothing of the
// repository, so it is not in the change log. The orders by a count are indexes of the
// public items (public.go), whose entries AddCounts and Cite keep up.
var Counts = &PublicTable[Pair, record.Counts]{Table[Pair, record.Counts]{name: "counts", codec: pairKeys, quiet: true}}

var (
	// Citations has what the latest public versions of articles and collections name, and public
	// projects. It is derived from them (citeAll), and has those only that name something.
	Citations = &Table[Pair, record.Citation]{name: "citations", codec: pairKeys, quiet: true}
	// CitationsByDOI finds the items that name a DOI; they are public.
	CitationsByDOI = PublicIndex[Pair, record.Citation]{addIndex(Citations, "doi", 1, func(c *record.Citation) (entries []IndexEntry) {
		for _, doi := range c.Cited {
			entries = append(entries, IndexEntry{Sort: SortKey(doi)})
		}
		return entries
	})}
	// CollectionsByMember finds the collections whose latest public version has an article.
	CollectionsByMember = PublicIndex[Pair, record.Citation]{addIndex(Citations, "member", 1, func(c *record.Citation) (entries []IndexEntry) {
		for _, id := range c.Members {
			entries = append(entries, IndexEntry{Sort: SortKey(id)})
		}
		return entries
	})}
)

// countsOf are the counts of an item, zero when there are none.
func countsOf(tx *Tx, key Pair) (record.Counts, error) {
	c, err := Counts.Get(tx, key)
	if errors.Is(err, ErrNotFound) || err != nil && tx.lenient {
		return record.Counts{}, nil
	}
	if err != nil {
		return record.Counts{}, err
	}
	return *c, nil
}

// countBytes are counts as an index holds them: eight bytes each, big endian.
func countBytes(c record.Counts) (b []byte) {
	for _, n := range []int64{c.Views, c.Shares, c.Downloads, c.Cites} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// indexedCounts reads what countBytes made.
func indexedCounts(b []byte) record.Counts {
	n := func(i int) int64 { return int64(binary.BigEndian.Uint64(b[8*i:])) }
	return record.Counts{Views: n(0), Shares: n(1), Downloads: n(2), Cites: n(3)}
}

// AddCounts adds to the counts of an item. One that is not public any more is not counted. A
// *DamagedError is told before anything is written.
func AddCounts(tx *Tx, key Pair, more record.Counts) error {
	return recount(tx, key, func(c *record.Counts) { *c = c.Plus(more, 1) })
}

// DropCounts forgets the counts of an item that is not public.
func DropCounts(tx *Tx, key Pair) error {
	if err := Counts.Delete(tx, key); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return dropUsage(tx, key)
}

// recount changes the counts of an item and moves it in the orders by them, if it is
// public.
func recount(tx *Tx, key Pair, change func(*record.Counts)) error {
	switch key.A {
	case KindArticle:
		return recountIn(tx, &PublicArticles.Table, key, change)
	case KindCollection:
		return recountIn(tx, &PublicCollections.Table, key, change)
	case KindProject:
		return recountIn(tx, &PublicProjects.Table, key, change)
	}
	return fmt.Errorf("cannot count an item of kind %d", key.A)
}

func recountIn[R any](tx *Tx, t *Table[int64, R], key Pair, change func(*record.Counts)) error {
	was, err := countsOf(tx, key)
	if err != nil {
		return err
	}
	is := was
	if change(&is); is == was {
		return nil
	}
	if t.pending(tx, t.codec.enc(key.B)) != nil { // its entries must be there to be moved
		if err := tx.flushPending(); err != nil {
			return err
		}
	}
	head, err := t.Get(tx, key.B)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := Counts.Put(tx, key, &is); err != nil {
		return err
	}
	if err := addToSums(tx, key, is.Plus(was, -1)); err != nil {
		return err
	}
	for _, ix := range t.indexes {
		if ix.counted == nil {
			continue
		}
		if err := ix.replace(tx, t.codec.enc(key.B), ix.counted(was, head), ix.counted(is, head)); err != nil {
			return err
		}
	}
	return nil
}

// Cite notes what the latest public version of an item is called and names: its own
// cites, and those of what it names or named before, are right afterwards. An item that
// is not public any more has no DOI and names nothing. The item and its version must be
// stored, or gone, before.
func Cite(tx *Tx, key Pair, doi string, now record.Citation) error {
	cited := now.Cited
	old := &record.Citation{}
	had, err := Citations.Get(tx, key)
	if err == nil {
		old = had
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	switch {
	case old.Equal(&now):
	case !now.Empty():
		err = Citations.Put(tx, key, &now)
	default:
		err = Citations.Delete(tx, key)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if err := moveSums(tx, key, old, &now); err != nil {
		return err
	}
	for _, change := range [][2][]string{{old.Cited, cited}, {cited, old.Cited}} {
		for _, named := range change[0] {
			if _, stays := slices.BinarySearch(change[1], named); stays {
				continue
			}
			if err := recite(tx, named); err != nil {
				return err
			}
		}
	}
	return countCites(tx, key, record.BareDOI(doi))
}

// recite counts the cites of all public items that have a bare DOI.
func recite(tx *Tx, doi string) error {
	var items []Pair
	for hit := range VersionsByDOI.Ascending(tx, SortKey(doi)) {
		if have, ok := PublicFacts.Facts(tx, hit.Key.A); ok && have.Version == hit.Key.B && len(hit.Value) == 0 {
			items = append(items, Pair{KindArticle, hit.Key.A})
		}
	}
	for hit := range CollectionVersionsByDOI.Ascending(tx, SortKey(doi)) {
		if have, ok := PublicCollectionFacts.Facts(tx, hit.Key.A); ok && have.Version == hit.Key.B && len(hit.Value) == 0 {
			items = append(items, Pair{KindCollection, hit.Key.A})
		}
	}
	for _, key := range items {
		if err := countCites(tx, key, doi); err != nil {
			return err
		}
	}
	return nil
}

// countCites counts the items that name a bare DOI for the item that has it; itself does
// not count.
func countCites(tx *Tx, key Pair, doi string) error {
	cites := int64(0)
	if sort := SortKey(doi); doi != "" {
		for hit := range CitationsByDOI.Ascending(tx, sort) {
			if len(hit.Sort) == len(sort) && hit.Key != key {
				cites++
			}
		}
	}
	return recount(tx, key, func(c *record.Counts) { c.Cites = cites })
}

// citeAll makes Citations, which must be empty, and all cites from the public versions.
func citeAll(tx *Tx) error {
	for row, err := range PublicArticles.All(tx, nil) {
		if err != nil {
			return err
		}
		v, err := ArticleVersions.Get(tx, Pair{row.Key, int64(row.Record.Latest)})
		if err == nil {
			err = putCitation(tx, Pair{KindArticle, row.Key}, v.Citation())
		}
		if err != nil && !errors.Is(err, ErrNotFound) && !tx.lenient {
			return fmt.Errorf("cannot read what article %d cites: %w", row.Key, err)
		}
	}
	for row, err := range PublicCollections.All(tx, nil) {
		if err != nil {
			return err
		}
		v, err := CollectionVersions.Get(tx, Pair{row.Key, int64(row.Record.Latest)})
		if err == nil {
			err = putCitation(tx, Pair{KindCollection, row.Key}, v.Citation())
		}
		if err != nil && !errors.Is(err, ErrNotFound) && !tx.lenient {
			return fmt.Errorf("cannot read what collection %d cites: %w", row.Key, err)
		}
	}
	for row, err := range PublicProjects.All(tx, nil) {
		if err == nil {
			err = putCitation(tx, Pair{KindProject, row.Key}, row.Record.Citation())
		}
		if err != nil {
			return err
		}
	}
	if err := sumAll(tx); err != nil {
		return err
	}
	var counted []Pair
	for row, err := range Counts.All(tx, nil) {
		if err != nil {
			return err
		}
		if row.Record.Cites != 0 {
			counted = append(counted, row.Key)
		}
	}
	for _, key := range counted {
		if err := recount(tx, key, func(c *record.Counts) { c.Cites = 0 }); err != nil {
			return err
		}
	}
	last := ""
	for hit := range CitationsByDOI.Ascending(tx, nil) {
		doi := string(hit.Sort[:len(hit.Sort)-1])
		if doi == last {
			continue
		}
		last = doi
		if err := recite(tx, doi); err != nil {
			return err
		}
	}
	return nil
}

func putCitation(tx *Tx, key Pair, c record.Citation) error {
	if !c.Empty() {
		return Citations.Put(tx, key, &c)
	}
	return nil
}

// Total is a sum over the records of a table, kept up in the transactions that change them
// and made again like an index: bytes that are promised, say, without reading who promised.
type Total[K, R any] struct{ ix *Index[K, R] }

// addTotal adds up what of tells of each record. The version is raised when of changes.
func addTotal[K, R any](t *Table[K, R], name string, version int, of func(*R) int64) Total[K, R] {
	ix := addIndex(t, name, version, nil)
	ix.sum = of
	return Total[K, R]{ix}
}

var totalKey = []byte("total")

// sealedTotal is a total as it is stored: like an index entry whose key is no record's.
func (ix *Index[K, R]) sealedTotal(sum int64) []byte {
	return ix.sealed(totalKey, 0, binary.BigEndian.AppendUint64(nil, uint64(sum)))
}

// Sum is the total as this transaction sees it.
func (t Total[K, R]) Sum(tx *Tx) int64 {
	if v := tx.bucket(t.ix.bucketName()).Get(totalKey); v != nil {
		if !entryWhole(t.ix.seed, totalKey, v) {
			panic(damagedEntry(t.ix.bucketName(), totalKey))
		}
		return int64(binary.BigEndian.Uint64(v[1:]))
	}
	return 0
}

// add counts a record that takes the place of another; either may be nil.
func (ix *Index[K, R]) add(tx *Tx, old, new *R) error {
	var more int64
	if old != nil {
		more -= ix.sum(old)
	}
	if new != nil {
		more += ix.sum(new)
	}
	if more == 0 {
		return nil
	}
	sum := Total[K, R]{ix}.Sum(tx) + more
	if err := tx.bucket(ix.bucketName()).Put(totalKey, ix.sealedTotal(sum)); err != nil {
		return fmt.Errorf("cannot update total %s: %w", ix.name, err)
	}
	return nil
}

// PublicTotal is a Total that anyone may read.
type PublicTotal[K, R any] struct{ total Total[K, R] }

// Sum is the total as this transaction sees it.
func (t PublicTotal[K, R]) Sum(tx Reader) int64 { return t.total.Sum(tx.reader()) }

// How much there is, for who watches a server: a sum costs one read, where a walk would take a second for a million items.
var (
	ArticlesNumber    = addTotal(Articles, "number", 1, one[record.Article])
	CollectionsNumber = addTotal(Collections, "number", 1, one[record.Collection])
	ProjectsNumber    = addTotal(Projects, "number", 1, one[record.Project])

	PublicArticlesNumber    = addTotal(&PublicArticles.Table, "number", 1, one[record.PublicArticle])
	PublicCollectionsNumber = addTotal(&PublicCollections.Table, "number", 1, one[record.PublicCollection])
	PublicProjectsNumber    = addTotal(&PublicProjects.Table, "number", 1, one[record.PublicProject])

	AccountsNumber   = addTotal(Accounts, "number", 1, one[record.Account])
	AccountsDisabled = addTotal(Accounts, "disabled", 1, func(a *record.Account) int64 { return truth(a.Disabled) })
	// BytesStored is what accounts keep, as it counts against their quotas.
	BytesStored = addTotal(Accounts, "used", 1, func(a *record.Account) int64 { return a.Used() })

	// ViewsCounted and DownloadsCounted are those of items that are public now.
	ViewsCounted     = addTotal(&Counts.Table, "views", 1, func(c *record.Counts) int64 { return c.Views })
	DownloadsCounted = addTotal(&Counts.Table, "downloads", 1, func(c *record.Counts) int64 { return c.Downloads })
)

func one[R any](*R) int64 { return 1 }

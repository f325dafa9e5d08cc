// Package counting has what is counted of public items: views, downloads, shares and cites, by months too, and the sums of
// authors and groups.
package counting

import (
	"errors"
	"fmt"
	"slices"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/record"
)

// AddCounts adds to the counts of an item. One that is not public any more is not counted. A
// *DamagedError is told before anything is written.
func AddCounts(tx *bucket.Tx, key bucket.Pair, more record.Counts) error {
	return recount(tx, key, func(c *record.Counts) { *c = c.Plus(more, 1) })
}

// DropCounts forgets the counts of an item that is not public.
func DropCounts(tx *bucket.Tx, key bucket.Pair) error {
	if err := published.Counts.Delete(tx, key); err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	return dropUsage(tx, key)
}

// recount changes the counts of an item and moves it in the orders by them, if it is
// public.
func recount(tx *bucket.Tx, key bucket.Pair, change func(*record.Counts)) error {
	switch key.A {
	case record.KindArticle:
		return recountIn(tx, &published.Articles.Table, key, change)
	case record.KindCollection:
		return recountIn(tx, &published.Collections.Table, key, change)
	case record.KindProject:
		return recountIn(tx, &published.Projects.Table, key, change)
	}
	return fmt.Errorf("cannot count an item of kind %d", key.A)
}

func recountIn[R any](tx *bucket.Tx, t *bucket.Table[int64, R], key bucket.Pair, change func(*record.Counts)) error {
	was, err := published.CountsOf(tx, key)
	if err != nil {
		return err
	}
	is := was
	if change(&is); is == was {
		return nil
	}
	head, err := t.Flushed(tx, key.B) // its entries must be there to be moved
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := published.Counts.Put(tx, key, &is); err != nil {
		return err
	}
	if err := addToSums(tx, key, is.Plus(was, -1)); err != nil {
		return err
	}
	return t.MoveCounted(tx, key.B, head, was, is)
}

// Cite notes what the latest public version of an item is called and names: its own
// cites, and those of what it names or named before, are right afterwards. An item that
// is not public any more has no DOI and names nothing. The item and its version must be
// stored, or gone, before.
func Cite(tx *bucket.Tx, key bucket.Pair, doi string, now record.Citation) error {
	cited := now.Cited
	old := &record.Citation{}
	had, err := Citations.Get(tx, key)
	if err == nil {
		old = had
	} else if !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	switch {
	case old.Equal(&now):
	case !now.Empty():
		err = Citations.Put(tx, key, &now)
	default:
		err = Citations.Delete(tx, key)
	}
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
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
func recite(tx *bucket.Tx, doi string) error {
	var items []bucket.Pair
	for hit := range published.VersionsByDOI.Ascending(tx, bucket.SortKey(doi)) {
		if have, ok := published.ArticleFacts.Facts(tx, hit.Key.A); ok && have.Version == hit.Key.B && len(hit.Value) == 0 {
			items = append(items, bucket.Pair{A: record.KindArticle, B: hit.Key.A})
		}
	}
	for hit := range published.CollectionVersionsByDOI.Ascending(tx, bucket.SortKey(doi)) {
		if have, ok := published.CollectionFacts.Facts(tx, hit.Key.A); ok && have.Version == hit.Key.B && len(hit.Value) == 0 {
			items = append(items, bucket.Pair{A: record.KindCollection, B: hit.Key.A})
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
func countCites(tx *bucket.Tx, key bucket.Pair, doi string) error {
	cites := int64(0)
	if sort := bucket.SortKey(doi); doi != "" {
		for hit := range CitationsByDOI.Ascending(tx, sort) {
			if len(hit.Sort) == len(sort) && hit.Key != key {
				cites++
			}
		}
	}
	return recount(tx, key, func(c *record.Counts) { c.Cites = cites })
}

// CiteAll makes Citations, which must be empty, and all cites from the public versions.
func CiteAll(tx *bucket.Tx) error {
	for row, err := range published.Articles.All(tx, nil) {
		if err != nil {
			return err
		}
		v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: row.Key, B: int64(row.Record.Latest)})
		if err == nil {
			err = putCitation(tx, bucket.Pair{A: record.KindArticle, B: row.Key}, v.Citation())
		}
		if err != nil && !errors.Is(err, bucket.ErrNotFound) && !tx.Lenient() {
			return fmt.Errorf("cannot read what article %d cites: %w", row.Key, err)
		}
	}
	for row, err := range published.Collections.All(tx, nil) {
		if err != nil {
			return err
		}
		v, err := published.CollectionVersions.Get(tx, bucket.Pair{A: row.Key, B: int64(row.Record.Latest)})
		if err == nil {
			err = putCitation(tx, bucket.Pair{A: record.KindCollection, B: row.Key}, v.Citation())
		}
		if err != nil && !errors.Is(err, bucket.ErrNotFound) && !tx.Lenient() {
			return fmt.Errorf("cannot read what collection %d cites: %w", row.Key, err)
		}
	}
	for row, err := range published.Projects.All(tx, nil) {
		if err == nil {
			err = putCitation(tx, bucket.Pair{A: record.KindProject, B: row.Key}, row.Record.Citation())
		}
		if err != nil {
			return err
		}
	}
	if err := sumAll(tx); err != nil {
		return err
	}
	var counted []bucket.Pair
	for row, err := range published.Counts.All(tx, nil) {
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

func putCitation(tx *bucket.Tx, key bucket.Pair, c record.Citation) error {
	if !c.Empty() {
		return Citations.Put(tx, key, &c)
	}
	return nil
}

var (
	// Citations has what the latest public versions of articles and collections name, and public
	// projects. It is derived from them (citeAll), and has those only that name something.
	Citations = bucket.ByPair[record.Citation]("citations").Unlogged()
	// CitationsByDOI finds the items that name a DOI; they are public.
	CitationsByDOI = Citations.AddIndex("doi", 1, func(c *record.Citation) (entries []bucket.IndexEntry) {
		for _, doi := range c.Cited {
			entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(doi)})
		}
		return entries
	}).Public()
	// CollectionsByMember finds the collections whose latest public version has an article.
	CollectionsByMember = Citations.AddIndex("member", 1, func(c *record.Citation) (entries []bucket.IndexEntry) {
		for _, id := range c.Members {
			entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(id)})
		}
		return entries
	}).Public()
)

var (
	// ViewsCounted and DownloadsCounted are those of items that are public now.
	ViewsCounted     = published.Counts.Table.AddTotal("views", 1, func(c *record.Counts) int64 { return c.Views })
	DownloadsCounted = published.Counts.Table.AddTotal("downloads", 1, func(c *record.Counts) int64 { return c.Downloads })
)

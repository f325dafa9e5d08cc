package counting

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/facts"
	"alcove/bucket/published"
	"alcove/record"
)

// SumTable has what is counted of public items that have something in common, put together, under
// its id. It is derived from Counts and Citations, and kept up by AddCounts and Cite, so that to read it
// costs the same however many items there are. An id with neither counts nor articles is not in it.
type SumTable struct {
	bucket.PublicTable[int64, record.Sum]
	views, shares, downloads, cites bucket.PublicIndex[int64]
}

func newSums(name string) *SumTable {
	t := &SumTable{PublicTable: *bucket.Public(bucket.ByID[record.Sum](name).Unlogged().Flat())}
	by := func(name string, counter record.Counter) bucket.PublicIndex[int64] {
		return t.PublicTable.AddIndex(name, 1, func(s *record.Sum) []bucket.IndexEntry {
			if s.Counts.Of(counter) == 0 {
				return nil
			}
			return []bucket.IndexEntry{{Sort: bucket.SortKey(s.Counts.Of(counter))}}
		})
	}
	t.views, t.shares, t.downloads, t.cites = by("views", record.Views), by("shares", record.Shares), by("downloads", record.Downloads), by("cites", record.Cites)
	return t
}

// add adds counts and articles to the sum of an id. One that is damaged stays so: a count is not lost
// for it, and a repair of the file makes all sums again.
func (t *SumTable) add(tx *bucket.Tx, id int64, more record.Counts, times, articles int64) error {
	if articles == 0 && (times == 0 || more == (record.Counts{})) {
		return nil
	}
	s, err := t.Table.Get(tx, id)
	if bad := new(damage.Error); errors.As(err, &bad) {
		return nil
	} else if errors.Is(err, bucket.ErrNotFound) {
		s = &record.Sum{}
	} else if err != nil {
		return err
	}
	s.Counts = s.Plus(more, times)
	if s.Articles += articles; *s != (record.Sum{}) {
		return t.Put(tx, id, s)
	}
	if err := t.Delete(tx, id); err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	return nil
}

// named are what the latest public version of an item names, nothing where that cannot be read.
func named(tx *bucket.Tx, key bucket.Pair) (*record.Citation, error) {
	c, err := Citations.Get(tx, key)
	if bad := new(damage.Error); errors.Is(err, bucket.ErrNotFound) || errors.As(err, &bad) {
		return &record.Citation{}, nil
	}
	return c, err
}

// addToSums adds to the sums of a public item's group and authors what was counted of it.
func addToSums(tx *bucket.Tx, key bucket.Pair, more record.Counts) error {
	of, err := named(tx, key)
	if err != nil {
		return err
	}
	if of.Group != 0 {
		if err := GroupSums.add(tx, of.Group, more, 1, 0); err != nil {
			return err
		}
	}
	for _, id := range of.Authors {
		if err := AuthorSums.add(tx, id, more, 1, 0); err != nil {
			return err
		}
	}
	return nil
}

// moveSums takes the counts of an item out of the sums of those that it does not name any more, and
// adds them to the sums of those that it names now.
func moveSums(tx *bucket.Tx, key bucket.Pair, old, now *record.Citation) error {
	counts, err := published.CountsOf(tx, key)
	if err != nil {
		return err
	}
	articles := int64(0)
	if key.A == record.KindArticle {
		articles = 1
	}
	for _, m := range []struct {
		of, but *record.Citation
		times   int64
	}{{old, now, -1}, {now, old, 1}} {
		if g := m.of.Group; g != 0 && g != m.but.Group {
			if err := GroupSums.add(tx, g, counts, m.times, m.times*articles); err != nil {
				return err
			}
		}
		for _, id := range m.of.Authors {
			if _, stays := slices.BinarySearch(m.but.Authors, id); stays {
				continue
			}
			if err := AuthorSums.add(tx, id, counts, m.times, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// sumAll makes all sums, which must be empty, from Counts and Citations.
func sumAll(tx *bucket.Tx) error {
	authors, groups := map[int64]record.Sum{}, map[int64]record.Sum{}
	for row, err := range Citations.All(tx, nil) {
		if err != nil {
			return err
		}
		counts, err := published.CountsOf(tx, row.Key)
		if err != nil {
			return fmt.Errorf("cannot add up the counts of item %v: %w", row.Key, err)
		}
		if g := row.Record.Group; g != 0 {
			sum := groups[g]
			sum.Counts = sum.Plus(counts, 1)
			if row.Key.A == record.KindArticle {
				sum.Articles++
			}
			groups[g] = sum
		}
		if counts == (record.Counts{}) {
			continue
		}
		for _, id := range row.Record.Authors {
			sum := authors[id]
			sum.Counts = sum.Plus(counts, 1)
			authors[id] = sum
		}
	}
	return errors.Join(AuthorSums.putAll(tx, authors), GroupSums.putAll(tx, groups))
}

func (t *SumTable) putAll(tx *bucket.Tx, sums map[int64]record.Sum) error {
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		if sum := sums[id]; sum != (record.Sum{}) {
			if err := t.Put(tx, id, &sum); err != nil {
				return err
			}
		}
	}
	return nil
}

// Top yields public items of a kind, or authors or groups, by a counter, the highest first, as long as
// something was counted. A kind without such an order has none.
func Top(tx bucket.Reader, kind int64, counter record.Counter) iter.Seq2[int64, int64] {
	switch kind {
	case record.KindArticle:
		return top(tx, [...]bucket.PublicIndex[int64]{published.ArticlesByViews, published.ArticlesByDownloads, published.ArticlesByShares, published.ArticlesByCites}[counter])
	case record.KindCollection:
		return top(tx, [...]bucket.PublicIndex[int64]{published.CollectionsByViews, {}, published.CollectionsByShares, published.CollectionsByCites}[counter])
	case record.KindProject:
		return top(tx, [...]bucket.PublicIndex[int64]{published.ProjectsByViews, {}, {}, {}}[counter])
	case record.KindAuthor:
		return top(tx, AuthorSums.by(counter))
	}
	return top(tx, GroupSums.by(counter))
}

func (t *SumTable) by(counter record.Counter) bucket.PublicIndex[int64] {
	return [...]bucket.PublicIndex[int64]{t.views, t.downloads, t.shares, t.cites}[counter]
}

func top(tx bucket.Reader, order bucket.PublicIndex[int64]) iter.Seq2[int64, int64] {
	return func(yield func(int64, int64) bool) {
		if order.Index() == nil {
			return
		}
		for hit := range order.Descending(tx, nil) {
			if n := bucket.SortedInt(hit.Sort); n <= 0 || !yield(hit.Key, n) {
				return
			}
		}
	}
}

// Counted is what is counted of a public item, or of the public items of an author or in a group: zeros
// where it is not there, or not public.
func Counted(tx bucket.Reader, of bucket.Pair) (record.Counts, error) {
	var f facts.Facts
	switch of.A {
	case record.KindArticle:
		f, _ = published.ArticleFacts.Facts(tx, of.B)
	case record.KindCollection:
		f, _ = published.CollectionFacts.Facts(tx, of.B)
	case record.KindProject:
		f, _ = published.ProjectFacts.Facts(tx, of.B)
	case record.KindAuthor:
		s, err := AuthorSums.OrZero(tx, of.B)
		return s.Counts, err
	case record.KindGroup:
		s, err := GroupSums.OrZero(tx, of.B)
		return s.Counts, err
	}
	return f.Counts, nil
}

var (
	// AuthorSums has the sums of the public items of which a person is an author.
	AuthorSums = newSums("author_sums")
	// GroupSums has the sums of the public items in a group, not of those in the groups below it.
	GroupSums = newSums("group_sums")
)

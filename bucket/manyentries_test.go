package bucket

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"alcove/bucket/damage"
	"alcove/bucket/kv"
	"alcove/record"
)

// Changes of an index are found with n log n comparisons, whatever the order of the entries
// and however many of them stay.
func TestManyEntriesCompared(t *testing.T) {
	const n = 20_000
	list := func(from, to, step int) (entries []IndexEntry) {
		for i := from; i != to; i += step {
			entries = append(entries, IndexEntry{Sort: SortKey(i), Value: []byte{byte(i % 7)}})
		}
		return entries
	}
	twice := append(list(0, n, 1), list(0, n, 1)...)
	other := list(0, n, 1)
	other[9].Value = []byte("x")
	for name, c := range map[string]struct {
		was, is     []IndexEntry
		gone, comes int
	}{
		"all others":       {list(0, n, 1), list(n, 2*n, 1), n, n},
		"downwards":        {list(n, 0, -1), list(2*n, n, -1), n, n},
		"the half of them": {list(0, n, 1), list(n/2, n+n/2, 1), n / 2, n / 2},
		"the same":         {list(0, n, 1), list(n-1, -1, -1), 0, 0},
		"repeated":         {twice, list(0, n, 1), 0, 0},
		"one more":         {list(0, n, 1), list(0, n+1, 1), 0, 1},
		"another value":    {list(0, n, 1), other, 0, 1},
		"from nothing":     {nil, list(0, n, 1), 0, n},
		"to nothing":       {list(0, n, 1), nil, n, 0},
	} {
		compared, gone, comes := 0, 0, 0
		before := slices.Clone(c.is)
		if err := differ(c.was, c.is, func(a, b IndexEntry) int {
			compared++
			return a.compare(b)
		}, func(_ IndexEntry, is bool) error {
			if is {
				comes++
			} else {
				gone++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		size := len(c.was) + len(c.is)
		if most := 4 * size * bits.Len(uint(size)); compared > most {
			t.Errorf("%s: %d comparisons of %d entries, at most %d expected", name, compared, size, most)
		}
		if gone != c.gone || comes != c.comes {
			t.Errorf("%s: %d go and %d come, want %d and %d", name, gone, comes, c.gone, c.comes)
		}
		if !slices.EqualFunc(before, c.is, IndexEntry.equal) {
			t.Errorf("%s: the caller's list has changed", name)
		}
	}
}

// The check of an index asks each record for its entries a few times, not once for each entry,
// and finds what does not belong to a record with many.
func TestManyEntriesAudited(t *testing.T) {
	asked := 0
	table := newTable[Pair, record.Citation]("citations", pairKeys).Unlogged()
	ix := table.AddIndex("doi", 1, func(c *record.Citation) (entries []IndexEntry) {
		asked++
		for _, doi := range c.Cited {
			entries = append(entries, IndexEntry{Sort: SortKey(doi)})
		}
		return entries
	})
	db := openDB(t, t.TempDir(), Options{})
	const records, many = 20, 600 // of the same DOIs, so that their entries stand between each other's
	var dois []string
	for i := range many {
		dois = append(dois, fmt.Sprintf("10.1/%05d", i))
	}
	write(t, db, func(tx *Tx) error {
		for i := range int64(records) {
			if err := table.Put(tx, Pair{record.KindArticle, i}, &record.Citation{Cited: dois}); err != nil {
				return err
			}
		}
		return nil
	})
	alien := append(SortKey("10.1/alien"), pairKeys.enc(Pair{record.KindArticle, 3})...)
	if err := kv.Update(db.kv, func(b kv.Tx) error {
		return b.Bucket(ix.bucketName()).Put(alien, ix.sealed(alien, 16, nil))
	}); err != nil {
		t.Fatal(err)
	}
	var found []damage.Finding
	a := &tableCheck{db, t.Context(), func(int) {}, func(f damage.Finding) {
		if f.Of == damage.OfIndex {
			found = append(found, f)
		}
	}, nil, map[string]int{}}
	asked = 0
	if err := table.Any.tableCheck(a); err != nil {
		t.Fatal(err)
	}
	if asked > 3*records {
		t.Errorf("%d records with %d entries each were asked %d times", records, many, asked)
	}
	if len(found) != 1 || !bytes.Equal(found[0].Key, alien) {
		t.Errorf("found %v, want the entry that record 3 does not have", found)
	}
}

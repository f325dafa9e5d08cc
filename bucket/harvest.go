package bucket

import (
	"bytes"
	"time"

	"alcove/record"
)

// Orders by which items are harvested: for each set of an item, and for all items under the set "", an entry whose sort
// key is the name of the set and when the item last changed here. An item that is withdrawn leaves the orders of public
// items, and its tombstone stands in those of the withdrawn. One that another repository publishes stands in none.
var (
	PublicByChange            = PublicIndex[int64, record.PublicArticle]{addIndex(&PublicArticles.Table, "change", 1, func(a *record.PublicArticle) []IndexEntry { return changes(a.Foreign, a.Sets(), a.ChangedAt()) })}
	PublicCollectionsByChange = PublicIndex[int64, record.PublicCollection]{addIndex(&PublicCollections.Table, "change", 1, func(c *record.PublicCollection) []IndexEntry { return changes(c.Foreign, c.Sets(), c.ChangedAt()) })}

	TombstonesByChange           = addIndex(Tombstones, "change", 1, func(t *record.Tombstone) []IndexEntry { return changes(t.Foreign, t.Sets, t.At) })
	CollectionTombstonesByChange = addIndex(CollectionTombstones, "change", 1, func(t *record.Tombstone) []IndexEntry { return changes(t.Foreign, t.Sets, t.At) })
)

func changes(foreign bool, sets []string, at time.Time) []IndexEntry {
	if foreign {
		return nil
	}
	entries := []IndexEntry{{Sort: SortKey("", at)}}
	for _, set := range sets {
		entries = append(entries, IndexEntry{Sort: SortKey(set, at)})
	}
	return entries
}

// SortedSet is the set and the time of an entry in these orders.
func SortedSet(sort []byte) (set string, at time.Time) {
	name, rest, _ := bytes.Cut(sort, []byte{0})
	return string(name), SortedTime(rest)
}

// PairKey is a Pair as the keys of its table, and of the indexes of that, have it.
func PairKey(p Pair) []byte { return pairKeys.enc(p) }

// SafeTime is a moment that is before no change which is still to be committed, and after every one that was: a reader
// who opens a transaction after it was told misses nothing by asking for all changes since then.
func (db *DB) SafeTime() time.Time {
	now := db.notBefore(db.clock())
	if began := db.writing.Load(); began != 0 && began < now.UnixNano() {
		return time.Unix(0, began).UTC()
	}
	return now.UTC()
}

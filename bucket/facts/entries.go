package facts

import (
	"bytes"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// Identifiers are entries of an item by what identifies it (record.Metadata.Identifiers).
func Identifiers(m *record.Metadata) (entries []bucket.IndexEntry) {
	for _, name := range m.Identifiers() {
		entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(name)})
	}
	return entries
}

// ByEmbargo is the entry of an item by the end of its embargo.
func ByEmbargo(m *record.Metadata) []bucket.IndexEntry {
	if m.Embargo.Kind == record.NoEmbargo || m.Embargo.Until.IsZero() {
		return nil
	}
	return []bucket.IndexEntry{{Sort: bucket.SortKey(m.Embargo.Until)}}
}

// Changes are entries of an item by when it last changed, for each of its sets and for all items under the set "".
func Changes(foreign bool, sets []string, at time.Time) []bucket.IndexEntry {
	if foreign {
		return nil
	}
	entries := []bucket.IndexEntry{{Sort: bucket.SortKey("", at)}}
	for _, set := range sets {
		entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(set, at)})
	}
	return entries
}

// SortedSet is the set and the time of an entry in these orders.
func SortedSet(sort []byte) (set string, at time.Time) {
	name, rest, _ := bytes.Cut(sort, []byte{0})
	return string(name), bucket.SortedTime(rest)
}

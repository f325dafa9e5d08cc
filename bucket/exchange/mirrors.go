package exchange

import (
	"fmt"

	"alcove/bucket"
	"alcove/record"
)

// These tables say nothing that the origins of the items do not tell everyone, and are read from there again, so that they are
// not in the change log.
var (
	// Mirrors are by their addresses.
	Mirrors = bucket.ByName[record.Mirror]("mirrors").Unlogged()

	// MirroredItems, their versions and files are by the ids that they have at their origin, see MirrorKey.
	MirroredItems    = bucket.Public(bucket.ByName[record.Mirrored]("mirrored_items").Unlogged())
	MirroredVersions = bucket.Public(bucket.ByName[record.MirroredVersion]("mirrored_versions").Unlogged())
	MirroredFiles    = bucket.Public(bucket.ByName[record.MirroredFile]("mirrored_files").Unlogged())

	// MirroredByPublished sorts the items of a host and kind by publication.
	MirroredByPublished = MirroredItems.AddIndex("published", 1, func(m *record.Mirrored) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(m.Host, m.Kind, m.Published)}}
	})
	// MirroredByMirror has the items by the addresses of the mirrors that bring them.
	MirroredByMirror = MirroredItems.Table.AddIndex("mirror", 1, func(m *record.Mirrored) (entries []bucket.IndexEntry) {
		for _, address := range m.By {
			entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(address)})
		}
		return entries
	})
)

// MirrorKey is the key of an item of another repository, or of a file (kind "files"), by its id there. Behind a slash and the
// number of a version it is that of the version.
func MirrorKey(host, kind string, id int64) string { return fmt.Sprintf("%s/%s/%020d", host, kind, id) }

// MirrorVersionKey is the key of a version.
func MirrorVersionKey(item string, number int64) string { return fmt.Sprintf("%s/%d", item, number) }

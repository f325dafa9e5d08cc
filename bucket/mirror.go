package bucket

import (
	"fmt"

	"alcove/record"
)

// These tables say nothing that the origins of the items do not tell everyone, and are read from there again, so that they are
// not in the change log.
var (
	// Mirrors are by their addresses.
	Mirrors = &Table[string, record.Mirror]{name: "mirrors", codec: nameKeys, quiet: true}

	// MirroredItems, their versions and files are by the ids that they have at their origin, see MirrorKey.
	MirroredItems    = &PublicTable[string, record.Mirrored]{Table[string, record.Mirrored]{name: "mirrored_items", codec: nameKeys, quiet: true}}
	MirroredVersions = &PublicTable[string, record.MirroredVersion]{Table[string, record.MirroredVersion]{name: "mirrored_versions", codec: nameKeys, quiet: true}}
	MirroredFiles    = &PublicTable[string, record.MirroredFile]{Table[string, record.MirroredFile]{name: "mirrored_files", codec: nameKeys, quiet: true}}

	// MirroredByPublished sorts the items of a host and kind by publication.
	MirroredByPublished = PublicIndex[string, record.Mirrored]{addIndex(&MirroredItems.Table, "published", 1, func(m *record.Mirrored) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(m.Host, m.Kind, m.Published)}}
	})}
	// MirroredByMirror has the items by the addresses of the mirrors that bring them.
	MirroredByMirror = addIndex(&MirroredItems.Table, "mirror", 1, func(m *record.Mirrored) (entries []IndexEntry) {
		for _, address := range m.By {
			entries = append(entries, IndexEntry{Sort: SortKey(address)})
		}
		return entries
	})
)

// MirrorKey is the key of an item of another repository, or of a file (kind "files"), by its id there. Behind a slash and the
// number of a version it is that of the version.
func MirrorKey(host, kind string, id int64) string { return fmt.Sprintf("%s/%s/%020d", host, kind, id) }

// MirrorVersionKey is the key of a version.
func MirrorVersionKey(item string, number int64) string { return fmt.Sprintf("%s/%d", item, number) }

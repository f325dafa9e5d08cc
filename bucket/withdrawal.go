package bucket

import (
	"strings"

	"alcove/record"
)

// Tables of what was withdrawn from the public. Nothing is ever deleted from them.
var (
	// Tombstones is keyed by article id and the latest version that was withdrawn.
	Tombstones = &Table[Pair, record.Tombstone]{name: "tombstones", codec: pairKeys}
	// WithdrawnVersions has public versions as they were; keyed as ArticleVersions is.
	WithdrawnVersions = &Table[Pair, record.ArticleVersion]{name: "withdrawn_versions", codec: pairKeys}
	// WithdrawnFiles has the files of those versions, keyed by file id and the version
	// that added it.
	WithdrawnFiles = &Table[Pair, record.PublicFile]{name: "withdrawn_files", codec: pairKeys}

	// WithdrawnByIdentifier finds withdrawn versions by what identifies their item: the DOI
	// (record.ItemDOI) and the handle in lower case.
	WithdrawnByIdentifier = addIndex(WithdrawnVersions, "identifier", 1, func(v *record.ArticleVersion) []IndexEntry {
		var entries []IndexEntry
		for _, id := range []string{record.ItemDOI(v.DOI), strings.ToLower(v.Handle)} {
			if id != "" {
				entries = append(entries, IndexEntry{Sort: SortKey(id)})
			}
		}
		return entries
	})
	// FilesWithdrawn has the files of an article that only withdrawn versions have.
	FilesWithdrawn = addIndex(Files, "withdrawn", 1, func(f *record.File) []IndexEntry {
		if !f.Withdrawn {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
	})
)

package bucket

import "alcove/record"

// Tables of what was withdrawn from the public. Nothing is ever deleted from them.
var (
	// Tombstones is keyed by article id and the latest version that was withdrawn.
	Tombstones = &Table[Pair, record.Tombstone]{name: "tombstones", codec: pairKeys}
	// WithdrawnVersions has public versions as they were; keyed as ArticleVersions is.
	WithdrawnVersions = &Table[Pair, record.ArticleVersion]{name: "withdrawn_versions", codec: pairKeys}
	// WithdrawnFiles has the files of those versions, keyed by file id and the version
	// that added it.
	WithdrawnFiles = &Table[Pair, record.PublicFile]{name: "withdrawn_files", codec: pairKeys}

	// CollectionTombstones and WithdrawnCollections are the same of collections.
	CollectionTombstones = &Table[Pair, record.Tombstone]{name: "collection_tombstones", codec: pairKeys}
	WithdrawnCollections = &Table[Pair, record.CollectionVersion]{name: "withdrawn_collections", codec: pairKeys}
	// ProjectTombstones and WithdrawnProjects are those of projects, which have no versions: keyed
	// by project id and the number of the withdrawal, from 1 on.
	ProjectTombstones = &Table[Pair, record.Tombstone]{name: "project_tombstones", codec: pairKeys}
	WithdrawnProjects = &Table[Pair, record.PublicProject]{name: "withdrawn_projects", codec: pairKeys}

	// WithdrawnCollectionsByIdentifier is WithdrawnByIdentifier of collections.
	WithdrawnCollectionsByIdentifier = addIndex(WithdrawnCollections, "identifier", 1, func(v *record.CollectionVersion) []IndexEntry { return identifiers(&v.Metadata) })
	// WithdrawnByIdentifier finds withdrawn versions by what identifies their item
	// (record.Metadata.Identifiers).
	WithdrawnByIdentifier = addIndex(WithdrawnVersions, "identifier", 2, func(v *record.ArticleVersion) []IndexEntry { return identifiers(&v.Metadata) })
	// FilesWithdrawn has the files of an article that only withdrawn versions have.
	FilesWithdrawn = addIndex(Files, "withdrawn", 1, func(f *record.File) []IndexEntry {
		if !f.Withdrawn {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
	})
)

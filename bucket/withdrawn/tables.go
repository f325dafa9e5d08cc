// Package withdrawn has the tables of what was withdrawn from the public, and of what was erased.
package withdrawn

import (
	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/record"
)

// Erasures has what operators had erased, by ids and hashes. A restore of an older copy applies it again. Nothing is ever
// deleted from it.
var Erasures = bucket.ByID[record.Erasure]("erasures")

// Tables of what was withdrawn from the public. Nothing is ever deleted from them but by an erasure.
var (
	// Tombstones is keyed by article id and the latest version that was withdrawn.
	Tombstones = bucket.ByPair[record.Tombstone]("tombstones")
	// Versions has public versions as they were; keyed as ArticleVersions is.
	Versions = bucket.ByPair[record.ArticleVersion]("withdrawn_versions")
	// Files has the files of those versions, keyed by file id and the version
	// that added it.
	Files = bucket.ByPair[record.PublicFile]("withdrawn_files")

	// CollectionTombstones and Collections are the same of collections.
	CollectionTombstones = bucket.ByPair[record.Tombstone]("collection_tombstones")
	Collections          = bucket.ByPair[record.CollectionVersion]("withdrawn_collections")
	// ProjectTombstones and Projects are those of projects, which have no versions: keyed
	// by project id and the number of the withdrawal, from 1 on.
	ProjectTombstones = bucket.ByPair[record.Tombstone]("project_tombstones")
	Projects          = bucket.ByPair[record.PublicProject]("withdrawn_projects")

	// CollectionsByIdentifier is VersionsByIdentifier of collections.
	CollectionsByIdentifier = Collections.AddIndex("identifier", 1, func(v *record.CollectionVersion) []bucket.IndexEntry { return facts.Identifiers(&v.Metadata) })
	// VersionsByIdentifier finds withdrawn versions by what identifies their item
	// (record.Metadata.Identifiers).
	VersionsByIdentifier = Versions.AddIndex("identifier", 2, func(v *record.ArticleVersion) []bucket.IndexEntry { return facts.Identifiers(&v.Metadata) })

	TombstonesByChange           = Tombstones.AddIndex("change", 1, func(t *record.Tombstone) []bucket.IndexEntry { return facts.Changes(t.Foreign, t.Sets, t.At) })
	CollectionTombstonesByChange = CollectionTombstones.AddIndex("change", 1, func(t *record.Tombstone) []bucket.IndexEntry { return facts.Changes(t.Foreign, t.Sets, t.At) })
)

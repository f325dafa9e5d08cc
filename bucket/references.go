package bucket

import (
	"bytes"
	"fmt"
	"time"

	"alcove/record"
)

// references looks for the records that a record names.
func (a *tableCheck) references(tx *Tx, bucket string, key []byte, r any) {
	names := func(what string, t stored, k []byte) {
		if !a.damagedBuckets[t.bucketName()] && tx.bucket(t.bucketName()).Get(k) == nil {
			a.found(OfReference, bucket, key, "%s %s is not there", what, KeyText(t.bucketName()[len("r:"):], k))
		}
	}
	id := func(what string, t stored, id int64) {
		if id != 0 {
			names(what, t, intKeys.enc(id))
		}
	}
	pair := func(what string, t stored, a, b int64) { names(what, t, pairKeys.enc(Pair{a, b})) }
	switch r := r.(type) {
	case *record.Account:
		id("its person", People, r.PersonID)
		id("its group", Groups, r.GroupID)
	case *record.Token:
		id("its account", Accounts, r.AccountID)
	case *record.OneTimeLink:
		id("its account", Accounts, r.AccountID)
	case *record.Session:
		id("its account", Accounts, r.AccountID)
	case *record.Person:
		id("its account", Accounts, r.AccountID)
	case *record.Report:
		id("its account", Accounts, r.AccountID)
	case *record.Picture:
		names("its person", People, key)
	case *record.Article:
		a.working(id, &r.Working)
		id("its project", Projects, r.ProjectID)
		if r.Public() {
			id("the public article", &PublicArticles.Table, r.ID)
		}
	case *record.Collection:
		a.working(id, &r.Working)
		if r.Public() {
			id("the public collection", &PublicCollections.Table, r.ID)
		}
	case *record.PublicArticle:
		id("its working copy, article", Articles, r.ID)
		pair("its latest version", &ArticleVersions.Table, r.ID, int64(r.Latest))
	case *record.PublicCollection:
		id("its working copy, collection", Collections, r.ID)
		pair("its latest version", &CollectionVersions.Table, r.ID, int64(r.Latest))
	case *record.File:
		id("its article", Articles, r.ArticleID)
		id("its account", Accounts, r.AccountID)
	case *record.Project:
		id("its owner", Accounts, r.AccountID)
	case *record.ProjectMember:
		id("its project", Projects, r.ProjectID)
		id("its account", Accounts, r.AccountID)
	case *record.ProjectNote:
		id("its project", Projects, r.ProjectID)
		id("its account", Accounts, r.AccountID)
	case *record.Grant:
		id("its account", Accounts, r.AccountID)
		id("its group", Groups, r.GroupID)
	case *record.Group:
		id("the group above it", Groups, r.ParentID)
	case *record.Field:
		id("its group", Groups, r.GroupID)
	case *record.Review:
		id("its account", Accounts, r.AccountID)
	case *record.ReviewComment:
		id("its review", Reviews, r.ReviewID)
		id("its account", Accounts, r.AccountID)
	default:
		a.byBucket(tx, bucket, key, r, id, names)
	}
}

// working looks for what both kinds of working copies name.
func (a *tableCheck) working(id func(string, stored, int64), w *record.Working) {
	id("its account", Accounts, w.AccountID)
	for _, p := range w.Authors {
		id("its author, person", People, p)
	}
}

// byBucket looks for what records name whose type alone does not tell what they are.
func (a *tableCheck) byBucket(tx *Tx, bucket string, key []byte, r any, id func(string, stored, int64), names func(string, stored, []byte)) {
	switch r := r.(type) {
	case *record.ArticleVersion:
		switch bucket {
		case ArticleVersions.bucketName():
			id("its public article", &PublicArticles.Table, r.ArticleID)
		case HeldVersions.bucketName():
			id("its article", Articles, r.ArticleID)
		case Submissions.bucketName():
			names("its review", Reviews, key)
		}
	case *record.PublicFile:
		if bucket != PublicFiles.bucketName() {
			return // what was withdrawn outlives its working copy, which its owner may delete
		}
		id("its working copy, file", Files, r.ID)
		id("its public article", &PublicArticles.Table, r.ArticleID)
		if f, err := Files.Get(tx, r.ID); err == nil && (f.SHA256 != r.SHA256 || f.Size != r.Size || f.MD5 != r.MD5 || f.CRC32 != r.CRC32) {
			a.found(OfReference, bucket, key, "its working copy has other bytes")
		}
	case *record.PublicProject:
		if bucket == PublicProjects.bucketName() {
			id("its project", Projects, r.ID)
		}
	case *record.CollectionVersion:
		if bucket == CollectionVersions.bucketName() {
			id("its public collection", &PublicCollections.Table, r.CollectionID)
		}
	case *record.Part:
		names("its file", Files, key[:8])
	case *record.PrivateLink:
		if r.Kind == "collections" {
			id("its collection", Collections, r.ItemID)
		} else {
			id("its article", Articles, r.ItemID)
		}
	case *record.Citation:
		switch p := pairKeys.dec(key); p.A {
		case KindCollection:
			id("its public collection", &PublicCollections.Table, p.B)
		case KindProject:
			id("its public project", &PublicProjects.Table, p.B)
		default:
			id("its public article", &PublicArticles.Table, p.B)
		}
	}
}

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

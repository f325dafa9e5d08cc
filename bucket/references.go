package bucket

import (
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

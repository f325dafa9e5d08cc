package tables

import (
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
)

// references tells what a record names.
func references(r any, names *bucket.Names) {
	switch r := r.(type) {
	case *record.Account:
		names.ID("its person", users.People.Any, r.PersonID)
		names.ID("its group", users.Groups.Any, r.GroupID)
	case *record.Token:
		names.ID("its account", users.Accounts.Any, r.AccountID)
	case *record.OneTimeLink:
		names.ID("its account", users.Accounts.Any, r.AccountID)
	case *record.Session:
		names.ID("its account", users.Accounts.Any, r.AccountID)
	case *record.Person:
		names.ID("its account", users.Accounts.Any, r.AccountID)
	case *record.Report:
		names.ID("its account", users.Accounts.Any, r.AccountID)
	case *record.Picture:
		names.Bytes("its person", users.People.Any, names.Key)
	case *record.Article:
		workingNames(names, &r.Working)
		names.ID("its project", working.Projects.Any, r.ProjectID)
		if r.Public() {
			names.ID("the public article", published.Articles.Any, r.ID)
		}
	case *record.Collection:
		workingNames(names, &r.Working)
		if r.Public() {
			names.ID("the public collection", published.Collections.Any, r.ID)
		}
	case *record.PublicArticle:
		names.ID("its working copy, article", working.Articles.Any, r.ID)
		names.Pair("its latest version", published.ArticleVersions.Any, r.ID, int64(r.Latest))
	case *record.PublicCollection:
		names.ID("its working copy, collection", working.Collections.Any, r.ID)
		names.Pair("its latest version", published.CollectionVersions.Any, r.ID, int64(r.Latest))
	case *record.File:
		names.ID("its article", working.Articles.Any, r.ArticleID)
		names.ID("its account", users.Accounts.Any, r.AccountID)
	case *record.Project:
		names.ID("its owner", users.Accounts.Any, r.AccountID)
	case *record.ProjectMember:
		names.ID("its project", working.Projects.Any, r.ProjectID)
		names.ID("its account", users.Accounts.Any, r.AccountID)
	case *record.ProjectNote:
		names.ID("its project", working.Projects.Any, r.ProjectID)
		names.ID("its account", users.Accounts.Any, r.AccountID)
	case *record.Grant:
		names.ID("its account", users.Accounts.Any, r.AccountID)
		names.ID("its group", users.Groups.Any, r.GroupID)
	case *record.Group:
		names.ID("the group above it", users.Groups.Any, r.ParentID)
	case *record.Field:
		names.ID("its group", users.Groups.Any, r.GroupID)
	case *record.Review:
		names.ID("its account", users.Accounts.Any, r.AccountID)
	case *record.ReviewComment:
		names.ID("its review", working.Reviews.Any, r.ReviewID)
		names.ID("its account", users.Accounts.Any, r.AccountID)
	default:
		byTable(r, names)
	}
}

// workingNames tells what both kinds of working copies name.
func workingNames(names *bucket.Names, w *record.Working) {
	names.ID("its account", users.Accounts.Any, w.AccountID)
	for _, p := range w.Authors {
		names.ID("its author, person", users.People.Any, p)
	}
}

// byTable tells what records name whose type alone does not tell what they are.
func byTable(r any, names *bucket.Names) {
	key, table := names.Key, names.Table
	switch r := r.(type) {
	case *record.ArticleVersion:
		switch table {
		case published.ArticleVersions.Name():
			names.ID("its public article", published.Articles.Any, r.ArticleID)
		case working.HeldVersions.Name():
			names.ID("its article", working.Articles.Any, r.ArticleID)
		case working.Submissions.Name():
			names.Bytes("its review", working.Reviews.Any, key)
		}
	case *record.PublicFile:
		if table != files.PublicFiles.Name() {
			return // what was withdrawn outlives its working copy, which its owner may delete
		}
		names.ID("its working copy, file", files.Files.Any, r.ID)
		names.ID("its public article", published.Articles.Any, r.ArticleID)
		if f, err := files.Files.Get(names.Tx, r.ID); err == nil && (f.SHA256 != r.SHA256 || f.Size != r.Size || f.MD5 != r.MD5 || f.CRC32 != r.CRC32) {
			names.Found("its working copy has other bytes")
		}
	case *record.PublicProject:
		if table == published.Projects.Name() {
			names.ID("its project", working.Projects.Any, r.ID)
		}
	case *record.CollectionVersion:
		if table == published.CollectionVersions.Name() {
			names.ID("its public collection", published.Collections.Any, r.CollectionID)
		}
	case *record.Part:
		names.Bytes("its file", files.Files.Any, key[:8])
	case *record.PrivateLink:
		if r.Kind == "collections" {
			names.ID("its collection", working.Collections.Any, r.ItemID)
		} else {
			names.ID("its article", working.Articles.Any, r.ItemID)
		}
	case *record.Citation:
		switch p := bucket.KeyPair(key); p.A {
		case record.KindCollection:
			names.ID("its public collection", published.Collections.Any, p.B)
		case record.KindProject:
			names.ID("its public project", published.Projects.Any, p.B)
		default:
			names.ID("its public article", published.Articles.Any, p.B)
		}
	}
}

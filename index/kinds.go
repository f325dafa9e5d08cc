package index

import (
	"iter"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/working"
)

// kind is a kind of item that can be searched. To add one is to add an entry to one of
// the lists below, and a Scope.
type kind struct {
	id   byte   // in front of the keys of its documents, never given to another kind
	name string // what :item_type: calls every item of it
	// follows names the tables whose changes matter, and what a change touches.
	follows map[string]touched
	all     func(*bucket.Tx) iter.Seq[bucket.Hit[int64]]
	number  func(*bucket.Tx) int64 // of all, without going through them
	load    func(*bucket.Tx, int64) (item, error)
}

// touched is the items that a change belongs to.
type touched func(*bucket.Tx, changelog.Change) []int64

var (
	articles = &kind{
		id: 'a', name: "article", load: loadPublicArticle, number: published.ArticlesNumber.Sum,
		follows: map[string]touched{"public_articles": itself, "article_versions": itself, "public_files": articleOfFile},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return published.ArticlesByPublished.Descending(tx, nil)
		},
	}
	collections = &kind{
		id: 'c', name: "collection", load: loadPublicCollection, number: published.CollectionsNumber.Sum,
		follows: map[string]touched{"public_collections": itself, "collection_versions": itself},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return published.CollectionsByPublished.Descending(tx, nil)
		},
	}
	projects = &kind{
		id: 'p', name: "project", load: loadPublicProject, number: published.ProjectsNumber.Sum,
		follows: map[string]touched{"public_projects": itself},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return published.ProjectsByPublished.Descending(tx, nil)
		},
	}

	// A file comes and goes with a change of its article, which counts it, so the steps
	// of its upload need not be followed.
	ownArticles = &kind{
		id: 'a', name: "article", load: loadOwnArticle, number: working.ArticlesNumber.Sum,
		follows: map[string]touched{"articles": itself, "people": authored(working.ArticlesByAuthor)},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return working.ArticlesByCreated.Descending(tx, nil)
		},
	}
	ownCollections = &kind{
		id: 'c', name: "collection", load: loadOwnCollection, number: working.CollectionsNumber.Sum,
		follows: map[string]touched{"collections": itself, "people": authored(working.CollectionsByAuthor)},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return working.CollectionsByCreated.Descending(tx, nil)
		},
	}
	ownProjects = &kind{
		id: 'p', name: "project", load: loadOwnProject, number: working.ProjectsNumber.Sum,
		follows: map[string]touched{"projects": itself, "project_members": itself},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return working.ProjectsByCreated.Descending(tx, nil)
		},
	}

	// anyKind stands for all kinds of a subindex.
	anyKind = &kind{}

	publicKinds  = []*kind{articles, collections, projects}
	privateKinds = []*kind{ownArticles, ownCollections, ownProjects}
)

// Scope says among which items a search looks: those of one kind that are public, or
// those that one account has. The zero Scope is empty.
type Scope struct {
	kind    *kind
	private bool
	account int64
}

// Public items.
var (
	PublicArticles    = Scope{kind: articles}
	PublicCollections = Scope{kind: collections}
	PublicProjects    = Scope{kind: projects}
	PublicItems       = Scope{kind: anyKind} // of all kinds
)

// OwnArticles are the working copies of an account's articles.
func OwnArticles(account int64) Scope { return Scope{ownArticles, true, account} }

// OwnCollections are the working copies of an account's collections.
func OwnCollections(account int64) Scope { return Scope{ownCollections, true, account} }

// OwnProjects are the projects of which an account is a member.
func OwnProjects(account int64) Scope { return Scope{ownProjects, true, account} }

// itself is for tables whose keys are, or begin with, the id of the item.
func itself(_ *bucket.Tx, c changelog.Change) []int64 { return []int64{c.ID()} }

// articleOfFile is for public files. One that is deleted goes with its version, which
// the log names too.
func articleOfFile(tx *bucket.Tx, c changelog.Change) []int64 {
	f, err := files.PublicFiles.Get(tx, c.ID())
	if err != nil {
		return nil
	}
	return []int64{f.ArticleID}
}

// authored is for people: the working copies that name them. Versions keep the names
// that people had.
func authored(byAuthor *bucket.Index[int64]) touched {
	return func(tx *bucket.Tx, c changelog.Change) (ids []int64) {
		for h := range byAuthor.Ascending(tx, bucket.SortKey(c.ID())) {
			ids = append(ids, h.Key)
		}
		return ids
	}
}

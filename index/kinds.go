package index

import (
	"iter"

	"alcove/bucket"
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
type touched func(*bucket.Tx, bucket.Change) []int64

var (
	articles = &kind{
		id: 'a', name: "article", load: loadPublicArticle, number: bucket.PublicArticlesNumber.Sum,
		follows: map[string]touched{"public_articles": itself, "article_versions": itself, "public_files": articleOfFile},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return bucket.PublicByPublished.Descending(tx, nil)
		},
	}
	collections = &kind{
		id: 'c', name: "collection", load: loadPublicCollection, number: bucket.PublicCollectionsNumber.Sum,
		follows: map[string]touched{"public_collections": itself, "collection_versions": itself},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return bucket.PublicCollectionsByPublished.Descending(tx, nil)
		},
	}
	projects = &kind{
		id: 'p', name: "project", load: loadPublicProject, number: bucket.PublicProjectsNumber.Sum,
		follows: map[string]touched{"public_projects": itself},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return bucket.ProjectsByPublished.Descending(tx, nil)
		},
	}

	// A file comes and goes with a change of its article, which counts it, so the steps
	// of its upload need not be followed.
	ownArticles = &kind{
		id: 'a', name: "article", load: loadOwnArticle, number: bucket.ArticlesNumber.Sum,
		follows: map[string]touched{"articles": itself, "people": authored(bucket.ArticlesByAuthor)},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return bucket.ArticlesByCreated.Descending(tx, nil)
		},
	}
	ownCollections = &kind{
		id: 'c', name: "collection", load: loadOwnCollection, number: bucket.CollectionsNumber.Sum,
		follows: map[string]touched{"collections": itself, "people": authored(bucket.CollectionsByAuthor)},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return bucket.CollectionsByCreated.Descending(tx, nil)
		},
	}
	ownProjects = &kind{
		id: 'p', name: "project", load: loadOwnProject, number: bucket.ProjectsNumber.Sum,
		follows: map[string]touched{"projects": itself, "project_members": itself},
		all: func(tx *bucket.Tx) iter.Seq[bucket.Hit[int64]] {
			return bucket.ProjectsByCreated.Descending(tx, nil)
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
func itself(_ *bucket.Tx, c bucket.Change) []int64 { return []int64{c.ID()} }

// articleOfFile is for public files. One that is deleted goes with its version, which
// the log names too.
func articleOfFile(tx *bucket.Tx, c bucket.Change) []int64 {
	f, err := bucket.PublicFiles.Get(tx, c.ID())
	if err != nil {
		return nil
	}
	return []int64{f.ArticleID}
}

// authored is for people: the working copies that name them. Versions keep the names
// that people had.
func authored[R any](byAuthor *bucket.Index[int64, R]) touched {
	return func(tx *bucket.Tx, c bucket.Change) (ids []int64) {
		for h := range byAuthor.Ascending(tx, bucket.SortKey(c.ID())) {
			ids = append(ids, h.Key)
		}
		return ids
	}
}

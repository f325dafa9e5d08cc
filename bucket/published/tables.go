// Package published has the tables of what everyone may read: public articles, collections and projects, their versions, and
// the documents of those.
package published

import (
	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/record"
)

// Public tables: anyone may read them.
var (
	Articles = bucket.Public(bucket.ByID[record.PublicArticle]("public_articles"))
	// ArticleVersions is keyed by article id and version number.
	ArticleVersions = bucket.Public(bucket.ByPair[record.ArticleVersion]("article_versions"))
	ArticleDocs     = bucket.Documents("articles", ArticleVersions.Any)

	Collections = bucket.Public(bucket.ByID[record.PublicCollection]("public_collections"))
	// CollectionVersions is keyed by collection id and version number.
	CollectionVersions = bucket.Public(bucket.ByPair[record.CollectionVersion]("collection_versions"))
	CollectionDocs     = bucket.Documents("collections", CollectionVersions.Any)

	Projects = bucket.Public(bucket.ByID[record.PublicProject]("public_projects"))

	VersionsByEmbargo = ArticleVersions.Table.AddIndex("embargo", 1, func(v *record.ArticleVersion) []bucket.IndexEntry { return facts.ByEmbargo(&v.Metadata) })
)

// How much there is, for who watches a server: a sum costs one read, where a walk would take a second for a million items.
var (
	ArticlesNumber    = Articles.Table.AddNumber("number", 1, nil)
	CollectionsNumber = Collections.Table.AddNumber("number", 1, nil)
	ProjectsNumber    = Projects.Table.AddNumber("number", 1, nil)
)

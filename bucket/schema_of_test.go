package bucket_test

import (
	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/facts"
	"alcove/bucket/files"
	"alcove/bucket/published"
	_ "alcove/bucket/tables"
	"alcove/bucket/users"
	"alcove/bucket/working"
)

func init() {
	bucket.Accounts, bucket.AddressRanges, bucket.Groups, bucket.People, bucket.Tokens = users.Accounts, users.AddressRanges, users.Groups, users.People, users.Tokens
	bucket.Articles, bucket.Collections, bucket.Projects = working.Articles, working.Collections, working.Projects
	bucket.PrivateLinks, bucket.Reviews = working.PrivateLinks, working.Reviews
	bucket.Files, bucket.Parts, bucket.PublicFiles = files.Files, files.Parts, files.PublicFiles
	bucket.AccountsByEmail = users.AccountsByEmail
	bucket.ArticlesByCreated, bucket.ArticlesNumber = working.ArticlesByCreated, working.ArticlesNumber
	bucket.FilesByArticle, bucket.FilesByBlob, bucket.FilesByToken = files.ByArticle, files.ByBlob, files.ByToken
	bucket.FilesChecking, bucket.FilesOpen, bucket.FilesToPublish = files.Checking, files.Unfinished, files.ToPublish
	bucket.BytesAnnounced, bucket.BytesArrived = files.BytesAnnounced, files.BytesArrived

	bucket.PublicArticles, bucket.PublicCollections = published.Articles, published.Collections
	bucket.ArticleVersions, bucket.CollectionVersions = published.ArticleVersions, published.CollectionVersions
	bucket.PublicByCites, bucket.PublicByPublished, bucket.PublicByViews = published.ArticlesByCites, published.ArticlesByPublished, published.ArticlesByViews
	bucket.PublicWithoutDownloads = published.ArticlesWithoutDownloads
	bucket.ArticleDocs = published.ArticleDocs

	bucket.Citations, bucket.CitationsByDOI, bucket.Counts = counting.Citations, counting.CitationsByDOI, published.Counts
	bucket.AuthorSums, bucket.GroupSums = &counting.AuthorSums.Table, &counting.GroupSums.Table
	bucket.AddCounts, bucket.AddUse, bucket.Cite, bucket.Counted = counting.AddCounts, counting.AddUse, counting.Cite, counting.Counted

	bucket.IndexedFacts = func(value []byte) bucket.Known { return known(facts.Indexed(value)) }
	bucket.ArticleFacts = func(tx bucket.Reader, id int64) (bucket.Known, bool) {
		f, ok := published.ArticleFacts.Facts(tx, id)
		return known(f), ok
	}
	bucket.CollectionFacts = func(tx bucket.Reader, id int64) (bucket.Known, bool) {
		f, ok := published.CollectionFacts.Facts(tx, id)
		return known(f), ok
	}
}

func known(f facts.Facts) bucket.Known {
	return bucket.Known{Published: f.Published, Type: f.Type, Version: f.Version, Counts: f.Counts}
}

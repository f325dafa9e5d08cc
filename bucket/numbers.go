package bucket

import "alcove/record"

// How much there is, for who watches a server: a sum costs one read, where a walk would take a second for a million items.
var (
	ArticlesNumber    = addTotal(Articles, "number", 1, one[record.Article])
	CollectionsNumber = addTotal(Collections, "number", 1, one[record.Collection])
	ProjectsNumber    = addTotal(Projects, "number", 1, one[record.Project])

	PublicArticlesNumber    = addTotal(&PublicArticles.Table, "number", 1, one[record.PublicArticle])
	PublicCollectionsNumber = addTotal(&PublicCollections.Table, "number", 1, one[record.PublicCollection])
	PublicProjectsNumber    = addTotal(&PublicProjects.Table, "number", 1, one[record.PublicProject])

	AccountsNumber   = addTotal(Accounts, "number", 1, one[record.Account])
	AccountsDisabled = addTotal(Accounts, "disabled", 1, func(a *record.Account) int64 { return truth(a.Disabled) })
	// BytesStored is what accounts keep, as it counts against their quotas.
	BytesStored = addTotal(Accounts, "used", 1, func(a *record.Account) int64 { return a.Used() })

	// ViewsCounted and DownloadsCounted are those of items that are public now.
	ViewsCounted     = addTotal(&Counts.Table, "views", 1, func(c *record.Counts) int64 { return c.Views })
	DownloadsCounted = addTotal(&Counts.Table, "downloads", 1, func(c *record.Counts) int64 { return c.Downloads })
)

func one[R any](*R) int64 { return 1 }

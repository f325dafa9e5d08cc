// Package handlers answers the calls of the API, with a file for each resource. A handler takes a Call and a
// transaction and returns a Reply or an error; everything around that is written once, in handlers/endpoint.
//
// Layers, of which each uses those below it; all other files, one for each resource, are above them:
//
//	shared  api kind search ahead
package handlers

import (
	"net/http"

	"alcove/auth"
	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/users"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/mirrors"
	"alcove/handlers/people"
	"alcove/handlers/present"
	"alcove/handlers/reports"
	"alcove/index"
	"alcove/jobs"
	"alcove/jobs/doi"
	"alcove/jobs/ocfl"
)

// Options are what an API works with.
type Options struct {
	Common      endpoint.Options
	Index       *index.Index
	Thumbs      *thumbs.Store
	Institution people.Institution
	Contact     string        // mail address of who runs the repository, "" for unknown
	OAIDomain   string        // in identifiers of OAI-PMH, "" for the host of the pages
	FromBackups damage.Source // of records that are damaged here, nil where there are none
	SMTP        jobs.SMTP
	DOIs        *doi.Service    // nil where none are registered
	OCFL        *ocfl.Service   // nil where there is no storage root
	Countries   *jobs.Countries // nil where no file tells them
	SignIns     people.SignIns  // elsewhere
	Machine     func() Machine  // nil where nothing of it is known
}

// API holds what the handlers share. Its Jobs are started after New before it serves, and closed at the end.
type API struct {
	*endpoint.Server
	*people.People
	*reports.Reports
	*mirrors.Mirrors
	Options
	Articles, Collections *ItemKind
	apiDocuments          func() (apiDocuments, error)

	choices      heldChoices
	stored       storedBytes
	members      endpoint.Cache[bucket.Pair, *publicMembers] // of collections of which pages were asked for
	indexAnswers endpoint.Cache[string, *indexAnswer]        // searches of pages, by the last change
	archiveCache endpoint.Cache[archiveKey, *archiveLayout]  // archives of which ranges were asked for; to lay one out reads the records of all its files
	layouts      chan struct{}                               // of large archives that are being made

	publicArticles, publicCollections, publicProjects *lists.Public
}

// New prepares the API.
func New(o Options) *API {
	a := &API{Server: endpoint.New(o.Common), Options: o}
	a.People, a.Reports = people.New(a.Server, o.Institution, o.SignIns), &reports.Reports{Server: a.Server}
	a.Mirrors = mirrors.New(a.Server, a.givePublic)
	a.Auth = auth.New(o.Common.DB, o.Common.Limits.Sessions)
	a.Auth.TakePasskeys(o.Common.Settings.SiteURL, o.Common.Settings.Publisher)
	a.Jobs = jobs.New(jobs.Options{
		DB: o.Common.DB, Blobs: o.Common.Blobs, Uploads: o.Common.Uploads, Thumbs: o.Thumbs, Auth: a.Auth,
		Limits: o.Common.Limits.Jobs, Log: o.Common.Log, FromBackups: o.FromBackups,
		SMTP: o.SMTP, DOIs: o.DOIs, OCFL: o.OCFL, Countries: o.Countries, LinkAddress: func(secret string) string { return o.Common.Settings.SiteURL + people.OneTimePath + secret },
	})
	a.layouts = make(chan struct{}, layoutsAtOnce)
	a.archiveCache.Most, a.members.Most, a.indexAnswers.Most = archiveCacheBytes, membersMost, indexAnswerBytes
	a.Items = items.New(items.Service{
		DB: o.Common.DB, Settings: o.Common.Settings, Limits: o.Common.Limits.Limits, Log: o.Common.Log, Damaged: a.Jobs.RepairSoon,
		Mails: a.Jobs.Mails(),
	})
	a.Jobs.Items = a.Items
	if o.DOIs != nil {
		o.DOIs.Describe, o.DOIs.Gone, o.DOIs.Confirmed = a.DescribeDOI, goneDOI, a.Items.CiteAgain
	}
	if o.OCFL != nil {
		o.OCFL.Source = a.preserved()
	}
	a.publicArticles, a.publicCollections = lists.Articles(a.Items.ArticleDocs.List), lists.Collections(a.Items.CollectionDocs.List)
	a.publicProjects = lists.Projects(a.projectDoc)
	a.kinds()
	a.Queries = queries
	if err := a.readChoices(); err != nil {
		a.Log.Error("cannot read the choices of administrators", "error", err)
	}
	return a
}

// Health says that the process answers.
func (a *API) Health(c *endpoint.Call) (endpoint.Reply, error) {
	return endpoint.Reply{Body: present.State{Status: "ok"}}, nil
}

// Ready says whether requests can be served, or in a word why not, with 503: the store has "stopped" after a failed
// commit or a lost page, or the "database" cannot be read. A disk without room and an index that is behind or being
// built do not count, as nearly all is served meanwhile; the metrics tell of them.
func (a *API) Ready(c *endpoint.Call) (endpoint.Reply, error) {
	err := a.DB.View(func(tx *bucket.Tx) error {
		users.Accounts.Has(tx, 0) // there is none, but a page is read to know it
		return nil
	})
	switch {
	case a.DB.Stopped():
		return endpoint.Reply{Status: http.StatusServiceUnavailable, Body: present.State{Status: "stopped"}}, nil
	case err != nil:
		a.Log.Error("the database cannot be read", "error", err)
		return endpoint.Reply{Status: http.StatusServiceUnavailable, Body: present.State{Status: "database"}}, nil
	}
	return endpoint.Reply{Body: present.State{Status: "ready"}}, nil
}

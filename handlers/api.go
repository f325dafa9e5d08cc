// Package handlers answers the calls of the API. A handler takes a Call and a
// transaction and returns a Reply or an error; everything around that — authentication,
// bodies, transactions, conditions, statuses, headers, one log line — is the adapter's
// (endpoint.go, adapter.go, answer.go), so that each rule is written once.
//
// Layers, of which each uses those below it; all other files, one for each resource, are above
// them:
//
//	answering  adapter answer send conditional cache warnings access_log lists search session
//	admitting  access auth rates
//	calls      api endpoint bodies path
package handlers

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"alcove/auth"
	"alcove/blobs"
	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/handlers/wire"
	"alcove/index"
	"alcove/jobs"
	"alcove/jobs/doi"
	"alcove/jobs/ocfl"
	"alcove/uploads"
)

// Limits are the bounds and choices that the configuration sets.
type Limits struct {
	items.Limits
	Guards        // what holds at the start
	Jobs          jobs.Limits
	MaxBody       int64         // bytes of a request body other than a part
	BodyTimeout   time.Duration // for a whole request body other than a part, 0 for none
	HeaderTimeout time.Duration // for the beginning of such a body
	StallTimeout  time.Duration // in which a part or a download must get on
	PasswordGrant bool          // applications may get tokens for passwords

	AgreementNeeded bool // nothing is published before the deposit agreement was accepted, by a token neither
	Sessions        auth.Limits
	Addresses       Addresses // how much of a client's address is stored
}

// Options are what an API works with.
type Options struct {
	DB          *bucket.DB
	Index       *index.Index
	Blobs       blobs.Store
	Uploads     *uploads.Staging
	Thumbs      *thumbs.Store
	Settings    present.Settings
	Limits      Limits
	Institution Institution
	Contact     string         // mail address of who runs the repository, "" for unknown
	OAIDomain   string         // in identifiers of OAI-PMH, "" for the host of the pages
	Branding    Branding       // of pages, at the start
	Proxies     []netip.Prefix // whose X-Forwarded-For is believed
	HSTS        time.Duration  // told to browsers with every answer, 0 for nothing
	Log         *slog.Logger
	FromBackups bucket.RecordSource // of records that are damaged here, nil where there are none
	SMTP        jobs.SMTP
	DOIs        *doi.Service    // nil where none are registered
	OCFL        *ocfl.Service   // nil where there is no storage root
	Countries   *jobs.Countries // nil where no file tells them
	SignIns     SignIns         // elsewhere
	Machine     func() Machine  // nil where nothing of it is known
}

// API holds what the handlers share.
type API struct {
	Options
	Items                 *items.Service
	Jobs                  *jobs.Jobs         // Start must follow New before it serves, and Close at the end
	Requests              wire.RequestCounts // by route
	Latencies             wire.Latencies     // by kind of request
	Articles, Collections *ItemKind
	auth                  *auth.Service
	ErrorPage             ErrorPage // nil where refusals are always JSON
	apiDocuments          func() (apiDocuments, error)

	numbers      requestNumbers
	choices      heldChoices
	stored       storedBytes
	lists        cache[responseKey, Reply]          // answers of public lists that were asked for again
	listsAsked   cache[responseKey, struct{}]       // for once
	members      cache[bucket.Pair, *publicMembers] // of collections of which pages were asked for
	indexAnswers cache[string, *indexAnswer]        // searches of pages, by the last change
	archiveCache cache[archiveKey, *archiveLayout]  // archives of which ranges were asked for; to lay one out reads the records of all its files
	guarded      atomic.Pointer[guards]
	branded      atomic.Pointer[Branding]
	passwordsOf  *wire.Rates   // wrong passwords by e-mail address of an account
	codesOf      *wire.Rates   // wrong codes by account
	mailsTo      *wire.Rates   // mails by e-mail address
	layouts      chan struct{} // of large archives that are being made
	exports      atomic.Int32  // of persons that are being written
	bodies       *byteBudget
	hsts         []string // the header, nil for none
	cursors      lists.Sealer

	publicArticles, publicCollections, publicProjects *lists.Public
}

// New prepares the API.
func New(o Options) *API {
	a := &API{Options: o, auth: auth.New(o.DB, o.Limits.Sessions)}
	a.auth.TakePasskeys(o.Settings.SiteURL, o.Settings.Publisher)
	a.Jobs = jobs.New(jobs.Options{
		DB: o.DB, Blobs: o.Blobs, Uploads: o.Uploads, Thumbs: o.Thumbs, Auth: a.auth,
		Limits: o.Limits.Jobs, Log: o.Log, FromBackups: o.FromBackups,
		SMTP: o.SMTP, DOIs: o.DOIs, OCFL: o.OCFL, Countries: o.Countries, LinkAddress: func(secret string) string { return o.Settings.SiteURL + OneTimePath + secret },
	})
	a.guard()
	a.layouts = make(chan struct{}, layoutsAtOnce)
	a.lists.most, a.listsAsked.most = listBytes, askedBytes
	a.archiveCache.most, a.members.most, a.indexAnswers.most = archiveCacheBytes, membersMost, indexAnswerBytes
	a.cursors = lists.NewSealer(o.DB.Secret())
	a.Items = items.New(items.Service{
		DB: o.DB, Settings: o.Settings, Limits: o.Limits.Limits, Log: o.Log, Damaged: a.Jobs.RepairSoon,
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
	if err := a.readChoices(); err != nil {
		a.Log.Error("cannot read the choices of administrators", "error", err)
	}
	return a
}

// guard makes what keeps single callers from taking all.
func (a *API) guard() {
	a.SetGuards(a.Limits.Guards)
	a.SetBranding(a.Options.Branding)
	a.passwordsOf = wire.NewRates(wrongPasswords/time.Hour.Seconds(), wrongPasswords)
	a.codesOf = wire.NewRates(wrongCodes/time.Hour.Seconds(), wrongCodes)
	a.mailsTo = wire.NewRates(mailsAnHour/time.Hour.Seconds(), mailsAnHour)
	a.bodies = newByteBudget(max(bodyBudget, a.Limits.MaxBody))
	if a.HSTS > 0 {
		a.hsts = []string{"max-age=" + strconv.FormatInt(int64(a.HSTS/time.Second), 10)}
	}
}

// Health says that the process answers.
func (a *API) Health(c *Call) (Reply, error) { return Reply{Body: present.State{Status: "ok"}}, nil }

// Ready says whether requests can be served, or in a word why not, with 503: the store has "stopped" after a failed
// commit or a lost page, or the "database" cannot be read. A disk without room and an index that is behind or being
// built do not count, as nearly all is served meanwhile; the metrics tell of them.
func (a *API) Ready(c *Call) (Reply, error) {
	err := a.DB.View(func(tx *bucket.Tx) error {
		bucket.Accounts.Has(tx, 0) // there is none, but a page is read to know it
		return nil
	})
	switch {
	case a.DB.Stopped():
		return Reply{Status: http.StatusServiceUnavailable, Body: present.State{Status: "stopped"}}, nil
	case err != nil:
		a.Log.Error("the database cannot be read", "error", err)
		return Reply{Status: http.StatusServiceUnavailable, Body: present.State{Status: "database"}}, nil
	}
	return Reply{Body: present.State{Status: "ready"}}, nil
}

// Package handlers answers the calls of the API. A handler takes a Call and a
// transaction and returns a Reply or an error; everything around that — authentication,
// bodies, transactions, conditions, statuses, headers, one log line — is the adapter's
// (endpoint.go, adapter.go, answer.go), so that each rule is written once.
package handlers

import (
	"context"
	"log/slog"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"alcove/blobs"
	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/check"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/handlers/wire"
	"alcove/index"
	"alcove/uploads"
)

// Limits are the bounds and choices that the configuration sets.
type Limits struct {
	items.Limits
	MaxBody       int64         // bytes of a request body other than a part
	BodyTimeout   time.Duration // for a whole request body other than a part, 0 for none
	HeaderTimeout time.Duration // for the beginning of such a body
	StallTimeout  time.Duration // in which a part or a download must get on
	UploadExpiry  time.Duration // age at which an upload that is not completed is dropped
	DiskReserve   int64         // bytes of the disk that uploads leave free
	SweepShare    int           // how many percent of all blobs may be removed at a time
	SweepGrace    time.Duration // for how long bytes stay that no record names
	RateLimit     int           // requests a second of an account or address, 0 for none
	RateBurst     int           // at once
	PageRate      int           // pages a second of an address, 0 for none
	PageBurst     int           // at once
	WrongTokens   int           // a minute from one address
	Addresses     Addresses     // how much of a client's address is stored
	AccessesKeep  time.Duration // for how long requests are stored
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
	Proxies     []netip.Prefix // whose X-Forwarded-For is believed
	HSTS        time.Duration  // told to browsers with every answer, 0 for nothing
	Log         *slog.Logger
	FromBackups bucket.RecordSource // of records that are damaged here, nil where there are none
}

// API holds what the handlers share.
type API struct {
	Options
	Items                 *items.Service
	Articles, Collections *ItemKind
	ErrorPage             ErrorPage // nil where refusals are always JSON
	apiDocuments          func() (apiDocuments, error)

	context       context.Context // ends with Close
	stop          context.CancelFunc
	running       sync.WaitGroup
	checking      [len(checkQueues)]chan struct{} // wake the integrity checks
	viewing       chan struct{}                   // wakes the making of thumbnails
	ending        chan struct{}                   // wakes the end of embargoes
	usageCounter  *usageCounter
	numbers       requestNumbers
	accessLog     *accessLog
	lists         cache[responseKey, Reply]          // answers of public lists that were asked for again
	listsAsked    cache[responseKey, struct{}]       // for once
	members       cache[bucket.Pair, *publicMembers] // of collections of which pages were asked for
	archiveCache  cache[archiveKey, *archiveLayout]  // archives of which ranges were asked for; to lay one out reads the records of all its files
	requestCounts requestCounts
	rates         *wire.Rates // requests by caller, nil where no rate is set
	pageRates     *wire.Rates // pages by address, nil where no rate is set
	wrong         *wire.Rates // wrong tokens by address
	bodies        *byteBudget
	repairs       *repairs
	hsts          []string // the header, nil for none
	cursors       lists.Sealer

	publicArticles, publicCollections, publicProjects *lists.Public
}

// New prepares the API. Start must follow before it serves, and Close at the end.
func New(o Options) *API {
	a := &API{Options: o, viewing: make(chan struct{}, 1), ending: make(chan struct{}, 1)}
	a.usageCounter, a.accessLog, a.repairs = newUsageCounter(), newAccessLog(), newRepairs()
	a.guard()
	a.lists.most, a.listsAsked.most = listBytes, askedBytes
	a.archiveCache.most, a.members.most = archiveCacheBytes, membersMost
	a.cursors = lists.NewSealer(o.DB.Secret())
	a.Items = items.New(items.Service{
		DB: o.DB, Settings: o.Settings, Limits: o.Limits.Limits, Log: o.Log, Damaged: func(err error) { a.repairs.ask(err) },
	})
	a.publicArticles, a.publicCollections = lists.Articles(a.Items.ArticleDocs.List), lists.Collections(a.Items.CollectionDocs.List)
	a.publicProjects = lists.Projects(a.projectDoc)
	for n := range a.checking {
		a.checking[n] = make(chan struct{}, 1)
	}
	a.kinds()
	a.context, a.stop = context.WithCancel(context.Background())
	return a
}

// guard makes what keeps single callers from taking all.
func (a *API) guard() {
	l := &a.Limits
	if l.RateLimit > 0 {
		a.rates = wire.NewRates(float64(l.RateLimit), float64(l.RateBurst))
	}
	if l.PageRate > 0 {
		a.pageRates = wire.NewRates(float64(l.PageRate), float64(l.PageBurst))
	}
	a.wrong = wire.NewRates(float64(l.WrongTokens)/60, float64(l.WrongTokens))
	a.bodies = newByteBudget(max(bodyBudget, l.MaxBody))
	if a.HSTS > 0 {
		a.hsts = []string{"max-age=" + strconv.FormatInt(int64(a.HSTS/time.Second), 10)}
	}
}

// Start begins the work behind the API: integrity checks and thumbnails that are due, documents that
// were rendered under other settings, uploads that were never completed, counts. It does not wait.
func (a *API) Start() {
	for n := range checkQueues {
		a.background("integrity checks", a.checkUploads(n))
	}
	a.background("thumbnails", a.makePreviews)
	a.background("thumbnails of deleted files", a.sweepThumbs)
	a.background("embargoes", a.endEmbargoes)
	a.background("repairs", a.repairRecords)
	a.background("counts", a.storeCounts)
	a.background("accesses", a.storeAccesses)
	a.background("rendering", a.Items.RenderStale)
	a.background("upload expiry", a.expireUploads)
	sweeper := &check.Sweeper{DB: a.DB, Blobs: a.Blobs, Grace: a.Limits.SweepGrace, Share: a.Limits.SweepShare, Log: a.Log}
	a.background("bytes that nothing needs", sweeper.Run)
}

// Close ends the work in the background and waits for it.
func (a *API) Close() {
	a.stop()
	a.running.Wait()
}

// background runs work until it returns. A panic is logged and the work begins again,
// at most once a second.
func (a *API) background(name string, work func(context.Context)) {
	a.running.Go(func() {
		for a.context.Err() == nil {
			if a.survives(name, work) {
				return
			}
			select {
			case <-time.After(time.Second):
			case <-a.context.Done():
			}
		}
	})
}

func (a *API) survives(name string, work func(context.Context)) (ended bool) {
	defer func() {
		if p := recover(); p != nil {
			a.Log.Error("panic in the background", "work", name, "panic", p)
		}
	}()
	work(a.context)
	return true
}

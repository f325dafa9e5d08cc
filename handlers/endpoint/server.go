// Package endpoint is what every call of the API passes through: authentication, bodies, transactions, conditions,
// statuses, headers and one log line. A handler takes a Call and a transaction and returns a Reply or an error.
//
// Layers, of which each uses those below it, but for a twentieth of the uses:
//
//	serving    adapter answer send old_urls pages
//	answering  endpoint form_or_json conditional warnings lists
//	admitting  access auth session rates bodies
//	calls      server client guards branding budget cache access_log recorder call route path
package endpoint

import (
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"alcove/auth"
	"alcove/blobs"
	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/handlers/wire"
	"alcove/jobs"
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

// errorPage renders a refusal as a page. Without a page the refusal is sent as JSON.
type errorPage func(c *Call, status int, refused present.Error) (page []byte, header http.Header)

// Options are what a Server works with.
type Options struct {
	DB       *bucket.DB
	Blobs    blobs.Store
	Uploads  *uploads.Staging
	Settings present.Settings
	Limits   Limits
	Branding Branding       // of pages, at the start
	Proxies  []netip.Prefix // whose X-Forwarded-For is believed
	Hosts    []string       // names and addresses that it answers for, besides loopback and the address of the connection
	HSTS     time.Duration  // told to browsers with every answer, 0 for nothing
	Log      *slog.Logger
}

// Server does for every endpoint what is the same for all.
type Server struct {
	Options
	Items     *items.Service
	Jobs      *jobs.Jobs
	Auth      *auth.Service
	Requests  wire.RequestCounts // by route
	Latencies wire.Latencies     // by kind of request
	ErrorPage errorPage          // nil where refusals are always JSON
	Queries   []reflect.Type     // the structs that query strings fill

	numbers    requestNumbers
	lists      Cache[responseKey, Reply]    // answers of public lists that were asked for again
	listsAsked Cache[responseKey, struct{}] // for once
	guarded    atomic.Pointer[guards]
	branded    atomic.Pointer[Branding]
	bodies     *byteBudget
	hosts      wire.Hosts
	hsts       []string // the header, nil for none
	cursors    lists.Sealer
}

// New prepares a server. Its Items, Jobs and Auth are set before it serves.
func New(o Options) *Server {
	s := &Server{Options: o, hosts: wire.NewHosts(o.Hosts)}
	s.SetGuards(o.Limits.Guards)
	s.SetBranding(o.Branding)
	s.bodies = newByteBudget(max(bodyBudget, o.Limits.MaxBody))
	if o.HSTS > 0 {
		s.hsts = []string{"max-age=" + strconv.FormatInt(int64(o.HSTS/time.Second), 10)}
	}
	s.lists.Most, s.listsAsked.Most = listBytes, askedBytes
	s.cursors = lists.NewSealer(o.DB.Secret())
	return s
}

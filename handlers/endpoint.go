package handlers

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"time"

	"alcove/auth"
	"alcove/blobs"
	"alcove/bucket"
	"alcove/handlers/apidoc"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/jobs"
	"alcove/record"
)

// Access says who may call a route.
type Access = apidoc.Access

// The clients that may call a route.
const (
	Public  = apidoc.Public
	Account = apidoc.Account
	Either  = apidoc.Either
	Upload  = apidoc.Upload
	Session = apidoc.Session
)

// Route is a line of the route table.
type Route struct {
	Method, Path string
	Access       Access
	Endpoint     Endpoint
	About        apidoc.About
}

// Endpoint is a handler with what it does to the store.
type Endpoint struct {
	run  func(*API, *Call) (Reply, error)
	read func(*Call, *bucket.Tx) (Reply, error) // of a Read: also tells the state that conditions of writes are tested on
	body bodyKind
	// takes is the struct that a JSON body fills.
	takes reflect.Type

	fields reflect.Type // the same of a form

	scope  record.Scope // that a token needs, "" for what goes by the method
	cached bool         // its answers are, which depend on nothing but the store, path, query and X-Cursor
	free   bool         // of the rate of pages
	linked string       // kind of item whose private links open it too, "" for none
	file   string       // field of a form that a file is in, "" where the body is something else
}

type bodyKind int

const (
	noBody bodyKind = iota
	jsonBody
	optionalBody
	streamBody
	formBody
)

// Reads reports whether the endpoint tells the state of its address, so that writes
// below it can be made conditional on it.
func (e Endpoint) Reads() bool { return e.read != nil }

// Call is one request, after the adapter has understood it.
type Call struct {
	API     *API
	Context context.Context
	items.Caller
	Method    string
	Pattern   string      // of the route
	Query     lists.Query // without secrets
	Header    http.Header
	RequestID string

	session   *auth.Session   // of the browser, nil for none
	person    *record.Account // who is signed in with it
	half      *auth.Session   // of the browser, of a person whose second factor is still to come
	halfway   *record.Account // that person
	admin     bool            // actor administers the institution
	tokenID   bucket.TokenID
	scope     record.Scope // of the token, "" for all
	number    int64        // of the request
	writes    bool         // it has begun to change something
	params    []Param      // of the path, as they came
	ids       pathIDs
	texts     []Param
	secrets   secrets
	linked    string // of the endpoint
	reading   bool   // the endpoint changes nothing
	paced     bool   // it has counted as a page
	kind      int    // in wire.RequestKinds
	oauth     bool   // its refusals with the status 400 have the form of OAuth 2.0
	anonymous bool   // the item was loaded by a link that withholds who made it
	body      record.Body
	form      []byte     // body of a formBody
	fields    url.Values // in it, of a Form
	request   *http.Request
	writer    *recorder
	state     func(*Call, *bucket.Tx) (Reply, error) // of the address or the nearest one above it
	// changed is when the store last changed, told before its state is read: a list that
	// is dated by it may be newer than its date, never older.
	changed  time.Time
	position uint64 // of the store before that, for what is cached
	start    time.Time
	free     int64  // bytes on the disk, of an endpoint that is Announcing
	reserved int64  // bytes of the room for bodies, given back when the call ends
	buffer   []byte // for a reply, given back when it has been written; nil for none
}

// ID is a number of the path, which the adapter has checked.
func (c *Call) ID(name string) int64 {
	id, _ := c.ids.find(name)
	return id
}

// Text is a part of the path that is not a number.
func (c *Call) Text(name string) string {
	for _, t := range c.texts {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// Reply is what a handler answers. The zero Status is 200.
type Reply struct {
	Status   int
	Location string
	Body     any    // encoded by present.Encode
	Raw      []byte // encoded already; wins over Body
	Tag      string // entity tag of Raw, made from it when empty
	Type     string // of Raw, application/json when empty
	Header   http.Header
	Cursor   string    // of the next page
	Modified time.Time // of what the reply shows, zero for unknown
	File     *Download
	Pieces   pieces   // to send one by one, with a Tag and a Type
	Name     string   // for the reader's disk, of Pieces
	Public   bool     // every client gets the same, though the route is for some
	Count    jobs.Use // what a GET that shows it is counted as
	// After is run once the transaction is durable, for what lies outside the store.
	After func()
}

// Download is a file to send, or an archive of files.
type Download struct {
	Blob     blobs.Blob
	Archive  *Archive      // instead of a Blob
	Made     io.ReadCloser // instead of a Blob: Size bytes, made as they are sent, in one piece
	Size     int64
	Name     string // for the reader's disk
	MIME     string
	ETag     string // strong, without quotes
	Modified time.Time
	Public   bool
	Count    jobs.Use // what sending its first bytes is counted as
}

// Read is an endpoint that reads what the caller may see.
func Read(h func(*Call, *bucket.Tx) (Reply, error)) Endpoint {
	return Endpoint{read: h, run: func(a *API, c *Call) (r Reply, err error) {
		err = a.DB.View(func(tx *bucket.Tx) error {
			r, err = h(c, tx)
			return err
		})
		return r, err
	}}
}

// PublicRead is an endpoint that reads public tables only.
func PublicRead(h func(*Call, *bucket.PublicTx) (Reply, error)) Endpoint {
	return Endpoint{run: func(a *API, c *Call) (r Reply, err error) {
		err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
			r, err = h(c, tx)
			return err
		})
		return r, err
	}}
}

// PublicList is an endpoint that reads public tables only, in transactions that it opens itself. Its
// answers are given again as long as nothing is committed, so they depend on nothing but the
// store, the path, the query and X-Cursor: neither on the time nor on other headers.
func PublicList(h func(*Call) (Reply, error)) Endpoint {
	return Endpoint{cached: true, run: func(_ *API, c *Call) (Reply, error) { return h(c) }}
}

// Write is an endpoint without a body that changes the store.
func Write(h func(*Call, *bucket.Tx) (Reply, error)) Endpoint {
	return Endpoint{run: func(_ *API, c *Call) (Reply, error) { return c.write(h) }}
}

// writing is the context of the call's writes. A deletion goes on when the disk is full, so that
// there is a way to make room.
func (c *Call) writing() context.Context {
	if c.Method == http.MethodDelete {
		return bucket.Frees(c.Context)
	}
	return c.Context
}

// write runs a handler in a write transaction in which the conditions of the request
// hold, and what it wants done after it.
func (c *Call) write(h func(*Call, *bucket.Tx) (Reply, error)) (r Reply, err error) {
	warned := c.Warned
	err = c.API.DB.UpdateBy(c.writing(), c.by(), func(tx *bucket.Tx) error {
		c.Warned = slices.Clone(warned) // it may run twice
		if err := c.expected(tx); err != nil {
			return err
		}
		if r, err = h(c, tx); err != nil {
			return err
		}
		return c.tellTag(tx, &r)
	})
	if err != nil {
		return Reply{}, err
	}
	if r.After != nil {
		r.After()
	}
	return r, nil
}

// WriteBody is an endpoint that changes the store as a JSON body says. A body with wrong
// values is refused only where there is something that this caller may change (401, 400
// unreadable, 404 and 403, 422), which a read of the address tells.
func WriteBody[B any](h func(*Call, *bucket.Tx, *B) (Reply, error)) Endpoint {
	return writeBody(jsonBody, h)
}

// WriteOptional is WriteBody with a body that may be left out, in which null says
// nothing: generated clients send it for what was not set.
func WriteOptional[B any](h func(*Call, *bucket.Tx, *B) (Reply, error)) Endpoint {
	return writeBody(optionalBody, h)
}

// WriteAfter is WriteBody of which a part is stored first, in commits of its own, so that other
// writers need not wait for all of it. Records that first stores must be of no use before h has run; undo,
// which may be nil, removes it when h fails.
func WriteAfter[B any](first func(*Call, *B) (undo func(), err error), h func(*Call, *bucket.Tx, *B) (Reply, error)) Endpoint {
	e := WriteBody(h)
	e.run = writing(jsonBody, first, h)
	return e
}

func writeBody[B any](kind bodyKind, h func(*Call, *bucket.Tx, *B) (Reply, error)) Endpoint {
	return Endpoint{body: kind, takes: reflect.TypeFor[B](), run: writing(kind, nil, h)}
}

func writing[B any](kind bodyKind, first func(*Call, *B) (func(), error), h func(*Call, *bucket.Tx, *B) (Reply, error)) func(*API, *Call) (Reply, error) {
	return func(a *API, c *Call) (Reply, error) {
		if kind == optionalBody {
			c.body = c.body.WithoutNulls()
		}
		body := new(B)
		warnings, bad := c.body.Bind(body)
		if bad != nil {
			return Reply{}, c.badBody(bad)
		}
		var undo func()
		if first != nil {
			var err error
			if undo, err = first(c, body); err != nil {
				return Reply{}, err
			}
		}
		c.Warned = warnings
		r, err := c.write(func(c *Call, tx *bucket.Tx) (Reply, error) { return h(c, tx, body) })
		if err != nil && undo != nil {
			undo()
		}
		return r, err
	}
}

// badBody is the refusal of a body with wrong values, or the one that comes before it.
func (c *Call) badBody(bad error) error {
	if c.state == nil {
		return bad
	}
	err := c.API.DB.View(func(tx *bucket.Tx) error {
		_, err := c.state(c, tx)
		return err
	})
	if comesBefore422(err) {
		return err
	}
	return bad
}

// comesBefore422 reports whether a refusal says less about the body than about the
// caller or the address.
func comesBefore422(err error) bool {
	e, ok := refusal(err)
	return ok && (e.Class == record.NotFound || e.Class == record.Forbidden)
}

// Linked opens an endpoint of own articles or collections also to holders of a private link to
// the item: any link where it reads, one that lets edit where it
// writes. Without a token of its own the caller acts as an account that owns nothing, and in
// the name of the owner.
func Linked(kind string, e Endpoint) Endpoint {
	e.linked = kind
	return e
}

// Free takes what belongs to a page, or is as cheap as a file, out of the rate of pages.
func Free(e Endpoint) Endpoint {
	e.free = true
	return e
}

// Plain is an endpoint that opens its transactions itself.
func Plain(h func(*Call) (Reply, error)) Endpoint {
	return Endpoint{run: func(_ *API, c *Call) (Reply, error) { return h(c) }}
}

// PlainBody is Plain with an optional JSON body, that of a search. In it null says nothing:
// generated clients send it for what was not set. Under the profile of the public service pages
// and ids may be texts of digits, as they are in a query (compatibility.md).
func PlainBody[B any](h func(*Call, *B) (Reply, error)) Endpoint {
	return plainBody(optionalBody, h)
}

// PlainRequired is PlainBody with a body that must be there (400).
func PlainRequired[B any](h func(*Call, *B) (Reply, error)) Endpoint {
	return plainBody(jsonBody, h)
}

func plainBody[B any](kind bodyKind, h func(*Call, *B) (Reply, error)) Endpoint {
	return Endpoint{body: kind, takes: reflect.TypeFor[B](), scope: record.ScopeRead, run: func(a *API, c *Call) (Reply, error) {
		body := new(B)
		sent := c.body.WithoutNulls()
		if a.Settings.Figshare {
			sent = sent.WithNumbers("page", "page_size", "limit", "offset", "institution", "group", "item_type")
		}
		var err error
		if c.Warned, err = sent.Bind(body); err != nil {
			return Reply{}, c.badBody(err)
		}
		return h(c, body)
	}}
}

// Stream is Plain with a body that the handler reads itself.
func Stream(h func(*Call) (Reply, error)) Endpoint {
	e := Plain(h)
	e.body = streamBody
	return e
}

// Uploads is an endpoint that a token may call which is for making and changing drafts and their files.
func (e Endpoint) Uploads() Endpoint {
	e.scope = record.ScopeUpload
	return e
}

// scope is how wide a token has to be: whatever reads needs the narrowest, and whatever changes something and says
// nothing else the widest.
func (r *Route) scope() record.Scope {
	switch {
	case r.Endpoint.scope != "":
		return r.Endpoint.scope
	case r.Method == http.MethodGet:
		return record.ScopeRead
	}
	return record.ScopeAll
}

// When puts a refusal before the tests of conditions and of the values of a body, as
// their order demands (401, 400, 404 and 403, 412, 422): without it they come before
// what the handler itself asks of the caller, because it can read the address.
func (e Endpoint) When(may func(*Call, *bucket.Tx) error) Endpoint {
	run := e.run
	e.run = func(a *API, c *Call) (Reply, error) {
		if state := c.state; state != nil {
			c.state = func(c *Call, tx *bucket.Tx) (Reply, error) {
				if err := may(c, tx); err != nil {
					return Reply{}, err
				}
				return state(c, tx)
			}
		}
		return run(a, c)
	}
	return e
}

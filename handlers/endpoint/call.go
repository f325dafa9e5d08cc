package endpoint

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"alcove/auth"
	"alcove/blobs"
	"alcove/blobs/archive"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/jobs"
	"alcove/record"
)

// Call is one request, after the adapter has understood it.
type Call struct {
	Server  *Server
	Context context.Context
	items.Caller
	Method    string
	Pattern   string      // of the route
	Query     lists.Query // without secrets
	Header    http.Header
	RequestID string

	Session   *auth.Session   // of the browser, nil for none
	person    *record.Account // who is signed in with it
	Half      *auth.Session   // of the browser, of a person whose second factor is still to come
	Halfway   *record.Account // that person
	admin     bool            // actor administers the institution
	tokenID   changelog.TokenID
	scope     record.Scope // of the token, "" for all
	grant     string       // the key of the authorization that an application's token belongs to
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
	Anonymous bool   // the item was loaded by a link that withholds who made it
	body      record.Body
	form      []byte     // body of a formBody
	fields    url.Values // in it, of a Form
	Request   *http.Request
	Writer    *recorder
	State     func(*Call, *bucket.Tx) (Reply, error) // of the address or the nearest one above it
	// Changed is when the store last changed, told before its state is read: a list that
	// is dated by it may be newer than its date, never older.
	Changed  time.Time
	Position uint64 // of the store before that, for what is cached
	Start    time.Time
	Free     int64  // bytes on the disk, of an endpoint that is Announcing
	reserved int64  // bytes of the room for bodies, given back when the call ends
	Buffer   []byte // for a reply, given back when it has been written; nil for none
}

// Scope returns the scope of the credential. It bounds the values that answers show. Sessions and personal tokens have
// the scope for everything.
func (c *Call) Scope() record.Scope { return c.scope }

// Application is the client_id of the application that makes the call, "" for none.
func (c *Call) Application(tx *bucket.Tx) (string, error) {
	if c.grant == "" {
		return "", nil
	}
	z, err := users.Authorizations.Get(tx, c.grant)
	if err != nil {
		return "", err
	}
	return z.ClientID, nil
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

// Archive is a zip to send.
type Archive struct {
	*archive.Plan
	Made []func(io.Writer) error // write the first files
	Refs []blobs.Ref             // of those behind them
}

// Step is a part of a change that a page makes: a function of the API, with the body that it takes.
type Step func(*Call, *bucket.Tx) (Reply, error)

// Browser reports whether the client asks for a page: it names text/html, and the address is not
// one that only programs use.
func (c *Call) Browser() bool {
	path := "/" + strings.TrimLeft(c.Request.URL.Path, "/") + "/"
	if strings.HasPrefix(path, "/v2/") || strings.HasPrefix(path, "/upload/") || strings.HasPrefix(path, "/mirror/") {
		return false
	}
	return strings.Contains(strings.ToLower(strings.Join(c.Header.Values("Accept"), ",")), "text/html")
}

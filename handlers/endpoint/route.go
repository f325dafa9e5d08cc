package endpoint

import (
	"net/http"
	"reflect"
	"strings"

	"alcove/bucket"
	"alcove/handlers/apidoc"
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
	run  func(*Call) (Reply, error)
	read func(*Call, *bucket.Tx) (Reply, error) // of a Read: also tells the state that conditions of writes are tested on
	body bodyKind
	// takes is the struct that a JSON body fills.
	takes reflect.Type

	fields reflect.Type // the same of a form

	scope   record.Scope // that a token needs, "" for what goes by the method
	cached  bool         // its answers are, which depend on nothing but the store, path, query and X-Cursor
	free    bool         // of the rate of pages
	anyHost bool         // it answers requests for any host
	linked  string       // kind of item whose private links open it too, "" for none
	file    string       // field of a form that a file is in, "" where the body is something else
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

// Described is what the description of the API is made of.
func (r *Route) Described() apidoc.Route {
	e := &r.Endpoint
	return apidoc.Route{
		Method: r.Method, Path: r.Path, Access: r.Access, Takes: e.takes, Fields: e.fields, Optional: e.body == optionalBody,
		Bytes: e.body == streamBody, File: e.file, Linked: e.linked != "", Reads: e.Reads(), About: r.About,
	}
}

// kind is the place of a route in wire.RequestKinds.
func (r *Route) kind() int {
	switch {
	case r.Access == Upload:
		return 3
	case strings.Contains(r.Path, "/download") || strings.HasPrefix(r.Path, "/files/") || strings.HasPrefix(r.Path, "/ndownloader/"):
		return 4
	case strings.HasSuffix(r.Path, "/search"):
		return 1
	case r.About.IsPage():
		return 2
	}
	return 0
}

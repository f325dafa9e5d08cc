package apidoc

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"alcove/handlers/present"
	"alcove/record"
)

// Access says who may call a route.
type Access int

// Who may call.
const (
	Public  Access = iota // anybody; a token is ignored
	Account               // the holder of a valid token, else 401
	Either                // anybody, but a valid token opens more
	Upload                // whoever knows the upload token in the path
)

// Route is what the route table says of an address and a method.
type Route struct {
	Method, Path string
	Access       Access
	Takes        reflect.Type // of a JSON body, nil for none
	Optional     bool         // the body may be left out
	Bytes        bool         // the body is bytes
	File         string       // the field of a form in which a file is
	Linked       bool         // private links open it too
	Reads        bool         // it tells the state of its address
}

// Repository is what the description of the API depends on.
type Repository struct {
	Settings present.Settings
	Lists    record.Lists
	Texts    map[string]bool // parts of paths that are no numbers
	Queries  []reflect.Type  // structs whose keys query strings may hold, which operations refer to by name
	Routes   []Route
}

// section is the operations of a resource, under a heading.
type section struct {
	name string
	list []operation
}

// operation is what a route is for.
type operation struct {
	route     string // method and pattern
	summary   string
	query     string // name of the struct with the keys that the query string may hold, "" for none
	unasked   []string
	needs     []string // keys of the body
	answers   []Answer
	refuses   []int // beyond those of its kind of route
	unlocated bool
	walked    bool
}

// op is an operation.
func op(route, summary string, say ...func(*operation)) operation {
	o := operation{route: route, summary: summary}
	for _, s := range say {
		s(&o)
	}
	return o
}

// asks says which keys the query string may hold: those of a struct but for some.
func asks(query string, but ...string) func(*operation) {
	return func(o *operation) { o.query, o.unasked = query, but }
}

// What answers hold that are no JSON.
type (
	nothing   struct{}
	plainText struct{}
	htmlPage  struct{}
	fileBytes struct{}
	pngImage  struct{}
	zipFile   struct{}
	csvFile   struct{}
	elsewhere struct{}
)

// gives says what a success answers.
func gives[A any](status int) func(*operation) {
	a := Answer{Status: status, Located: status == 201 || status == 202 || status == 205 || status == 301 || status == 302}
	switch any(*new(A)).(type) {
	case nothing, elsewhere:
	case plainText:
		a.Media = "text/plain"
	case htmlPage:
		a.Media = "text/html"
	case fileBytes:
		a.Media = "*/*"
	case pngImage:
		a.Media = "image/png"
	case zipFile:
		a.Media = "application/zip"
	case csvFile:
		a.Media = "text/csv"
	default:
		a.Type = reflect.TypeFor[A]()
	}
	return func(o *operation) { o.answers = append(o.answers, a) }
}

// needs says which keys the body must have.
func needs(keys ...string) func(*operation) { return func(o *operation) { o.needs = keys } }

// refuses says which refusals there are beyond those that all routes of a kind have.
func refuses(statuses ...int) func(*operation) { return func(o *operation) { o.refuses = statuses } }

// unlocated says that what was made has no address.
func unlocated() func(*operation) { return func(o *operation) { o.unlocated = true } }

// walked says that the list can be read to its end with cursors.
func walked() func(*operation) { return func(o *operation) { o.walked = true } }

// Of puts together what the route table, the Go types and the operations say. It refuses a
// route without an operation, and an operation without a route.
func Of(repo Repository) (*Description, error) {
	s := repo.Settings
	api := API{
		Title: s.Publisher + " API", Version: "2.0.0", About: aboutAPI, Server: s.BaseURL, Texts: repo.Texts, Fields: fieldsWithin(repo.Lists),
		Refusal: reflect.TypeFor[present.Error](), Refusals: aboutRefusals, Security: waysIn, Parameters: sharedParameters, Headers: sharedHeaders,
	}
	byName := map[string]*Route{}
	for i := range repo.Routes {
		byName[repo.Routes[i].Method+" "+repo.Routes[i].Path] = &repo.Routes[i]
	}
	for _, in := range operations {
		g := Group{Name: in.name}
		for _, o := range in.list {
			r := byName[o.route]
			if r == nil {
				return nil, fmt.Errorf("cannot describe %s: there is no such route, or it is described twice", o.route)
			}
			delete(byName, o.route)
			query := o.among(repo.Queries)
			if query == nil && o.query != "" {
				return nil, fmt.Errorf("cannot describe %s: there is no %s", o.route, o.query)
			}
			g.Operations = append(g.Operations, o.of(s, r, query))
		}
		api.Groups = append(api.Groups, g)
	}
	for name := range byName {
		return nil, fmt.Errorf("cannot describe %s: operations.go does not say what it is for", name)
	}
	return Describe(api)
}

// among finds the struct that an operation names as its query, nil for none.
func (o *operation) among(queries []reflect.Type) reflect.Type {
	for _, q := range queries {
		if q.Name() == o.query {
			return q
		}
	}
	return nil
}

// of is the operation with what its route says.
func (o *operation) of(s present.Settings, r *Route, query reflect.Type) Operation {
	out := Operation{
		Method: r.Method, Path: r.Path, Summary: o.summary, Query: query, Unasked: o.unasked,
		Answers: slices.Clone(o.answers), Refusals: []int{400},
	}
	add := func(statuses ...int) { out.Refusals = append(out.Refusals, statuses...) }
	switch {
	case r.Takes != nil:
		out.Body = &Body{Type: r.Takes, Optional: r.Optional, Needs: o.needs, Example: json.RawMessage(examples[o.route])}
		add(413, 422)
	case r.Bytes:
		out.Body = &Body{}
	case r.File != "":
		out.Body = &Body{File: r.File}
		add(413, 422)
	}
	if r.Method == http.MethodGet {
		out.Answers = append(out.Answers, Answer{Status: http.StatusNotModified})
		add(412)
	}
	if query != nil {
		add(422)
	}
	if strings.Contains(r.Path, ":") {
		add(404)
	}
	switch r.Access {
	case Public:
		out.Access = "Open to anybody"
	case Account:
		out.Access, out.Security = "For the holder of a token", []string{"token", "bearer", "access_token"}
		out.Parameters = []string{"impersonate"}
		if r.Linked {
			out.Access, out.Security = "For the holder of a token, or of a private link that lets edit", append(out.Security, "private_link")
		}
		if r.Linked && r.Reads {
			out.Access = "For the holder of a token, or of a private link, which shows what the public detail would and only those keys"
		}
		add(401, 403, 404, 412, 422)
	case Either:
		out.Access = "Open to anybody where it is public; a token or a private link may open more"
		out.Security = []string{"", "token", "bearer", "access_token", "download_token", "private_link"}
		if !strings.HasPrefix(r.Path, "/v2/") && strings.Contains(r.Path, "/files/") {
			out.Server = s.DownloadURL
		}
	case Upload:
		out.Access = "For whoever knows the upload token"
		if server, ok := strings.CutSuffix(s.UploadURL, "/upload"); ok {
			out.Server = server
		}
	}
	add(o.refuses...)
	slices.Sort(out.Refusals)
	out.Refusals = slices.Compact(out.Refusals)
	if o.walked {
		out.Parameters = append(out.Parameters, cursorHeader)
	}
	for i := range out.Answers {
		a := &out.Answers[i]
		a.Located = a.Located && !o.unlocated
		if o.walked { // 304 has it, too: the client that has the page already may go on
			a.Headers = []string{cursorHeader}
		}
		if r.Method != http.MethodGet && a.Status < 300 {
			a.Headers = append(a.Headers, warningsHeader)
		}
	}
	return out
}

// Unordered are the routes, by method and pattern, that answer a list and take no order.
func Unordered(queries []reflect.Type) map[string]bool {
	routes := map[string]bool{}
	for _, in := range operations {
		for _, o := range in.list {
			for _, a := range o.answers {
				if a.Type != nil && a.Type.Kind() == reflect.Slice && !o.ordered(o.among(queries)) {
					routes[o.route] = true
				}
			}
		}
	}
	return routes
}

// ordered reports whether the query may ask for an order.
func (o *operation) ordered(query reflect.Type) bool {
	if query == nil || slices.Contains(o.unasked, "order") {
		return false
	}
	return slices.ContainsFunc(reflect.VisibleFields(query), func(f reflect.StructField) bool { return f.Tag.Get("json") == "order" })
}

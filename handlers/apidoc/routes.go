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

// The clients that may call a route.
const (
	Public  Access = iota // any client; a token is ignored
	Account               // the holder of a valid token, else 401
	Either                // any client, but a valid token opens more
	Upload                // a client that knows the upload token in the path
	Session               // a person who is signed in; others are led to sign in
)

// Route is what the route table says of an address and a method.
type Route struct {
	Method, Path string
	Access       Access
	Takes        reflect.Type // of a JSON body, nil for none
	Optional     bool         // the body may be left out
	Bytes        bool         // the body is bytes
	Fields       reflect.Type // of a body that is the fields of a form, or the same in JSON; nil for none
	File         string       // the field of a form in which a file is
	Linked       bool         // private links open it too
	Reads        bool         // it tells the state of its address
	About        About
}

// Repository is what the description of the API depends on.
type Repository struct {
	Settings present.Settings
	Lists    record.Lists
	Texts    map[string]bool // parts of paths that are no numbers
	Queries  []reflect.Type  // structs whose keys query strings may hold, which operations refer to by name
	Routes   []Route
}

// About says what a route is for.
type About struct {
	section   string // its heading
	summary   string
	query     string // name of the struct with the keys that the query string may hold, "" for none
	unasked   []string
	needs     []string // keys of the body
	answers   []Answer
	refuses   []int // beyond those of its kind of route
	unlocated bool
	walked    bool
	page      bool // for people, and no part of the API
}

// Page says what an address is for at which people find a page, or what belongs to one: the
// description of the API leaves it out.
func Page(summary string) About { return About{summary: summary, page: true} }

// IsPage reports whether a route is for people, and no part of the API.
func (o About) IsPage() bool { return o.page }

// Op says in a line what a route is for, and what it asks, needs and gives.
func Op(summary string, say ...func(*About)) About {
	o := About{summary: summary}
	for _, s := range say {
		s(&o)
	}
	return o
}

// Under puts a route under a heading.
func (o About) Under(section string) About {
	o.section = section
	return o
}

// Asks says which keys the query string may hold: those of a struct but for some.
func Asks(query string, but ...string) func(*About) {
	return func(o *About) { o.query, o.unasked = query, but }
}

// These answers are no JSON.
type (
	Nothing   struct{}
	PlainText struct{}
	HtmlPage  struct{}
	FileBytes struct{}
	PngImage  struct{}
	ZipFile   struct{}
	CsvFile   struct{}
	XMLText   struct{}
	Elsewhere struct{}
)

// Gives says what a success answers.
func Gives[A any](status int) func(*About) {
	a := Answer{Status: status, Located: status == 201 || status == 202 || status == 205 || status == 301 || status == 302}
	switch any(*new(A)).(type) {
	case Nothing, Elsewhere:
	case PlainText:
		a.Media = "text/plain"
	case HtmlPage:
		a.Media = "text/html"
	case FileBytes:
		a.Media = "*/*"
	case PngImage:
		a.Media = "image/png"
	case ZipFile:
		a.Media = "application/zip"
	case XMLText:
		a.Media = "text/xml"
	case CsvFile:
		a.Media = "text/csv"
	default:
		a.Type = reflect.TypeFor[A]()
	}
	return func(o *About) { o.answers = append(o.answers, a) }
}

// Needs says which keys the body must have.
func Needs(keys ...string) func(*About) { return func(o *About) { o.needs = keys } }

// Refuses says which refusals there are beyond those that all routes of a kind have.
func Refuses(statuses ...int) func(*About) { return func(o *About) { o.refuses = statuses } }

// Unlocated says that what was made has no address.
func Unlocated() func(*About) { return func(o *About) { o.unlocated = true } }

// Walked says that the list can be read to its end with cursors.
func Walked() func(*About) { return func(o *About) { o.walked = true } }

// Of puts together what the route table and the Go types say. It refuses a route that does not say
// what it is for.
func Of(repo Repository) (*Description, error) {
	s := repo.Settings
	api := API{
		Title: s.Publisher + " API", Version: "2.0.0", About: aboutAPI, Server: s.BaseURL, Texts: repo.Texts, Fields: fieldsWithin(repo.Lists),
		Refusal: reflect.TypeFor[present.Error](), Refusals: aboutRefusals, Security: waysIn, Parameters: sharedParameters, Headers: sharedHeaders,
	}
	for i := range repo.Routes {
		r := &repo.Routes[i]
		o := &r.About
		if o.summary == "" {
			return nil, fmt.Errorf("cannot describe %s %s: its line of the route table does not say what it is for", r.Method, r.Path)
		}
		query := o.among(repo.Queries)
		if query == nil && o.query != "" {
			return nil, fmt.Errorf("cannot describe %s %s: there is no %s", r.Method, r.Path, o.query)
		}
		if last := len(api.Groups) - 1; last < 0 || api.Groups[last].Name != o.section {
			api.Groups = append(api.Groups, Group{Name: o.section})
		}
		g := &api.Groups[len(api.Groups)-1]
		g.Operations = append(g.Operations, o.of(s, r, query))
	}
	return Describe(api)
}

// among finds the struct that a route names as its query, nil for none.
func (o *About) among(queries []reflect.Type) reflect.Type {
	for _, q := range queries {
		if q.Name() == o.query {
			return q
		}
	}
	return nil
}

// of is the operation of a route.
func (o *About) of(s present.Settings, r *Route, query reflect.Type) Operation {
	out := Operation{
		Method: r.Method, Path: r.Path, Summary: o.summary, Query: query, Unasked: o.unasked,
		Answers: slices.Clone(o.answers), Refusals: []int{400},
	}
	add := func(statuses ...int) { out.Refusals = append(out.Refusals, statuses...) }
	switch {
	case r.Takes != nil:
		out.Body = &Body{Type: r.Takes, Optional: r.Optional, Needs: o.needs, Example: json.RawMessage(examples[r.Method+" "+r.Path])}
		add(413, 422)
	case r.Bytes:
		out.Body = &Body{}
	case r.Fields != nil:
		out.Body = &Body{Type: r.Fields, Form: true, Needs: o.needs, Example: json.RawMessage(examples[r.Method+" "+r.Path])}
		add(413)
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
		out.Access = "For a client that knows the upload token"
		if server, ok := strings.CutSuffix(s.UploadURL, "/upload"); ok {
			out.Server = server
		}
	}
	add(o.refuses...)
	slices.Sort(out.Refusals)
	out.Refusals = slices.DeleteFunc(slices.Compact(out.Refusals), func(status int) bool { // that have a form of their own
		return slices.ContainsFunc(o.answers, func(a Answer) bool { return a.Status == status })
	})
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

// Unordered reports whether a route answers a list and takes no order. queries are the structs that
// it may name.
func (o *About) Unordered(queries []reflect.Type) bool {
	return slices.ContainsFunc(o.answers, func(a Answer) bool { return a.Type != nil && a.Type.Kind() == reflect.Slice }) && !o.ordered(o.among(queries))
}

// ordered reports whether the query may ask for an order.
func (o *About) ordered(query reflect.Type) bool {
	if query == nil || slices.Contains(o.unasked, "order") {
		return false
	}
	return slices.ContainsFunc(reflect.VisibleFields(query), func(f reflect.StructField) bool { return f.Tag.Get("json") == "order" })
}

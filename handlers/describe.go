package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"alcove/handlers/apidoc"
	"alcove/handlers/present"
	"alcove/record"
)

// section is the operations of a resource, under a heading.
type section struct {
	name string
	list []operation
}

// operation is what a route is for.
type operation struct {
	route     string // method and pattern
	summary   string
	query     reflect.Type
	unasked   []string
	needs     []string // keys of the body
	answers   []apidoc.Answer
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
func asks[Q any](but ...string) func(*operation) {
	return func(o *operation) { o.query, o.unasked = reflect.TypeFor[Q](), but }
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
	a := apidoc.Answer{Status: status, Located: status == 201 || status == 202 || status == 205 || status == 301 || status == 302}
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

// apiDocuments are the description of the API for machines and for people.
type apiDocuments struct {
	openAPI, page       []byte
	openAPITag, pageTag string
}

// Describe makes the API describe itself by its route table, when it is first asked to.
func (a *API) Describe(table []Route) {
	a.apiDocuments = sync.OnceValues(func() (docs apiDocuments, err error) {
		d, err := Description(a.Settings, a.Limits.Lists, table)
		if err != nil {
			return docs, err
		}
		document, err := d.OpenAPI()
		if err != nil {
			return docs, err
		}
		if docs.openAPI, err = present.Encode(json.RawMessage(document)); err != nil {
			return docs, err
		}
		docs.page, err = d.Page("openapi.json")
		docs.openAPITag, docs.pageTag = etag(docs.openAPI), etag(docs.page)
		return docs, err
	})
}

// OpenAPI is the description of the API as an OpenAPI 3.1 document.
func (a *API) OpenAPI(*Call) (Reply, error) {
	docs, err := a.apiDocuments()
	return Reply{Raw: docs.openAPI, Tag: docs.openAPITag}, err
}

// DocsPage is the description of the API as a page for people.
func (a *API) DocsPage(*Call) (Reply, error) {
	docs, err := a.apiDocuments()
	header := http.Header{"Content-Security-Policy": {apidoc.PagePolicy}}
	return Reply{Raw: docs.page, Tag: docs.pageTag, Type: "text/html; charset=utf-8", Header: header}, err
}

// Description puts together what the route table, the Go types and the operations say. It
// refuses a route without an operation, and an operation without a route.
func Description(s present.Settings, lists record.Lists, table []Route) (*apidoc.Description, error) {
	api := apidoc.API{
		Title: s.Publisher + " API", Version: "2.0.0", About: aboutAPI, Server: s.BaseURL, Texts: textParams, Fields: fieldsWithin(lists),
		Refusal: reflect.TypeFor[present.Error](), Refusals: aboutRefusals, Security: waysIn, Parameters: sharedParameters, Headers: sharedHeaders,
	}
	byName := map[string]*Route{}
	for i := range table {
		byName[table[i].Method+" "+table[i].Path] = &table[i]
	}
	for _, in := range operations {
		g := apidoc.Group{Name: in.name}
		for _, o := range in.list {
			r := byName[o.route]
			if r == nil {
				return nil, fmt.Errorf("cannot describe %s: there is no such route, or it is described twice", o.route)
			}
			delete(byName, o.route)
			g.Operations = append(g.Operations, o.of(s, r))
		}
		api.Groups = append(api.Groups, g)
	}
	for name := range byName {
		return nil, fmt.Errorf("cannot describe %s: operations.go does not say what it is for", name)
	}
	return apidoc.Describe(api)
}

// of is the operation with what its route says.
func (o *operation) of(s present.Settings, r *Route) apidoc.Operation {
	out := apidoc.Operation{
		Method: r.Method, Path: r.Path, Summary: o.summary, Query: o.query, Unasked: o.unasked,
		Answers: slices.Clone(o.answers), Refusals: []int{400},
	}
	e := &r.Endpoint
	add := func(statuses ...int) { out.Refusals = append(out.Refusals, statuses...) }
	switch e.body {
	case jsonBody, optionalBody:
		out.Body = &apidoc.Body{Type: e.takes, Optional: e.body == optionalBody, Needs: o.needs, Example: json.RawMessage(examples[o.route])}
		add(413, 422)
	case streamBody:
		out.Body = &apidoc.Body{}
	case formBody:
		out.Body = &apidoc.Body{File: e.file}
		add(413, 422)
	}
	if r.Method == http.MethodGet {
		out.Answers = append(out.Answers, apidoc.Answer{Status: http.StatusNotModified})
		add(412)
	}
	if o.query != nil {
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
		if e.linked != "" {
			out.Access, out.Security = "For the holder of a token, or of a private link that lets edit", append(out.Security, "private_link")
		}
		if e.linked != "" && e.Reads() {
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
	for i := range out.Answers {
		out.Answers[i].Located = out.Answers[i].Located && !o.unlocated
	}
	if o.walked {
		out.Parameters = append(out.Parameters, cursorHeader)
		for i := range out.Answers { // 304 has it, too: who has the page already may go on
			out.Answers[i].Headers = []string{cursorHeader}
		}
	}
	for i := range out.Answers {
		if a := &out.Answers[i]; r.Method != http.MethodGet && a.Status < 300 {
			a.Headers = append(slices.Clone(a.Headers), warningsHeader)
		}
	}
	return out
}

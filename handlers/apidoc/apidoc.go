// Package apidoc describes an API: from its operations and the Go types of what they take
// and give it makes an OpenAPI 3.1 document, and a page that says the same to people. The
// same description gives the same bytes. It keeps nothing on disk.
package apidoc

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// API is what is described.
type API struct {
	Title, Version string
	About          []string // paragraphs
	Server         string   // base address
	Groups         []Group  // in the order of the page
	Refusal        reflect.Type
	Refusals       map[int]string  // what refusals with a status mean
	Parameters     []Parameter     // those that several operations refer to by name
	Headers        []Parameter     // the same of answers
	Texts          map[string]bool // parts of paths that are no numbers
	Security       []Scheme        // ways to prove who calls
	// Fields are what types do not tell of themselves, under package.Type.key of the
	// struct that declares the key. A field that is set wins over what the Go type says.
	Fields map[string]Schema
}

// Group is operations on one resource.
type Group struct {
	Name       string
	Operations []Operation
}

// Operation is a method of an address.
type Operation struct {
	Method, Path string       // with :name for parts that vary
	Server       string       // when it is another than the API's
	Summary      string       // one line
	Access       string       // who may call, for people
	Security     []string     // names of schemes that open it; "" for none
	Query        reflect.Type // of a struct whose keys the query string may hold
	Unasked      []string     // those that it may not
	Parameters   []string     // names of shared parameters
	Body         *Body
	Answers      []Answer
	Refusals     []int
}

// Body is what an operation takes.
type Body struct {
	Type     reflect.Type // nil for bytes
	Optional bool
	Form     bool     // of fields (application/x-www-form-urlencoded)
	Needs    []string // keys that must be there
	Example  json.RawMessage
	File     string // field of a form in which a file is, instead of a type
}

// Answer is a success.
type Answer struct {
	Status  int
	Type    reflect.Type // nil for none, or for what is no JSON
	Media   string       // of what is no JSON
	Located bool         // has a Location header
	Headers []string     // names of shared headers
}

// Parameter is a part of an address or of a query string, or a header.
type Parameter struct {
	Name   string
	In     string // path, query or header
	Schema *Schema
}

// Scheme is a way to prove who calls.
type Scheme struct {
	Name, About string
	In          string // header, query, or bearer
	Key         string // of the header or query
}

// ID names an operation: its method and the words of its address.
func (o *Operation) ID() string {
	words := strings.FieldsFunc(strings.TrimPrefix(o.Path, "/v2"), func(r rune) bool { return strings.ContainsRune("/:.", r) })
	return strings.ToLower(o.Method) + "_" + strings.Join(words, "_")
}

// Template is the path in the form of OpenAPI: {name} for parts that vary.
func (o *Operation) Template() string {
	parts := strings.Split(o.Path, "/")
	for i, p := range parts {
		if name, ok := strings.CutPrefix(p, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

// varying are the parts of the path that vary: ids from 1, but for the texts.
func (o *Operation) varying(texts map[string]bool) (list []Parameter) {
	for _, part := range strings.Split(o.Path, "/") {
		name, ok := strings.CutPrefix(part, ":")
		switch {
		case !ok:
		case texts[name]:
			list = append(list, Parameter{name, "path", &Schema{Type: Types{"string"}}})
		default:
			list = append(list, Parameter{name, "path", &Schema{Type: Types{"integer"}, Format: "int64", Minimum: Limit(1)}})
		}
	}
	return list
}

// reason is what an answer means in words.
func (a *Answer) reason() string {
	switch a.Status {
	case 200:
		return "What was asked for"
	case 201:
		return "Made"
	case 202:
		return "Received, and being worked on"
	case 204:
		return "Done"
	case 205:
		return "Changed"
	case 206:
		return "The range that was asked for, or several as multipart/byteranges"
	case 301:
		return "It is here under another address"
	case 302:
		return "It is elsewhere"
	case 400:
		return "Refused"
	case 304:
		return "As the client has it already"
	}
	return "Status " + strconv.Itoa(a.Status)
}

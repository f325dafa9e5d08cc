package apidoc

import (
	"slices"
	"strings"
)

// Call is an operation as a person tries it.
type Call struct {
	ID, Method, Path string // with :name for parts that vary
	Group, Summary   string
	Access           string
	Parameters       []CallParameter // of the path and of the query string
	Body             string          // an example in JSON, "" for none
	Bytes            bool            // the body is bytes or a file, which no example has
	Form             bool            // the body may also be the fields of a form
}

// CallParameter is one value of the address.
type CallParameter struct {
	Name, In string // path or query
	Type     string // in words
	About    string
}

// Calls are the operations below /v2 at this server, in the order of the description.
func (d *Description) Calls() (list []Call) {
	for _, g := range d.API.Groups {
		for i := range g.Operations {
			o := &g.Operations[i]
			if !strings.HasPrefix(o.Path, "/v2/") || o.Server != "" {
				continue
			}
			call := Call{ID: o.ID(), Method: o.Method, Path: o.Path, Group: g.Name, Summary: o.Summary, Access: o.Access}
			for _, p := range slices.Concat(o.varying(d.Texts), d.queries[o]) {
				k := kind(p.Schema)
				call.Parameters = append(call.Parameters, CallParameter{p.Name, p.In, k.Lead + k.Object + k.Tail, about(p.Schema)})
			}
			if b := o.Body; b != nil {
				call.Body, call.Bytes, call.Form = string(b.Example), b.Type == nil, b.Form
			}
			list = append(list, call)
		}
	}
	return list
}

package apidoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Description is an API whose types have been read.
type Description struct {
	*API
	schemas schemas
	bodies  map[*Operation]*Schema
	queries map[*Operation][]Parameter
	answers map[*Answer]*Schema
	refusal *Schema
}

// Describe reads the types of an API. It refuses a type that it cannot describe, and
// something that is said of a field that is not there.
func Describe(a API) (*Description, error) {
	d := &Description{
		API: &a, schemas: schemas{fields: a.Fields, used: map[string]bool{}},
		bodies: map[*Operation]*Schema{}, queries: map[*Operation][]Parameter{}, answers: map[*Answer]*Schema{},
	}
	for o := range d.operations() {
		for i := range o.Answers {
			if t := o.Answers[i].Type; t != nil {
				d.answers[&o.Answers[i]] = d.schemas.of(t, true)
			}
		}
	}
	d.refusal = d.schemas.of(a.Refusal, true)
	seen := map[string]bool{}
	for o := range d.operations() {
		if seen[o.ID()] {
			return nil, fmt.Errorf("cannot describe %s %s: %s names two operations", o.Method, o.Path, o.ID())
		}
		seen[o.ID()] = true
		if o.Body != nil && o.Body.Type != nil {
			if !json.Valid(o.Body.Example) {
				return nil, fmt.Errorf("cannot describe %s %s: its body has no example that is JSON", o.Method, o.Path)
			}
			s := d.schemas.of(o.Body.Type, false)
			if len(o.Body.Needs) > 0 {
				s = &Schema{AllOf: []*Schema{s, {Required: o.Body.Needs}}}
			}
			d.bodies[o] = s
		}
		if o.Query != nil {
			for _, f := range keys(o.Query) {
				if slices.Contains(o.Unasked, f.key) {
					continue
				}
				d.queries[o] = append(d.queries[o], Parameter{f.key, "query", d.schemas.field(f, false).notNull()})
			}
		}
	}
	return d, d.schemas.unused()
}

func (d *Description) operations() func(func(*Operation) bool) {
	return func(yield func(*Operation) bool) {
		for i := range d.Groups {
			for j := range d.Groups[i].Operations {
				if !yield(&d.Groups[i].Operations[j]) {
					return
				}
			}
		}
	}
}

// OpenAPI is the description as an OpenAPI 3.1 document.
func (d *Description) OpenAPI() ([]byte, error) {
	about := ""
	for i, p := range d.About {
		if i > 0 {
			about += "\n\n"
		}
		about += p
	}
	paths, tags := object{}, []object{}
	at := map[string]int{}
	for _, g := range d.Groups {
		tags = append(tags, object{{"name", g.Name}})
		for i := range g.Operations {
			o := &g.Operations[i]
			path := o.Template()
			if _, ok := at[path]; !ok {
				at[path] = len(paths)
				paths = append(paths, member{path, d.pathItem(o)})
			}
			p := &paths[at[path]]
			p.value = append(p.value.(object), member{strings.ToLower(o.Method), d.operation(g.Name, o)})
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(object{
		{"openapi", "3.1.0"},
		{"info", object{{"title", d.Title}, {"version", d.Version}, {"description", about}}},
		{"servers", []object{{{"url", d.Server}}}},
		{"tags", tags},
		{"paths", paths},
		{"components", d.components()},
	})
	return bytes.TrimSpace(b.Bytes()), err
}

// pathItem is what the methods of an address have in common: the parts that vary.
func (d *Description) pathItem(o *Operation) object {
	item := object{}
	if o.Server != "" && o.Server != d.Server {
		item = append(item, member{"servers", []object{{{"url", o.Server}}}})
	}
	if p := o.varying(d.Texts); len(p) > 0 {
		item = append(item, member{"parameters", described(p)})
	}
	return item
}

func described(parameters []Parameter) []object {
	var out []object
	for _, p := range parameters {
		s := *p.Schema
		o := object{{"name", p.Name}, {"in", p.In}}
		if p.In == "path" {
			o = append(o, member{"required", true})
		}
		if s.Description != "" {
			o = append(o, member{"description", s.Description})
			s.Description = ""
		}
		out = append(out, append(o, member{"schema", &s}))
	}
	return out
}

func (d *Description) operation(group string, o *Operation) object {
	out := object{{"operationId", o.ID()}, {"summary", o.Summary}, {"tags", []string{group}}}
	var parameters []object
	for _, name := range o.Parameters {
		parameters = append(parameters, object{{"$ref", "#/components/parameters/" + name}})
	}
	if parameters = append(parameters, described(d.queries[o])...); parameters != nil {
		out = append(out, member{"parameters", parameters})
	}
	if o.Body != nil {
		content := object{{"application/octet-stream", object{}}}
		if name := o.Body.File; name != "" {
			form := object{{"type", "object"}, {"properties", object{{name, &Schema{Type: Types{"string"}, Format: "binary"}}}}, {"required", []string{name}}}
			content = object{{"multipart/form-data", object{{"schema", form}}}}
		}
		if s := d.bodies[o]; s != nil {
			media := "application/json"
			if o.Body.Form {
				media = "application/x-www-form-urlencoded"
			}
			content = object{{media, object{{"schema", s}, {"example", o.Body.Example}}}}
		}
		out = append(out, member{"requestBody", object{{"required", !o.Body.Optional}, {"content", content}}})
	}
	responses := object{}
	for i := range o.Answers {
		responses = append(responses, member{strconv.Itoa(o.Answers[i].Status), d.response(&o.Answers[i])})
	}
	for _, status := range o.Refusals {
		responses = append(responses, member{strconv.Itoa(status), object{{"$ref", "#/components/responses/" + refusalName(status)}}})
	}
	responses = append(responses, member{"default", object{{"$ref", "#/components/responses/" + refusalName(0)}}})
	security := []object{}
	for _, name := range o.Security {
		if name == "" {
			security = append(security, object{})
		} else {
			security = append(security, object{{name, []string{}}})
		}
	}
	return append(out, member{"responses", responses}, member{"security", security})
}

func (d *Description) response(a *Answer) object {
	out := object{{"description", a.reason()}}
	headers := object{}
	if a.Located {
		headers = object{{"Location", object{
			{"required", true}, {"description", "The absolute address of it"}, {"schema", &Schema{Type: Types{"string"}, Format: "uri"}},
		}}}
	}
	for _, name := range a.Headers {
		headers = append(headers, member{name, object{{"$ref", "#/components/headers/" + name}}})
	}
	if len(headers) > 0 {
		out = append(out, member{"headers", headers})
	}
	switch s := d.answers[a]; {
	case s != nil:
		out = append(out, member{"content", object{{"application/json", object{{"schema", s}}}}})
	case a.Media != "":
		out = append(out, member{"content", object{{a.Media, object{}}}})
	}
	return out
}

func refusalName(status int) string {
	if status == 0 {
		return "refused"
	}
	return "refused" + strconv.Itoa(status)
}

func (d *Description) components() object {
	named := object{}
	for _, c := range d.byName() {
		named = append(named, member{c.Name, c.Schema})
	}
	responses := object{}
	for _, status := range slices.Sorted(maps.Keys(d.Refusals)) {
		responses = append(responses, member{refusalName(status), object{
			{"description", d.Refusals[status]}, {"content", object{{"application/json", object{{"schema", d.refusal}}}}},
		}})
	}
	parameters := object{}
	for i, p := range described(d.Parameters) {
		parameters = append(parameters, member{d.Parameters[i].Name, p})
	}
	headers := object{}
	for _, h := range d.Headers {
		headers = append(headers, member{h.Name, object{{"required", true}, {"description", h.Schema.Description}, {"schema", &Schema{Type: h.Schema.Type}}}})
	}
	schemes := object{}
	for _, s := range d.Security {
		o := object{{"type", "apiKey"}, {"in", s.In}, {"name", s.Key}, {"description", s.About}}
		if s.In == "bearer" {
			o = object{{"type", "http"}, {"scheme", "bearer"}, {"description", s.About}}
		}
		schemes = append(schemes, member{s.Name, o})
	}
	return object{{"schemas", named}, {"responses", responses}, {"parameters", parameters}, {"headers", headers}, {"securitySchemes", schemes}}
}

func (d *Description) byName() []*component {
	return slices.SortedFunc(slices.Values(d.schemas.named), func(a, b *component) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
}

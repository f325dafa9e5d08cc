package apidoc

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// PagePolicy is the Content-Security-Policy of the page: it has a style of its own, and
// loads and runs nothing.
var PagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

var page = template.Must(template.New("page").Parse(pageText))

// The page is filled with these.
type (
	pageView struct {
		*API
		Style   template.CSS
		Source  string // address of the document
		Groups  []groupView
		Objects []objectView
	}
	groupView struct {
		Name, Anchor string
		Operations   []operationView
	}
	operationView struct {
		*Operation
		Parameters []fieldView
		Takes      *kindView
		Optional   bool
		Needs      []string
		Example    string
		Keys       []fieldView // of the body
		Answers    []answerView
		Refusals   []answerView
	}
	objectView struct {
		Name, About string
		Keys        []fieldView
		Values      *kindView
	}
	fieldView struct {
		Name, In string
		Kind     kindView
		About    string
	}
	answerView struct {
		Status  int
		Reason  string
		Kind    *kindView
		Headers []string
	}
	// kindView is a type in words, with the name of an object in it, if there is one.
	kindView struct{ Lead, Object, Tail string }
)

// Page is the description as a page for people. source is the address of the document.
func (d *Description) Page(source string) ([]byte, error) {
	v := pageView{API: d.API, Style: template.CSS(pageStyle), Source: source}
	for _, g := range d.API.Groups {
		view := groupView{Name: g.Name, Anchor: strings.ToLower(strings.ReplaceAll(g.Name, " ", "-"))}
		for i := range g.Operations {
			view.Operations = append(view.Operations, d.operationView(&g.Operations[i]))
		}
		v.Groups = append(v.Groups, view)
	}
	for _, c := range d.byName() {
		o := objectView{Name: c.Name, About: c.Schema.Description, Keys: fields(c.Schema.Properties)}
		if c.Schema.Values != nil {
			k := kind(c.Schema.Values)
			o.Values = &k
		}
		v.Objects = append(v.Objects, o)
	}
	var b bytes.Buffer
	err := page.Execute(&b, v)
	return b.Bytes(), err
}

func (d *Description) operationView(o *Operation) operationView {
	v := operationView{Operation: o}
	shared := func(name string) Parameter {
		return d.API.Parameters[slices.IndexFunc(d.API.Parameters, func(p Parameter) bool { return p.Name == name })]
	}
	list := o.varying(d.Texts)
	for _, name := range o.Parameters {
		list = append(list, shared(name))
	}
	for _, p := range append(list, d.queries[o]...) {
		v.Parameters = append(v.Parameters, fieldView{p.Name, p.In, kind(p.Schema), about(p.Schema)})
	}
	if o.Body != nil {
		v.Takes, v.Optional, v.Needs = &kindView{Lead: "bytes"}, o.Body.Optional, o.Body.Needs
		v.Example = string(o.Body.Example)
		if o.Body.File != "" {
			v.Takes = &kindView{Lead: "a form (multipart/form-data) with a file in " + o.Body.File}
		}
		if s := d.bodies[o]; s != nil {
			if len(s.AllOf) > 0 {
				s = s.AllOf[0]
			}
			k := kind(s)
			if v.Takes = &k; o.Body.Form {
				k.Lead = "the fields of a form, or the same as JSON: " + k.Lead
			}
			i := slices.IndexFunc(d.schemas.named, func(c *component) bool { return c.Name == k.Object })
			v.Keys = fields(d.schemas.named[i].Schema.Properties)
		}
	}
	for i := range o.Answers {
		a := &o.Answers[i]
		view := answerView{Status: a.Status, Reason: a.reason(), Headers: a.Headers}
		if a.Located {
			view.Headers = append([]string{"Location"}, a.Headers...)
		}
		if s := d.answers[a]; s != nil {
			k := kind(s)
			view.Kind = &k
		} else if a.Media != "" {
			view.Kind = &kindView{Lead: a.Media}
		}
		v.Answers = append(v.Answers, view)
	}
	for _, status := range o.Refusals {
		v.Refusals = append(v.Refusals, answerView{Status: status, Reason: d.API.Refusals[status]})
	}
	return v
}

func fields(list Properties) (out []fieldView) {
	for _, p := range list {
		out = append(out, fieldView{Name: p.Name, Kind: kind(p.Schema), About: about(p.Schema)})
	}
	return out
}

// kind is the type of a schema in words.
func kind(s *Schema) kindView {
	switch {
	case s.Ref != "":
		return kindView{Object: strings.TrimPrefix(s.Ref, refs)}
	case len(s.AnyOf) > 0:
		k := kind(s.AnyOf[0])
		k.Tail += " or null"
		return k
	case s.Items != nil:
		k := kind(s.Items)
		k.Lead = "list of " + k.Lead
		if slices.Contains(s.Type, "null") {
			k.Tail += ", or null"
		}
		return k
	case s.Values != nil && len(s.Type) > 0:
		k := kind(s.Values)
		k.Lead = "map to " + k.Lead
		return k
	case len(s.Type) == 0:
		return kindView{Lead: "anything"}
	}
	return kindView{Lead: strings.Join(s.Type, " or ")}
}

// about is what a schema says besides the type.
func about(s *Schema) string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if s.Description != "" {
		say("%s", s.Description)
	}
	s = s.notNull()
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprint(v))
		}
		say("one of %s", strings.Join(values, ", "))
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		say("%d to %d", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		say("at least %d", *s.Minimum)
	case s.Maximum != nil:
		say("at most %d", *s.Maximum)
	}
	if s.MinLength > 0 {
		say("at least %d characters", s.MinLength)
	}
	if s.MaxLength > 0 {
		say("at most %d characters", s.MaxLength)
	}
	if s.MaxItems > 0 {
		say("at most %d", s.MaxItems)
	}
	if s.Default != nil {
		say("%v when left out", s.Default)
	}
	if s.Format != "" && s.Format != "int64" {
		say("%s", s.Format)
	}
	return strings.Join(out, "; ")
}

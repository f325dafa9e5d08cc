package apidoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Schema is a JSON Schema as OpenAPI 3.1 uses it.
type Schema struct {
	Ref         string     `json:"$ref,omitempty"`
	Type        Types      `json:"type,omitempty"`
	Description string     `json:"description,omitempty"`
	Format      string     `json:"format,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	Enum        []any      `json:"enum,omitempty"`
	Default     any        `json:"default,omitempty"`
	Minimum     *int64     `json:"minimum,omitempty"`
	Maximum     *int64     `json:"maximum,omitempty"`
	MinLength   int        `json:"minLength,omitempty"` // characters
	MaxLength   int        `json:"maxLength,omitempty"`
	MaxItems    int        `json:"maxItems,omitempty"`
	Properties  Properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Items       *Schema    `json:"items,omitempty"`
	Values      *Schema    `json:"additionalProperties,omitempty"`
	AnyOf       []*Schema  `json:"anyOf,omitempty"`
	AllOf       []*Schema  `json:"allOf,omitempty"`
	Any         bool       `json:"-"` // a value of any type, whatever the Go type
}

// Types are the types that a value may have.
type Types []string

// MarshalJSON writes one type as a text, as most tools expect it.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Property is a key of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// Properties are keys in the order in which answers have them.
type Properties []Property

// MarshalJSON keeps the order.
func (p Properties) MarshalJSON() ([]byte, error) {
	o := object{}
	for _, m := range p {
		o = append(o, member{m.Name, m.Schema})
	}
	return o.MarshalJSON()
}

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(m.key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Limit is a bound of a schema.
func Limit(n int64) *int64 { return &n }

// component is a named schema.
type component struct {
	Name   string
	Schema *Schema
	origin reflect.Type
}

// schemas are the components met so far. Those of answers have all their keys always, but for
// what private links hide, in those of bodies none is required by itself.
type schemas struct {
	fields map[string]Schema
	used   map[string]bool
	named  []*component
	errs   []error
}

const refs = "#/components/schemas/"

// of is the schema of a Go type; that of a struct is a reference.
func (s *schemas) of(t reflect.Type, answer bool) *Schema {
	switch t.Kind() {
	case reflect.String:
		return &Schema{Type: Types{"string"}}
	case reflect.Bool:
		return &Schema{Type: Types{"boolean"}}
	case reflect.Int64:
		return &Schema{Type: Types{"integer"}, Format: "int64"}
	case reflect.Int:
		return &Schema{Type: Types{"integer"}}
	case reflect.Float64:
		return &Schema{Type: Types{"number"}}
	case reflect.Interface:
		return &Schema{}
	case reflect.Pointer:
		return s.of(t.Elem(), answer).orNull()
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return &Schema{Type: Types{"array"}, Items: s.of(t.Elem(), answer)}
		}
	case reflect.Map:
		return &Schema{Type: Types{"object"}, Values: s.of(t.Elem(), answer)}
	case reflect.Struct:
		if t.Name() == "" {
			return s.object(t, answer)
		}
		return &Schema{Ref: refs + s.component(t, answer)}
	}
	s.errs = append(s.errs, fmt.Errorf("cannot describe a %s", t))
	return &Schema{}
}

func (s *Schema) orNull() *Schema {
	switch {
	case s.Ref != "":
		return &Schema{AnyOf: []*Schema{s, {Type: Types{"null"}}}}
	case len(s.Type) > 0 && !slices.Contains(s.Type, "null"):
		s.Type = append(s.Type, "null")
	}
	return s
}

// component names the schema of a struct. Where two packages have a type of the same
// name, the one that comes later has its package's name in front.
func (s *schemas) component(t reflect.Type, answer bool) string {
	name := exported(t.Name())
	for _, c := range s.named {
		if c.origin == t {
			return c.Name
		}
	}
	if slices.ContainsFunc(s.named, func(c *component) bool { return c.Name == name }) {
		name = exported(strings.TrimSuffix(t.String(), "."+t.Name())) + name
	}
	c := &component{Name: name, origin: t}
	s.named = append(s.named, c) // before its fields, which may refer to it
	c.Schema = s.object(t, answer)
	return name
}

func exported(name string) string {
	r := []rune(name)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// object is the schema of a struct with the keys that encoding/json gives it.
func (s *schemas) object(t reflect.Type, answer bool) *Schema {
	out := &Schema{Type: Types{"object"}}
	if about, ok := s.fields[typeName(t)]; ok {
		out.Description = about.Description
		s.used[typeName(t)] = true
		if about.Values != nil {
			out.Values = about.Values
			return out
		}
	}
	whole := answer && !t.Implements(reflect.TypeFor[json.Marshaler]()) // what writes itself may leave keys out
	for _, f := range keys(t) {
		p := s.field(f, answer)
		out.Properties = append(out.Properties, Property{f.key, p})
		if whole && !f.optional {
			out.Required = append(out.Required, f.key)
		}
	}
	if len(out.Properties) == 0 && t.NumField() > 0 {
		s.errs = append(s.errs, fmt.Errorf("cannot describe %s: it has no keys, and nothing is said of it", typeName(t)))
	}
	return out
}

func (s *schemas) field(f key, answer bool) *Schema {
	name := typeName(f.owner) + "." + f.key
	said, ok := s.fields[name]
	s.used[name] = s.used[name] || ok
	if ok && (len(said.Type) > 0 || said.Any) { // the Go type says nothing
		return &said
	}
	p := s.of(f.typ, answer)
	if !ok {
		return p
	}
	if p.Ref != "" {
		p.Description = said.Description
		return p
	}
	p.Description, p.Pattern, p.Minimum, p.Maximum = said.Description, said.Pattern, said.Minimum, said.Maximum
	p.MinLength, p.MaxLength, p.MaxItems, p.Enum, p.Default = said.MinLength, said.MaxLength, said.MaxItems, said.Enum, said.Default
	if said.Format != "" {
		p.Format = said.Format
	}
	if len(p.Enum) > 0 && slices.Contains(p.Type, "null") {
		return p.wordOrNull()
	}
	return p
}

// wordOrNull is a schema of certain values or null in the form of two: generators of clients
// make a name of each value of an enum, and have none for null.
func (s *Schema) wordOrNull() *Schema {
	out := &Schema{Description: s.Description, AnyOf: []*Schema{s.notNull(), {Type: Types{"null"}}}}
	out.AnyOf[0].Description = ""
	return out
}

// notNull is what a schema takes but for null, with its description.
func (s *Schema) notNull() *Schema {
	out := *s
	if len(s.AnyOf) == 2 && slices.Equal(s.AnyOf[1].Type, Types{"null"}) {
		out = *s.AnyOf[0]
		out.Description = s.Description
	}
	out.Type = slices.DeleteFunc(slices.Clone(out.Type), func(t string) bool { return t == "null" })
	return &out
}

// typeName is a type with its package, without what a generic was made of.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.String(), "[")
	return name
}

// key is a key of a struct's JSON and where it is declared.
type key struct {
	key   string
	owner reflect.Type
	typ   reflect.Type
	depth int
	// optional says that the key may be left out: for who comes by a private link, or where it has no value.
	optional bool
}

// keys are the keys of a struct in the order of encoding/json: embedded structs add
// theirs, and of the same key the one least deep counts.
func keys(t reflect.Type) []key {
	var all []key
	var walk func(t reflect.Type, depth int)
	walk = func(t reflect.Type, depth int) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case name == "-":
			case f.Anonymous && name == "":
				e := f.Type
				if e.Kind() == reflect.Pointer {
					e = e.Elem()
				}
				walk(e, depth+1)
			case name != "":
				typ := f.Type
				if f.Tag.Get("null") == "refused" { // what record.Body.Bind refuses
					typ = typ.Elem()
				}
				all = append(all, key{name, t, typ, depth, f.Tag.Get("link") == "hides" || strings.Contains(f.Tag.Get("json"), ",omitzero")})
			}
		}
	}
	walk(t, 0)
	return slices.DeleteFunc(slices.Clone(all), func(k key) bool {
		return slices.ContainsFunc(all, func(o key) bool { return o.key == k.key && o.depth < k.depth })
	})
}

// unused are the fields that something was said of and that are nowhere met.
func (s *schemas) unused() error {
	for name := range s.fields {
		if !s.used[name] {
			s.errs = append(s.errs, fmt.Errorf("cannot describe %s: no operation takes or gives it", name))
		}
	}
	slices.SortFunc(s.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(s.errs...)
}

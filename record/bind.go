package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxWarnings bounds how many unknown keys a reply names.
const maxWarnings = 20

// Body is a parsed request body: it is known to be a JSON object, nothing more.
type Body struct{ root *node }

// ReadBody parses a body. A refused body is unreadable (400). An empty body is an empty object
// where optional is set.
func ReadBody(b []byte, optional bool) (Body, error) {
	if len(bytes.Trim(b, " \t\r\n")) == 0 {
		if !optional {
			return Body{}, errBodyNeeded
		}
		return Body{&node{kind: '{'}}, nil
	}
	root, err := parse(b)
	if err != nil {
		return Body{}, err
	}
	if root.kind != '{' {
		return Body{}, errNotObject
	}
	return Body{root}, nil
}

// WithoutNulls is the body without the keys whose value is null.
func (b Body) WithoutNulls() Body {
	n := &node{kind: '{'}
	for i, kid := range b.root.kids {
		if kid.kind != 'n' {
			n.keys = append(n.keys, b.root.keys[i])
			n.kids = append(n.kids, kid)
		}
	}
	return Body{n}
}

// Unknown are warnings of all keys of a body that nothing reads.
func (b Body) Unknown() []string {
	if b.root == nil {
		return nil
	}
	return ignored(b.root, reflect.TypeFor[struct{}]())
}

// WithNumbers is the body with numbers for those of some keys that are texts of digits.
func (b Body) WithNumbers(keys ...string) Body {
	n := &node{kind: '{', keys: b.root.keys, kids: slices.Clone(b.root.kids)}
	for i, kid := range n.kids {
		if kid.kind == '"' && !strings.HasPrefix(kid.text, "-") && isInteger([]byte(kid.text)) && slices.Contains(keys, n.keys[i]) {
			n.kids[i] = &node{kind: '0', raw: []byte(kid.text)}
		}
	}
	return Body{n}
}

// Bind fills a struct from the keys that its json tags name, exactly as they are
// written; an embedded struct adds its own. Fields are pointers: nil was not sent, and null
// sets the blank value, but of a truth, which has none and is as if it was not sent. A field
// with the tag null:"refused" must have a value where its key is sent. Bind returns a warning
// for every key that says nothing, however deep it stands; a value of the wrong type is an error
// (422) that names the field.
func (b Body) Bind(to any) (warnings []string, err error) {
	v := reflect.ValueOf(to).Elem()
	warnings = ignored(b.root, v.Type())
	if whole, ok := to.(binder); ok {
		return warnings, whole.bind(b.root, nil)
	}
	return warnings, bindStruct(b.root, v, nil)
}

// shape is what is asked of the type of a body again and again.
type shape struct {
	fields []shapeField
	known  map[string]bool // keys, also of the structs that are embedded
	truths map[string]bool // those that are true or false
	rules  ignorer         // nil for none
}

type shapeField struct {
	of       reflect.Type // of the objects below it, nil for none
	name     string       // its key
	embedded bool         // its keys stand beside those of the outer object
	valued   bool         // null is refused as if the key were missing
	truth    bool         // null says nothing: neither true nor false is blank
}

// shapes has the shapes of bodies: type → *shape, never changed.
var shapes sync.Map

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{known: map[string]bool{}, truths: map[string]bool{}}
	for i := range t.NumField() {
		f := t.Field(i)
		s.fields = append(s.fields, shapeField{
			name: f.Tag.Get("json"), embedded: f.Anonymous, valued: f.Tag.Get("null") == "refused", truth: f.Type == reflect.TypeFor[*bool](),
			of: objectsOf(f.Type),
		})
	}
	s.rules, _ = reflect.New(t).Interface().(ignorer)
	for _, f := range reflect.VisibleFields(t) {
		s.known[f.Tag.Get("json")] = !f.Anonymous
		s.truths[f.Tag.Get("json")] = f.Type == reflect.TypeFor[*bool]()
	}
	shapes.Store(t, s)
	return s
}

// spot is where in a body a value stands. Only a refusal needs to say it.
type spot struct {
	in   *spot  // nil for the body
	name string // "" in a list
	at   int
}

func (s *spot) String() string {
	switch {
	case s == nil:
		return ""
	case s.name == "":
		return fmt.Sprintf("%s[%d]", s.in, s.at)
	}
	return strings.TrimPrefix(s.in.String()+"."+s.name, ".")
}

func bindStruct(n *node, v reflect.Value, in *spot) error {
	for i, f := range shapeOf(v.Type()).fields {
		if f.embedded {
			if err := bindStruct(n, v.Field(i), in); err != nil {
				return err
			}
			continue
		}
		m := n.member(f.name)
		if m == nil || f.name == "" {
			continue
		}
		if m.kind == 'n' && f.valued {
			return Wrong((&spot{in: in, name: f.name}).String(), "is required")
		}
		if m.kind == 'n' && f.truth {
			continue
		}
		if err := bind(m, v.Field(i), &spot{in: in, name: f.name}); err != nil {
			return err
		}
	}
	return nil
}

// isInteger reports whether a JSON number is written as an integer.
func isInteger(raw []byte) bool {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if len(digits) == 0 || digits[0] == '0' && len(raw) > 1 {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// binder is a type that reads itself from a body.
type binder interface {
	bind(n *node, at *spot) error
}

func bind(n *node, v reflect.Value, at *spot) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		if n.kind == 'n' {
			return nil // null is blank
		}
		return bind(n, v.Elem(), at)
	}
	if b, ok := v.Addr().Interface().(binder); ok {
		return b.bind(n, at)
	}
	switch v.Kind() {
	case reflect.String:
		if n.kind != '"' {
			return Wrong(at.String(), "must be a string")
		}
		v.SetString(n.text)
	case reflect.Bool:
		if n.kind != 't' {
			return Wrong(at.String(), "must be true or false")
		}
		v.SetBool(n.raw[0] == 't')
	case reflect.Int64:
		i, err := strconv.ParseInt(string(n.raw), 10, 64)
		if n.kind != '0' || err != nil || !isInteger(n.raw) {
			return Wrong(at.String(), "must be an integer")
		}
		v.SetInt(i)
	case reflect.Slice:
		if n.kind != '[' {
			return Wrong(at.String(), "must be a list")
		}
		v.Set(reflect.MakeSlice(v.Type(), len(n.kids), len(n.kids)))
		for i, kid := range n.kids {
			if err := bind(kid, v.Index(i), &spot{in: at, at: i}); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if n.kind != '{' {
			return Wrong(at.String(), "must be an object")
		}
		return bindStruct(n, v, at)
	default:
		return fmt.Errorf("cannot bind %s into a %s", at, v.Type())
	}
	return nil
}

// CustomFields reads an object of names and values, in the order they were sent.
type CustomFields []CustomField

func (c *CustomFields) bind(n *node, at *spot) error {
	if n.kind != '{' {
		return Wrong(at.String(), "must be an object")
	}
	*c = CustomFields{}
	for i, k := range n.keys {
		if err := checkCustom(n.kids[i], at); err != nil {
			return err
		}
		*c = append(*c, CustomField{k, compact(n.kids[i].raw)})
	}
	return nil
}

// CustomValue reads the value of a custom field: a string, number, boolean or null, or
// a list of strings, numbers and booleans.
type CustomValue json.RawMessage

func (c *CustomValue) bind(n *node, at *spot) error {
	if err := checkCustom(n, at); err != nil {
		return err
	}
	*c = CustomValue(compact(n.raw))
	return nil
}

func checkCustom(n *node, at *spot) error {
	ok := n.kind != '{'
	for _, kid := range n.kids {
		ok = ok && kid.kind != '{' && kid.kind != '[' && kid.kind != 'n'
	}
	if !ok {
		return Wrong(at.String(), "must hold strings, numbers, booleans or lists of them")
	}
	return nil
}

// compact drops the white space between the values of a list; scalars stay to the byte.
func compact(raw []byte) json.RawMessage {
	if raw[0] != '[' {
		return append(json.RawMessage{}, raw...)
	}
	var out json.RawMessage
	inString := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if inString && c == '\\' {
			out = append(out, c, raw[i+1])
			i++
			continue
		}
		if c == '"' {
			inString = !inString
		}
		if !inString && (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			continue
		}
		out = append(out, c)
	}
	return out
}

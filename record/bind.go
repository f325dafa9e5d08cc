package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// maxWarnings bounds how many unknown keys a reply names.
const maxWarnings = 20

// Body is a parsed request body: it is known to be a JSON object, nothing more.
type Body struct{ root *node }

// ReadBody parses a body. What it refuses is unreadable (400). An empty body is an
// empty object where optional is set.
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

// Bind fills a struct from the keys that its json tags name, exactly as they are
// written; an embedded struct adds its own. Fields are pointers: nil was not sent, and null sets the blank value. It
// returns a warning for every key that it does not know; a value of the wrong type is
// an error (422) that names the field.
func (b Body) Bind(to any) (warnings []string, err error) {
	if whole, ok := to.(binder); ok {
		return nil, whole.bind(b.root, "")
	}
	v := reflect.ValueOf(to).Elem()
	known := knownKeys(v.Type())
	for _, k := range b.root.keys {
		if !known[k] && len(warnings) < maxWarnings {
			warnings = append(warnings, fmt.Sprintf("Unknown key %q was ignored", shorten(k, 64)))
		}
	}
	return warnings, bindStruct(b.root, v, "")
}

// keysOf has the keys that bodies know: type → map[string]bool, never changed.
var keysOf sync.Map

func knownKeys(t reflect.Type) map[string]bool {
	if known, ok := keysOf.Load(t); ok {
		return known.(map[string]bool)
	}
	known := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		known[f.Tag.Get("json")] = !f.Anonymous
	}
	keysOf.Store(t, known)
	return known
}

func bindStruct(n *node, v reflect.Value, path string) error {
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous { // its keys stand among the others
			if err := bindStruct(n, v.Field(i), path); err != nil {
				return err
			}
			continue
		}
		name := v.Type().Field(i).Tag.Get("json")
		m := n.member(name)
		if m == nil || name == "" {
			continue
		}
		if err := bind(m, v.Field(i), strings.TrimPrefix(path+"."+name, ".")); err != nil {
			return err
		}
	}
	return nil
}

var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// binder is a type that reads itself from a body.
type binder interface {
	bind(n *node, path string) error
}

func bind(n *node, v reflect.Value, path string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		if n.kind == 'n' {
			return nil // null is blank
		}
		return bind(n, v.Elem(), path)
	}
	if b, ok := v.Addr().Interface().(binder); ok {
		return b.bind(n, path)
	}
	switch v.Kind() {
	case reflect.String:
		if n.kind != '"' {
			return Wrong(path, "must be a string")
		}
		v.SetString(n.text)
	case reflect.Bool:
		if n.kind != 't' {
			return Wrong(path, "must be true or false")
		}
		v.SetBool(n.raw[0] == 't')
	case reflect.Int64:
		i, err := strconv.ParseInt(string(n.raw), 10, 64)
		if n.kind != '0' || err != nil || !integer.Match(n.raw) {
			return Wrong(path, "must be an integer")
		}
		v.SetInt(i)
	case reflect.Slice:
		if n.kind != '[' {
			return Wrong(path, "must be a list")
		}
		v.Set(reflect.MakeSlice(v.Type(), len(n.kids), len(n.kids)))
		for i, kid := range n.kids {
			if err := bind(kid, v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if n.kind != '{' {
			return Wrong(path, "must be an object")
		}
		return bindStruct(n, v, path)
	default:
		return fmt.Errorf("cannot bind %s into a %s", path, v.Type())
	}
	return nil
}

// CustomFields reads an object of names and values, in the order they were sent.
type CustomFields []CustomField

func (c *CustomFields) bind(n *node, path string) error {
	if n.kind != '{' {
		return Wrong(path, "must be an object")
	}
	*c = CustomFields{}
	for i, k := range n.keys {
		if err := checkCustom(n.kids[i], path); err != nil {
			return err
		}
		*c = append(*c, CustomField{k, compact(n.kids[i].raw)})
	}
	return nil
}

// CustomValue reads the value of a custom field: a string, number, boolean or null, or
// a list of strings, numbers and booleans.
type CustomValue json.RawMessage

func (c *CustomValue) bind(n *node, path string) error {
	if err := checkCustom(n, path); err != nil {
		return err
	}
	*c = CustomValue(compact(n.raw))
	return nil
}

func checkCustom(n *node, path string) error {
	ok := n.kind != '{'
	for _, kid := range n.kids {
		ok = ok && kid.kind != '{' && kid.kind != '[' && kid.kind != 'n'
	}
	if !ok {
		return Wrong(path, "must hold strings, numbers, booleans or lists of them")
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

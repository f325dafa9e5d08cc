package bucket

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

// A record that a newer program has stored may have members that this one does not know, at any
// depth. They stay when it is stored again, each behind the known members of its object. An item of
// a list is the one that said the same in everything that is known, or else the only one with the
// same first member, which is what names it: an id, a name, an address. An object that is gone takes
// along what it had. A member whose name differs from a known one in case only is read as that one.

// shape is what a type has in JSON, nil for what has no members or reads itself.
type shape struct {
	fields []field        // of a struct, in the order in which they are written
	named  map[string]int // these by their names
	each   *shape         // of what a list or a map holds
	item   reflect.Type   // of a list
}

// field is a member of a struct.
type field struct {
	name  string
	key   []byte // the name as it is stored, with its colon
	shape *shape
}

// shapeOf is the shape of a type that does not contain itself.
func shapeOf(t reflect.Type) *shape {
	p := reflect.PointerTo(t)
	if p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.Slice, reflect.Array, reflect.Map:
		s := &shape{each: shapeOf(t.Elem())}
		if s.each == nil {
			return nil
		}
		if t.Kind() != reflect.Map {
			s.item = t.Elem()
		}
		return s
	case reflect.Struct:
		s := &shape{named: map[string]int{}}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "" && f.Anonymous || name == "-" {
				continue
			}
			if name == "" {
				name = f.Name
			}
			s.named[name] = len(s.fields)
			s.fields = append(s.fields, field{name, []byte(`"` + name + `":`), shapeOf(f.Type)})
		}
		return s
	}
	return nil
}

// known is the place behind a value without spaces that begins at one, if it has no members that
// are not known; otherwise one past the end. It is all that ordinary records cost.
func (s *shape) known(p []byte, i int) int {
	if s == nil || bytes.HasPrefix(p[i:], []byte("null")) {
		return endOfValue(p, i)
	}
	if i+1 >= len(p) || p[i] != s.opening() {
		return len(p) + 1
	}
	closing := p[i] + 2 // in ASCII
	if p[i+1] == closing {
		return i + 2
	}
	for next := 0; ; next++ {
		i++ // behind what opens it, or a comma
		of := s.each
		if s.named != nil && next < len(s.fields) && bytes.HasPrefix(p[i:], s.fields[next].key) {
			i += len(s.fields[next].key)
			of = s.fields[next].shape
		} else if s.item == nil {
			name := endOfText(p, i)
			if name >= len(p) {
				break
			}
			if s.named != nil {
				at, ok := s.named[string(p[i+1:name-1])]
				if !ok {
					break
				}
				next, of = at, s.fields[at].shape
			}
			i = name + 1
		}
		if i = of.known(p, i); i >= len(p) {
			break
		}
		if p[i] == closing {
			return i + 1
		}
	}
	return len(p) + 1
}

// opening is what a value begins with.
func (s *shape) opening() byte {
	if s.item != nil {
		return '['
	}
	return '{'
}

// unknown is a stored record that has members which its table does not know, nil for every other
// one, and for one that is damaged, which is told by who decodes it.
func (t *AnyTable) unknown(key, stored []byte) []byte {
	if t.shape == nil || len(stored) < envelopeHead {
		return nil
	}
	if p := stored[envelopeHead:]; t.shape.known(p, 0) == len(p) {
		return nil
	}
	payload, err := open(t.bucketName(), key, stored)
	if err != nil {
		return nil
	}
	var plain bytes.Buffer
	if json.Compact(&plain, payload) != nil {
		return nil
	}
	return plain.Bytes()
}

// keep gives a record, behind room for its envelope, what is not known of the one before it.
func (t *AnyTable) keep(sealed, unknown []byte) []byte {
	if unknown == nil {
		return sealed
	}
	return append(make([]byte, envelopeHead), t.shape.keep(unknown, sealed[envelopeHead:])...)
}

// keep adds the members of a value that are not known to what comes in its place.
func (s *shape) keep(old, new []byte) []byte {
	if s == nil || old[0] != s.opening() || new[0] != s.opening() {
		return new
	}
	was, is := partsOf(old), partsOf(new)
	if s.item != nil {
		for i, from := range s.same(was, is) {
			if from >= 0 {
				is[i].value = s.each.keep(was[from].value, is[i].value)
			}
		}
		return joined(new, is)
	}
	at := make(map[string]int, len(is))
	for i := range is {
		at[is[i].name()] = i
	}
	for _, m := range was {
		name, of := m.name(), s.each
		if s.named != nil {
			f := s.field(name)
			if f == nil {
				is = append(is, m)
				continue
			}
			name, of = f.name, f.shape
		}
		if i, there := at[name]; there {
			is[i].value = of.keep(m.value, is[i].value)
		}
	}
	return joined(new, is)
}

// field is the one that encoding/json reads a member into, nil for none.
func (s *shape) field(name string) *field {
	if at, ok := s.named[name]; ok {
		return &s.fields[at]
	}
	for i := range s.fields {
		if strings.EqualFold(s.fields[i].name, name) {
			return &s.fields[i]
		}
	}
	return nil
}

// same finds which of the items of a list each one of the next list is, -1 for a new one.
func (s *shape) same(was, is []part) []int {
	from := make([]int, len(is))
	whole, names := map[string][]int{}, map[string][]int{}
	for j, m := range was {
		if text := s.asKnown(m.value); text != "" {
			whole[text] = append(whole[text], j)
		}
	}
	renewed := map[string]int{} // how many with a name are new or changed
	for i, m := range is {
		from[i] = -1
		if found := whole[string(m.value)]; len(found) > 0 {
			from[i], whole[string(m.value)] = found[0], found[1:]
		} else {
			renewed[s.nameOf(m.value)]++
		}
	}
	for text, left := range whole {
		name := s.nameOf([]byte(text))
		names[name] = append(names[name], left...)
	}
	for i, m := range is {
		if name := s.nameOf(m.value); from[i] < 0 && name != "" && renewed[name] == 1 && len(names[name]) == 1 {
			from[i] = names[name][0]
		}
	}
	return from
}

// asKnown is an item of a list as this program would store it, "" for what it cannot read.
func (s *shape) asKnown(item []byte) string {
	v := reflect.New(s.item).Interface()
	if json.Unmarshal(item, v) != nil {
		return ""
	}
	sealed, err := envelope(v)
	if err != nil {
		return ""
	}
	return string(sealed[envelopeHead:])
}

// nameOf is the first member of an item of a list, "" where it says nothing.
func (s *shape) nameOf(item []byte) string {
	if len(s.each.fields) == 0 || !bytes.HasPrefix(item[1:], s.each.fields[0].key) {
		return ""
	}
	switch name := string(partsOf(item)[0].value); name {
	case "0", `""`, "null", "false":
		return ""
	default:
		return name
	}
}

// part is a member of an object, or an item of a list, which has no key.
type part struct{ key, value []byte }

func (m part) name() (name string) {
	_ = json.Unmarshal(m.key[:len(m.key)-1], &name) // a text of JSON that is whole
	return name
}

// partsOf are those of an object or list without spaces.
func partsOf(p []byte) (parts []part) {
	for i := 1; i < len(p)-1; i++ { // behind what opens it, and then behind each comma
		key := i
		if p[0] == '{' {
			i = endOfText(p, i) + 1
		}
		value := i
		i = endOfValue(p, i)
		parts = append(parts, part{p[key:value], p[value:i]})
	}
	return parts
}

// joined is an object or list with other parts.
func joined(like []byte, parts []part) []byte {
	b := []byte{like[0]}
	for i, m := range parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, m.key...), m.value...)
	}
	return append(b, like[len(like)-1])
}

// endOfText is the place behind a text that begins at one.
func endOfText(p []byte, i int) int {
	for i++; i < len(p); i++ {
		n := bytes.IndexByte(p[i:], '"')
		if n < 0 {
			break
		}
		escapes := 0
		for at := i + n - 1; at >= i && p[at] == '\\'; at-- {
			escapes++
		}
		if i += n; escapes%2 == 0 {
			return i + 1
		}
	}
	return len(p) + 1
}

// endOfValue is the place behind a value of JSON without spaces that begins at one.
func endOfValue(p []byte, i int) int {
	for depth := 0; i < len(p); {
		switch p[i] {
		case '"':
			i = endOfText(p, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(p) + 1
}

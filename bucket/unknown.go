package bucket

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// A record that a newer program has stored may have members that this one does not know. They
// stay in it when it is stored again, behind those that are known. That holds for the members of
// the record itself, those that embedded structs give it among them; what is inside of a member
// that is known is stored as this program knows it.

// memberNames are the names that a record type has in JSON, nil for one that writes itself.
func memberNames(t reflect.Type) map[string]bool {
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil
	}
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "" && f.Anonymous {
			continue
		}
		if name == "" {
			name = f.Name
		}
		names[name] = true
	}
	return names
}

// unknown are the members of a stored record that its table does not know, each with a comma
// before it, nil for none. It costs one look at the bytes.
func (t *Table[K, R]) unknown(key, stored []byte) (members []byte) {
	if len(t.members) == 0 || len(stored) < envelopeHead {
		return nil
	}
	p := stored[envelopeHead:]
	for i := 1; i < len(p) && p[i] == '"'; i++ { // behind the brace, and then behind each comma
		name := endOfText(p, i)
		end := endOfValue(p, name+1) // behind the colon
		if end > len(p) {
			return nil // it is damaged, which is told by who decodes it
		}
		if !t.members[string(p[i+1:name-1])] {
			members = append(append(members, ','), p[i:end]...)
		}
		i = end
	}
	if members == nil {
		return nil
	}
	if _, err := open(t.bucketName(), key, stored); err != nil {
		return nil
	}
	return members
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

// joinMembers adds members to the JSON of a record, behind room for its envelope.
func joinMembers(sealed, members []byte) []byte {
	if len(members) == 0 {
		return sealed
	}
	body := sealed[:len(sealed)-1]
	if body[len(body)-1] == '{' {
		members = members[1:]
	}
	return append(append(body, members...), '}')
}

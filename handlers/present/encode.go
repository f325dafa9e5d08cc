package present

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Encode is the JSON of the main API: one space after every colon and comma, and no
// escaping of HTML characters (decision 2).
func Encode(v any) ([]byte, error) {
	b, err := Compact(v)
	if err != nil {
		return nil, err
	}
	return space(b), nil
}

// Compact is the JSON of the upload service: no white space.
func Compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("cannot encode a reply: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func space(b []byte) []byte {
	out := make([]byte, 0, len(b)+len(b)/8+16)
	inString := false
	for i := 0; i < len(b); i++ {
		c := b[i]
		out = append(out, c)
		switch {
		case inString && c == '\\':
			i++
			out = append(out, b[i])
		case c == '"':
			inString = !inString
		case !inString && (c == ':' || c == ','):
			out = append(out, ' ')
		}
	}
	return out
}

// Joined is a JSON list of objects that are encoded already.
func Joined(items [][]byte) []byte { return AppendJoined(nil, items) }

// AppendJoined appends what Joined makes.
func AppendJoined(out []byte, items [][]byte) []byte {
	n := 2
	for _, it := range items {
		n += len(it) + 2
	}
	out = append(slices.Grow(out, n), '[')
	for i, it := range items {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, it...)
	}
	return append(out, ']')
}

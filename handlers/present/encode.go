package present

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
)

// Encode is the JSON of the main API: one space after every colon and comma, and no escaping of
// HTML characters.
func Encode(v any) ([]byte, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer give(b)
	if err := encode(b, v); err != nil {
		return nil, err
	}
	return space(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// buffers are what is encoded in before blanks are put between.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled bounds the buffers that are pooled, in bytes.
const maxPooled = 64 << 10

func give(b *bytes.Buffer) {
	if b.Cap() <= maxPooled {
		b.Reset()
		buffers.Put(b)
	}
}

// Compact is the JSON of the upload service: no white space.
func Compact(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := encode(&b, v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// encode writes JSON with a line end behind it.
func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("cannot encode a reply: %w", err)
	}
	return nil
}

// space puts a blank behind every colon and comma that stands in no string.
func space(b []byte) []byte {
	out := make([]byte, 0, len(b)+len(b)/8+16)
	for i := 0; i < len(b); {
		c := b[i]
		if c == '"' {
			end := i + text(b[i:])
			out = append(out, b[i:end]...)
			i = end
			continue
		}
		if out = append(out, c); c == ':' || c == ',' {
			out = append(out, ' ')
		}
		i++
	}
	return out
}

// text is the length of the JSON string that b begins with, quotation marks included.
func text(b []byte) int {
	for i, quote := 1, 0; i < len(b); {
		if quote < i { // each is looked for once, however much is escaped before it
			next := bytes.IndexByte(b[i:], '"')
			if next < 0 {
				break
			}
			quote = i + next
		}
		escape := bytes.IndexByte(b[i:quote], '\\')
		if escape < 0 {
			return quote + 1
		}
		i += escape + 2 // behind what is escaped
	}
	return len(b)
}

// Joined is a JSON list of objects that are encoded already.
func Joined(items [][]byte) []byte {
	n := 2
	for _, it := range items {
		n += len(it) + 2
	}
	out := append(make([]byte, 0, n), '[')
	for i, it := range items {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, it...)
	}
	return append(out, ']')
}

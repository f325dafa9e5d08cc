package deposit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// member is one member of a JSON object, its name and value as they stand in the text.
type member struct {
	name  string
	quote []byte // the name with its quotation marks
	value json.RawMessage
}

// members takes a JSON object apart. A name that occurs twice is an error. The result shares
// memory with the text.
func members(text []byte) ([]member, error) {
	if !json.Valid(text) {
		return nil, whyInvalid(text)
	}
	w := walk{b: text}
	if w.space(); w.b[w.at] != '{' {
		return nil, errors.New("the line is not a JSON object")
	}
	list := make([]member, 0, fewMembers)
	var seen map[string]bool // of an object with more than a few members
	for w.next('}') {
		m := member{quote: w.value()}
		if err := unquote(m.quote, &m.name); err != nil {
			return nil, badJSON(err)
		}
		w.space()
		w.at++ // the colon
		w.space()
		m.value = w.value()
		if seen == nil && len(list) == fewMembers {
			seen = make(map[string]bool, 4*fewMembers)
			for i := range list {
				seen[list[i].name] = true
			}
		}
		if seen[m.name] || seen == nil && slices.ContainsFunc(list, func(o member) bool { return o.name == m.name }) {
			return nil, fmt.Errorf("bad JSON: %q stands twice", m.name)
		}
		if seen != nil {
			seen[m.name] = true
		}
		list = append(list, m)
	}
	return list, nil
}

// fewMembers is how many members of an object are compared with each other, one by one.
const fewMembers = 16

// whyInvalid is what is wrong with a text that is not one JSON value.
func whyInvalid(text []byte) error {
	start, err := json.NewDecoder(bytes.NewReader(text)).Token()
	switch {
	case err != nil:
		return badJSON(err)
	case start != json.Delim('{'):
		return errors.New("the line is not a JSON object")
	}
	var first json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&first); err != nil {
		return badJSON(err)
	}
	return errors.New("bad JSON: something follows the object")
}

func badJSON(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("bad JSON: the line ends too early")
	}
	return fmt.Errorf("bad JSON: %w", err)
}

// elements takes a valid JSON list apart. It is not ok of another value.
func elements(value json.RawMessage) (list []json.RawMessage, ok bool) {
	if value[0] != '[' {
		return nil, false
	}
	w := walk{b: value}
	for w.next(']') {
		list = append(list, w.value())
	}
	return list, true
}

// walk goes through a text that is known to be valid JSON.
type walk struct {
	b  []byte
	at int
}

func (w *walk) space() {
	for w.b[w.at] == ' ' || w.b[w.at] == '\t' || w.b[w.at] == '\n' || w.b[w.at] == '\r' {
		w.at++
	}
}

// next goes from the start of an object or list, or from the end of a value in it, to the next
// one. It reports whether there is one.
func (w *walk) next(end byte) bool {
	w.space()
	if w.b[w.at] != end {
		w.at++ // the bracket or the comma
		w.space()
	}
	return w.b[w.at] != end
}

// value is the value that begins here; what follows it is next.
func (w *walk) value() []byte {
	from := w.at
	switch w.b[w.at] {
	case '"':
		w.text()
	case '{', '[':
		w.nested()
	default:
		for w.at < len(w.b) && bytes.IndexByte([]byte(",]} \t\r\n"), w.b[w.at]) < 0 {
			w.at++
		}
	}
	return w.b[from:w.at:w.at]
}

// text goes behind a string.
func (w *walk) text() {
	for w.at++; w.b[w.at] != '"'; w.at++ {
		if w.b[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
}

// nested goes behind an object or list.
func (w *walk) nested() {
	for level := 0; ; {
		switch w.b[w.at] {
		case '"':
			w.text()
			continue
		case '{', '[':
			level++
		case '}', ']':
			level--
		}
		if w.at++; level == 0 {
			return
		}
	}
}

// unquote reads a valid JSON value that should be a string.
func unquote(value []byte, to *string) error {
	if value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return json.Unmarshal(value, to)
	}
	*to = string(value[1 : len(value)-1])
	return nil
}

// joinArray writes the elements as one JSON array.
func joinArray(list []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, raw := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(raw)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// joinObject writes the members as one JSON object, names and values as they are.
func joinObject(list []member) []byte {
	size := 2
	for _, m := range list {
		size += len(m.quote) + len(m.value) + 2
	}
	b := append(make([]byte, 0, size), '{')
	for i, m := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, m.quote...), ':'), m.value...)
	}
	return append(b, '}')
}

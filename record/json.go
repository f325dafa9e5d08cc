package record

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Bounds of request bodies besides their size.
const (
	maxDepth  = 32      // nesting of objects and lists
	maxValues = 100_000 // values in one body
)

var (
	errNotJSON    = Bad("InvalidJSON", "The request body is not valid JSON")
	errNotUTF8    = Bad("InvalidUTF8", "The request body is not valid UTF-8")
	errTooDeep    = Bad("NestingTooDeep", "The request body is nested too deeply")
	errDuplicate  = Bad("DuplicateKey", "The request body has a key twice in one object")
	errBadText    = Bad("InvalidText", "The request body has a string with a null character or half a surrogate pair")
	errNotObject  = Bad("NotAnObject", "The request body must be a JSON object")
	errTooMany    = &Error{Class: Invalid, Code: "TooManyValues", Message: "The request body has too many values"}
	errBodyNeeded = Bad("MissingBody", "The request needs a body with a JSON object")
)

// node is a value of a parsed body. Keys of objects keep their order.
type node struct {
	kind byte   // one of { [ " 0 t n: object, list, string, number, true or false, null
	raw  []byte // the value as it was sent
	text string // of a string
	keys []string
	kids []*node // values of an object or list
}

func (n *node) member(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return n.kids[i]
		}
	}
	return nil
}

// parse reads a body strictly: valid UTF-8 and JSON (RFC 8259), no key twice, no string
// that would be stored changed, at most 32 levels.
func parse(b []byte) (*node, error) {
	if !utf8.Valid(b) {
		return nil, errNotUTF8
	}
	if depth(b) > maxDepth {
		return nil, errTooDeep
	}
	if !json.Valid(b) {
		return nil, errNotJSON
	}
	p := parser{b: b}
	return p.value()
}

// depth is the deepest nesting of a text, counted before anything recurses.
func depth(b []byte) int {
	level, deepest, inString := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			level++
			deepest = max(deepest, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return deepest
}

// parser walks a text that is known to be valid JSON.
type parser struct {
	b      []byte
	at     int
	values int
	spare  []node // to be the next values
}

// node is a buffer for a value.
func (p *parser) node() *node {
	if len(p.spare) == 0 {
		p.spare = make([]node, 16)
	}
	n := &p.spare[0]
	p.spare = p.spare[1:]
	return n
}

// fewKeys is how many keys of an object are compared with each other, one by one.
const fewKeys = 16

func (p *parser) space() byte {
	for p.b[p.at] == ' ' || p.b[p.at] == '\t' || p.b[p.at] == '\n' || p.b[p.at] == '\r' {
		p.at++
	}
	return p.b[p.at]
}

func (p *parser) value() (n *node, err error) {
	if p.values++; p.values > maxValues {
		return nil, errTooMany
	}
	c := p.space()
	from := p.at
	n = p.node()
	n.kind = c
	switch c {
	case '{', '[':
		err = p.members(n)
	case '"':
		n.text, err = p.string()
	case 't', 'f', 'n':
		if c == 'f' {
			n.kind = 't'
			p.at++
		}
		p.at += 4
	default:
		n.kind = '0'
		for p.at < len(p.b) && isNumber(p.b[p.at]) {
			p.at++
		}
	}
	n.raw = p.b[from:p.at]
	return n, err
}

func isNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

func (p *parser) members(n *node) error {
	end := n.kind + 2        // { } and [ ] are two apart
	var seen map[string]bool // of an object with more than a few keys
	p.at++
	for p.space() != end {
		if p.b[p.at] == ',' {
			p.at++
			p.space()
		}
		if n.kind == '{' {
			key, err := p.string()
			if err != nil {
				return err
			}
			if seen[key] || seen == nil && slices.Contains(n.keys, key) {
				return errDuplicate.With("key", shorten(key, 64))
			}
			n.keys = append(n.keys, key)
			switch {
			case seen != nil:
				seen[key] = true
			case len(n.keys) == fewKeys:
				seen = map[string]bool{}
				for _, k := range n.keys {
					seen[k] = true
				}
			}
			p.space()
			p.at++ // the colon
		}
		kid, err := p.value()
		if err != nil {
			return err
		}
		n.kids = append(n.kids, kid)
	}
	p.at++
	return nil
}

func (p *parser) string() (string, error) {
	from := p.at
	plain := true
	for p.at++; p.b[p.at] != '"'; p.at++ {
		if p.b[p.at] == '\\' {
			plain = false
			if p.b[p.at+1] == 'u' && !p.escape() {
				return "", errBadText
			}
			p.at++
		}
	}
	p.at++
	if plain {
		return string(p.b[from+1 : p.at-1]), nil
	}
	var s string
	if err := json.Unmarshal(p.b[from:p.at], &s); err != nil {
		return "", errNotJSON
	}
	return s, nil
}

// escape checks the \u escape at the position: not NUL, and no half of a pair. It moves
// to the second half of a whole pair.
func (p *parser) escape() bool {
	u := p.unit(p.at)
	switch {
	case u == 0 || u >= 0xdc00 && u <= 0xdfff:
		return false
	case u >= 0xd800 && u < 0xdc00:
		low := p.unit(p.at + 6)
		if low < 0xdc00 || low > 0xdfff {
			return false
		}
		p.at += 6
	}
	return true
}

// unit is the value of the \uXXXX escape at a position, -1 when there is none.
func (p *parser) unit(at int) int {
	if at+6 > len(p.b) || p.b[at] != '\\' || p.b[at+1] != 'u' {
		return -1
	}
	u, err := strconv.ParseUint(string(p.b[at+2:at+6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(u)
}

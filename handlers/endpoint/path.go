package endpoint

import (
	"slices"
	"strconv"
	"strings"

	"alcove/record"
)

// Param is a part of a path that a route leaves open.
type Param struct{ Name, Value string }

// pathID is a number in a path.
type pathID struct {
	name string
	id   int64
}

type pathIDs []pathID

func (ids pathIDs) find(name string) (int64, bool) {
	for _, p := range ids {
		if p.name == name {
			return p.id, true
		}
	}
	return 0, false
}

// TextParams are the parts of paths that are not ids.
var TextParams = map[string]bool{"token": true, "link_id": true, "institution_string_id": true, "first": true, "second": true, "third": true, "fourth": true, "format": true, "doi": true, "path": true, "name": true, "host": true}

func (c *Call) readPath(params []Param) error {
	for _, p := range params {
		if TextParams[p.Name] {
			c.texts = append(c.texts, p)
			continue
		}
		if !IsID(p.Value) {
			return c.badID(p.Name)
		}
		id, err := strconv.ParseInt(p.Value, 10, 64)
		if err != nil {
			return record.ErrBadID
		}
		c.ids = append(c.ids, pathID{p.Name, id})
	}
	return nil
}

// TakeID takes a text for an id of the path.
func (c *Call) TakeID(name, text string) error { return c.readPath([]Param{{name, text}}) }

// SetID sets an id that the path leaves open.
func (c *Call) SetID(name string, id int64) { c.ids = append(c.ids, pathID{name, id}) }

// HasID is an id of the path, and whether the path has it.
func (c *Call) HasID(name string) (int64, bool) { return c.ids.find(name) }

// badID is the refusal of a text that is no id: 400, but 404 for the id of a file below own
// articles, which is the one refusal stated there.
func (c *Call) badID(name string) error {
	if name == "file_id" && strings.HasPrefix(c.Pattern, "/v2/account/articles/") {
		return record.ErrFileNotFound
	}
	return record.ErrBadID
}

// IsID reports whether a text is an id: up to 18 digits of which the first is no zero.
func IsID(text string) bool {
	if len(text) == 0 || len(text) > 18 || text[0] == '0' {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// idText is the ids of the path. Other parts of it may be secrets.
func (c *Call) idText() string {
	var b strings.Builder
	for _, p := range c.params {
		if TextParams[p.Name] || !IsID(p.Value) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p.Name + "=" + p.Value)
	}
	return b.String()
}

// WithID is the call with an id that its path does not have, or another one than it has.
func (c *Call) WithID(name string, id int64) *Call {
	inner := *c
	inner.ids = slices.Insert(slices.Clone(c.ids), 0, pathID{name, id})
	return &inner
}

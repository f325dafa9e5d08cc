package index

import (
	"errors"
	"strconv"
	"strings"

	"alcove/index/segments"
)

// MaxQuery is how many bytes of search text are read.
const MaxQuery = 4 << 10

const (
	maxDepth   = 16   // parentheses inside each other; deeper ones are not looked at
	maxClauses = 64   // words, phrases and filters; further ones are not looked at
	maxPhrase  = 32   // terms of one phrase; the rest of a longer one is not looked at
	maxTerms   = 1024 // terms of a query in all
)

// ErrTooLong is returned for a search text of more than MaxQuery bytes.
var ErrTooLong = errors.New("the search text is too long")

// Query is what to look for. The zero Query matches nothing.
type Query struct {
	root   *segments.Node
	narrow []segments.Value // that a match has besides
}

// Empty reports whether nothing is left to look for: no text, punctuation only, or words
// that are too common. An empty query matches nothing.
func (q Query) Empty() bool { return q.root == nil }

// Everything is the query for all items.
var Everything = Query{root: &segments.Node{Op: segments.OpAll}}

// Fields are what items can be told apart by besides words; nil stands for any.
type Fields struct{ ItemType, Institution, Group, Project *int64 }

// Within narrows a query to the items with these fields. A field that is not known of an item (0)
// cannot be asked for, and is left to the caller.
func (q Query) Within(f Fields) Query {
	if q.root == nil {
		return q
	}
	parts := []*segments.Node{q.root}
	for _, one := range []struct {
		field string
		want  *int64
	}{{fItemType, f.ItemType}, {fInstitution, f.Institution}, {fGroup, f.Group}, {fProject, f.Project}} {
		if one.want != nil && *one.want != 0 {
			parts = append(parts, term(one.field, strconv.FormatInt(*one.want, 10)))
		}
	}
	return Query{and(parts...), q.narrow}
}

// OfProjects is the query of a caller who knows some projects only: a filter that names another
// one finds what one finds that was never there.
func (q Query) OfProjects(known func(id int64) bool) Query {
	if q.root == nil {
		return q
	}
	return Query{ofProjects(q.root, known), q.narrow}
}

func ofProjects(n *segments.Node, known func(id int64) bool) *segments.Node {
	if n.Op == segments.OpTerm && n.Field == fProject {
		if id, err := strconv.ParseInt(n.Terms[0], 10, 64); err != nil || !known(id) {
			return &segments.Node{Op: segments.OpNone}
		}
	}
	if len(n.Children) == 0 {
		return n
	}
	made := *n
	made.Children = make([]*segments.Node, len(n.Children))
	for i, k := range n.Children {
		made.Children[i] = ofProjects(k, known)
	}
	return &made
}

// String shows how the query was understood, for tests and people who debug.
func (q Query) String() string {
	if q.root == nil {
		return "nothing"
	}
	return q.root.String()
}

// and, or and not join what is there: a nil node says that nothing was left of an
// operand (a stop word), and then the others decide.
func and(children ...*segments.Node) *segments.Node { return join(segments.OpAnd, children) }
func or(children ...*segments.Node) *segments.Node  { return join(segments.OpOr, children) }

// near wants what is there in one value of its field.
func near(field string, children ...*segments.Node) *segments.Node {
	n := and(children...)
	if n != nil && n.Op == segments.OpAnd {
		n.Op, n.Field = segments.OpNear, field
	}
	return n
}

func not(n *segments.Node) *segments.Node {
	if n == nil {
		return nil
	}
	return &segments.Node{Op: segments.OpNot, Children: []*segments.Node{n}}
}

func join(op segments.Operation, children []*segments.Node) *segments.Node {
	var there []*segments.Node
	for _, k := range children {
		switch {
		case k == nil:
		case k.Op == op:
			there = append(there, k.Children...)
		default:
			there = append(there, k)
		}
	}
	switch len(there) {
	case 0:
		return nil
	case 1:
		return there[0]
	}
	return &segments.Node{Op: op, Children: there}
}

func term(field, value string) *segments.Node {
	if value == "" {
		return &segments.Node{Op: segments.OpNone}
	}
	return &segments.Node{Op: segments.OpTerm, Field: field, Terms: []string{cut(value, maxTerm)}}
}

func phrase(field string, terms []string) *segments.Node {
	if len(terms) == 1 {
		return term(field, terms[0])
	}
	return &segments.Node{Op: segments.OpPhrase, Field: field, Terms: terms}
}

// Parse reads a search text. There are no errors of syntax: what cannot be read as the
// language is read as words. It fails with ErrTooLong only.
//
// Words are alternatives; a hyphenated or dotted word must be found as it stands. "…" is
// a phrase, in which words as common as "of" stand for any word; a word with a star at its
// end stands for all that begin so; a number with a unit for both ways of writing it. NOT
// binds more than AND, AND more than OR and than words standing side by side; NOT among
// words takes away from all of them (cell mouse NOT human). A filter
// :field: value takes all up to the next operator, filter or closing parenthesis; field
// names are in filters.go. Without positive words NOT means everything except.
func Parse(s string) (Query, error) {
	if len(s) > MaxQuery {
		return Query{}, ErrTooLong
	}
	s = strings.ToValidUTF8(s, " ")
	p := parser{text: s, tokens: scan(s)}
	return Query{root: p.alternatives(0)}, nil
}

package index

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
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
type Query struct{ root *node }

// Empty reports whether nothing is left to look for: no text, punctuation only, or words
// that are too common. An empty query matches nothing.
func (q Query) Empty() bool { return q.root == nil }

// Everything is the query for all items.
var Everything = Query{&node{op: opAll}}

// Fields are what items can be told apart by besides words; nil stands for any.
type Fields struct{ ItemType, Institution, Group, Project *int64 }

// Within narrows a query to the items with these fields. What is not known of an item (0)
// cannot be asked for, and is left to the caller.
func (q Query) Within(f Fields) Query {
	if q.root == nil {
		return q
	}
	parts := []*node{q.root}
	for _, one := range []struct {
		field string
		want  *int64
	}{{fItemType, f.ItemType}, {fInstitution, f.Institution}, {fGroup, f.Group}, {fProject, f.Project}} {
		if one.want != nil && *one.want != 0 {
			parts = append(parts, term(one.field, strconv.FormatInt(*one.want, 10)))
		}
	}
	return Query{and(parts...)}
}

// OfProjects is the query of a caller who knows some projects only: a filter that names another
// one finds what one finds that was never there.
func (q Query) OfProjects(known func(id int64) bool) Query {
	if q.root == nil {
		return q
	}
	return Query{q.root.ofProjects(known)}
}

func (n *node) ofProjects(known func(id int64) bool) *node {
	if n.op == opTerm && n.field == fProject {
		if id, err := strconv.ParseInt(n.terms[0], 10, 64); err != nil || !known(id) {
			return &node{op: opNone}
		}
	}
	if len(n.kids) == 0 {
		return n
	}
	made := *n
	made.kids = make([]*node, len(n.kids))
	for i, k := range n.kids {
		made.kids[i] = k.ofProjects(known)
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

type operation byte

const (
	opTerm   operation = iota // documents with terms[0] in field
	opPhrase                  // documents with terms one after another in field; "" is any word
	opPrefix                  // documents with a term that begins with terms[0], or one of the other terms, in field
	opNear                    // documents in which one value of a field has what the kids say
	opAnd
	opOr
	opNot  // all documents but those of kids[0]
	opNone // no document
	opAll  // every document of the scope
)

type node struct {
	op    operation
	field string
	terms []string
	kids  []*node
}

func (n *node) String() string {
	switch n.op {
	case opTerm:
		return n.field + "=" + n.terms[0]
	case opPhrase:
		return fmt.Sprintf("%s=%q", n.field, strings.Join(n.terms, " "))
	case opPrefix:
		return n.field + "=" + strings.Join(n.terms, "|") + "*"
	case opNone:
		return "none"
	case opAll:
		return "all"
	}
	var kids []string
	for _, k := range n.kids {
		kids = append(kids, k.String())
	}
	name := map[operation]string{opAnd: "and", opOr: "or", opNot: "not", opNear: "near"}[n.op]
	return name + "(" + strings.Join(kids, " ") + ")"
}

// and, or and not join what is there: a nil node says that nothing was left of an
// operand (a stop word), and then the others decide.
func and(kids ...*node) *node { return join(opAnd, kids) }
func or(kids ...*node) *node  { return join(opOr, kids) }

// near wants what is there in one value of its field.
func near(field string, kids ...*node) *node {
	n := and(kids...)
	if n != nil && n.op == opAnd {
		n.op, n.field = opNear, field
	}
	return n
}

func not(n *node) *node {
	if n == nil {
		return nil
	}
	return &node{op: opNot, kids: []*node{n}}
}

func join(op operation, kids []*node) *node {
	var there []*node
	for _, k := range kids {
		switch {
		case k == nil:
		case k.op == op:
			there = append(there, k.kids...)
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
	return &node{op: op, kids: there}
}

func term(field, value string) *node {
	if value == "" {
		return &node{op: opNone}
	}
	return &node{op: opTerm, field: field, terms: []string{cut(value, maxTerm)}}
}

func phrase(field string, terms []string) *node {
	if len(terms) == 1 {
		return term(field, terms[0])
	}
	return &node{op: opPhrase, field: field, terms: terms}
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
	return Query{p.alternatives(0)}, nil
}

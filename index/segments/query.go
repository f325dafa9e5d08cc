package segments

import (
	"fmt"
	"strings"
)

// Operation is what a node of a query says.
type Operation byte

const (
	OpTerm   Operation = iota // documents with terms[0] in field
	OpPhrase                  // documents with terms one after another in field; "" is any word
	OpPrefix                  // documents with a term that begins with terms[0], or one of the other terms, in field
	OpNear                    // documents in which one value of a field has what the children say
	OpAnd
	OpOr
	OpNot  // all documents but those of children[0]
	OpNone // no document
	OpAll  // every document of the scope
)

// Node is a query, or a part of one.
type Node struct {
	Op       Operation
	Field    string
	Terms    []string
	Children []*Node
}

func (n *Node) String() string {
	switch n.Op {
	case OpTerm:
		return n.Field + "=" + n.Terms[0]
	case OpPhrase:
		return fmt.Sprintf("%s=%q", n.Field, strings.Join(n.Terms, " "))
	case OpPrefix:
		return n.Field + "=" + strings.Join(n.Terms, "|") + "*"
	case OpNone:
		return "none"
	case OpAll:
		return "all"
	}
	var children []string
	for _, k := range n.Children {
		children = append(children, k.String())
	}
	name := map[Operation]string{OpAnd: "and", OpOr: "or", OpNot: "not", OpNear: "near"}[n.Op]
	return name + "(" + strings.Join(children, " ") + ")"
}

// Scope is among which documents a search looks: those whose keys begin with Kind, 0 for any, and
// that have all of some values. Narrow are further values that a match has; Facets counts past them.
type Scope struct {
	Kind   byte
	Values []Value
	Narrow []Value
}

// Value is a value of a field.
type Value struct{ Field, Text string }

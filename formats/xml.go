package formats

import (
	"encoding/xml"
	"strings"
)

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// markup is XML that is being written, an element a line.
type markup struct {
	b     strings.Builder
	depth int
}

// attributes are names and values in turn; one without a value is left out.
func (m *markup) start(name string, attributes []string) {
	m.b.WriteString(strings.Repeat("  ", m.depth) + "<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] != "" {
			m.b.WriteString(" " + attributes[i] + `="`)
			m.escaped(attributes[i+1])
			m.b.WriteByte('"')
		}
	}
}

// escaped writes a text, in which characters that XML does not have are replaced.
func (m *markup) escaped(text string) { _ = xml.EscapeText(&m.b, []byte(text)) } // a builder takes everything

// open begins an element with others in it.
func (m *markup) open(name string, attributes ...string) {
	m.start(name, attributes)
	m.b.WriteString(">\n")
	m.depth++
}

func (m *markup) end(name string) {
	m.depth--
	m.b.WriteString(strings.Repeat("  ", m.depth) + "</" + name + ">\n")
}

// leaf is an element with a text in it, and nothing where there is none.
func (m *markup) leaf(name, text string, attributes ...string) {
	if text == "" {
		return
	}
	m.start(name, attributes)
	m.b.WriteByte('>')
	m.escaped(text)
	m.b.WriteString("</" + name + ">\n")
}

// empty is an element that its attributes say all of, and nothing where the last has no value.
func (m *markup) empty(name string, attributes ...string) {
	if attributes[len(attributes)-1] == "" {
		return
	}
	m.start(name, attributes)
	m.b.WriteString("/>\n")
}

// group writes the children of an element, and nothing where there are none.
func (m *markup) group(name string, n int, child func(i int)) {
	if n == 0 {
		return
	}
	m.open(name)
	for i := range n {
		child(i)
	}
	m.end(name)
}

package oai

import (
	"encoding/xml"
	"strings"
)

// writer writes XML.
type writer struct{ b strings.Builder }

// text writes XML as it is.
func (w *writer) text(xml string) { w.b.WriteString(xml) }

// leaf writes an element with a text; attributes are names and values in turn.
func (w *writer) leaf(name, text string, attributes ...string) {
	w.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		w.b.WriteString(" " + attributes[i] + `="`)
		w.escaped(attributes[i+1])
		w.b.WriteByte('"')
	}
	w.b.WriteByte('>')
	w.escaped(text)
	w.b.WriteString("</" + name + ">\n")
}

// escaped writes a text, in which characters that XML does not have are replaced.
func (w *writer) escaped(text string) { _ = xml.EscapeText(&w.b, []byte(text)) } // a builder takes everything

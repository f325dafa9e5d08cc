// Package markup reads the titles and descriptions that depositors send. Every page, export, feed and email takes
// them through Title or Description, so that all show the same words. It loses no word and trusts no tag.
//
// In a title, the paired elements i, em, b, strong, sub and sup are markup. Any other "<" and every entity is text.
//
// In a description, a complete tag of an HTML element is markup, and so are closed comments, doctypes, processing
// instructions and tags with a prefix (<o:p>). Any other "<" is text, and so is a script, style or title element
// without its end tag. Entities are decoded where the description has markup. Without markup its lines are kept.
package markup

import (
	"html"
	"html/template"
	"strings"
	"unicode"
)

// Text is a title or description in pieces. The zero value is empty.
type Text struct {
	pieces []piece
	prose  bool
}

// piece is a run of text, a tag that pages show, or a gap between two words.
type piece struct {
	text string // decoded
	tag  string // name of the element, empty for text and gaps
	href string // of an element a
	end  bool   // an end tag
	gap  bool   // ends the word before it
}

// String returns the words on one line, without markup.
func (t Text) String() string {
	if len(t.pieces) == 1 {
		return strings.Join(strings.Fields(t.pieces[0].text), " ")
	}
	var b strings.Builder
	for _, p := range t.pieces {
		b.WriteString(p.text)
		if p.gap {
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// HTML returns the text as HTML in which every element is closed: a title as phrasing content, a description as
// flow content. It has only elements and attributes of the lists in this package, and no word but those of String.
func (t Text) HTML() template.HTML {
	if t.prose {
		return t.proseHTML()
	}
	var b strings.Builder
	for _, p := range t.pieces {
		b.WriteString(p.html())
	}
	return template.HTML(b.String())
}

// html returns the piece as it stands in HTML.
func (p piece) html() string {
	switch {
	case p.tag == "" && p.gap:
		return " "
	case p.tag == "":
		return html.EscapeString(p.text)
	case p.end:
		return "</" + p.tag + ">"
	case p.href != "":
		return "<" + p.tag + ` href="` + html.EscapeString(p.href) + `">`
	}
	return "<" + p.tag + ">"
}

// squeezed returns a text without white space and controls. Parsers of HTML change those alone.
func squeezed(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
}

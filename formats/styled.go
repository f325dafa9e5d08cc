package formats

import (
	"html"
	"strings"
)

// A style marks italics and addresses by controls, which no text of a clean item has, so that one function
// writes the citation as text and as HTML.
const (
	italicOn  = '\x01'
	italicOff = '\x02'
	linkOn    = '\x03' // before the address
	linkText  = '\x04' // between the address and the text that leads there
	linkOff   = '\x05'
	marks     = "\x01\x02\x03\x04\x05"
)

// italic is a text that the style sets in italics.
func italic(s string) string {
	if s == "" {
		return ""
	}
	return string(italicOn) + s + string(italicOff)
}

// link is a text that leads to an address, and nothing where there is none.
func link(address, text string) string {
	if address == "" {
		return ""
	}
	return string(linkOn) + address + string(linkText) + text + string(linkOff)
}

// address is the address that a citation names, as a link.
func (it *Item) address() string { return link(it.where(), it.where()) }

// alone is the title as styles have it that set those of books, reports and theses alone in italics, without a
// full stop of its own.
func (it *Item) alone() string {
	switch title := strings.TrimSuffix(it.Title, "."); it.kind().bibtex {
	case "book", "techreport", "phdthesis":
		return italic(title)
	default:
		return title
	}
}

// etAl stands for the authors that a style does not name, where it sets that in italics.
var etAl = italic("et al.")

// plain is a citation without its marks.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(marks, r) {
			return -1
		}
		return r
	}, unlinked(s))
}

// unlinked leaves out the addresses of links, whose texts stay.
func unlinked(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, string(linkOn))
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(rest, string(linkText))
	}
}

// inHTML is a citation as HTML that can stand in a paragraph: i and a are its only elements.
func inHTML(s string) string {
	return tags.Replace(html.EscapeString(s))
}

var tags = strings.NewReplacer(string(italicOn), "<i>", string(italicOff), "</i>",
	string(linkOn), `<a href="`, string(linkText), `">`, string(linkOff), "</a>")

package site

import (
	"unicode"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"

	"alcove/handlers/described"
)

// ownTags are what the texts of an operator may have: also headings, and links that search engines follow.
var ownTags = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "del", "blockquote", "pre", "code", "ul", "ol", "li", "h2", "h3", "h4", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	return p
}()

// Short is the beginning of a text, up to a number of characters, ending with a whole word.
func Short(text string, most int) string { return described.Short(text, most) }

// Capital is a text with a large first letter.
func Capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

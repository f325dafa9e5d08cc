package site

import (
	"fmt"
	"html"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	tree "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"alcove/handlers/described"
)

// The HTML of depositors is not trusted. Three readings of it are all that pages have.

// inlineTags are what a title may have: the marks of formulas and of names of species.
var inlineTags = bluemonday.NewPolicy().AllowElements("i", "em", "b", "strong", "sub", "sup")

// proseTags are what a description may have. Pictures are not among them, because they could come
// from another server, nor the headings that the page has itself.
var proseTags = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "i", "em", "b", "strong", "u", "s", "sub", "sup", "small", "blockquote", "pre", "code", "kbd", "div", "span",
		"ul", "ol", "li", "dl", "dt", "dd", "h3", "h4", "h5", "h6", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	return p
}()

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

// Inline is a title with its few marks.
func Inline(text string) template.HTML {
	if bare(text) {
		return template.HTML(html.EscapeString(text))
	}
	whole, err := balanced(inlineTags.Sanitize(text))
	if err != nil {
		return template.HTML(html.EscapeString(text))
	}
	return template.HTML(whole)
}

// bare reports whether a text has neither tags nor characters by name, as most have: reading it as
// HTML would find nothing.
func bare(text string) bool { return !strings.ContainsAny(text, "<&") }

// Prose is a description: HTML, or a text without any tag, whose lines are kept.
type Prose struct {
	HTML  template.HTML
	Lines string
}

// NewProse is a description of the API as pages show it.
func NewProse(text string) Prose {
	if !strings.Contains(text, "<") {
		return Prose{Lines: strings.TrimSpace(html.UnescapeString(text))}
	}
	whole, err := balanced(proseTags.Sanitize(text))
	if err != nil {
		return Prose{Lines: Plain(text)}
	}
	return Prose{HTML: template.HTML(whole)}
}

// balanced is HTML in which each tag is closed where it was opened, so that it cannot close what it stands in.
// It fails where tags are nested too deep.
func balanced(text string) (string, error) {
	nodes, err := tree.ParseFragment(strings.NewReader(text), &tree.Node{Type: tree.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return "", fmt.Errorf("cannot read a description: %w", err)
	}
	var b strings.Builder
	for _, n := range nodes {
		if err := tree.Render(&b, n); err != nil {
			return "", fmt.Errorf("cannot write a description: %w", err)
		}
	}
	return b.String(), nil
}

// Plain is a text without tags, on one line.
func Plain(text string) string { return described.Plain(text) }

// PlainTitle is a title without tags: unlike in prose, no word ends at one.
func PlainTitle(text string) string { return described.Title(text) }

// Short is the beginning of a text, up to a number of characters, ending with a whole word.
func Short(text string, most int) string { return described.Short(text, most) }

// Capital is a text with a large first letter.
func Capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

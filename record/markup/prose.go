package markup

import (
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	tree "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// allowed is the second guard behind the lists of elements: nothing else of a description reaches a page.
var allowed = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	for name := range kept {
		p.AllowElements(name)
	}
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	return p
}()

// proseHTML returns a description as HTML. Where a parser would move words, as it does with those that a table has
// outside its cells, the tables are unwrapped; where the elements stand too deep in each other, all are.
func (t Text) proseHTML() template.HTML {
	said := t.String()
	if said == "" {
		return ""
	}
	want := squeezed(said)
	for _, shown := range []func(p piece) bool{
		func(p piece) bool { return true },
		func(p piece) bool { return !tabular[p.tag] },
	} {
		if whole, words, err := balanced(allowed.Sanitize(t.flow(shown))); err == nil && squeezed(words) == want {
			return template.HTML(whole)
		}
	}
	return template.HTML("<p>" + html.EscapeString(said) + "</p>")
}

var blankLines = regexp.MustCompile(`\n[ \t]*\n\s*`)

// flow returns the HTML of a description with the tags that are shown. Lines are kept where no element ends a line.
func (t Text) flow(shown func(piece) bool) string {
	lines := true
	for _, p := range t.pieces {
		lines = lines && !p.gap
	}
	var b strings.Builder
	for _, p := range t.pieces {
		if p.tag != "" && !shown(p) {
			p.tag = ""
		}
		b.WriteString(p.html())
	}
	text := b.String()
	if !lines {
		return text
	}
	text = strings.TrimSpace(newlines.Replace(text))
	text = blankLines.ReplaceAllString(text, "</p><p>")
	return "<p>" + strings.ReplaceAll(text, "\n", "<br>") + "</p>"
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// balanced returns HTML in which each element is closed where it was opened, and its words. It fails where elements
// stand too deep in each other.
func balanced(text string) (whole, words string, err error) {
	nodes, err := tree.ParseFragment(strings.NewReader(text), &tree.Node{Type: tree.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return "", "", fmt.Errorf("cannot read a description: %w", err)
	}
	var b, said strings.Builder
	for _, n := range nodes {
		if err := tree.Render(&b, n); err != nil {
			return "", "", fmt.Errorf("cannot write a description: %w", err)
		}
		for d := range n.Descendants() {
			if d.Type == tree.TextNode {
				said.WriteString(d.Data)
			}
		}
		if n.Type == tree.TextNode {
			said.WriteString(n.Data)
		}
	}
	return b.String(), said.String(), nil
}

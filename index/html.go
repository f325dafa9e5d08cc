package index

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inline are the elements that stand inside a word: H<sub>2</sub>O is one word, while
// any other element ends the word before it.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Big: true,
	atom.Cite: true, atom.Code: true, atom.Data: true, atom.Del: true, atom.Dfn: true, atom.Em: true,
	atom.Font: true, atom.I: true, atom.Ins: true, atom.Kbd: true, atom.Mark: true, atom.Q: true,
	atom.S: true, atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strike: true,
	atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true, atom.U: true,
	atom.Var: true, atom.Wbr: true,
}

// plain is what a reader sees of HTML: no tags, no scripts or styles, entities decoded.
// Text that looks like a tag but is none of HTML's ("n<k") stays text, so it is safe to call
// on text that was never meant as HTML.
func plain(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	z := html.NewTokenizer(strings.NewReader(s))
	hidden := atom.Atom(0) // the script or style that is being skipped
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			// An unfinished tag at the end is text after all.
			b.WriteString(html.UnescapeString(string(z.Raw())))
			return b.String()
		case html.TextToken:
			if hidden == 0 {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			raw := string(z.Raw())
			name, _ := z.TagName()
			a := atom.Lookup(name)
			switch {
			case a == 0 && hidden == 0:
				b.WriteString(html.UnescapeString(raw))
			case a == hidden && kind == html.EndTagToken:
				hidden = 0
				b.WriteByte(' ')
			case kind == html.StartTagToken && (a == atom.Script || a == atom.Style):
				hidden = a
			case !inline[a]:
				b.WriteByte(' ')
			}
		}
	}
}

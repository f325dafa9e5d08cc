package markup

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// label is a piece of a text of which the test knows how readers see it.
type label struct{ raw, seen string }

// The pieces of titles and descriptions. "%d" is a number that no other piece has.
var (
	titleTexts = []label{{"w%d", "w%d"}, {"p<0.%d", "p<0.%d"}, {"<kelp%d>", "<kelp%d>"}, {"<stdio%d.h>", "<stdio%d.h>"}, {"<object id=%d>", "<object id=%d>"},
		{"a<b%d", "a<b%d"}, {"&amp;%d;", "&amp;%d;"}, {"&lt;i%d&gt;", "&lt;i%d&gt;"}, {"“%d”", "“%d”"}, {"<!--%d", "<!--%d"}, {"<script>%d", "<script>%d"}, {"<i%d>", "<i%d>"}}
	titlePairs = []string{"i", "em", "b", "strong", "sub", "sup", "I", "Em"}

	proseTexts = []label{{"w%d", "w%d"}, {"p<0.%d", "p<0.%d"}, {"<kelp%d>", "<kelp%d>"}, {"<stdio%d.h>", "<stdio%d.h>"}, {"n<k%d", "n<k%d"}, {"<https://a.example/%d>", "<https://a.example/%d>"},
		{"a & b%d", "a & b%d"}, {"“%d”", "“%d”"}, {"<!--%d", "<!--%d"}, {"x <title> %d", "x <title> %d"}, {"<?%d", "<?%d"}}
	proseMarks = []string{"<p>", "</p>", "<br>", "<br/>", "<i>", "</i>", "<b class='x > y'>", "</b>", "<h1>", "</h1>", "<h2 id=a>", "</h2>", "<ul><li>", "</li></ul>", "<table>", "<tr>", "<td>", "</td>",
		"</tr>", "</table>", "<caption>", "<o:p></o:p>", "<jats:sec>", "<!-- hidden -->", "<!DOCTYPE html>", "<?php hidden ?>", "<img src=\"hidden\">", "<section>", "</section>", "<object data='hidden'>", "</object>",
		"<a href='https://a.example/hidden'>", "</a>", "<svg onload=hidden>", "</svg>", "<form>", "<select>", "</select>", "<pre>", "</pre>", "<dl><dt>", "<center>", "</div>", "<a href='javascript:hidden'>", "<math>", "<noscript>"}
	entities = []label{{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&#233;", "é"}, {"&#xE9;", "é"}, {"&eacute;", "é"}, {"&lt;script&gt;", "<script>"}}
)

// The words of 10,000 titles and 10,000 descriptions stand once and in order, on pages as in exports.
func TestLabelledPieces(t *testing.T) {
	r := rand.New(rand.NewSource(39))
	for n := range 10_000 {
		raw, seen := labelledTitle(r)
		if got := Title(raw); got.String() != strings.Join(strings.Fields(seen), " ") || text(t, string(got.HTML())) != seen {
			t.Fatalf("title %d %q is %q and %q, want %q", n, raw, got.String(), got.HTML(), seen)
		}
		raw, seen = labelledProse(r)
		if got := Description(raw); squeezed(got.String()) != squeezed(seen) || squeezed(text(t, string(got.HTML()))) != squeezed(seen) {
			t.Fatalf("description %d %q is\n%q and\n%q, want\n%q", n, raw, got.String(), got.HTML(), seen)
		}
	}
}

func labelledTitle(r *rand.Rand) (raw, seen string) {
	var open []string
	for i := range 1 + r.Intn(12) {
		switch r.Intn(4) {
		case 0:
			name := titlePairs[r.Intn(len(titlePairs))]
			raw, open = raw+"<"+name+">", append(open, name)
		case 1:
			if len(open) > 0 {
				raw, open = raw+"</"+open[len(open)-1]+">", open[:len(open)-1]
			}
		default:
			one := titleTexts[r.Intn(len(titleTexts))]
			raw, seen = raw+fmt.Sprintf(one.raw, i)+" ", seen+fmt.Sprintf(one.seen, i)+" "
		}
	}
	for len(open) > 0 {
		raw, open = raw+"</"+open[len(open)-1]+">", open[:len(open)-1]
	}
	return raw, seen
}

func labelledProse(r *rand.Rand) (raw, seen string) {
	marked := r.Intn(4) > 0
	if marked {
		raw = "<span>"
	}
	for i := range 1 + r.Intn(20) {
		switch k := r.Intn(5); {
		case k < 2 && marked:
			raw += proseMarks[r.Intn(len(proseMarks))]
		case k == 2:
			one := entities[r.Intn(len(entities))]
			raw += one.raw
			if marked {
				seen += one.seen
			} else {
				seen += one.raw
			}
		default:
			one := proseTexts[r.Intn(len(proseTexts))]
			if marked && strings.HasPrefix(one.raw, "<!--") {
				one = proseTexts[0] // a comment behind it would close it
			}
			raw, seen = raw+fmt.Sprintf(one.raw, i)+"\n", seen+fmt.Sprintf(one.seen, i)+"\n"
		}
	}
	return raw, seen
}

// text returns the text of a fragment of HTML as a browser reads it.
func text(t *testing.T, fragment string) string {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(fragment))
	var b strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			token := z.Token()
			if !kept[token.Data] {
				t.Errorf("%s has the element %s", fragment, token.Data)
			}
			for _, a := range token.Attr {
				if token.Data != "a" || a.Key != "rel" && (a.Key != "href" || !strings.HasPrefix(a.Val, "https://")) {
					t.Errorf("%s has the attribute %s of %s", fragment, a.Key, token.Data)
				}
			}
		default:
			t.Errorf("%s has a token of another kind", fragment)
		}
	}
}

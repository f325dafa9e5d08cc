package markup

import (
	"strings"
	"testing"
	"time"
)

// In a title only a few paired elements are markup. Everything else is text.
func TestTitle(t *testing.T) {
	for _, c := range []struct{ text, plain, html string }{
		{"When is an <object> a <place>?", "When is an <object> a <place>?", "When is an &lt;object&gt; a &lt;place&gt;?"},
		{"if a<b then c", "if a<b then c", "if a&lt;b then c"},
		{"R package <kelp>: notes", "R package <kelp>: notes", "R package &lt;kelp&gt;: notes"},
		{"<stdio.h>", "<stdio.h>", "&lt;stdio.h&gt;"},
		{"<i>E. coli</i> & H<sub>2</sub>O", "E. coli & H2O", "<i>E. coli</i> &amp; H<sub>2</sub>O"},
		{"<I>a</i> <EM >b</EM>", "a b", "<i>a</i> <em>b</em>"},
		{`a<b onclick="x()" class=y>b</b>`, "ab", "a<b>b</b>"},
		{"a <b and c> d</b>", "a <b and c> d</b>", "a &lt;b and c&gt; d&lt;/b&gt;"},
		{"one <i> alone, </b> too", "one <i> alone, </b> too", "one &lt;i&gt; alone, &lt;/b&gt; too"},
		{"<i>a<b>c</i>d</b>", "a<b>cd</b>", "<i>a&lt;b&gt;c</i>d&lt;/b&gt;"},
		{"<b><b>x</b>", "<b>x", "&lt;b&gt;<b>x</b>"},
		{"<sub/>x</sub>", "<sub/>x</sub>", "&lt;sub/&gt;x&lt;/sub&gt;"},
		{"R&amp;D &lt;x&gt; &#65;", "R&amp;D &lt;x&gt; &#65;", "R&amp;amp;D &amp;lt;x&amp;gt; &amp;#65;"},
		{"<script>alert(1)</script>x", "<script>alert(1)</script>x", "&lt;script&gt;alert(1)&lt;/script&gt;x"},
		{"<!-- a --> b", "<!-- a --> b", "&lt;!-- a --&gt; b"},
		{" a \n b ", "a b", " a \n b "},
		{"", "", ""},
	} {
		got := Title(c.text)
		if got.String() != c.plain || string(got.HTML()) != c.html {
			t.Errorf("%q is %q and %q, want %q and %q", c.text, got.String(), got.HTML(), c.plain, c.html)
		}
	}
}

// In a description complete tags of HTML are markup. No other word is dropped.
func TestDescription(t *testing.T) {
	for _, c := range []struct{ text, plain, html string }{
		{"p<0.05 was\nthe bound\n\nnext", "p<0.05 was the bound next", "<p>p&lt;0.05 was<br/>the bound</p><p>next</p>"},
		{"R&amp;D\r\n&lt;b&gt;", "R&amp;D &lt;b&gt;", "<p>R&amp;amp;D<br/>&amp;lt;b&amp;gt;</p>"},
		{"<p>R&amp;D &lt;b&gt; &notit; &copy</p>", "R&D <b> &notit; &copy", "<p>R&amp;D &lt;b&gt; &amp;notit; &amp;copy</p>"},
		{"one\ntwo <i>E. coli</i>", "one two E. coli", "<p>one<br/>two <i>E. coli</i></p>"},
		{"<h1>A</h1><h2>B</h2>c", "A B c", "<h3>A</h3><h3>B</h3>c"},
		{"<p>a</p><p>b<br>c</p>", "a b c", "<p>a</p><p>b<br/>c</p>"},
		{"<P CLASS=MsoNormal>a<o:p></o:p></P>", "a", "<p>a  </p>"},
		{"H<sub>2</sub>O", "H2O", "<p>H<sub>2</sub>O</p>"},
		{"the R package <kelp> and <stdio.h>, <std::vector>, <https://a.example/>", "the R package <kelp> and <stdio.h>, <std::vector>, <https://a.example/>",
			"<p>the R package &lt;kelp&gt; and &lt;stdio.h&gt;, &lt;std::vector&gt;, &lt;https://a.example/&gt;</p>"},
		{"<p>n<k & a<b c<d", "n<k & a<b c<d", "<p>n&lt;k &amp; a&lt;b c&lt;d</p>"},
		{"<script>alert(1)</script>x", "alert(1) x", " alert(1) x"},
		{"<p>the <script> tag", "the <script> tag", "<p>the &lt;script&gt; tag</p>"},
		{"<p>a <title> b <!-- c", "a <title> b <!-- c", "<p>a &lt;title&gt; b &lt;!-- c</p>"},
		{"<!DOCTYPE html><p>a<!-- x --><?php y ?><?xml:namespace prefix = o /><![if !supportLists]>b<![endif]></p>", "ab", "<p>ab</p>"},
		{"<p>if (a <? b) and <! c", "if (a <? b) and <! c", "<p>if (a &lt;? b) and &lt;! c</p>"},
		{"<section>a</section><center>b</center>", "a b", "<div>a</div><div>b</div>"},
		{"<jats:p>a</jats:p><jats:italic>b</jats:italic>", "a b", " a b"},
		{`<a href="https://a.example/?x=1&amp;y=2" onclick="x()">c</a>`, "c", `<p><a href="https://a.example/?x=1&amp;y=2" rel="nofollow">c</a></p>`},
		{`<a href="javascript:alert(1)">b</a><a href="java&#10;script:x">c</a>`, "bc", "<p>bc</p>"},
		{`<p style="x" title="a>b<c">d</p>`, "d", "<p>d</p>"},
		{`<img src=x onerror=alert(1)>a<svg onload=x>b</svg><iframe src=x>c</iframe>`, "a b c", " a b  c "},
		{"<table>a<tr><td>b</td>c<td>d</td></tr>e</table>f", "a b c d e f", " a  b c d  e f"},
		{"<table><tr><td>b</td></tr></table>", "b", "<table><tbody><tr><td>b</td></tr></tbody></table>"},
		{"</div></section></main>a</p>", "a", "a<p></p>"},
		{"<p> <br> </p>", "", ""},
		{" ", "", ""},
	} {
		got := Description(c.text)
		if got.String() != c.plain || string(got.HTML()) != c.html {
			t.Errorf("%q is\n%q and\n%q, want\n%q and\n%q", c.text, got.String(), got.HTML(), c.plain, c.html)
		}
	}
}

// Texts that are hard to read take time linear in their length.
func TestHardTexts(t *testing.T) {
	for _, unit := range []string{"<", "<a ", `<a b="`, `<a b="' c='`, `<a b=" c='' d='`, "<a b='\"<a c=\"'", "<!--", "<?a", "<script>", "<i>", "</i>", "<i></b>", "<table>", "<p>", "<b><p>", "<!doctype", "&#", "<o:p>", "<a b=c ", "<ul><li>"} {
		text := strings.Repeat(unit, 256<<10/len(unit))
		began := time.Now()
		said, title := Description(text), Title(text)
		_, _, _ = said.String(), title.String(), title.HTML()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("256 KiB of %q takes %v", unit, took)
		}
	}
}

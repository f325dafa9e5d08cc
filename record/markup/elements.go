package markup

import "strings"

// words returns a set of names.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(list) {
		set[name] = true
	}
	return set
}

var (
	// elements are the elements of HTML, obsolete ones included (WHATWG, "Index of elements" and "Obsolete features").
	elements = words(`a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite code
		col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 h2 h3
		h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark math menu meta meter
		nav noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script search section select
		selectedcontent slot small source span strong style sub summary sup svg table tbody td template textarea tfoot th thead
		time title tr track u ul var video wbr
		acronym applet basefont bgsound big blink center command content dir font frame frameset image isindex keygen listing
		marquee menuitem multicol nextid nobr noembed noframes param plaintext rb rtc shadow spacer strike tt xmp`)

	// kept are the elements that pages show. Pictures are not among them, because they could come from another server.
	kept = words(`p br hr i em b strong u s sub sup small blockquote pre code kbd div span ul ol li dl dt dd h3 h4 h5 h6 a
		table caption thead tbody tfoot tr th td`)

	// inline are the elements that can stand inside a word: H<sub>2</sub>O is one word.
	// The last two are of JATS and have a prefix.
	inline = words(`a abbr acronym b basefont bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q s
		samp small span strike strong sub sup time tt u var wbr italic bold`)

	// tabular are the elements of a table.
	tabular = words("table caption thead tbody tfoot tr th td")

	// raw are the elements whose content has no tags. Each needs its end tag.
	raw = words("script style title textarea xmp iframe noembed noframes")

	// sections are elements whose content stands apart on a page, as in a div.
	sections = words(`address article aside center details dialog dir fieldset figcaption figure footer form header hgroup
		legend main menu nav search section summary`)
)

// shownAs returns the element that stands for one on a page, empty where only its words stay. The page itself uses the
// first two levels of headings.
func shownAs(name string) string {
	switch {
	case name == "h1" || name == "h2":
		return "h3"
	case sections[name]:
		return "div"
	case kept[name]:
		return name
	}
	return ""
}

package formats

import "strings"

// apa is APA 7: up to 20 authors, of more the first 19 and the last.
func apa(it *Item) string {
	form := func(a Author) string { return a.join(a.initials(), ", ") }
	list := names(it.Authors, 20, form)
	who := series(list, ", & ", ", & ")
	if n := len(it.Authors); n > 20 {
		who = strings.Join(list[:19], ", ") + ", . . . " + form(it.Authors[n-1])
	}
	title := italic(it.Title)
	if it.Version > 0 {
		title += " (" + it.version() + ")"
	}
	if k := it.kind().apa; k != "" {
		title += " [" + k + "]"
	}
	year := "(" + it.year("n.d.") + ")"
	publisher := it.Publisher
	if who == publisher {
		publisher = ""
	}
	if who == "" {
		return words(sentences(title, year, publisher), it.address())
	}
	return words(stop(who), sentences(year, title, publisher), it.address())
}

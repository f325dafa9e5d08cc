package formats

import "strings"

// chicago is author-date of the 18th edition: up to six authors, of more the first three. Titles of
// books stand without quotation marks.
func chicago(it *Item) string {
	list := names(it.Authors, 6, func(a Author) string { return a.direct(a.Given) })
	if len(list) > 0 {
		list[0] = it.Authors[0].inverted()
	}
	pair := " and "
	if len(list) > 0 && strings.Contains(list[0], ", ") {
		pair = ", and "
	}
	who := series(list, pair, ", and ")
	if len(it.Authors) > 6 {
		who = strings.Join(list[:3], ", ") + ", et al."
	}
	k := it.kind()
	title := "“" + stop(inner(it.Title)) + "”"
	if k.bibtex == "book" {
		title = stop(italic(it.Title))
	}
	rest := words(sentences(it.version(), k.apa, it.Publisher), stop(it.address()))
	if who == "" {
		return words(title, stop(it.year("n.d.")), rest)
	}
	return words(stop(who), stop(it.year("n.d.")), title, rest)
}

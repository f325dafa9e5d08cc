package formats

import "strings"

// ieee is the style of the IEEE: up to six authors, of more the first.
func ieee(it *Item) string {
	list := names(it.Authors, 6, func(a Author) string { return a.direct(a.initials()) })
	who := series(list, " and ", ", and ")
	if len(it.Authors) > 6 {
		who = list[0] + " " + etAl
	}
	title := inner(it.Title)
	if !strings.HasSuffix(stop(title), title) {
		title += ","
	}
	end := lines([]string{it.Publisher, it.year("n.d."), strings.ToLower(it.version()), strings.ToLower(it.kind().apa)})
	switch w := it.where(); {
	case it.DOI != "":
		end = append(end, "doi: "+link(it.doiURL(), it.DOI))
	case w != "":
		end[len(end)-1] += ". [Online]. Available: " + it.address()
	}
	if who != "" {
		who += ","
	}
	text := words(who, "“"+title+"”", strings.Join(end, ", "))
	if it.DOI == "" && it.where() != "" {
		return text // an address stands last as it is
	}
	return stop(text)
}

package formats

import "strings"

// cell is the style of Cell: up to ten authors, of more the first ten. Beside what the style asks of data it names
// the version and, in brackets, the repository.
func cell(it *Item) string {
	list := names(it.Authors, 10, func(a Author) string { return a.join(tight(a.initials()), ", ") })
	who := series(list, ", and ", ", and ")
	if len(it.Authors) > 10 {
		who = strings.Join(list, ", ") + ", et al."
	}
	year, publisher := it.year(""), it.Publisher
	if year != "" {
		year = "(" + year + ")"
	}
	title := joined(", ", strings.TrimSuffix(it.Title, "."), strings.ToLower(it.version()))
	if who == "" {
		return sentences(words(title, year), publisher, it.address())
	}
	if publisher != "" {
		publisher = "(" + publisher + ")"
	}
	return sentences(words(who, year), words(title, publisher), it.address())
}

package formats

import "strings"

// ama is the style of the American Medical Association, 11th edition: up to six authors, of more the first three.
// Beside what the style asks of data it names the version and the repository.
func ama(it *Item) string {
	most := 6
	if len(it.Authors) > most {
		most = 3
	}
	list := names(it.Authors, most, func(a Author) string { return a.join(a.letters(), " ") })
	if len(list) < len(it.Authors) {
		list = append(list, "et al")
	}
	published := ""
	if !it.Published.IsZero() {
		published = "Published online " + it.Published.UTC().Format("January 2, 2006")
	}
	where := it.address()
	if it.DOI != "" {
		where = "doi:" + link(it.doiURL(), it.DOI)
	}
	return words(sentences(strings.Join(list, ", "), it.alone(), it.version(), it.Publisher, published), where)
}

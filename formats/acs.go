package formats

import "strings"

// acs is the style of the American Chemical Society: all authors, with semicolons. Beside what the style asks of
// data it names the version and the repository. Titles keep their capitals.
func acs(it *Item) string {
	list := names(it.Authors, len(it.Authors), func(a Author) string { return a.join(a.initials(), ", ") })
	title := joined(", ", it.alone(), it.version())
	published := joined(", ", it.Publisher, it.year(""))
	sep := "; "
	if it.Publisher == "" {
		sep = ", "
	}
	return sentences(strings.Join(list, "; "), joined(sep, title, published), it.address())
}

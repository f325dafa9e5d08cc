package formats

import "strings"

// science is the style of Science: all authors, without a word before the last. Beside what the style asks of data
// it names the version and the repository.
func science(it *Item) string {
	list := names(it.Authors, len(it.Authors), func(a Author) string { return a.direct(a.initials()) })
	text := joined(", ", append(list, it.alone(), strings.ToLower(it.version()), it.Publisher)...)
	if year := it.year(""); year != "" {
		text += " (" + year + ")"
	}
	return stop(joined("; ", text, it.address()))
}

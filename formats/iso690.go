package formats

import "strings"

// iso690 is ISO 690 with name and date, in English: all authors, their family names and the names of organisations
// in capitals. Beside what the style asks of data it names the version and the address.
func iso690(it *Item) string {
	list := names(it.Authors, len(it.Authors), func(a Author) string {
		a.Family, a.Full = strings.ToUpper(a.Family), strings.ToUpper(a.Full)
		return a.inverted()
	})
	who, title, year := series(list, " and ", " and "), italic(it.Title), it.year("[no date]")
	if who != "" {
		who += ", " + year
	} else {
		title += ", " + year
	}
	published := ""
	if !it.Published.IsZero() {
		published = it.Published.UTC().Format("2 January 2006")
	}
	available := ""
	if w := it.address(); w != "" {
		available = "Available from: " + w
	}
	return words(sentences(who, title, "Online", it.version(), published, it.Publisher), available)
}

package formats

import "strings"

// vancouver is the style of the ICMJE: up to six authors, of more the first six. Initials have no
// full stops, and particles after a given name are left out.
func vancouver(it *Item) string {
	list := names(it.Authors, 6, func(a Author) string { return a.join(a.letters(), " ") })
	if len(it.Authors) > 6 {
		list = append(list, "et al")
	}
	title := it.Title
	if k := it.kind().apa; k != "" {
		title += " [" + strings.ToLower(k) + "]"
	}
	published := it.year("[date unknown]")
	if it.Publisher != "" {
		published = it.Publisher + "; " + published
	}
	available := ""
	if w := it.address(); w != "" {
		available = "Available from: " + w
	}
	return words(sentences(strings.Join(list, ", "), title, it.version(), published), available)
}

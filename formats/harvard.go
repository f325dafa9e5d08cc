package formats

// harvard is the style of Cite Them Right: up to three authors, of more the first. The day of the
// visit is left to the reader.
func harvard(it *Item) string {
	list := names(it.Authors, 3, func(a Author) string { return a.join(tight(a.initials()), ", ") })
	who := series(list, " and ", " and ")
	if len(it.Authors) > 3 {
		who = list[0] + " " + etAl
	}
	kind := it.kind().apa
	if kind != "" {
		kind = "[" + kind + "]"
	}
	title, version := italic(it.Title), words(it.version(), kind)
	if it.Version == 0 {
		title, version = words(italic(it.Title), kind), ""
	}
	available := ""
	if w := it.address(); w != "" {
		available = "Available at: " + w
	}
	year := "(" + it.year("no date") + ")"
	if who == "" {
		return sentences(title+" "+year, version, it.Publisher, available)
	}
	return words(who, year, sentences(title, version, it.Publisher, available))
}

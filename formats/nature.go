package formats

// nature is the style of Nature, with data as its journals ask for them: the repository stands before the address
// and the year after it. Up to five authors, of more the first.
func nature(it *Item) string {
	list := names(it.Authors, 5, func(a Author) string { return a.join(a.initials(), ", ") })
	who := series(list, " & ", " & ")
	if len(it.Authors) > 5 {
		who = list[0] + " " + etAl
	}
	year := it.year("")
	if year != "" {
		year = "(" + year + ")"
	}
	return sentences(who, it.alone(), it.version(), words(it.Publisher, it.address(), year))
}

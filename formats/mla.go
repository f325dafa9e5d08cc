package formats

// mla is the style of the Modern Language Association, 9th edition: one author or two, of more the first. An
// organisation that publishes its own work is named as the publisher alone. Titles keep their capitals.
func mla(it *Item) string {
	who := ""
	switch n := len(it.Authors); {
	case n == 0 || n == 1 && it.Authors[0].Family == "" && it.Authors[0].Full == it.Publisher:
	case n == 1:
		who = it.Authors[0].inverted()
	case n == 2:
		who = it.Authors[0].inverted() + ", and " + it.Authors[1].direct(it.Authors[1].Given)
	default:
		who = it.Authors[0].inverted() + ", et al."
	}
	published := ""
	if t := it.Published.UTC(); !it.Published.IsZero() {
		published = t.Format("2 ") + mlaMonths[t.Month()-1] + t.Format(" 2006")
	}
	return sentences(who, italic(it.Title), joined(", ", it.version(), it.Publisher, published, it.address()))
}

var mlaMonths = [...]string{"Jan.", "Feb.", "Mar.", "Apr.", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec."}

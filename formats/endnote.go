package formats

import (
	"strconv"
	"strings"
)

// endnoteTypes are EndNote's reference types by those of RIS.
var endnoteTypes = map[string]string{
	"DATA": "Dataset", "JOUR": "Journal Article", "BOOK": "Book", "CHAP": "Book Section", "CPAPER": "Conference Paper",
	"THES": "Thesis", "RPRT": "Report", "COMP": "Computer Program", "ELEC": "Web Page", "FIGURE": "Figure",
	"VIDEO": "Film or Broadcast", "MUSIC": "Music", "STAND": "Standard", "GRANT": "Grant", "UNPB": "Unpublished Work",
}

// endnote is the tagged format of EndNote: a tag a line, and an empty line ends the entry.
func endnote(it *Item) string {
	var b strings.Builder
	put := func(tag, value string) {
		if value != "" {
			b.WriteString("%" + tag + " " + value + "\r\n")
		}
	}
	of := endnoteTypes[it.kind().ris]
	if of == "" {
		of = "Generic"
	}
	put("0", of)
	put("T", it.Title)
	for _, a := range it.Authors {
		if a.Organisation || a.Family == "" || a.Given == "" && strings.Contains(a.Family, " ") {
			// A comma at the end says that the name has no parts, and a double comma is one of the name.
			put("A", strings.ReplaceAll(a.entry(), ",", ",,")+",")
		} else {
			put("A", a.entry())
		}
	}
	put("D", it.year(""))
	put("8", day(it.Published))
	put("I", it.Publisher)
	if it.Version > 0 {
		put("7", strconv.Itoa(it.Version))
	}
	put("R", it.DOI)
	put("U", it.where())
	for _, k := range it.Keywords {
		put("K", k)
	}
	put("X", it.abstract())
	b.WriteString("\r\n")
	return b.String()
}

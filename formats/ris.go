package formats

import (
	"strconv"
	"strings"
)

// ris is the format of reference managers: a tag a line, lines end with CR LF.
func ris(it *Item) string {
	var b strings.Builder
	put := func(tag string, values ...string) {
		for _, v := range values {
			if v != "" {
				b.WriteString(tag + "  - " + v + "\r\n")
			}
		}
	}
	put("TY", it.kind().ris)
	put("TI", it.Title)
	for _, a := range it.Authors {
		put("AU", a.entry())
	}
	put("PY", it.year(""))
	if !it.Published.IsZero() {
		put("DA", it.Published.UTC().Format("2006/01/02/"))
	}
	put("PB", it.Publisher)
	if it.Version > 0 {
		put("ET", strconv.Itoa(it.Version))
	}
	put("DO", it.DOI)
	put("UR", it.where())
	put("KW", it.Keywords...)
	put("AB", it.abstract())
	b.WriteString("ER  - \r\n")
	return b.String()
}

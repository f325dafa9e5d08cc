package present

import (
	"strconv"
	"strings"

	"alcove/record/catalogue"
)

// Leads tells that the DOI of an item leads to it: a registrar has confirmed it.
type Leads bool

// citation is the ready-made citation (docs/reference/api.md#citations). A DOI that does not lead to the item yet has
// the landing page in its place.
func (s Settings) citation(it item) string {
	t, _ := catalogue.ItemTypeByID(it.Type)
	kind := t.Name
	if kind != "" {
		kind = strings.ToUpper(kind[:1]) + kind[1:]
	}
	return s.cite(it, kind, s.landing(it, t))
}

// cite cites an item of a kind whose landing page is at where.
func (s Settings) cite(it item, kind, where string) string {
	names := []string{}
	for i, p := range it.authors {
		if i == 6 {
			names = append(names, "et al.")
			break
		}
		names = append(names, p.Names().Inverted())
	}
	when := it.published
	if when.IsZero() {
		when = it.created
	}
	if it.DOI != "" && it.leads {
		where = "https://doi.org/" + it.DOI
		if !it.own {
			where = "https://doi.org/" + it.PublicDOI(it.version)
		}
	}
	who := strings.Join(names, "; ")
	if who != "" {
		who += " "
	}
	return who + "(" + strconv.Itoa(when.Year()) + "). " + it.Title + ". " + s.Publisher + ". " + kind + ". " + where
}

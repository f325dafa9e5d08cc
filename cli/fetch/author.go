package fetch

import (
	"fmt"
	"strings"

	"alcove/record"
)

// organisation reports whether the source says that an author is an organisation.
func (a *author) organisation() bool { return a.Kind == record.OrganisationKind }

// named is an author by the parts of a name.
func named(n record.Name) author {
	a := author{Full: n.Full, First: n.Given, Last: n.Family, Particle: n.Particle, Suffix: n.Suffix, Guessed: n.Guessed}
	if n.Organisation {
		a.Kind = record.OrganisationKind
	}
	return a
}

// belongs adds an affiliation to an author. An identifier that is no ROR ID is left out.
func (a *author) belongs(name, ror string) {
	if name = strings.TrimSpace(name); name == "" {
		return
	}
	if _, ok := record.ReadROR(ror); !ok {
		ror = ""
	}
	a.Affiliations = append(a.Affiliations, affiliation{name, ror})
}

// authors are the authors of a version in the keys of a line. A name that is a guess there is sent whole, to be a guess here.
func (it *Item) authors(v *Version) []object {
	out := []object{}
	for i := range v.Authors {
		a := &v.Authors[i]
		o := object{{"name", a.Full}}
		put := func(name, value string) {
			if value != "" {
				o = append(o, key{name, value})
			}
		}
		if !a.organisation() && !a.Guessed && (a.First != "" || a.Last != "") {
			o = append(o, key{"first_name", a.First}, key{"last_name", a.Last})
			put("name_particle", a.Particle)
			put("name_suffix", a.Suffix)
		}
		if a.organisation() {
			put("kind", a.Kind)
			put("ror_id", a.ROR)
		} else if _, ok := record.ReadORCID(a.ORCID); ok {
			put("orcid_id", a.ORCID)
		}
		if _, ok := record.ReadORCID(a.ORCID); a.ORCID != "" && (!ok || a.organisation()) {
			it.note(fmt.Sprintf("%q is left out, as it is no ORCID iD of a person", shorten(a.ORCID)))
		}
		if of := it.affiliations(a); len(of) > 0 {
			o = append(o, key{"affiliations", of})
		}
		out = append(out, o)
	}
	return out
}

// mostAffiliations is how many affiliations an author can have here.
const mostAffiliations = 10

func (it *Item) affiliations(a *author) []object {
	out := []object{}
	for i, f := range a.Affiliations {
		if i == mostAffiliations {
			it.note(fmt.Sprintf("of the affiliations of %q the first %d are taken", shorten(a.Full), mostAffiliations))
			break
		}
		one := object{{"name", shorten(f.Name)}}
		if f.ROR != "" {
			one = append(one, key{"ror_id", f.ROR})
		}
		out = append(out, one)
	}
	return out
}

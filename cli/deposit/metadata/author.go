package metadata

import (
	"errors"
	"fmt"
	"strings"

	"alcove/record"
)

// keysOf is a name in the keys of an author: in one text where the server reads the same in it, and otherwise by parts.
func keysOf(n record.Name) map[string]any {
	if n.Organisation {
		return map[string]any{"name": n.Full, "kind": record.OrganisationKind}
	}
	if record.ReadName(n.Full) == n {
		return map[string]any{"name": n.Full}
	}
	author := map[string]any{}
	for key, value := range map[string]string{"first_name": n.Given, "last_name": n.Family, "name_particle": n.Particle, "name_suffix": n.Suffix} {
		if value != "" {
			author[key] = value
		}
	}
	return author
}

// person is a person by the parts of its name. The family name has no particle in front, unless none is given.
func person(given, particle, family, suffix string) map[string]any {
	if particle != "" {
		family = particle + " " + family
	}
	return keysOf(record.Name{Full: strings.TrimSpace(given + " " + family), Given: given, Family: family, Particle: particle, Suffix: suffix})
}

// organisation is an organisation by its name.
func organisation(name string) map[string]any {
	return keysOf(record.Name{Full: name, Organisation: true})
}

// Author reads a name with an ORCID iD behind it, if there is one.
func Author(text string) (map[string]any, error) {
	text = strings.Join(strings.Fields(text), " ")
	cut := strings.LastIndexByte(text, ' ')
	last := strings.Trim(text[cut+1:], "<>()[],")
	if !orcidForm.MatchString(last) {
		if text == "" {
			return nil, errors.New("an author has no name")
		}
		return keysOf(record.ReadName(text)), nil
	}
	id, ok := orcid(last)
	name := strings.Trim(text[:cut+1], " ,;<([")
	switch {
	case !ok:
		return nil, fmt.Errorf("%s is not an ORCID iD: its check digit is wrong", last)
	case name == "":
		return nil, fmt.Errorf("the author with the ORCID iD %s has no name", id)
	}
	author := keysOf(record.ReadName(name))
	if author["kind"] != nil {
		return nil, fmt.Errorf("the organisation %s cannot have the ORCID iD %s", name, id)
	}
	author["orcid_id"] = id
	return author, nil
}

// withORCID adds an iD to a person, or tells that it is none.
func (f *Found) withORCID(author map[string]any, text string) {
	if text == "" {
		return
	}
	switch id, ok := orcid(text); {
	case !ok:
		f.doubt("%q is not an ORCID iD", text)
	case author["kind"] != nil:
		f.doubt("an organisation has the ORCID iD %s", id)
	default:
		author["orcid_id"] = id
	}
}

// withROR adds a ROR ID to an organisation, and leaves any other identifier.
func (f *Found) withROR(author map[string]any, text, key string) {
	if ror, ok := record.ReadROR(text); ok && author["kind"] != nil {
		author["ror_id"] = rorSite + ror
	} else if text != "" {
		f.leave(key)
	}
}

const rorSite = "https://ror.org/"

// affiliate adds an affiliation to an author. An identifier that is no ROR ID is left.
func (f *Found) affiliate(author map[string]any, name, ror, key string) {
	if name == "" {
		return
	}
	one := map[string]any{"name": name}
	if id, ok := record.ReadROR(ror); ok {
		one["ror_id"] = rorSite + id
	} else if ror != "" {
		f.leave(key)
	}
	list, _ := author["affiliations"].([]map[string]any)
	author["affiliations"] = append(list, one)
}

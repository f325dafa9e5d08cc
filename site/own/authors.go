package own

import (
	"cmp"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/site"
)

// authorRow is an author in the form. A row shows everything that it writes back. A stored author is named by its id as long
// as the row says what is stored.
type authorRow struct {
	Place         int
	ID, Was       string
	Kind          string // record.OrganisationKind, or a person
	Given         string
	Name          string // the family name with its particle, the name of an organisation, or the whole name
	Suffix        string
	ORCID         string // or the ROR ID of an organisation
	Affiliations  string // one per line, each with its ROR ID at the end if there is one
	Guessed, Sure bool   // the parts of the name are a guess; the person has confirmed them
	Doubtful      bool   // the stored name is likely wrong
	Error, Number string
	Organisation  bool
	stored        *present.Author // nil for a new row
}

// storedAuthor is the row of an author of an item.
func storedAuthor(place int, a *present.Author) authorRow {
	row := authorRow{
		Place: place, ID: strconv.FormatInt(a.ID, 10), Kind: a.Kind, Given: site.Text(a.FirstName), Name: site.Text(a.LastName),
		Suffix: site.Text(a.Suffix), ORCID: site.Text(a.ORCID), Guessed: a.IsGuessed, Organisation: a.Kind == record.OrganisationKind, stored: a,
	}
	if row.Organisation {
		row.ORCID = site.Text(a.ROR)
	}
	if row.Name == "" {
		row.Name, row.Given = a.FullName, ""
	}
	var lines []string
	for _, of := range a.Affiliations {
		lines = append(lines, strings.TrimSpace(of.Name+" "+site.Text(of.ROR)))
	}
	row.Affiliations = strings.Join(lines, "\n")
	row.Doubtful = doubtful(a)
	row.Was = row.written()
	return row
}

// doubtful reports whether the stored name of an author is likely wrong.
func doubtful(a *present.Author) bool {
	p := record.Person{FullName: a.FullName, FirstName: site.Text(a.FirstName), LastName: site.Text(a.LastName)}
	return a.Kind == record.PersonKind && !a.IsActive && p.Doubtful()
}

// written is everything that a row says. Fields that are blank leave no trace, so that a row that was filled with the name
// and the ORCID iD of a known person alone says just these.
func (a *authorRow) written() string {
	text := a.Name + "\n" + a.ORCID
	for _, part := range []struct{ name, value string }{
		{"kind", strings.TrimSuffix(a.Kind, record.PersonKind)}, {"given", a.Given}, {"suffix", a.Suffix}, {"affiliations", a.Affiliations},
	} {
		if part.value != "" {
			text += "\n" + part.name + " " + part.value
		}
	}
	return text
}

// readAuthors are the rows that were written, in the order of their places. A row whose author is stored knows it.
func readAuthors(c *endpoint.Call, is []authorRow) (list []authorRow) {
	stored := map[string]*present.Author{}
	for i := range is {
		stored[is[i].ID] = is[i].stored
	}
	for i := range maxRows {
		at := func(part string) string {
			return strings.TrimSpace(unified(c.Field(fmt.Sprintf("authors.%d.%s", i, part))))
		}
		if !c.Written(fmt.Sprintf("authors.%d.name", i)) {
			break
		}
		row := authorRow{
			Number: strconv.Itoa(i), Place: place(at("place"), i), ID: at("id"), Was: unified(c.Field(fmt.Sprintf("authors.%d.was", i))), Kind: cmp.Or(at("kind"), record.PersonKind), Given: at("given"),
			Name: at("name"), Suffix: at("suffix"), ORCID: at("orcid"), Affiliations: strings.Join(lines(at("affiliations")), "\n"), Sure: at("sure") != "",
		}
		row.stored, row.Organisation = stored[row.ID], row.Kind == record.OrganisationKind
		row.Guessed = row.stored != nil && row.stored.IsGuessed
		if row.Name != "" || row.ORCID != "" || row.Given != "" && row.ID == "" { // an emptied family name removes an author
			list = append(list, row)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Place < list[j].Place })
	return list
}

// reference is the author as bodies name it.
func (a *authorRow) reference() map[string]any {
	if a.ID != "" && !(a.Sure && a.Guessed) && (unified(a.Was) == a.written() || a.says()) {
		return map[string]any{"id": numeric(a.ID)}
	}
	return a.body()
}

// says reports whether the row says what is stored, as it does when the name was written in one text.
func (a *authorRow) says() bool {
	if a.stored == nil {
		return false
	}
	is := storedAuthor(a.Place, a.stored)
	return a.written() == is.written() || a.Given == "" && a.Name == a.stored.FullName && a.ORCID == is.ORCID && a.Suffix == "" && a.Affiliations == is.Affiliations && a.Kind == is.Kind
}

// body is the author by its name. A name in one text, without a given name beside it, is read by the rules of names; one
// that is stored in one piece stays so.
func (a *authorRow) body() map[string]any {
	body := map[string]any{"name": a.Name, "kind": a.Kind}
	if strings.HasPrefix(a.Name, "{") {
		delete(body, "kind") // braces say that it is an organisation
	}
	if a.Organisation {
		body["ror_id"] = a.ORCID
		return body
	}
	body["orcid_id"], body["affiliations"] = a.ORCID, a.belongs()
	if a.stored != nil && a.Guessed && !a.Sure && a.Given == site.Text(a.stored.FirstName) && a.Name == site.Text(a.stored.LastName) && a.Suffix == site.Text(a.stored.Suffix) {
		body["name"] = a.stored.FullName
		return body
	}
	whole := a.stored != nil && a.stored.Kind == record.PersonKind && site.Text(a.stored.FirstName) == "" && a.stored.FullName == a.Name
	if a.Given == "" && a.Suffix == "" && !whole {
		return body
	}
	delete(body, "name")
	particle := record.ParticleOf(a.Name)
	if a.stored != nil && site.Text(a.stored.LastName) == a.Name {
		particle = site.Text(a.stored.Particle)
	}
	body["given_name"], body["family_name"] = a.Given, a.Name
	if a.Suffix != "" && a.Name != "" {
		body["name_suffix"] = a.Suffix
	}
	if particle != "" {
		body["name_particle"] = particle
	}
	return body
}

// belongs are the affiliations of a row. The last word of a line is a ROR ID if it has the form of one.
func (a *authorRow) belongs() []any {
	list := []any{}
	for _, line := range lines(a.Affiliations) {
		one := map[string]any{"name": line}
		if at := strings.LastIndexByte(line, ' '); at > 0 {
			if ror, ok := record.ReadROR(line[at+1:]); ok && strings.Contains(line[at:], "ror.org/") {
				one = map[string]any{"name": strings.TrimSpace(line[:at]), "ror_id": ror}
			}
		}
		list = append(list, one)
	}
	return list
}

// shown is the name of a row in one text, which is read as the same name: "van der Berg, Jan", "{Kelp Team}".
func (a *authorRow) shown() string {
	switch {
	case a.Organisation:
		return "{" + a.Name + "}"
	case a.Guessed:
		return strings.TrimSpace(a.Given + " " + a.Name + " " + a.Suffix)
	case a.Given == "":
		return a.Name
	case a.Suffix != "":
		return a.Name + ", " + a.Given + ", " + a.Suffix
	}
	return a.Name + ", " + a.Given
}

// cell is an author in a cell of a table: the name, and the ORCID iD behind it.
func (a *authorRow) cell() string {
	if a.ORCID == "" {
		return a.shown()
	}
	return a.shown() + " (" + a.ORCID + ")"
}

// authorsOfCell are the rows of a cell. An author who was there stays the same one; one whose ORCID iD alone is another
// keeps its name and affiliations.
func authorsOfCell(cells []string, is []authorRow) (list []authorRow) {
	had, named := map[string]authorRow{}, map[string]authorRow{}
	for _, a := range is {
		had[a.cell()], named[a.shown()] = a, a
	}
	for _, one := range cells {
		if a, there := had[one]; there {
			list = append(list, a)
			continue
		}
		name, id, _ := strings.Cut(strings.TrimSuffix(one, ")"), "(")
		a := named[strings.TrimSpace(name)]
		if a.Name == "" {
			a.Name = strings.TrimSpace(name)
		}
		a.ORCID = strings.TrimSpace(id)
		list = append(list, a)
	}
	return list
}

package record

import (
	"fmt"
	"strings"
)

// Bounds of the fields of an author.
const (
	maxName         = 255 // characters
	maxParticle     = 50
	maxAffiliations = 10
)

// AuthorRef names an author: by id, by a name in one text, or by the parts of a name. With an id the rest is ignored.
type AuthorRef struct {
	ID           *int64            `json:"id"`
	Name         *string           `json:"name"`
	FirstName    *string           `json:"first_name"`
	LastName     *string           `json:"last_name"` // with the particle
	Email        *string           `json:"email"`
	ORCID        *string           `json:"orcid_id"`
	Kind         *string           `json:"kind"`
	GivenName    *string           `json:"given_name"`
	FamilyName   *string           `json:"family_name"` // without the particle, where that is sent
	Particle     *string           `json:"name_particle"`
	Suffix       *string           `json:"name_suffix"`
	ROR          *string           `json:"ror_id"`
	Affiliations *[]AffiliationRef `json:"affiliations"`
}

// AffiliationRef is an organisation that an author belongs to.
type AffiliationRef struct {
	Name *string `json:"name"`
	ROR  *string `json:"ror_id"`
}

// Affiliation is an organisation that an author belongs to.
type Affiliation struct {
	Name string `json:"name"`
	ROR  string `json:"ror,omitempty"` // as ReadROR has it
}

// AuthorsBody is the body of the author endpoints.
type AuthorsBody struct {
	Authors *[]AuthorRef `json:"authors" null:"refused"`
}

// Check refuses a body without authors, and authors without a name or an id.
func (b *AuthorsBody) Check() error {
	if b.Authors == nil {
		return Wrong("authors", "is required")
	}
	return CheckAuthors(*b.Authors)
}

// CheckAuthors refuses references without a name or an id, texts that are too long, and identifiers that are wrong.
func CheckAuthors(refs []AuthorRef) error {
	for _, r := range refs {
		if r.ID != nil && *r.ID != 0 {
			continue
		}
		if err := r.check(); err != nil {
			return err
		}
	}
	return nil
}

func (r *AuthorRef) check() error {
	name := r.fullName()
	if name == "" {
		return Wrong("authors", "must give every person an id or a name")
	}
	for _, n := range []string{name, sent(r.FirstName), sent(r.LastName), sent(r.GivenName), sent(r.FamilyName)} {
		if longer(n, maxName) {
			return Wrong("authors", "must give names of at most 255 characters")
		}
	}
	if longer(sent(r.Particle), maxParticle) || longer(sent(r.Suffix), maxParticle) {
		return Wrong("authors", "must give name_particle and name_suffix of at most 50 characters")
	}
	if _, ok := readKind(sent(r.Kind)); !ok {
		return Wrong("authors", `must give the kind "person" or "organisation"`)
	}
	if strings.TrimSpace(sent(r.ORCID)) != "" {
		if _, ok := ReadORCID(*r.ORCID); !ok {
			return Wrong("authors", "must give ORCID iDs such as 0000-0002-1825-0097, with their check digit")
		}
	}
	rors := []*string{r.ROR}
	if r.Affiliations != nil {
		if len(*r.Affiliations) > maxAffiliations {
			return Wrong("authors", fmt.Sprintf("must give at most %d affiliations each", maxAffiliations))
		}
		for _, a := range *r.Affiliations {
			if blankText(sent(a.Name)) || longer(*a.Name, maxName) {
				return Wrong("authors", "must give affiliations with names of at most 255 characters")
			}
			rors = append(rors, a.ROR)
		}
	}
	for _, ror := range rors {
		if _, ok := ReadROR(sent(ror)); !ok && !blankText(sent(ror)) {
			return Wrong("authors", "must give ROR IDs such as https://ror.org/05dxps055, with their check digits")
		}
	}
	return nil
}

// readKind is a kind of an author, "" for none.
func readKind(text string) (kind string, ok bool) {
	switch kind = strings.ToLower(strings.TrimSpace(text)); kind {
	case "organization":
		return OrganisationKind, true
	case "", PersonKind, OrganisationKind:
		return kind, true
	}
	return "", false
}

// fullName is the name as it was sent, or put together, "" for none.
func (r *AuthorRef) fullName() string {
	if r.Name != nil && !blankText(*r.Name) {
		return *r.Name
	}
	return r.parts().Full
}

// parts is the name of a person by the parts that were sent.
func (r *AuthorRef) parts() Name {
	part := func(ours, theirs *string) string {
		if blankText(sent(ours)) {
			return sent(theirs)
		}
		return *ours
	}
	n := Name{
		Given: part(r.GivenName, r.FirstName), Family: part(r.FamilyName, r.LastName),
		Particle: strings.TrimSpace(sent(r.Particle)), Suffix: strings.TrimSpace(sent(r.Suffix)),
	}
	if blankText(n.Family) {
		n.Particle, n.Suffix = "", ""
	} else if n.Particle != "" && !strings.HasPrefix(n.Family, n.Particle+" ") {
		n.Family = n.Particle + " " + n.Family
	}
	if blankText(n.Given) && blankText(n.Family) {
		return Name{}
	}
	return n.whole()
}

// NewPerson is the author that a reference by name stands for, without an id yet.
func (r *AuthorRef) NewPerson(createdBy int64) *Person {
	kind, _ := readKind(sent(r.Kind))
	n := r.parts()
	said := n.Full != ""
	switch {
	case kind == OrganisationKind:
		n = Name{Full: strings.TrimSpace(r.fullName()), Organisation: true}
		if inner, ok := unbraced(n.Full); ok {
			n.Full = inner
		}
	case !said:
		n = ReadName(sent(r.Name))
		if n.Organisation && kind == PersonKind {
			n = Name{Full: n.Full, Family: n.Full}
		}
		if name := sent(r.Name); !strings.ContainsAny(name, ",，{") {
			n.Full = name
		}
	case r.Name != nil && !blankText(*r.Name):
		n.Full = *r.Name
	}
	p := &Person{
		CreatedBy: createdBy, FullName: n.Full, FirstName: n.Given, LastName: n.Family, Particle: n.Particle, Suffix: n.Suffix,
		Guessed: n.Guessed,
	}
	if p.ORCID, _ = ReadORCID(sent(r.ORCID)); n.Organisation {
		p.Kind, p.ORCID = OrganisationKind, ""
		p.ROR, _ = ReadROR(sent(r.ROR))
	}
	if r.Affiliations != nil && !n.Organisation {
		for _, a := range *r.Affiliations {
			ror, _ := ReadROR(sent(a.ROR))
			p.Affiliations = append(p.Affiliations, Affiliation{strings.TrimSpace(sent(a.Name)), ror})
		}
	}
	return p
}

// Organisation reports whether the author is an organisation.
func (p *Person) Organisation() bool { return p.Kind == OrganisationKind }

// Names is the name of the author by its parts.
func (p *Person) Names() Name {
	return Name{
		Full: p.FullName, Given: p.FirstName, Family: p.LastName, Particle: p.Particle, Suffix: p.Suffix, Guessed: p.Guessed,
		Organisation: p.Organisation(),
	}
}

// BareFamily is the family name without its particle.
func (n Name) BareFamily() string {
	if rest, ok := strings.CutPrefix(n.Family, n.Particle+" "); ok && n.Particle != "" {
		return rest
	}
	return n.Family
}

// Described returns all fields of an author as one text. Two people with equal texts can be stored as one. Guessed does
// not count.
func (p *Person) Described() string {
	parts := []string{p.FullName, p.FirstName, p.LastName, p.Particle, p.Suffix, p.Kind, p.ORCID, p.ROR}
	for _, a := range p.Affiliations {
		parts = append(parts, a.Name, a.ROR)
	}
	return fmt.Sprintf("%q", parts)
}

// Doubtful reports whether the stored name of a person is likely wrong: it has a word of organisations, or a comma at which
// it was not split.
func (p *Person) Doubtful() bool {
	if p.Organisation() || p.AccountID != 0 {
		return false
	}
	return strings.HasSuffix(strings.TrimSpace(p.FirstName), ",") || p.FirstName == "" && strings.Contains(p.LastName, ",") ||
		SoundsLikeOrganisation(p.FullName)
}

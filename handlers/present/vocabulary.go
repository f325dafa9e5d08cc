package present

import (
	"strings"
	"unicode"

	"alcove/record"
	"alcove/record/catalogue"
)

// Category is a category of an item.
type Category struct {
	ID         int64  `json:"id"`
	Title      string `json:"title"`
	ParentID   int64  `json:"parent_id"`
	Path       string `json:"path"`
	SourceID   string `json:"source_id"`
	TaxonomyID int64  `json:"taxonomy_id"`
}

// ListedCategory is a category in the lists of all categories.
type ListedCategory struct {
	Category
	IsSelectable bool `json:"is_selectable"`
	HasChildren  bool `json:"has_children"`
}

func category(c catalogue.Category) Category {
	return Category{c.ID, c.Title, c.ParentID, c.Path, c.SourceID, int64(c.TaxonomyID)}
}

// Categories are categories by id; ids that are unknown are left out.
func Categories(ids []int64) []Category {
	out := []Category{}
	for _, id := range ids {
		if c, ok := catalogue.CategoryByID(id); ok {
			out = append(out, category(c))
		}
	}
	return out
}

// AllCategories is the whole tree as a flat list.
func AllCategories() []ListedCategory {
	out := []ListedCategory{}
	for _, c := range catalogue.Categories() {
		out = append(out, ListedCategory{category(c), c.IsSelectable, c.HasChildren})
	}
	return out
}

// License is a licence.
type License struct {
	Value int64  `json:"value"`
	Name  string `json:"name"`
	URL   string `json:"url"`
}

func license(value int64) License {
	l, _ := catalogue.LicenseByValue(value)
	return License{l.Value, l.Name, l.URL}
}

// Licenses is a list of licences.
func Licenses(list []catalogue.License) []License {
	out := []License{}
	for _, l := range list {
		out = append(out, License{l.Value, l.Name, l.URL})
	}
	return out
}

// Author is a person as an author.
type Author struct {
	ID        int64   `json:"id"`
	FullName  string  `json:"full_name"`
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	IsActive  bool    `json:"is_active"`
	URLName   string  `json:"url_name"`
	ORCID     *string `json:"orcid_id"`

	Kind         string        `json:"kind"`
	GivenName    *string       `json:"given_name"`
	FamilyName   *string       `json:"family_name"` // without the particle
	Particle     *string       `json:"name_particle"`
	Suffix       *string       `json:"name_suffix"`
	IsGuessed    bool          `json:"is_guessed"`
	ROR          *string       `json:"ror_id"` // of an organisation, as an address
	Affiliations []Affiliation `json:"affiliations"`
}

// Affiliation is an organisation that an author belongs to.
type Affiliation struct {
	Name string  `json:"name"`
	ROR  *string `json:"ror_id"`
}

// Authors is a list of authors, in order.
func (s Settings) Authors(people []record.Person) []Author {
	out := []Author{}
	for _, p := range people {
		a := Author{
			ID: p.ID, FullName: p.FullName, FirstName: s.text(p.FirstName), LastName: s.text(p.LastName),
			IsActive: p.AccountID != 0, URLName: "_", ORCID: s.text(p.ORCID),
			Kind: record.PersonKind, GivenName: s.text(p.FirstName), FamilyName: s.text(p.Names().BareFamily()),
			Particle: s.text(p.Particle), Suffix: s.text(p.Suffix), IsGuessed: p.Guessed, ROR: s.text(rorAddress(p.ROR)), Affiliations: []Affiliation{},
		}
		if p.Organisation() {
			a.Kind = record.OrganisationKind
		}
		for _, of := range p.Affiliations {
			a.Affiliations = append(a.Affiliations, Affiliation{of.Name, s.text(rorAddress(of.ROR))})
		}
		if a.IsActive {
			a.URLName = urlName(p.FullName)
		}
		out = append(out, a)
	}
	return out
}

// rorAddress is the address of a ROR ID, "" for none.
func rorAddress(ror string) string {
	if ror == "" {
		return ""
	}
	return "https://ror.org/" + ror
}

// urlName is a name in an address: John_Doe.
func urlName(name string) string {
	out := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' {
			return r
		}
		return '_'
	}, strings.TrimSpace(name))
	if out == "" {
		return "_"
	}
	return out
}

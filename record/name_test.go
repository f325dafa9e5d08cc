package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Names are understood by their form alone: the table has one line for each rule, and for each of its exceptions.
func TestReadName(t *testing.T) {
	for _, k := range []struct {
		text string
		want Name
	}{
		{"Lind, Maja", Name{Full: "Maja Lind", Given: "Maja", Family: "Lind"}},
		{"  Lind ,  Maja ", Name{Full: "Maja Lind", Given: "Maja", Family: "Lind"}},
		{"Hoek, Piet van den", Name{Full: "Piet van den Hoek", Given: "Piet", Family: "van den Hoek", Particle: "van den"}},
		{"van den Hoek, Piet", Name{Full: "Piet van den Hoek", Given: "Piet", Family: "van den Hoek", Particle: "van den"}},
		{"Van den Hoek, Piet", Name{Full: "Piet Van den Hoek", Given: "Piet", Family: "Van den Hoek"}},
		{"Reed, Ann, Jr.", Name{Full: "Ann Reed Jr.", Given: "Ann", Family: "Reed", Suffix: "Jr."}},
		{"Reed, III, Ann Mary", Name{Full: "Ann Mary Reed III", Given: "Ann Mary", Family: "Reed", Suffix: "III"}},
		{"Ann Reed, Jr.", Name{Full: "Ann Reed Jr.", Given: "Ann", Family: "Reed", Suffix: "Jr.", Guessed: true}},
		{"Ann Reed Jr.", Name{Full: "Ann Reed Jr.", Given: "Ann", Family: "Reed", Suffix: "Jr.", Guessed: true}},
		{"Reed, Ann, PhD, MSc", Name{Full: "Ann Reed PhD, MSc", Given: "Ann", Family: "Reed", Suffix: "PhD, MSc"}},
		{"Ruiz Blanco, Inés", Name{Full: "Inés Ruiz Blanco", Given: "Inés", Family: "Ruiz Blanco"}},
		{"de la Torre Ruiz, Inés", Name{Full: "Inés de la Torre Ruiz", Given: "Inés", Family: "de la Torre Ruiz", Particle: "de la"}},
		{"O'Dea, Siún", Name{Full: "Siún O'Dea", Given: "Siún", Family: "O'Dea"}},
		{"El-Amin, K.", Name{Full: "K. El-Amin", Given: "K.", Family: "El-Amin"}},
		{"Lind,", Name{Full: "Lind", Family: "Lind"}},
		{", Maja", Name{Full: "Maja", Family: "Maja"}},
		{",", Name{Full: ",", Family: ","}},
		{"Maja Lind", Name{Full: "Maja Lind", Given: "Maja", Family: "Lind", Guessed: true}},
		{"Piet van den Hoek", Name{Full: "Piet van den Hoek", Given: "Piet", Family: "van den Hoek", Particle: "van den", Guessed: true}},
		{"Piet Van den Hoek", Name{Full: "Piet Van den Hoek", Given: "Piet", Family: "Van den Hoek", Guessed: true}},
		{"Van Morris", Name{Full: "Van Morris", Given: "Van", Family: "Morris", Guessed: true}},
		{"van den Hoek", Name{Full: "van den Hoek", Family: "van den Hoek", Particle: "van den", Guessed: true}},
		{"E. B. C. White", Name{Full: "E. B. C. White", Given: "E. B. C.", Family: "White", Guessed: true}},
		{"Inés Ruiz Blanco", Name{Full: "Inés Ruiz Blanco", Given: "Inés Ruiz", Family: "Blanco", Guessed: true}},
		{"Juan Ruiz y Blanco", Name{Full: "Juan Ruiz y Blanco", Given: "Juan", Family: "Ruiz y Blanco", Guessed: true}},
		{"Trần Thị Bình", Name{Full: "Trần Thị Bình", Given: "Trần Thị", Family: "Bình", Guessed: true}},
		{"Trần, Thị Bình", Name{Full: "Thị Bình Trần", Given: "Thị Bình", Family: "Trần"}},
		{"李大山", Name{Full: "李大山", Family: "李大山"}},
		{"李, 大山", Name{Full: "李大山", Given: "大山", Family: "李"}},
		{"李，大山", Name{Full: "李大山", Given: "大山", Family: "李"}},
		{"박 영희", Name{Full: "박 영희", Family: "박 영희"}},
		{"さくら はな", Name{Full: "さくら はな", Family: "さくら はな"}},
		{"Plato", Name{Full: "Plato", Family: "Plato"}},
		{"{Reef Watch Group}", Name{Full: "Reef Watch Group", Organisation: true}},
		{"{{Office of Tides, South}}", Name{Full: "Office of Tides, South", Organisation: true}},
		{"Reef Watch Group", Name{Full: "Reef Watch Group", Given: "Reef Watch", Family: "Group", Guessed: true}},
		{"{}", Name{Full: "{}", Family: "{}"}},
		{"{Reef} {Watch}", Name{Full: "{Reef} {Watch}", Given: "{Reef}", Family: "{Watch}", Guessed: true}},
	} {
		if got := ReadName(k.text); got != k.want {
			t.Errorf("%q:\n got %+v\nwant %+v", k.text, got, k.want)
		}
	}
}

// A reference says more than a name: parts are never guessed, and a kind is taken at its word.
func TestAuthorParts(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, k := range []struct {
		about string
		ref   AuthorRef
		want  Person
	}{
		{"first and last name", AuthorRef{FirstName: text("Piet"), LastName: text("van den Hoek")}, Person{FullName: "Piet van den Hoek", FirstName: "Piet", LastName: "van den Hoek"}},
		{"a full name beside the parts", AuthorRef{Name: text("P. Hoek"), FirstName: text("Piet"), LastName: text("Hoek")}, Person{FullName: "P. Hoek", FirstName: "Piet", LastName: "Hoek"}},
		{"a particle that the last name has", AuthorRef{FirstName: text("Piet"), LastName: text("van Hoek"), Particle: text("van")}, Person{FullName: "Piet van Hoek", FirstName: "Piet", LastName: "van Hoek", Particle: "van"}},
		{"all parts", AuthorRef{GivenName: text("Piet"), FamilyName: text("Hoek"), Particle: text("van"), Suffix: text("Jr.")}, Person{FullName: "Piet van Hoek Jr.", FirstName: "Piet", LastName: "van Hoek", Particle: "van", Suffix: "Jr."}},
		{"our parts beside the others", AuthorRef{GivenName: text("Piet"), FamilyName: text("Hoek"), FirstName: text("X"), LastName: text("Y")}, Person{FullName: "Piet Hoek", FirstName: "Piet", LastName: "Hoek"}},
		{"a given name alone", AuthorRef{GivenName: text("Piet")}, Person{FullName: "Piet", FirstName: "Piet"}},
		{"an organisation", AuthorRef{Name: text("Office of Tides, South"), Kind: text("organisation"), ROR: text("https://ror.org/05DXPS055")}, Person{FullName: "Office of Tides, South", Kind: OrganisationKind, ROR: "05dxps055"}},
		{"an organisation in braces", AuthorRef{Name: text("{Reef Watch}"), Kind: text("Organization")}, Person{FullName: "Reef Watch", Kind: OrganisationKind}},
		{"an organisation in parts", AuthorRef{FirstName: text("Reef"), LastName: text("Watch"), Kind: text("organisation")}, Person{FullName: "Reef Watch", Kind: OrganisationKind}},
		{"an organisation with an ORCID iD", AuthorRef{Name: text("Reef Watch"), Kind: text("organisation"), ORCID: text("0000-0002-1825-0097")}, Person{FullName: "Reef Watch", Kind: OrganisationKind}},
		{"a person in braces", AuthorRef{Name: text("{Reef Watch}"), Kind: text("person")}, Person{FullName: "Reef Watch", LastName: "Reef Watch"}},
		{"a person by name", AuthorRef{Name: text("Maja Lind"), Kind: text("person")}, Person{FullName: "Maja Lind", FirstName: "Maja", LastName: "Lind", Guessed: true}},
	} {
		if got := k.ref.NewPerson(0); got.Described() != k.want.Described() || got.Guessed != k.want.Guessed {
			t.Errorf("%s:\n got %+v\nwant %+v", k.about, *got, k.want)
		}
	}
}

// The lines of the shared table whose channel is a name, or --author, which is a name with an ORCID iD behind it.
func TestSharedNames(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("..", "..", "shared", "data", "authors.tsv"))
	if err != nil {
		t.Skip("the shared table is not beside the tree")
	}
	tried := 0
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 6 || f[1] != "name" {
			continue
		}
		tried++
		other := strings.Split(f[4], ", ")
		n := ReadName(f[0])
		if n.Organisation {
			n.Family = ""
		}
		kind, particle, suffix := PersonKind, "", ""
		if n.Organisation {
			kind = OrganisationKind
		}
		for _, o := range other {
			if p, ok := strings.CutPrefix(o, "particle "); ok {
				particle = p
			}
			if s, ok := strings.CutPrefix(o, "suffix "); ok {
				suffix = s
			}
		}
		if n.BareFamily() != f[2] || n.Given != f[3] || n.Particle != particle || n.Suffix != suffix || kind != f[5] || n.Guessed != slices.Contains(other, "guessed") {
			t.Errorf("%s: %+v", line, n)
		}
	}
	if tried < 20 {
		t.Errorf("only %d lines have a name", tried)
	}
}

func TestReadROR(t *testing.T) {
	for text, want := range map[string]string{
		"https://ror.org/05dxps055": "05dxps055", " ROR.org/05DXPS055/ ": "05dxps055", "03yrm5c26": "03yrm5c26", "05dxps056": "", "5dxps055": "", "": "",
		"https://example.org/05dxps055": "",
	} {
		if got, ok := ReadROR(text); got != want && ok || ok != (want != "") {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
}

func TestSoundsLikeOrganisation(t *testing.T) {
	for name, want := range map[string]bool{
		"University of the Sea": true, "Kelp Modelling Consortium": true, "Institut für Gezeiten": true, "Bundesforschungsanstalt": true,
		"Umweltbehörde": true, "Ministerium für Meere": true, "The Tide Team": true, "Université du Nord": true,
		"Jane Doe": false, "Ada Institoris": false, "Jan van der Berg": false, "Amt": true, "Teamer Lind": false,
	} {
		if SoundsLikeOrganisation(name) != want {
			t.Errorf("%q", name)
		}
	}
}

// Names that were stored before by another rule are found, and those that are right are not.
func TestDoubtful(t *testing.T) {
	for _, k := range []struct {
		p    Person
		want bool
	}{
		{Person{FullName: "Lind, Maja", FirstName: "Lind,", LastName: "Maja"}, true},
		{Person{FullName: "Lind,Maja", LastName: "Lind,Maja"}, true},
		{Person{FullName: "Reef Watch Group", FirstName: "Reef Watch", LastName: "Group"}, true},
		{Person{FullName: "Reef Watch Group", Kind: OrganisationKind}, false},
		{Person{FullName: "Maja Group", FirstName: "Maja", LastName: "Group", AccountID: 3}, false},
		{Person{FullName: "Maja Lind", FirstName: "Maja", LastName: "Lind"}, false},
		{Person{FullName: "Maja Lind", FirstName: "Maja", LastName: "Lind", Guessed: true}, false},
	} {
		if k.p.Doubtful() != k.want {
			t.Errorf("%+v", k.p)
		}
	}
}

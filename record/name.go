package record

import (
	"slices"
	"strings"
	"unicode"
)

// Kinds of authors. A stored person has no kind, as all authors had none before there were organisations.
const (
	PersonKind       = "person"
	OrganisationKind = "organisation"
)

// Name is the name of an author by its parts. An organisation has Full alone.
type Name struct {
	Full         string // as pages show it: "Jan van der Berg"
	Given        string
	Family       string // with the particle in front
	Particle     string // "van der", where Family begins with one
	Suffix       string // "Jr."
	Organisation bool
	Guessed      bool // the family name was taken from the order of the words
}

// ReadName reads a name that came as one text. Braces around it say that it is an organisation. A comma means "Family,
// Given", with a suffix at the end if there is a second one. One word, and a text in Han, Hangul or Kana, stays whole as
// the family name. Of anything else the last word with the particles before it is taken for the family name, as a guess.
func ReadName(text string) Name {
	text = strings.Join(strings.Fields(text), " ")
	if inner, ok := unbraced(text); ok {
		return Name{Full: inner, Organisation: true}
	}
	parts := commaParts(text)
	switch {
	case len(parts) == 0:
		return Name{Full: text, Family: text}
	case len(parts) == 2 && isSuffix(parts[1]):
		n := guess(parts[0])
		n.Suffix = parts[1]
		return n.whole()
	case len(parts) == 1:
		return guess(parts[0]).whole()
	}
	n := Name{Family: parts[0], Given: parts[1]}
	switch {
	case len(parts) > 2 && isSuffix(parts[1]): // as BibTeX orders them
		n.Suffix, n.Given = parts[1], strings.Join(parts[2:], ", ")
	case len(parts) > 2:
		n.Suffix = strings.Join(parts[2:], ", ")
	}
	if n.Particle = ParticleOf(n.Family); n.Particle == "" {
		words := strings.Fields(n.Given)
		at := len(words)
		for at > 1 && particles[words[at-1]] {
			at--
		}
		if at < len(words) {
			n.Particle, n.Given = strings.Join(words[at:], " "), strings.Join(words[:at], " ")
			n.Family = n.Particle + " " + n.Family
		}
	}
	return n.whole()
}

// unbraced is the text between braces that enclose all of it.
func unbraced(text string) (inner string, ok bool) {
	for strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && len(text) > 1 {
		text, ok = strings.TrimSpace(text[1:len(text)-1]), true
	}
	return text, ok && text != "" && !strings.ContainsAny(text, "{}")
}

// commaParts are the parts of a text between commas that are not blank.
func commaParts(text string) (parts []string) {
	for _, p := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '，' }) {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// guess takes the last word, with the particles before it, for the family name.
func guess(text string) Name {
	words := strings.Fields(text)
	n := Name{Guessed: true}
	if len(words) > 2 && isSuffix(words[len(words)-1]) {
		n.Suffix, words = words[len(words)-1], words[:len(words)-1]
	}
	if len(words) == 1 || Unspaced(text) {
		return Name{Family: text}
	}
	at := len(words) - 1
	if at > 1 && joiners[words[at-1]] {
		at -= 2 // "Ortega y Gasset"
	}
	for at > 0 && (particles[words[at-1]] || at > 1 && capitalParticles[words[at-1]]) {
		at--
	}
	n.Given, n.Family = strings.Join(words[:at], " "), strings.Join(words[at:], " ")
	n.Particle = ParticleOf(n.Family)
	return n
}

// whole fills the name as pages show it.
func (n Name) whole() Name {
	given, family := strings.TrimSpace(n.Given), strings.TrimSpace(n.Family)
	if given != "" && Unspaced(given) && Unspaced(family) {
		n.Full = family + given
	} else {
		n.Full = strings.TrimSpace(given + " " + family)
	}
	if n.Suffix != "" {
		n.Full += " " + n.Suffix
	}
	return n
}

// Inverted is the name with the family name in front: "van der Berg, Jan, Jr.". The name of an organisation stays whole.
func (n Name) Inverted() string {
	switch {
	case n.Organisation || n.Family == "":
		return n.Full
	case n.Given == "":
		return n.Family
	case n.Suffix != "":
		return n.Family + ", " + n.Given + ", " + n.Suffix
	}
	return n.Family + ", " + n.Given
}

// ParticleOf is the particle that a family name begins with, "" for none.
func ParticleOf(family string) string {
	words := strings.Fields(family)
	n := 0
	for n < len(words)-1 && particles[words[n]] {
		n++
	}
	return strings.Join(words[:n], " ")
}

// Unspaced reports whether a name is in a script that writes the family name first and no space behind it: Han, Hangul
// or Kana.
func Unspaced(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
	})
}

func isSuffix(word string) bool {
	return slices.Contains([]string{"jr", "sr", "ii", "iii", "iv"}, strings.ToLower(strings.TrimSuffix(word, ".")))
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

var (
	// particles stand in small letters before a family name.
	particles = wordSet(`af al am auf aus aus'm av ben bin bint da dal dalla das de degli dei del dell della delle dello den der des di do
		dos du el ibn im in la las le les lo los op 't ten ter te van van't vanden vander vom von zu zum zur`)
	// capitalParticles belong to the family name where they are written with a capital.
	capitalParticles = wordSet(`Da De Del Della Den Der Des Di Dos Du Ten Ter Van Vanden Vander Von`)
	joiners          = wordSet(`y i e`)
)

// SoundsLikeOrganisation reports whether a name has a word of organisations, so that it may not be the name of a person.
func SoundsLikeOrganisation(name string) bool {
	return slices.ContainsFunc(NameWords(name), func(w string) bool {
		if organisationWords[w] {
			return true
		}
		return slices.ContainsFunc(organisationEnds, func(end string) bool { return len(w) > len(end) && strings.HasSuffix(w, end) })
	})
}

var (
	organisationWords = wordSet(`academy agency archive archives association bank board bureau center centre collaboration college commission
		committee company consortium corporation council department division faculty federation foundation gmbh group hospital inc
		initiative institute institution laboratories laboratory lab library limited llc ltd ministry museum network observatory office
		organisation organization partnership program programme project school secretariat service services society station survey team
		trust union university
		akademie amt anstalt arbeitsgruppe arbeitskreis archiv ausschuss behorde bibliothek bundesamt bundesanstalt bundesministerium
		fachhochschule fakultat forschungszentrum forschungsgruppe gesellschaft gruppe hochschule institut kommission konsortium labor
		landesamt ministerium rat stiftung universitat verband verein verbund zentrum
		centro comite conseil consejo facultad fondation instituto laboratoire ministere ministerio universidad universita universite`)
	organisationEnds = strings.Fields(`akademie amt anstalt behorde bibliothek gesellschaft gruppe hochschule institut kommission konsortium
		ministerium stiftung universitat verband verein verbund zentrum`)
)

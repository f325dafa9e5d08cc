package formats

import (
	"strings"
	"unicode"

	"alcove/record"
)

// whole returns the name if citations keep it whole: the name of an organisation, a name without parts, or a name in
// Han, Hangul or Kana, which starts with the family name.
func (a Author) whole() (name string, ok bool) {
	switch {
	case a.Organisation || a.Family == "":
		return a.Full, true
	case a.Given != "" && record.Unspaced(a.Family) && record.Unspaced(a.Given):
		return a.Family + a.Given, true
	}
	return "", false
}

// inverted is "Doe, Jane" as a citation has it.
func (a Author) inverted() string { return a.join(a.Given, ", ") }

// entry is "Doe, Jane, Jr.", as files for reference managers and catalogues have it, in every script.
func (a Author) entry() string {
	if a.Organisation || a.Family == "" {
		return a.Full
	}
	return joined(", ", a.Family, a.Given, a.Suffix)
}

// join is the family name with something of the given name after it, and the suffix.
func (a Author) join(given, sep string) string {
	if name, ok := a.whole(); ok {
		return name
	}
	suffix := a.Suffix
	if strings.TrimSpace(sep) == "" {
		suffix = strings.TrimSuffix(suffix, ".")
	}
	return joined(sep, a.Family, given, suffix)
}

// direct is the given name, or something of it, before the family name.
func (a Author) direct(given string) string {
	if name, ok := a.whole(); ok {
		return name
	}
	return words(given, a.Family, a.Suffix)
}

// apart is the particle and the family name without it, for forms that have a place for each. The particle is the one that
// is known, or else the words in small letters in front of the family name.
func (a Author) apart() (particle, family string) {
	if rest, ok := strings.CutPrefix(a.Family, a.Particle+" "); ok && a.Particle != "" {
		return a.Particle, rest
	}
	list := strings.Fields(a.Family)
	n := 0
	for n < len(list)-1 && unicode.IsLower([]rune(list[n])[0]) {
		n++
	}
	return strings.Join(list[:n], " "), strings.Join(list[n:], " ")
}

// initials are those of the given name: "J. P.", "J.-P." with hyphens. Particles after the first
// name stay as they are.
func (a Author) initials() string {
	out := []string{}
	for _, word := range strings.Fields(strings.ReplaceAll(a.Given, ".", ". ")) {
		if len(out) > 0 && unicode.IsLower([]rune(word)[0]) {
			out = append(out, word)
			continue
		}
		parts := []string{}
		for _, p := range strings.Split(word, "-") {
			if i := initial(p); i != "" {
				parts = append(parts, i+".")
			}
		}
		if len(parts) > 0 {
			out = append(out, strings.Join(parts, "-"))
		}
	}
	return strings.Join(out, " ")
}

// letters are the initials without full stops, hyphens and particles: "JP".
func (a Author) letters() string {
	out := ""
	for _, i := range strings.Fields(a.initials()) {
		if strings.HasSuffix(i, ".") {
			out += bare.Replace(i)
		}
	}
	return out
}

var bare = strings.NewReplacer(".", "", "-", "")

// tight leaves out the spaces between initials: "J.P.". Those around particles stay.
func tight(initials string) string {
	out := ""
	for _, i := range strings.Fields(initials) {
		if out != "" && (!strings.HasSuffix(out, ".") || !strings.HasSuffix(i, ".")) {
			out += " "
		}
		out += i
	}
	return out
}

// initial is the first letter of a word with its accents.
func initial(word string) string {
	out := ""
	for _, r := range word {
		switch {
		case out == "" && unicode.IsLetter(r):
			out = string(unicode.ToUpper(r))
		case out != "" && unicode.Is(unicode.Mn, r):
			out += string(r)
		case out != "":
			return out
		}
	}
	return out
}

// names are the first authors in a form, or all.
func names(list []Author, most int, form func(Author) string) []string {
	out := []string{}
	for _, a := range list[:min(most, len(list))] {
		out = append(out, form(a))
	}
	return out
}

// series is "A, B" + last + "C"; pair stands between two.
func series(list []string, pair, last string) string {
	switch n := len(list); n {
	case 0:
		return ""
	case 1:
		return list[0]
	case 2:
		return list[0] + pair + list[1]
	default:
		return strings.Join(list[:n-1], ", ") + last + list[n-1]
	}
}

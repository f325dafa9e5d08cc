package formats

import (
	"strings"
	"unicode"
)

// inverted is "Doe, Jane".
func (a Author) inverted() string { return a.join(a.Given, ", ") }

// join is the family name with something of the given name after it.
func (a Author) join(given, sep string) string {
	switch {
	case a.Family == "":
		return a.Full
	case given == "":
		return a.Family
	}
	return a.Family + sep + given
}

// direct is the given name, or something of it, before the family name.
func (a Author) direct(given string) string {
	if a.Family == "" {
		return a.Full
	}
	return words(given, a.Family)
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

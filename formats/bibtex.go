package formats

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// tex is text inside the braces of a field. BibTeX counts braces that stand after a backslash, so a
// brace has a name.
var tex = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\textbraceleft{}`, "}", `\textbraceright{}`,
	"&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)

// bibtex is an entry in UTF-8 with fields of BibTeX and the version and DOI of biblatex.
func bibtex(it *Item) string {
	k := it.kind()
	var b strings.Builder
	b.WriteString("@" + k.bibtex + "{" + bibtexKey(it))
	field := func(name, value string) {
		if value != "" {
			b.WriteString(",\n  " + name + " = {" + value + "}")
		}
	}
	authors := []string{}
	for _, a := range it.Authors {
		authors = append(authors, bibtexName(a))
	}
	field("author", strings.Join(authors, " and "))
	field("title", "{"+tex.Replace(it.Title)+"}")
	field("year", it.year(""))
	if !it.Published.IsZero() {
		b.WriteString(",\n  month = " + strings.ToLower(it.Published.UTC().Format("Jan")))
	}
	publisher := map[string]string{"phdthesis": "school", "techreport": "institution"}[k.bibtex]
	if publisher == "" {
		publisher = "publisher"
	}
	field(publisher, tex.Replace(it.Publisher))
	if it.Version > 0 {
		field("version", strconv.Itoa(it.Version))
	}
	if k.bibtex == "phdthesis" || k.bibtex == "misc" {
		field("type", tex.Replace(k.apa))
	}
	field("doi", unsafe.Replace(it.DOI))
	field("url", it.where())
	b.WriteString("\n}\n")
	return b.String()
}

// bibtexName is a name whose parts are not parted again: braces keep what has one name only, and a
// comma or the word "and" inside a part.
func bibtexName(a Author) string {
	if a.Organisation || a.Family == "" {
		return "{" + tex.Replace(a.Full) + "}"
	}
	part := func(s string) string {
		text := tex.Replace(s)
		if strings.Contains(s, ",") || strings.Contains(" "+strings.ToLower(s)+" ", " and ") {
			return "{" + text + "}"
		}
		return text
	}
	family := part(a.Family)
	if last := a.Family[strings.LastIndexByte(a.Family, ' ')+1:]; family[0] != '{' && unicode.IsLower([]rune(last)[0]) {
		family = "{" + family + "}" // a word in small letters would be read as a particle
	}
	if a.Given == "" {
		return "{" + tex.Replace(a.Family) + "}"
	}
	if a.Suffix != "" {
		return family + ", " + part(a.Suffix) + ", " + part(a.Given)
	}
	return family + ", " + part(a.Given)
}

// bibtexKey is ASCII, and no other item or version has it.
func bibtexKey(it *Item) string {
	name := "item"
	if len(it.Authors) > 0 {
		a := it.Authors[0]
		letters := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return -1
		}, norm.NFD.String(strings.ToLower(a.join("", ""))))
		if letters != "" {
			name = letters[:min(len(letters), 30)]
		}
	}
	key := name + "_" + it.year("nd") + "_"
	if it.Kind == "collection" {
		key += "c"
	}
	key += strconv.FormatInt(it.ID, 10)
	if it.Version > 0 {
		key += "_v" + strconv.Itoa(it.Version)
	}
	return key
}

package formats

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alcove/record"
)

// authorCases are authors as requests name them, one for each rule of names and for each way in which an importer hands an
// author on.
var authorCases = []struct{ about, ref string }{
	{"family name first", `{"name": "Lind, Maja"}`},
	{"particle behind the given name", `{"name": "Hoek, Piet van den"}`},
	{"particle before the family name", `{"name": "van den Hoek, Piet"}`},
	{"suffix with a full stop", `{"name": "Reed, Ann, Jr."}`},
	{"suffix as a numeral", `{"name": "Reed, Ann Mary, III"}`},
	{"two family names", `{"name": "Ruiz Blanco, Inés"}`},
	{"apostrophe", `{"name": "O'Dea, Siún"}`},
	{"particle of two words", `{"name": "de la Torre Ruiz, Inés"}`},
	{"German particle", `{"name": "von Ahlen, Konrad"}`},
	{"hyphen and an initial", `{"name": "El-Amin, K."}`},
	{"given name first", `{"name": "Maja Lind"}`},
	{"given name first, with a particle", `{"name": "Piet van den Hoek"}`},
	{"initials first", `{"name": "E. B. C. White"}`},
	{"given name first, two family names", `{"name": "Inés Ruiz Blanco"}`},
	{"Vietnamese, family name first without a comma", `{"name": "Trần Thị Bình"}`},
	{"Vietnamese with a comma", `{"name": "Trần, Thị Bình"}`},
	{"Han", `{"name": "李大山"}`},
	{"Hangul", `{"name": "박 영희"}`},
	{"one word", `{"name": "Plato"}`},
	{"given name first with an ORCID iD", `{"name": "Maja Lind", "orcid_id": "0000-0002-1825-0097"}`},
	{"family name first with an ORCID iD", `{"name": "Lind, Maja", "orcid_id": "0000-0002-1825-0097"}`},
	{"organisation in braces", `{"name": "{Reef Watch Group}"}`},
	{"organisation in braces with a comma", `{"name": "{Office of Tides, South}"}`},
	{"organisation without a sign", `{"name": "Reef Watch Group"}`},
	{"organisation by its kind", `{"name": "Ministry of Reefs and Lagoons", "kind": "organisation"}`},
	{"entity of CITATION.cff", `{"name": "Lagoon Data Team", "kind": "organisation"}`},
	{"particle of CITATION.cff", `{"first_name": "Maja", "last_name": "van Ahlen", "name_particle": "van"}`},
	{"suffix of CITATION.cff", `{"first_name": "Ann", "last_name": "Reed", "name_suffix": "Jr."}`},
	{"alias of CITATION.cff", `{"name": "mlind7"}`},
	{"Organizational at DataCite", `{"name": "Reefs of the South", "kind": "organisation"}`},
	{"Personal at DataCite", `{"first_name": "Maja", "last_name": "Lind"}`},
	{"no type at DataCite", `{"first_name": "Maja", "last_name": "Lind"}`},
	{"Organization in an RO-Crate", `{"name": "Reef Lab", "kind": "organisation"}`},
	{"Person in an RO-Crate", `{"name": "Maja Lind", "affiliations": [{"name": "Reef Lab"}]}`},
	{"organizational in InvenioRDM", `{"name": "The Kettle Group", "kind": "organisation"}`},
	{"Dataverse, no comma", `{"name": "Reef Research Group", "kind": "organisation"}`},
	{"first and last name", `{"first_name": "Piet", "last_name": "van den Hoek"}`},
	{"first and last name, an ORCID iD added", `{"given_name": "Inés", "family_name": "Ruiz Blanco", "orcid_id": "0000-0002-1825-0097"}`},

	{"affiliations with and without a ROR ID", `{"name": "Lind, Maja", "affiliations": [{"name": "Tide Office", "ror_id": "05dxps055"}, {"name": "Reef & Co"}]}`},
	{"organisation with a ROR ID", `{"name": "Tide Office", "kind": "organisation", "ror_id": "https://ror.org/05dxps055"}`},
	{"organisation with an affiliation", `{"name": "Reef Watch", "kind": "organisation", "affiliations": [{"name": "Tide Office"}]}`},
	{"particle with a capital", `{"name": "De Luca, Gio"}`},
	{"known particle with a capital", `{"given_name": "Gio", "family_name": "Luca", "name_particle": "De"}`},
	{"particle and suffix", `{"given_name": "Piet", "family_name": "Hoek", "name_particle": "van den", "name_suffix": "Sr."}`},
	{"suffix without a comma", `{"name": "Ann Reed Jr."}`},
	{"suffix behind the only comma", `{"name": "Ann Reed, III"}`},
	{"Han by parts", `{"first_name": "大山", "last_name": "李"}`},
	{"Hangul by parts", `{"first_name": "영희", "last_name": "박"}`},
	{"Kana", `{"name": "さくら はな"}`},
	{"two joined family names", `{"name": "Juan Ruiz y Blanco"}`},
	{"family name alone", `{"last_name": "Ruiz Blanco"}`},
	{"given name alone", `{"first_name": "Maja"}`},
	{"hyphens in the given name", `{"name": "Lind, Anna-Maja K."}`},
	{"and in a family name", `{"first_name": "Ann", "last_name": "Sand and Sea"}`},
	{"organisation with and", `{"name": "{Sand and Sea, Ltd}"}`},
	{"ampersand and braces", `{"name": "Reef & {Sons}", "kind": "organisation"}`},
	{"Arabic with a comma", `{"name": "حسن, ليلى"}`},
	{"Cyrillic, given name first", `{"name": "Анна Петрова"}`},
	{"Greek with a comma", `{"name": "Παπά, Ελένη"}`},
	{"small letters", `{"name": "bell reef"}`},
}

// authorOf is a stored author as exports get it.
func authorOf(p *record.Person) Author {
	site := func(ror string) string {
		if ror == "" {
			return ""
		}
		return "https://ror.org/" + ror
	}
	a := Author{
		Family: p.LastName, Given: p.FirstName, Full: p.FullName, Particle: p.Particle, Suffix: p.Suffix, Organisation: p.Organisation(),
		Guessed: p.Guessed, ORCID: p.ORCID, ROR: site(p.ROR),
	}
	for _, f := range p.Affiliations {
		a.Affiliations = append(a.Affiliations, Affiliation{f.Name, site(f.ROR)})
	}
	return a
}

// authorItems are items by one author each, and one by all of them.
func authorItems(t *testing.T) (list []Item) {
	t.Helper()
	var all []Author
	add := func(authors ...Author) {
		n := int64(len(list) + 1)
		list = append(list, Item{
			Kind: "article", ID: n, Version: 1, Type: "dataset", Title: fmt.Sprintf("Work %d", n), Authors: authors, Published: sampleDay, First: sampleDay,
			DOI: fmt.Sprintf("10.1234/%d", n), URL: fmt.Sprintf("https://a.example/%d", n), Publisher: "Alcove", License: "CC0", LicenseURL: "https://creativecommons.org/publicdomain/zero/1.0/",
		})
	}
	for _, k := range authorCases {
		body, err := record.ReadBody([]byte(k.ref), false)
		var ref record.AuthorRef
		if err == nil {
			_, err = body.Bind(&ref)
		}
		if err == nil {
			err = record.CheckAuthors([]record.AuthorRef{ref})
		}
		if err != nil {
			t.Fatalf("%s: %v", k.about, err)
		}
		a := authorOf(ref.NewPerson(1))
		all = append(all, a)
		add(a)
	}
	add(all...)
	return list
}

// authorForms are the exports that name authors, and the part of each that does.
var authorForms = []struct {
	name string
	part func(text string) string
}{
	{"apa", func(s string) string { who, _, _ := strings.Cut(s, " ("); return who }},
	{"bibtex", matched(`(?m)^  author = (.*),$`)},
	{"ris", matched(`(?m)^AU  - (.*)\r$`)},
	{"endnote", matched(`(?m)^%A (.*)\r$`)},
	{"csl", members("author")},
	{"cff", matched(`(?ms)^authors:\n(.*?)^\w`)},
	{"datacite-xml", matched(`(?s)<creators>(.*)</creators>`)},
	{"datacite-json", members("creators")},
	{"dublin-core", matched(`(?m)(<dc:creator>.*)$`)},
	{"oai-datacite", matched(`(?s)<creators>(.*)</creators>`)},
	{"dcat", matched(`(?s)<dct:creator>(.*?)</dct:creator>`)},
	{"schemaorg", members("creator")},
	{"croissant", members("creator")},
	{"ro-crate", func(s string) string {
		var crate struct {
			Graph []map[string]any `json:"@graph"`
		}
		_ = json.Unmarshal([]byte(s), &crate)
		var out []string
		for _, e := range crate.Graph {
			if of := e["@type"]; (of == "Person" || of == "Organization") && e["name"] != "Alcove" {
				b, _ := json.Marshal(e)
				out = append(out, string(b))
			}
		}
		return strings.Join(out, " ")
	}},
}

var between = regexp.MustCompile(`\s*\n\s*`)

func matched(pattern string) func(string) string {
	form := regexp.MustCompile(pattern)
	return func(s string) string {
		var out []string
		for _, m := range form.FindAllStringSubmatch(s, -1) {
			out = append(out, strings.TrimSpace(between.ReplaceAllString(m[1], " ")))
		}
		return strings.Join(out, " | ")
	}
}

func members(key string) func(string) string {
	return func(s string) string {
		var o map[string]json.RawMessage
		_ = json.Unmarshal([]byte(s), &o)
		return strings.TrimSpace(between.ReplaceAllString(string(o[key]), " "))
	}
}

// Each export writes each author as testdata/authors.txt has it. The file was read by eye.
func TestAuthors(t *testing.T) {
	const path = "testdata/authors.txt"
	items := authorItems(t)
	var b strings.Builder
	for i, k := range authorCases {
		fmt.Fprintf(&b, "= %s: %s\n", k.about, k.ref)
		for _, f := range authorForms {
			form, _ := ByName(f.name)
			part := f.part(form.Write(items[i]))
			if part == "" {
				t.Errorf("%s: %s names no author", k.about, f.name)
			}
			fmt.Fprintf(&b, "%s\t%s\n", f.name, part)
		}
		for _, tag := range Meta(items[i]) {
			if tag.Name == "citation_author" {
				fmt.Fprintf(&b, "highwire\t%s\n", tag.Content)
			}
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	is, was := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(is), len(was)) {
		if i >= len(is) || i >= len(was) || is[i] != was[i] {
			t.Fatalf("line %d of %s is another:\n got %s\nwant %s", i+1, path, is[min(i, len(is)-1)], was[min(i, len(was)-1)])
		}
	}
}

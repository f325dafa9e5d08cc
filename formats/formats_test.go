package formats

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden file anew")

var day = time.Date(2024, 3, 5, 23, 0, 0, 0, time.UTC)

func many(n int) []Author {
	list := []Author{}
	for i := range n {
		list = append(list, Author{Family: fmt.Sprintf("Name%c", 'A'+i), Given: "Jo Ann"})
	}
	return list
}

var samples = []struct {
	name string
	Item
}{
	{"all fields", Item{Kind: "article", ID: 7, Version: 2, Type: "dataset", Title: "Tides of the North Sea",
		Authors:   []Author{{Family: "Doe", Given: "Jane A.", ORCID: "0000-0002-1825-0097"}, {Family: "Roe", Given: "Jean-Paul"}},
		Published: day, Modified: day.AddDate(0, 1, 0), DOI: "10.1234/alcove.7.v2", Handle: "10779/7", URL: "https://a.example/articles/dataset/tides/7/2",
		Publisher: "Alcove", License: "CC BY 4.0", LicenseURL: "https://creativecommons.org/licenses/by/4.0/", Keywords: []string{"tides", "sea level"},
		Categories: []string{"Oceanography"}, Funding: []string{"Sea grant 12"}, References: []string{"https://doi.org/10.1/x"},
		Description: "Water levels,\nhour by hour.", Image: "https://a.example/thumb.png",
		Files: []File{{Name: "a.csv", URL: "https://a.example/files/1", MD5: "d41d8cd98f00b204e9800998ecf8427e", MIME: "text/csv", Size: 12}}}},
	{"organisation, no DOI", Item{Kind: "article", ID: 8, Version: 1, Type: "report", Title: "Who reports?",
		Authors: []Author{{Full: "World Health Organization"}}, Published: day, URL: "https://a.example/8", Publisher: "World Health Organization"}},
	{"particles", Item{Kind: "article", ID: 9, Type: "software", Title: "brush", DOI: "10.1234/9",
		Authors: []Author{{Family: "van der Berg", Given: "Jan"}, {Family: "Beethoven", Given: "Ludwig van"}, {Family: "de la Cruz", Given: "J."}}, Published: day, Publisher: "Alcove"}},
	{"one word, no date", Item{Kind: "article", ID: 10, Version: 1, Type: "figure", Title: "Map", Authors: []Author{{Full: "Plato"}, {Family: "Sukarno"}}, Handle: "10779/10", Publisher: "Alcove"}},
	{"no authors", Item{Kind: "article", ID: 11, Version: 3, Type: "poster", Title: "Is it so?", Published: day, DOI: "10.1234/11", Publisher: "Alcove"}},
	{"nothing", Item{Kind: "article", ID: 12}},
	{"four authors", Item{Kind: "article", ID: 13, Type: "thesis", Title: "A \"quoted\" title", Authors: many(4), Published: day, Publisher: "Alcove", DOI: "10.1234/13"}},
	{"seven authors", Item{Kind: "article", ID: 14, Type: "book", Title: "On “Seven”", Authors: many(7), Published: day, Publisher: "Alcove", DOI: "10.1234/14"}},
	{"21 authors", Item{Kind: "collection", ID: 14, Version: 1, Title: "Together", Authors: many(21), Published: day, Publisher: "Alcove", DOI: "10.1234/c.14"}},
	{"LaTeX", Item{Kind: "article", ID: 15, Type: "preprint", Title: `50% of {x_1} & $y^2$ #~\end{document}}`,
		Authors: []Author{{Family: "Smith, Jr and Sons", Given: "{A}"}, {Full: "Barnes and Noble, Inc."}}, Published: day, Publisher: "A & B", DOI: "10.1234/{a}_<b>#%"}},
	{"hostile", Item{Kind: "article", ID: 16, Type: "media", Title: "a\r\nER  - \r\nTY  - BOOK\u2028</script><b>\u202Eevil\u200F \x00", Authors: []Author{{Family: "Żółć", Given: "Éa"}},
		URL: "javascript:alert(1)", Published: day, Publisher: "Al\ncove", Description: "</script><script>alert(1)</script>",
		Files: []File{{Name: "x", URL: "javascript:1"}}}},
	{"other writing", Item{Kind: "article", ID: 17, Type: "physical object", Title: "المد والجزر 🌊 潮汐", Authors: []Author{{Family: "李", Given: "伟"}, {Family: "O’Neill", Given: "e\u0301va"}}, Published: day, Publisher: "Alcove", DOI: "10.1234/17"}},
}

// The forms of the samples are as they were read and found right.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, s := range samples {
		b.WriteString("######## " + s.name + "\n")
		for _, f := range All() {
			b.WriteString("== " + f.Name + "\n" + strings.TrimSuffix(strings.ReplaceAll(f.Write(s.Item), "\r\n", "\n"), "\n") + "\n")
		}
		b.WriteString("== meta\n")
		for _, tag := range Meta(s.Item) {
			b.WriteString(tag.Name + ": " + tag.Content + "\n")
		}
	}
	const path = "testdata/golden.txt"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("the forms are not those of %s; got\n%s", path, got)
	}
}

var hostile = []string{"}", "{", "\\}", `\`, "a}},\n@book{b,", "\r\nER  - ", "\u2028ER  - \u2029TY  - BOOK", "\u0085x", "\v\f",
	"</script><script>", "<!--", "\"", `\"`, "'", "\x00", "\xff\xfe}", "\u202Eabc\u202C", " and ", ",", "%", "$", "#", "~", "^", "]]>", "javascript:alert(1)", "https://a.example/}{\"<"}

// No text, in any field, ends the field of BibTeX, the line of RIS or the element around JSON-LD.
func TestHostileText(t *testing.T) {
	risLine := regexp.MustCompile(`^[A-Z][A-Z0-9]  - [^\r\n\v\f\x{85}\x{2028}\x{2029}]*$`)
	for _, a := range hostile {
		for _, b := range hostile {
			h := a + b
			it := Item{Kind: h, ID: 1, Version: 1, Type: h, Title: h, Authors: []Author{{Family: h, Given: h, ORCID: h}, {Full: h}, {Given: h}},
				Published: day, DOI: h, Handle: h, URL: h, Image: h, Publisher: h, License: h, LicenseURL: h, Keywords: []string{h, ""},
				Categories: []string{h}, Funding: []string{h}, References: []string{h}, Description: h, Files: []File{{h, h, h, h, 1}}}
			checkBibTeX(t, h, bibtex(it.clean()))
			out := ris(it.clean())
			list := strings.Split(strings.TrimSuffix(out, "\r\n"), "\r\n")
			for i, l := range list {
				if !risLine.MatchString(l) || strings.HasPrefix(l, "TY") != (i == 0) || strings.HasPrefix(l, "ER") != (i == len(list)-1) {
					t.Fatalf("RIS of %q: line %q", h, l)
				}
			}
			for _, write := range []func(*Item) string{csl, schemaOrg} {
				text := write(it.clean())
				if !json.Valid([]byte(text)) || strings.ContainsAny(text, "<>\u2028\u2029\u202E") {
					t.Fatalf("JSON of %q: %s", h, text)
				}
			}
			for _, f := range All()[:5] {
				if text := f.Write(it); strings.ContainsAny(text, "\r\n\u2028\u202E\x00") {
					t.Fatalf("%s of %q: %q", f.Name, h, text)
				}
			}
		}
	}
}

// checkBibTeX reads an entry as BibTeX does: braces count even after a backslash.
func checkBibTeX(t *testing.T, h, text string) {
	t.Helper()
	depth := 0
	for i, r := range text {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case '@':
			if depth == 0 && i > 0 {
				t.Fatalf("BibTeX of %q has a second entry: %s", h, text)
			}
		}
		if depth == 0 && i > 10 && i < len(text)-2 || depth < 0 {
			t.Fatalf("BibTeX of %q ends early: %s", h, text)
		}
	}
	if depth != 0 {
		t.Fatalf("BibTeX of %q does not end: %s", h, text)
	}
}

// Items, kinds and versions have different BibTeX keys.
func TestKeys(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range []string{"article", "collection"} {
		for id := range int64(20) {
			for version := range 12 {
				key := bibtexKey(&Item{Kind: kind, ID: id, Version: version, Authors: []Author{{Family: "Żółć-李"}}})
				if seen[key] || !regexp.MustCompile(`^[a-z]+_nd_c?\d+(_v\d+)?$`).MatchString(key) {
					t.Errorf("key %s", key)
				}
				seen[key] = true
			}
		}
	}
}

// Names, and media types with extensions, are each one of a kind; every form has all of them.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		got, ok := ByName(f.Name)
		if !ok || got.Label != f.Label || seen[f.Name] || f.Media == "" || f.Extension[0] != '.' {
			t.Errorf("form %+v", f)
		}
		seen[f.Name] = true
	}
}

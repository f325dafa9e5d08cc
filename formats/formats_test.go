package formats

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
)

var update = flag.Bool("update", false, "write the golden file again")

var sampleDay = time.Date(2024, 3, 5, 23, 0, 0, 0, time.UTC)

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
		Published: sampleDay, Modified: sampleDay.AddDate(0, 1, 0), DOI: "10.1234/alcove.7.v2", Handle: "10779/7", URL: "https://a.example/articles/dataset/tides/7/2",
		Publisher: "Alcove", License: "CC BY 4.0", LicenseURL: "https://creativecommons.org/licenses/by/4.0/", Keywords: []string{"tides", "sea level"},
		Categories: []Category{{"Oceanography", "3708"}}, Grants: []Grant{{Title: "Sea grant 12"}, {"Tides", "Sea fund", "S-13", "https://a.example/g"}}, First: sampleDay.AddDate(0, -2, 0), ConceptDOI: "10.1234/alcove.7",
		Related: []Related{{"10.1/x", "DOI", "References", "", "https://doi.org/10.1/x"}, {"https://b.example/y", "URL", "IsDerivedFrom", "Y", "https://b.example/y"}, {"z", "no such", "References", "", ""}}, Site: "https://a.example/", Count: 1, Size: 12,
		Description: "Water levels,\nhour by hour.", Image: "https://a.example/thumb.png",
		Files: []File{{Name: "a.csv", URL: "https://a.example/files/1", MD5: "d41d8cd98f00b204e9800998ecf8427e", MIME: "text/csv", Size: 12}}}},
	{"organisation, no DOI", Item{Kind: "article", ID: 8, Version: 1, Type: "report", Title: "Who reports?",
		Authors: []Author{{Full: "World Health Organization", Organisation: true}}, Published: sampleDay, URL: "https://a.example/8", Publisher: "World Health Organization"}},
	{"particles", Item{Kind: "article", ID: 9, Type: "software", Title: "brush", DOI: "10.1234/9",
		Authors: []Author{{Family: "van der Berg", Given: "Jan"}, {Family: "Beethoven", Given: "Ludwig van"}, {Family: "de la Cruz", Given: "J."}}, Published: sampleDay, Publisher: "Alcove"}},
	{"one word, no date", Item{Kind: "article", ID: 10, Version: 1, Type: "figure", Title: "Map", Authors: []Author{{Full: "Plato"}, {Family: "Sukarno"}}, Handle: "10779/10", Publisher: "Alcove"}},
	{"no authors", Item{Kind: "article", ID: 11, Version: 3, Type: "poster", Title: "Is it so?", Published: sampleDay, DOI: "10.1234/11", Publisher: "Alcove"}},
	{"nothing", Item{Kind: "article", ID: 12}},
	{"four authors", Item{Kind: "article", ID: 13, Type: "thesis", Title: "A \"quoted\" title", Authors: many(4), Published: sampleDay, Publisher: "Alcove", DOI: "10.1234/13"}},
	{"seven authors", Item{Kind: "article", ID: 14, Type: "book", Title: "On “Seven”", Authors: many(7), Published: sampleDay, Publisher: "Alcove", DOI: "10.1234/14"}},
	{"21 authors", Item{Kind: "collection", ID: 14, Version: 1, Title: "Together", Authors: many(21), Published: sampleDay, Publisher: "Alcove", DOI: "10.1234/c.14"}},
	{"LaTeX", Item{Kind: "article", ID: 15, Type: "preprint", Title: `50% of {x_1} & $y^2$ #~\end{document}}`,
		Authors: []Author{{Family: "Smith, Jr and Sons", Given: "{A}"}, {Full: "Barnes and Noble, Inc.", Organisation: true}}, Published: sampleDay, Publisher: "A & B", DOI: "10.1234/{a}_<b>#%"}},
	{"hostile", Item{Kind: "article", ID: 16, Type: "media", Title: "a\r\nER  - \r\nTY  - BOOK\u2028</script><b>\u202Eevil\u200F \x00", Authors: []Author{{Family: "Żółć", Given: "Éa"}},
		URL: "javascript:alert(1)", Published: sampleDay, Publisher: "Al\ncove", Description: "</script><script>alert(1)</script>",
		Files: []File{{Name: "x", URL: "javascript:1"}}}},
	{"other writing", Item{Kind: "article", ID: 17, Type: "physical object", Title: "المد والجزر 🌊 潮汐", Authors: []Author{{Family: "李", Given: "伟"}, {Family: "O’Neill", Given: "e\u0301va"}}, Published: sampleDay, Publisher: "Alcove", DOI: "10.1234/17"}},
}

// The forms of the samples are as they were read and found right.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, s := range samples {
		b.WriteString("######## " + s.name + "\n")
		for _, f := range All() {
			if f.Profile != "" && f.Name != "schemaorg" && s.name != "all fields" && s.name != "nothing" {
				continue // long, and tested by their rules
			}
			b.WriteString("== " + f.Name + "\n" + strings.TrimSuffix(strings.ReplaceAll(f.Write(s.Item), "\r\n", "\n"), "\n") + "\n")
			if f.Citation() {
				b.WriteString(f.HTML(s.Item) + "\n")
				checkHTML(t, f, s.Item)
			} else if f.HTML(s.Item) != "" {
				t.Errorf("%s is in HTML", f.Name)
			}
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
				Published: sampleDay, DOI: h, Handle: h, URL: h, Image: h, Publisher: h, License: h, LicenseURL: h, Keywords: []string{h, ""},
				Categories: []Category{{h, h}}, Grants: []Grant{{h, h, h, h}}, Description: h, Files: []File{{h, h, h, h, 1}},
				ConceptDOI: h, Site: h, Related: []Related{{h, "DOI", "References", h, h}, {h, h, h, h, h}}}
			checkBibTeX(t, h, bibtex(it.clean()))
			out := ris(it.clean())
			list := strings.Split(strings.TrimSuffix(out, "\r\n"), "\r\n")
			for i, l := range list {
				if !risLine.MatchString(l) || strings.HasPrefix(l, "TY") != (i == 0) || strings.HasPrefix(l, "ER") != (i == len(list)-1) {
					t.Fatalf("RIS of %q: line %q", h, l)
				}
			}
			for _, f := range All() {
				text := f.Write(it)
				if f.XML() {
					checkXML(t, h, text)
				}
				if !strings.HasSuffix(f.Media, "json") {
					continue
				}
				if !json.Valid([]byte(text)) || strings.ContainsAny(text, "<>\u2028\u2029\u202E") {
					t.Fatalf("JSON of %q: %s", h, text)
				}
			}
			for _, f := range All() {
				if !f.Citation() {
					continue
				}
				if text := f.Write(it); strings.ContainsFunc(text, unicode.IsControl) || strings.ContainsAny(text, "\u2028\u202E") {
					t.Fatalf("%s of %q: %q", f.Name, h, text)
				}
				checkHTML(t, f, it)
			}
		}
	}
}

// checkXML reads a form as XML: no text of the item adds an element to it.
func checkXML(t *testing.T, h, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		switch token, err := d.Token(); {
		case err == io.EOF:
			return
		case err != nil:
			t.Fatalf("XML of %q: %v\n%s", h, err, text)
		default:
			switch token := token.(type) {
			case xml.StartElement:
				if n := token.Name.Local; n == "script" || n == "book" {
					t.Fatalf("XML of %q has an element of its own: %s", h, text)
				}
			case xml.Comment:
				t.Fatalf("XML of %q has a comment: %s", h, text)
			}
		}
	}
}

// checkHTML reads a citation in HTML: it says what the text says, and has no elements but italics and links to
// the web.
func checkHTML(t *testing.T, f Format, it Item) {
	t.Helper()
	page, said := f.HTML(it), ""
	d := xml.NewDecoder(strings.NewReader("<p>" + page + "</p>"))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s of %q in HTML: %v\n%s", f.Name, it.Title, err, page)
		}
		switch token := token.(type) {
		case xml.CharData:
			said += string(token)
		case xml.StartElement:
			n, list := token.Name.Local, token.Attr
			web := len(list) == 1 && list[0].Name.Local == "href" && regexp.MustCompile(`^https?://`).MatchString(list[0].Value)
			if !(n == "a" && web || (n == "i" || n == "p") && len(list) == 0) {
				t.Fatalf("%s of %q in HTML has %s %v: %s", f.Name, it.Title, n, list, page)
			}
		case xml.EndElement:
		default:
			t.Fatalf("%s of %q in HTML has %v: %s", f.Name, it.Title, token, page)
		}
	}
	if text := f.Write(it); said != text || text == "" {
		t.Fatalf("%s of %q says %q as text and %q in HTML", f.Name, it.Title, text, said)
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

// Each line of the table is found by its name and its prefix, and no two by the same; a form asks for a media type
// that no other has, or for one with another profile.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	once := func(f Format, of, text string) {
		if seen[of+text] {
			t.Errorf("two forms have the %s %s: %s", of, text, f.Name)
		}
		seen[of+text] = true
	}
	for _, f := range All() {
		got, ok := ByName(f.Name)
		if !ok || got.Name != f.Name || f.Media == "" || !strings.Contains(f.Extension, ".") || !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(f.Name) {
			t.Errorf("form %+v", f)
		}
		once(f, "name", f.Name)
		if f.Label != "" {
			once(f, "label", f.Label)
		}
		if !f.Citation() {
			once(f, "media type", f.Media+f.Profile)
			once(f, "file name", f.Extension)
			for _, a := range strings.Fields(f.Aliases) {
				once(f, "media type", a)
			}
		}
		if f.Prefix == "" {
			continue
		}
		once(f, "prefix", f.Prefix)
		if got, ok := ByPrefix(f.Prefix); !ok || got.Name != f.Name || f.Schema == "" || f.Space == "" || !f.XML() || strings.HasPrefix(f.Element(Item{}), "<?") {
			t.Errorf("prefix of %+v", f)
		}
	}
	if _, ok := ByPrefix(""); ok {
		t.Error("the empty prefix is one")
	}
}

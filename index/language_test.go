package index

import (
	"context"
	"encoding/json"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/record"
	"alcove/record/catalogue"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// library publishes the items that the language is tried on.
func library(t *testing.T) *Index {
	dir := t.TempDir()
	db := openStore(t, dir)
	people := func(names ...string) (out []record.Person) {
		for _, n := range names {
			first, last, _ := strings.Cut(n, " ")
			out = append(out, record.Person{FullName: n, FirstName: first, LastName: last})
		}
		return out
	}
	ecology, ok := catalogue.CategoryByID(3103)
	if !ok {
		t.Fatal("no category 3103")
	}
	jane := people("Jane Smith", "José Müller")
	jane[0].ORCID = "0000-0002-1825-0097"
	publish(t, db, 1, record.Metadata{
		Title:       "The law of cells & tissues",
		Description: `<p>Grown in H<sub>2</sub>O at the <b>caf&eacute;</b>.</p><p>p<0.05 throughout</p><script>hidden()</script>`,
		Type:        3, License: 1, Tags: []string{"Democrat", "Cats and Dogs"}, Categories: []int64{ecology.ID},
		DOI: "10.5072/alcove.1", Funding: "Wellcome 12345", ResourceDOI: "10.1000/XYZ.7", ResourceTitle: "Law and order in tissue",
		References:   []string{"https://doi.org/10.1234/ref.9", "https://example.org/protocols/staining"},
		CustomFields: []record.CustomField{{Name: "Instrument", Value: json.RawMessage(`["Zeiss Axio", 42]`)}},
	}, jane, "figure3_5.m", "raw-data.tar.GZ", "Überblick.csv")
	publish(t, db, 2, record.Metadata{
		Title: "Universities of Zürich: a co-author network", Description: "Plain text, law in order; CamelCase and mRNA. state-of-the-art",
		Type: 9, License: 2, Tags: []string{"democrats", "network"}, DOI: "10.5072/alcove.2",
	}, people("Jane Doe", "Bob Smith"), "x.py")
	publish(t, db, 3, record.Metadata{
		Title: "機械学習による画像認識", Description: "深層学習 and 한국어 데이터 ภาษาไทย", Type: 1, License: 3, DOI: "10.5072/alcove.3",
	}, people("山田 太郎"))
	publish(t, db, 4, record.Metadata{
		Title: "Cellular mouse", Description: "Alzheimer's disease in O'Brien's mice, Большой Йод, Ελλάδα", Type: 8, License: 10,
	}, people("Anna O'Brien"), "thesis.pdf")
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	return ix
}

func TestLanguage(t *testing.T) {
	ix := library(t)
	for _, c := range []struct {
		text string
		ids  []int64
	}{
		// words
		{"cell", []int64{1}}, {"CELLS", []int64{1}}, {"cells tissue", []int64{1}}, {"mouse network", []int64{2, 4}},
		{"the", nil}, {"of the", nil}, {"zzz", nil}, {"", nil}, {"...", nil}, {"*", nil}, {"c*", nil}, {"cell*", []int64{1, 4}},
		// beginnings of words
		{"tiss*", []int64{1}}, {"universit*", []int64{2}}, {"UNIVERSITI*", []int64{2}}, {"zür*", []int64{2}}, {"ti*", nil}, {"law*", []int64{1, 2}},
		{"cel* AND NOT cellular", []int64{1}}, {":title: cellu*", []int64{4}}, {":author: smi*", []int64{1, 2}}, {":author: (smi* AND jan*)", []int64{1, 2}},
		{"ell*", nil}, {"cell**", []int64{1, 4}}, {"*cell", []int64{1}}, {"camelc*", []int64{2}}, {`"cel*"`, nil}, {"больш*", []int64{4}},
		{"university", []int64{2}},
		// accents and case, both ways
		{"Zurich", []int64{2}}, {"ZÜRICH", []int64{2}}, {"Zu\u0308rich", []int64{2}}, {"muller", []int64{1}}, {"Müller", []int64{1}},
		{"ÜBERBLICK", []int64{1}}, {"cafe", []int64{1}}, {"café", []int64{1}}, {"большой", []int64{4}}, {"йод", []int64{4}}, {"ελλαδα", []int64{4}},
		// HTML is what it says
		{"H2O", []int64{1}}, {"eacute", nil}, {"amp", nil}, {"hidden", []int64{1}}, {"sub", nil}, {`"p 0 05 throughout"`, []int64{1}},
		// phrases
		{`"law in order"`, []int64{1, 2}}, {`"law and order"`, []int64{1, 2}}, {`"order law"`, nil}, {`"cells tissues"`, []int64{1}},
		{`"grown in h2o"`, []int64{1}}, {`"cats and dogs"`, []int64{1}}, {`"dogs universities"`, nil}, {`“plain text”`, []int64{2}},
		{`"jane smith"`, []int64{1}}, {`"co-author network"`, []int64{2}}, {`"law`, []int64{1, 2}}, {`""`, nil}, {`"the"`, nil},
		// operators
		{"cells AND law", []int64{1}}, {"cells AND network", nil}, {"cells OR network", []int64{1, 2}}, {"law NOT cells", []int64{2}},
		{"law AND NOT cells", []int64{2}}, {"NOT law", []int64{3, 4}}, {"NOT NOT law", []int64{1, 2}}, {"law and cells", []int64{1, 2}},
		{"mouse OR law AND cells", []int64{1, 4}}, {"(mouse OR law) AND cells", []int64{1}}, {"mouse law NOT cells", []int64{2, 4}},
		{"mouse OR law NOT cells", []int64{2, 4}}, {"NOT (law OR mouse)", []int64{3}}, {"law AND", []int64{1, 2}}, {"AND law", []int64{1, 2}},
		{"OR", nil}, {"NOT", nil}, {"AND OR NOT", nil}, {"law AND the", []int64{1, 2}}, {"law AND OR mouse", []int64{1, 2, 4}}, {"NOT the", nil},
		{"((law)", []int64{1, 2}}, {"law)) AND cells", []int64{1}}, {"()", nil}, {"(law) (mouse)", []int64{1, 2, 4}}, {"NOT mouse NOT law", []int64{3}},
		// names, files, identifiers
		{"figure3_5.m", []int64{1}}, {"figure3", []int64{1}}, {"raw-data.tar.gz", []int64{1}}, {"rawdata", []int64{1}}, {"coauthor", []int64{2}},
		{"co-author", []int64{2}}, {"camelcase", []int64{2}}, {"CamelCase", []int64{2}}, {"camel", []int64{2}}, {"rna", []int64{2}}, {"mrna", []int64{2}},
		{"state-of-the-art", []int64{2}}, {"10.5072/alcove.1", []int64{1}}, {"https://doi.org/10.5072/alcove.2", []int64{2}}, {"doi:10.5072/ALCOVE.1.v1", []int64{1}},
		{"10.1000/xyz.7", []int64{1}}, {"10.5072", []int64{1, 2, 3}}, {"0000-0002-1825-0097", []int64{1}}, {"12345", []int64{1}}, {"zeiss", []int64{1}}, {"42", []int64{1}},
		{"O'Brien", []int64{4}}, {"obrien", []int64{4}}, {"alzheimer", []int64{4}}, {"Alzheimer’s", []int64{4}}, {`"alzheimer disease"`, []int64{4}},
		{"https://example.org/protocols/staining", []int64{1}}, {"thesis", []int64{4}}, {"software", []int64{2}}, {"MIT", []int64{3}}, {"ecology", []int64{1}},
		// scripts without spaces
		{"機械学習", []int64{3}}, {"学習", []int64{3}}, {"習学", nil}, {"像", []int64{3}}, {"画像 cells", []int64{1, 3}}, {`"学習による"`, []int64{3}}, {"深層学習 AND 認識", []int64{3}},
		{"한국어", []int64{3}}, {"데이터", []int64{3}}, {"ไทย", []int64{3}}, {"山田", []int64{3}}, {"機", []int64{3}}, {"機学", nil},
		// filters
		{":title: law", []int64{1}}, {":TITLE:law", []int64{1}}, {":title: law mouse", []int64{1, 4}}, {`:title: "law of cells"`, []int64{1}}, {`:title: "order"`, nil},
		{":description: law", []int64{2}}, {":tag: democrat", []int64{1}}, {":tag: democrats", []int64{2}}, {":Tag: DEMOCRAT", []int64{1}}, {":tag: cats", nil},
		{":tag: cats and dogs", []int64{1}}, {`:tag: "Cats and Dogs" OR network`, []int64{1, 2}}, {":tag: cats OR dogs", nil}, {":tag: democrat OR :tag: network", []int64{1, 2}},
		{":tag: democrat AND :search term: law", []int64{1}}, {":title: law OR :tag: network AND :search_term: law in order", []int64{1, 2}},
		{"(:description: order OR :description: grown) AND :description: h2o", []int64{1}},
		{":author: smith", []int64{1, 2}}, {":author: Jane Smith", []int64{1}}, {":author: smith jane", []int64{1}}, {":author: Jane Doe", []int64{2}}, {":author: Jane Muller", nil}, {":author: jose muller", []int64{1}}, {":author: O'Brien Anna", []int64{4}}, {":author: OBrien Anna", []int64{4}}, {":author: bob doe OR :author: jane doe", []int64{2}}, {":author: Jane Smith AND NOT cells", nil}, {`:author: "Smith, Jane"`, []int64{1}}, {":author: jane AND :author: muller", []int64{1}},
		{":author: o'brien", []int64{4}}, {":author: jan", nil},
		{":orcid: 0000-0002-1825-0097", []int64{1}}, {":orcid: https://orcid.org/0000-0002-1825-0097", []int64{1}}, {":orcid: 0000", nil},
		{":doi: 10.5072/alcove.1", []int64{1}}, {":doi: 10.5072/alcove.1.v1", []int64{1}}, {":doi: 10.5072/alcove.1.v2", nil}, {":doi: https://doi.org/10.5072/ALCOVE.1", []int64{1}},
		{":doi: 10.5072", nil}, {":resource_doi: 10.1000/xyz.7", []int64{1}}, {":resource_title: law and order", []int64{1}}, {":resource_title: order law", nil},
		{":resource_title:", nil}, {":references: 10.1234/ref.9", []int64{1}}, {":references: https://doi.org/10.1234/ref.9", []int64{1}}, {":references: protocols", []int64{1}},
		{":item_type: dataset", []int64{1}}, {":item type: 9", []int64{2}}, {":item_type: code", []int64{2}}, {":item_type: article", []int64{1, 2, 3, 4}}, {":item_type: banana", nil},
		{":extension: csv", []int64{1}}, {":extension: .CSV", []int64{1}}, {":extension: gz", []int64{1}}, {":extension: py OR :extension: pdf", []int64{2, 4}},
		{":licence: CCBY", []int64{1}}, {":license: cc by 4.0", []int64{1}}, {":license: 2", []int64{2}}, {":licence: CC0", []int64{2}}, {":licence: cc-by-nc", []int64{4}}, {":licence: c", nil},
		{":category: Ecology", []int64{1}}, {":category: 'Ecology'", []int64{1}}, {":category: 3103", []int64{1}}, {":category: 31", nil},
		{":title: (law OR mouse) AND NOT :author: smith", []int64{4}}, {":tag: (democrat OR network)", []int64{1, 2}}, {"NOT :item_type: dataset", []int64{2, 3, 4}},
		{":published_before: 2024-05-18", []int64{1, 2, 3, 4}}, {":published_before: 2024-05-17", nil}, {":published_after: 2024-05-17", []int64{1, 2, 3, 4}},
		{":published_after: 2024-05-18", nil}, {":published_after: 2023-12-31 AND :published_before: 2025-01-01 AND law", []int64{1, 2}}, {":published_after: soon", nil},
		{":published_before: 3000-01-01 AND mouse", []int64{4}},
		// what is no filter is words
		{":private_field: law", []int64{1, 2}}, {":: law", []int64{1, 2}}, {":title", nil}, {"law: cells", []int64{1, 2}}, {"title:law", nil},
	} {
		want(t, ix, c.text, c.ids...)
	}
}

// Input that is made to break parsers is answered, quickly, and matches what its words do.
func TestHostileText(t *testing.T) {
	ix := library(t)
	for name, s := range map[string]string{
		"words":        strings.Repeat("cell ", 10000),
		"short words":  strings.Repeat("a ", MaxQuery/2),
		"distinct":     distinct(700),
		"open":         strings.Repeat("(", MaxQuery),
		"open 4":       "((((",
		"close":        strings.Repeat(")", MaxQuery),
		"nested":       strings.Repeat("(law ", 500) + strings.Repeat(")", 500),
		"nots":         strings.Repeat("NOT ", 1000) + "law",
		"nested nots":  strings.Repeat("NOT (law ", 400),
		"stars":        strings.Repeat("a* ", 1000),
		"star":         "*",
		"regexp":       `/.*/ /(a+)+$/ [a-z]{1,1000}`,
		"fuzzy":        "cell~99 cell~",
		"boost":        "cell^1e309 cell^-1",
		"fields":       strings.Repeat(":title:", 500),
		"field nest":   strings.Repeat(":title:(", 400),
		"unknown":      ":_id: 1 _all:x +title:law -title:law",
		"quotes":       strings.Repeat(`"`, 999),
		"phrase":       `"` + strings.Repeat("law of ", 500) + `"`,
		"cjk":          strings.Repeat("機械学習", 340),
		"null":         "law\x00cells \x1e\x1f",
		"invalid":      "law \xff\xfe\xc3( cells",
		"marks":        "a" + strings.Repeat("\u0301", 1500),
		"expanding":    strings.Repeat("\ufdfa", 1300),
		"long word":    strings.Repeat("x", MaxQuery),
		"hyphens":      strings.Repeat("a-", MaxQuery/2),
		"dates":        strings.Repeat(":published_before: 2100-12-31 ", 120),
		"megabyte":     strings.Repeat("x ", 1<<19),
		"range":        "published:[* TO 2020] id:>5",
		"emoji":        "🧬 👩‍🔬 law",
		"bidi":         "\u202elaw\u202c",
		"tag operator": ":tag: OR OR OR NOT NOT (((",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			q, err := Parse(s)
			if len(s) > MaxQuery {
				if err != ErrTooLong {
					t.Errorf("a text of %d bytes: %v", len(s), err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			m, err := ix.Match(context.Background(), PublicArticles, q)
			if err != nil {
				t.Fatal(err)
			}
			done(t, m)
			if took := time.Since(start); took > time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
	want(t, ix, "law\x00cells", 1, 2)
	want(t, ix, "🧬 law", 1, 2)
}

func distinct(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(string(rune('a'+i%26)) + string(rune('a'+i/26)) + "q ")
	}
	return b.String()
}

// Whether an item has a phrase does not depend on which others were asked for before it, nor in which order.
func TestPhraseInAnyOrder(t *testing.T) {
	const n = 20_000 // so many that a segment of all has more blocks than are looked at one by one
	dir := t.TempDir()
	db := openStore(t, dir)
	for from := int64(1); from <= n; from += 1000 {
		err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
			for id := from; id < from+1000; id++ {
				words := map[bool]string{true: "red rock", false: "rock red"}[id%7 == 0]
				if err := put(tx, id, title(words), nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	if err := ix.public.inUse().scorch.(*scorch.Scorch).ForceMerge(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for query, has := range map[string]func(id int64) bool{
		`"red rock"`:                  func(id int64) bool { return id%7 == 0 },
		`rock AND NOT "red rock"`:     func(id int64) bool { return id%7 != 0 },
		`"red rock" OR "rock red"`:    func(id int64) bool { return true },
		`"red rock" AND "rock red"`:   func(id int64) bool { return false },
		`("red rock" OR "stone red")`: func(id int64) bool { return id%7 == 0 },
	} {
		for order, ids := range map[string]iter.Seq[int]{
			"from the last": func(yield func(int) bool) {
				for id := n; id > 0 && yield(id); id-- {
				}
			},
			"by chance": slices.Values(rand.New(rand.NewPCG(1, 2)).Perm(n + 1)), // 0 is no item
		} {
			m := matches(t, ix, PublicArticles, query)
			for id := range ids {
				if id > 0 && m.Contains(int64(id)) != has(int64(id)) {
					t.Fatalf("%s, %s: item %d is among them: %v", query, order, id, !has(int64(id)))
				}
			}
			done(t, m)
			m = matches(t, ix, PublicArticles, query)
			for id := n; id > n-200; id-- {
				m.Contains(int64(id))
			}
			found := m.IDs()
			for id := range int64(n) {
				if _, in := slices.BinarySearch(found, id+1); in != has(id+1) {
					t.Fatalf("%s: item %d is among all: %v", query, id+1, in)
				}
			}
			done(t, m)
		}
	}
}

// A phrase of one word over and over takes time in proportion to the text.
func TestPhraseOfRepeatedWords(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	m := title("long")
	m.Description = strings.Repeat("data ", 140000) + "needle in the haystack" // 700 kB
	publish(t, db, 1, m, nil)
	begin := time.Now()
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	indexed, start := time.Since(begin), time.Now()
	want(t, ix, `"`+strings.Repeat("data ", 30)+`"`, 1)
	want(t, ix, `"data needle"`, 1)
	want(t, ix, `"needle data"`)
	want(t, ix, `"needle in the haystack"`, 1)
	// A parser that tries every word as the first of thirty takes many times as long as counting them.
	if took := time.Since(start); took > 10*indexed {
		t.Errorf("took %v; the text was indexed in %v", took, indexed)
	}
}

// A field is read up to its first mebibyte, and the article is found by what is in it.
func TestHugeDescription(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	m := title("huge")
	m.Description = "beginning " + strings.Repeat("é", 1<<20) + " ending"
	publish(t, db, 1, m, nil)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	want(t, ix, "beginning AND huge", 1)
	want(t, ix, "ending")
}

// An article whose record is damaged is passed over; the others are found.
func TestItemWithoutVersion(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
		return published.Articles.Put(tx, 7, &record.PublicArticle{ID: 7, Latest: 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	publish(t, db, 8, title("whole"), nil)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	want(t, ix, "whole", 8)
	want(t, ix, "NOT whole", 7)
}

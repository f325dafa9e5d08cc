package index

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"alcove/index/segments"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "cell", "cell mouse NOT human", `"a phrase" AND (b OR NOT c)`, ":title: law OR :tag: democrat AND :search term: respect",
		`(:description: "VU" OR :description: "Vrije") AND :description: "Amsterdam"`, ":category: 'Environmental Humanities'",
		"((((", "))))", `"""`, ":::", ":title:(", "NOT NOT", "AND OR NOT", "a* b~9 c^1e309", "機械学習 co-author 10.5072/x.1.v2", "\xff\x00\x1e",
		":published_before: 2024-02-30", ":licence: ccby", ":tag: a OR b NOT (c) AND d", ":doi: https://doi.org/10.5072/x", "“x” ”y",
		strings.Repeat("(", 40) + "x" + strings.Repeat(")", 40), strings.Repeat("x ", 100),
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	db := openStore(f, dir)
	publish(f, db, 1, title("law of cells"), nil)
	ix := openIndex(f, dir, db)
	wait(f, ix, db)
	f.Fuzz(func(t *testing.T, s string) {
		q, err := Parse(s)
		if err != nil {
			if err != ErrTooLong || len(s) <= MaxQuery {
				t.Fatal(err)
			}
			return
		}
		if q.Empty() {
			return
		}
		depth, terms := measure(q.root)
		if depth > 3*maxDepth+6 || terms > maxTerms+3*maxClauses {
			t.Errorf("%d deep, %d terms", depth, terms)
		}
		if !utf8.ValidString(q.String()) {
			t.Errorf("%q", q.String())
		}
		m, err := ix.Match(context.Background(), PublicArticles, q)
		if err != nil {
			t.Fatal(err)
		}
		done(t, m)
	})
}

func measure(n *segments.Node) (depth, terms int) {
	terms = len(n.Terms)
	for _, k := range n.Children {
		d, t := measure(k)
		depth, terms = max(depth, d), terms+t
	}
	return depth + 1, terms
}

func TestBounds(t *testing.T) {
	q, err := Parse(distinct(500))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(q.root.Children); n != 3*maxClauses {
		t.Errorf("%d terms of too many words", n)
	}
	q, err = Parse(strings.Repeat("NOT (a1 ", 200) + "deep")
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := measure(q.root); d > 3*maxDepth {
		t.Errorf("%d deep", d)
	}
	if _, err := Parse(strings.Repeat("x", MaxQuery+1)); err != ErrTooLong {
		t.Error(err)
	}
	q, err = Parse(`"` + strings.Repeat("word ", 500) + `"`)
	if err != nil || len(q.root.Children[0].Terms) != maxPhrase {
		t.Errorf("%v %v", q, err)
	}
}

func TestReadAs(t *testing.T) {
	for text, meant := range map[string]string{
		":title: a1 b1 AND c1":          "and(or(title=a1 title=b1) or(title=c1 description=c1 more=c1))",
		":tag: x OR y AND :doi: 10.1/A": "and(tag=x or y doi=10.1/a)",
		":title: (x1 AND y1)":           "and(title=x1 title=y1)",
		`:title: "x1 the y1"`:           `title="x1  y1"`,
		":author: The Jones":            "near(author=the author=jones)",
		":orcid: ":                      "nothing",
		":licence: ":                    "nothing",
		":licence: what":                "none",
		":tag: ()":                      "nothing",
		"NOT":                           "nothing",
	} {
		q, err := Parse(text)
		if err != nil || q.String() != meant {
			t.Errorf("%q is read as %v (%v), want %s", text, q, err, meant)
		}
	}
}

func TestSplit(t *testing.T) {
	for in, terms := range map[string]string{
		"Running runners":            "run runner",
		"co-author's work":           "coauthor co author work",
		"CamelCase iPhone7":          "camelcas camel case iphone7 phone7",
		"HTTPServer mRNA":            "httpserver http server mrna rna",
		"figure3_5.m":                "figure3 5 m",
		"straße ærø ﬁn":              "strass aero fin",
		"a of it":                    "",
		"機械x":                        "機械 機 械 x",
		"U.S. 3.14":                  "u s 3 14",
		"it\u00adem zero\u200bwidth": "item zerowidth",
	} {
		var got []string
		for _, tok := range split(in, text) {
			got = append(got, tok.term)
		}
		if strings.Join(got, " ") != terms {
			t.Errorf("%q: %q, want %q", in, strings.Join(got, " "), terms)
		}
	}
	if got := split("The Jones", names); len(got) != 2 || got[1].term != "jones" {
		t.Errorf("%v", got)
	}
	long := split(strings.Repeat("x", 500), names)
	if len(long) != 1 || len(long[0].term) != maxTerm {
		t.Errorf("%d terms", len(long))
	}
	if got := split("a"+valueEnd+"b", names); got[1].pos-got[0].pos <= maxPhrase {
		t.Errorf("values stand at %v", got)
	}
}

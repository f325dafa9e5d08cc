package described

import (
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alcove/formats"
	"alcove/handlers/present"
)

// wraps are pieces of markup, and of text that looks like it, around a word that no form changes.
var wraps = []string{"%s", "<%s>", "a<%s", "<i>%s</i>", "<b>x</b>%s", "&lt;%s&gt;", "%s &amp; ", "p<0.05 %s", "%s<stdio.h>", "<script> %s", "<title>%s", "<!-- %s", "&%s;", "<sub>%s"}

// labelled returns a text whose words are known, each with a mark in front.
func labelled(r *rand.Rand, mark string) (text string, words []string) {
	for i := range 1 + r.Intn(6) {
		word := fmt.Sprintf("%sq%dq", mark, i)
		words = append(words, word)
		text += fmt.Sprintf(wraps[r.Intn(len(wraps))], word) + " "
	}
	return text, words
}

// The words of 10,000 titles, descriptions, grants, categories and titles of related works stand in order in each form
// that names the field, once wherever it does.
func TestTextsInForms(t *testing.T) {
	r := rand.New(rand.NewSource(39))
	anywhere := map[string]bool{}
	for n := range 2_000 {
		doc := present.ArticleComplete{}
		doc.ID, doc.Version = 7, 1
		texts := map[string][]string{}
		of := func(mark string) *string {
			text, words := labelled(r, mark)
			texts[mark] = words
			return &text
		}
		doc.Title, doc.Description = of("zt"), of("zd")
		doc.FundingList = []present.Funding{{Title: *of("zg")}}
		doc.Categories = []present.Category{{Title: *of("zc")}}
		doc.RelatedMaterials = []present.RelatedMaterial{{Identifier: "https://a.example/", IdentifierType: "URL", Relation: "IsPartOf", Title: of("zr")}}
		it := Item(present.Settings{Publisher: "A", SiteURL: "https://a.example"}, "article", &doc, "https://a.example/7", func(string) bool { return true })
		shown := map[string]string{"meta": ""}
		for _, tag := range formats.Meta(it) {
			shown["meta"] += tag.Content + "\n"
		}
		for _, f := range formats.All() {
			if shown[f.Name] = f.Write(it); f.Citation() {
				shown[f.Name+" in HTML"] = f.HTML(it)
			}
		}
		for form, out := range shown {
			for mark, want := range texts {
				got := regexp.MustCompile(mark+`q\d+q`).FindAllString(out, -1)
				anywhere[form+" "+mark] = len(got) > 0
				for len(got) > 0 && slices.Equal(got[:min(len(want), len(got))], want) {
					got = got[len(want):]
				}
				if len(got) > 0 || mark == "zt" && !strings.Contains(out, want[0]) {
					t.Fatalf("item %d: of %q %s has\n%s", n, want, form, out)
				}
			}
		}
	}
	for _, place := range []string{"datacite-xml zd", "datacite-json zg", "datacite-xml zc", "schemaorg zr", "dublin-core zd", "dcat zd", "ris zd", "cff zd", "csl zd", "ro-crate zc", "croissant zd", "endnote zd", "meta zd"} {
		if !anywhere[place] {
			t.Errorf("%s is empty", place)
		}
	}
}

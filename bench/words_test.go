package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestWordsAreThoseOfTheShares(t *testing.T) {
	c := newCounts()
	for i := range 1000 {
		text := fmt.Sprintf("the of and common%d", i) // words that are never searched for, and one that is not repeated
		if i%3 == 0 {
			text += " often"
		}
		if i%33 == 0 {
			text += " Seldom." // other case
		}
		if i%100 == 0 {
			text += " flat sand."
		}
		if i == 7 {
			text += " rareword relational databases" // two that are not their own stem
		}
		c.add(text)
	}
	w := c.words()
	if w.Common[0].Text != "often" || w.Common[0].Share != 0.334 || len(w.Common) != 1 {
		t.Errorf("common: %+v", w.Common)
	}
	if w.Medium[0].Text != "seldom" || w.Medium[0].Share != 0.031 {
		t.Errorf("medium: %+v", w.Medium)
	}
	if len(w.Rare) != alike || w.Rare[0].Share != 0.001 {
		t.Errorf("rare: %+v", w.Rare)
	}
	if w.Phrases[0].Text != "flat sand" {
		t.Errorf("phrases: %+v", w.Phrases)
	}
	for _, list := range [][]word{w.Rare, w.Medium, w.Common} {
		for _, w := range list {
			if w.Text == "the" || strings.HasPrefix(w.Text, "relational") || w.Text == "databases" {
				t.Errorf("%q is not safe to search for", w.Text)
			}
		}
	}
}

func TestParseText(t *testing.T) {
	for _, tt := range []struct{ line, name, sentence string }{
		{"abc\t1.0\tA summary that is long  enough", "abc", "A summary that is long enough"},
		{"abc\tA <b>bold</b>\x01 & long claim \xff", "abc", "A b bold /b long claim"},
		{"abc\t" + strings.Repeat("é", 200), "abc", strings.Repeat("é", 150)},
		{"abc\tshort", "", ""},
		{"a line without a tab that is long", "", ""},
	} {
		name, sentence, ok := parseText(tt.line)
		if ok != (tt.name != "") || ok && (name != tt.name || sentence != tt.sentence) {
			t.Errorf("%q: %q %q %v", tt.line, name, sentence, ok)
		}
	}
}

// The same seed makes the same corpus, or two runs could not be compared.
func TestCorpusIsTheSameEachTime(t *testing.T) {
	make := func() string {
		c, err := newCorpus("")
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%v%v", c.item(0), c.item(1))
	}
	if a, b := make(), make(); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// Without a folder of texts there is something for each kind of search all the same.
func TestInventedTextsCanBeSearched(t *testing.T) {
	c := newCounts()
	for _, sentence := range generated(rand.New(rand.NewPCG(1, 2))).sentences[:5000] {
		c.add(sentence)
	}
	w := c.words()
	for _, s := range searches(w, "2026") {
		first, second := s.next(), s.next()
		if len(first.words) == 0 || slices.Contains(first.words, "") || len(second.words) == 0 {
			t.Errorf("%s: %v", s.name, first)
		}
	}
	for _, list := range [][]word{w.Rare, w.Medium, w.Common, w.Phrases} {
		if list[0].Share == 0 {
			t.Errorf("%s is in no text", list[0].Text)
		}
	}
	if begin := w.beginnings(); len(begin) < 5 {
		t.Errorf("words begin with %v only", begin)
	}
}

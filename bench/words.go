package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// word is something to search for, with the share of the items that have it.
type word struct {
	Text  string  `json:"text"`
	Share float64 `json:"share"`
}

// words are what the searches ask for, some of each sort so that no two searches that
// follow each other are the same.
type words struct{ Rare, Medium, Common, Phrases []word }

// beginnings are the first four letters of words, each once.
func (w words) beginnings() (out []word) {
	seen := map[string]bool{}
	for _, of := range slices.Concat(w.Medium, w.Rare) {
		if len(of.Text) > 4 && !seen[of.Text[:4]] {
			seen[of.Text[:4]] = true
			out = append(out, word{Text: of.Text[:4]})
		}
	}
	return out
}

const alike = 20 // words of one sort, at most

// plain is a word that all programs split off in the same way.
var plain = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// counts says in how many texts there are the stems of words, and pairs of words.
type counts struct {
	texts int
	stems map[string]string // of each word that was seen
	word  map[string]int    // by stem
	pair  map[string]int    // words that follow each other
}

func newCounts() *counts {
	return &counts{stems: map[string]string{}, word: map[string]int{}, pair: map[string]int{}}
}

func (c *counts) add(text string) {
	c.texts++
	words, pairs := map[string]bool{}, map[string]bool{}
	before, end := "", 0
	text = strings.ToLower(text)
	for _, at := range plain.FindAllStringIndex(text, -1) {
		w := text[at[0]:at[1]]
		if _, ok := c.stems[w]; !ok {
			env := snowballstem.NewEnv(w)
			english.Stem(env)
			c.stems[w] = env.Current()
		}
		words[c.stems[w]] = true
		if text[end:at[0]] == " " && useful(before) && useful(w) { // nothing else, which some would split otherwise
			pairs[before+" "+w] = true
		}
		before, end = w, at[1]
	}
	for w := range words {
		c.word[w]++
	}
	for p := range pairs {
		c.pair[p]++
	}
}

// common are words that a search may leave out, or that stand in addresses.
var common = strings.Fields("a an and are as at be but by for from has have if in into is it its no not of on or " +
	"such that the their then there these they this to was were we which will with you your can all any more using use used http https www com github")

// useful tells whether a word is safe to search for: of ASCII letters or digits, not too
// short, and none that a search may leave out.
func useful(w string) bool {
	for _, r := range w {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return len(w) >= 3 && !slices.Contains(common, w)
}

// words picks those whose shares come closest to what is wanted. Only words that are
// their own stem are taken, so that every contender is asked the same.
func (c *counts) words() words {
	own := map[string]int{}
	for w, stem := range c.stems {
		if w == stem && useful(w) {
			own[w] = c.word[w]
		}
	}
	pairs := map[string]int{}
	for p, n := range c.pair {
		a, b, _ := strings.Cut(p, " ")
		if c.stems[a] == a && c.stems[b] == b {
			pairs[p] = n
		}
	}
	return words{
		Rare: c.nearest(own, 0.001), Medium: c.nearest(own, 0.03), Common: c.nearest(own, 0.32)[:1],
		Phrases: c.nearest(pairs, 0.01),
	}
}

func (c *counts) nearest(in map[string]int, share float64) []word {
	far := func(w string) float64 { return math.Abs(float64(in[w])/float64(c.texts) - share) }
	names := slices.SortedFunc(maps.Keys(in), func(a, b string) int {
		if d := far(a) - far(b); d != 0 {
			return int(math.Copysign(1, d))
		}
		return strings.Compare(a, b)
	})
	var out []word
	for _, w := range names[:min(alike, len(names))] {
		out = append(out, word{w, float64(in[w]) / float64(c.texts)})
	}
	return out
}

func readWords(dir string) (w words, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "words.json"))
	if err != nil {
		return w, fmt.Errorf("cannot read the words: %w", err)
	}
	if err := json.Unmarshal(text, &w); err != nil {
		return w, fmt.Errorf("cannot read the words: %w", err)
	}
	if len(w.Rare) == 0 || len(w.Medium) == 0 || len(w.Common) == 0 || len(w.Phrases) == 0 || len(w.beginnings()) == 0 {
		return w, fmt.Errorf("%s has too few different words to search for", dir)
	}
	return w, nil
}

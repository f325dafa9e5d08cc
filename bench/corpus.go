package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// article is a line of items.jsonl: the body of a new article, published when it is loaded.
// Without key and publish it is the body of a create.
type article struct {
	Key         string   `json:"key,omitempty"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Authors     []author `json:"authors"`
	Tags        []string `json:"tags"`
	Categories  []int64  `json:"categories"`
	Type        string   `json:"defined_type"`
	License     int64    `json:"license"`
	Publish     bool     `json:"publish,omitempty"`
}

type author struct {
	Name string `json:"name"`
}

var (
	types    = []string{"dataset", "dataset", "dataset", "figure", "poster", "software", "presentation"}
	forename = []string{"Ada", "Bo", "Chidi", "Dina", "Emil", "Femke", "Goran", "Hana", "Ines", "Jun"}
	surname  = []string{"Abbott", "Bakker", "Chen", "Dlamini", "Eriksson", "Fischer", "García", "Haddad", "Ivanova", "Jansen", "Kaya", "Lindqvist"}
)

const (
	datasets = 3 // the id of the item type "dataset", which three sevenths of the items have
	category = 370704
	sampled  = 20000 // items of which the words are counted
)

// corpus makes articles; the same seed makes the same ones.
type corpus struct {
	r *rand.Rand
	t *texts
}

func newCorpus(textDir string) (*corpus, error) {
	r := rand.New(rand.NewPCG(4, 2026))
	t, err := readTexts(textDir, r)
	return &corpus{r, t}, err
}

// item is the article of number n: a title of one sentence and a description of four to
// seven.
func (c *corpus) item(n int) article {
	pick := func(list []string) string { return list[c.r.IntN(len(list))] }
	i := n % len(c.t.sentences)
	a := article{
		Key: fmt.Sprintf("bench-%d", n), Title: c.t.sentences[i], Type: pick(types),
		Categories: []int64{category}, License: 1, Publish: true,
		Tags: []string{strings.ToLower(c.t.names[i]), pick(surname)},
	}
	for range 1 + c.r.IntN(3) {
		a.Authors = append(a.Authors, author{pick(forename) + " " + pick(surname)})
	}
	parts := []string{a.Title}
	for range 3 + c.r.IntN(4) {
		parts = append(parts, pick(c.t.sentences))
	}
	a.Description = "<p>" + strings.Join(parts, ". ") + "</p>"
	return a
}

// write makes items.jsonl and words.json in a folder. They are made whole or not at all.
func (c *corpus) write(dir string, items int) error {
	if _, err := os.Stat(filepath.Join(dir, "words.json")); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the corpus: %w", err)
	}
	f, err := os.Create(filepath.Join(dir, "items.jsonl"))
	if err != nil {
		return fmt.Errorf("cannot make the corpus: %w", err)
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	lines, counts := json.NewEncoder(out), newCounts()
	lines.SetEscapeHTML(false)
	for n := range items {
		a := c.item(n)
		if n < sampled {
			counts.add(a.Title + " " + a.Description)
		}
		if err := lines.Encode(a); err != nil {
			return fmt.Errorf("cannot write the corpus: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cannot write the corpus: %w", err)
	}
	text, err := json.MarshalIndent(counts.words(), "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write the words: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "words.json"), text, 0o600); err != nil {
		return fmt.Errorf("cannot write the words: %w", err)
	}
	return nil
}

// each reads the articles of a corpus, limit of them at most unless it is 0.
func each(dir string, limit int, do func(n int, a article) error) error {
	f, err := os.Open(filepath.Join(dir, "items.jsonl"))
	if err != nil {
		return fmt.Errorf("cannot read the corpus: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan() && (limit == 0 || n < limit); n++ {
		var a article
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return fmt.Errorf("cannot read item %d: %w", n, err)
		}
		if err := do(n, a); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("cannot read the corpus: %w", err)
	}
	return nil
}

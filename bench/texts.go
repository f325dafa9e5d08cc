package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// texts are what the items are made of: sentences, each with a name.
type texts struct {
	names, sentences []string
	kind             string // "real" or "invented", part of the name of the cache
}

const (
	minSentence = 20  // bytes of a summary that is taken
	maxSentence = 300 // bytes of it that are kept
	most        = 400000
)

// readTexts takes name and summary, the first and the last field, of every line of the
// *.tsv files of a folder, most of them at random when there are more. Without a folder
// the texts are generated.
func readTexts(dir string, r *rand.Rand) (*texts, error) {
	if dir == "" {
		return generated(r), nil
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.tsv"))
	if err != nil {
		return nil, fmt.Errorf("cannot look for texts: %w", err)
	}
	slices.Sort(paths)
	t := &texts{kind: "real"}
	for _, path := range paths {
		if err := t.read(path); err != nil {
			return nil, err
		}
	}
	if len(t.sentences) < 1000 {
		return nil, fmt.Errorf("%s has only %d texts in its *.tsv files", dir, len(t.sentences))
	}
	r.Shuffle(len(t.sentences), func(i, j int) {
		t.sentences[i], t.sentences[j] = t.sentences[j], t.sentences[i]
		t.names[i], t.names[j] = t.names[j], t.names[i]
	})
	n := min(most, len(t.sentences))
	t.sentences, t.names = t.sentences[:n], t.names[:n]
	return t, nil
}

func (t *texts) read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read the texts: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, sentence, ok := parseText(lines.Text()); ok {
			t.names, t.sentences = append(t.names, name), append(t.sentences, sentence)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	return nil
}

// parseText reads a line. Its text becomes valid UTF-8 without control characters and
// without what would be markup.
func parseText(line string) (name, sentence string, ok bool) {
	fields := strings.Split(line, "\t")
	if len(fields) < 2 {
		return "", "", false
	}
	sentence = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '<' || r == '>' || r == '&' || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(fields[len(fields)-1], " "))
	sentence = strings.Join(strings.Fields(sentence), " ")
	if len(sentence) > maxSentence {
		sentence = strings.ToValidUTF8(sentence[:maxSentence], "")
	}
	return fields[0], sentence, len(sentence) >= minSentence
}

// generated draws words as people use them: a few in nearly every text and most in
// hardly any.
func generated(r *rand.Rand) *texts {
	zipf := rand.NewZipf(r, 1.07, 3, 49999)
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = inventedWord(zipf.Uint64())
		}
		return strings.Join(list, " ")
	}
	t := &texts{kind: "invented"}
	for range 50000 {
		t.names, t.sentences = append(t.names, words(1)), append(t.sentences, words(8+r.IntN(12)))
	}
	return t
}

// inventedWord is a word of six letters and digits which is its own stem. Seven words, about as
// frequent as each other, begin with the same four.
func inventedWord(n uint64) string {
	head := "00" + strconv.FormatUint(n/7, 36)
	return "w" + head[len(head)-3:] + strconv.FormatUint(n%7, 10) + "x"
}

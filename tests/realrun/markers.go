package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"sync"
)

// words are the words that a run plants: hidden ones where only their owners may read, and decoys
// in public. A crawl that sees no hidden word proves something only because it sees every decoy.
// They are letters alone, so that no analyser of a search cuts them up.
type words struct {
	mu     sync.Mutex
	hidden map[string]string // word → where it stands
	decoys map[string]string
	keys   map[string]string // tokens of private links, which only their makers may see → whose
	seen   map[string]string // word or token → the first address that showed it
}

func newWords() *words {
	return &words{hidden: map[string]string{}, decoys: map[string]string{}, keys: map[string]string{}, seen: map[string]string{}}
}

// hide makes a word that must not be found.
func (w *words) hide(where string, args ...any) string {
	return w.plant(w.hidden, "zqhid", fmt.Sprintf(where, args...))
}

// show makes a word that must be found.
func (w *words) show(where string, args ...any) string {
	return w.plant(w.decoys, "zqdec", fmt.Sprintf(where, args...))
}

func (w *words) plant(in map[string]string, prefix, where string) string {
	h := fnv.New64a()
	h.Write([]byte(prefix + where))
	word, n := []byte(prefix), h.Sum64()
	for range 12 {
		word = append(word, 'a'+byte(n&15))
		n >>= 4
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for in[string(word)] != "" {
		word = append(word, 'a')
	}
	in[string(word)] = where
	return string(word)
}

// keep notes the token of a private link.
func (w *words) keep(token, whose string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keys[token] = whose
}

var (
	planted = regexp.MustCompile(`zq(?:hid|dec)[a-p]{12,}`)
	token   = regexp.MustCompile(`[0-9a-f]{32,}`)
)

// look notes the words and tokens that a text shows, in whatever case.
func (w *words) look(address string, text []byte) {
	text = bytes.ToLower(text)
	found := planted.FindAll(text, -1)
	for _, hex := range token.FindAll(text, -1) {
		if w.keys[string(hex)] != "" {
			found = append(found, hex)
		}
	}
	if len(found) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, word := range found {
		if w.seen[string(word)] == "" {
			w.seen[string(word)] = address
		}
	}
}

// differences are the hidden words and tokens that were seen, and the decoys that were
// not.
func (w *words) differences() (list []string, leaks, missed int) {
	for word, address := range w.seen {
		where, ok := w.hidden[word]
		if !ok {
			where, ok = w.keys[word]
		}
		if ok {
			leaks++
			list = append(list, fmt.Sprintf("%s shows %s to strangers (%s)", address, where, word))
		}
	}
	for word, where := range w.decoys {
		if w.seen[word] == "" {
			missed++
			list = append(list, fmt.Sprintf("no address shows strangers %s (%s)", where, word))
		}
	}
	slices.Sort(list)
	return list, leaks, missed
}

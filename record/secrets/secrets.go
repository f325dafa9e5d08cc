// Package secrets tells which files hold a private key, a token or a password. The command line, the server and, by the same
// table, the script of the upload page ask it.
//
//	rules.json        the table: file names, words, regular expressions
//	LICENSE-gitleaks  licence of the rules that come from gitleaks 8.30.1
//
// A rule finds a secret in a file whose path matches names (every path without it) and does not match others, and whose text has
// one of the words (in any case) and matches find. The secret is the first group of find that takes part, or the whole match. It
// must have the entropy in bits for each character, match must, and not match not. The expressions mean the same in Go and in
// JavaScript; fold makes case count for nothing. From says where the rule comes from.
package secrets

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"sync"
)

const (
	// Head and Tail are how many bytes are read at the beginning and at the end of a file. A file of up to Head + Tail bytes is
	// read whole.
	Head = 1 << 20
	Tail = 256 << 10

	// Version changes when a file that was looked at has to be looked at again.
	Version = 1

	tries = 1000 // matches of a rule in a file that are judged
)

// Table is the table of rules, as JSON.
//
//go:embed rules.json
var Table []byte

// Rule is a line of the table.
type Rule struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"` // key, token or password
	Names   string   `json:"names"`
	Others  string   `json:"others"`
	Words   []string `json:"words"` // in small letters, of two bytes at least
	Find    string   `json:"find"`
	Fold    bool     `json:"fold"`
	Entropy float64  `json:"entropy"`
	Must    string   `json:"must"`
	Not     string   `json:"not"`
	From    string   `json:"from"`

	names, others, find, must, not func() *regexp.Regexp
}

// rules returns the table with its expressions, which are compiled when they are first needed.
var rules = sync.OnceValue(func() (list []*Rule) {
	if err := json.Unmarshal(Table, &list); err != nil {
		panic(fmt.Sprintf("cannot read the table of secrets: %v", err))
	}
	for _, r := range list {
		lazy := func(text string, fold bool) func() *regexp.Regexp {
			return sync.OnceValue(func() *regexp.Regexp {
				if text == "" {
					return nil
				}
				if fold {
					text = "(?i)" + text
				}
				return regexp.MustCompile(text)
			})
		}
		r.names, r.others, r.not = lazy(r.Names, true), lazy(r.Others, true), lazy(r.Not, true)
		r.find, r.must = lazy(r.Find, r.Fold), lazy(r.Must, false)
	}
	return list
})

// File returns the id of the first rule that finds a secret in a file of a size, "" for none. It reads at most Head + Tail bytes.
// The path has slashes.
func File(path string, r io.ReaderAt, size int64) (string, error) {
	n := min(size, Head+Tail)
	text := make([]byte, n)
	parts := [][2]int64{{0, n}} // offset in the file, bytes
	if size > n {
		parts = [][2]int64{{0, Head}, {size - Tail, Tail}}
	}
	at := int64(0)
	for _, p := range parts {
		if read, err := r.ReadAt(text[at:at+p[1]], p[0]); int64(read) < p[1] {
			return "", fmt.Errorf("cannot look for secrets: %w", err)
		}
		at += p[1]
	}
	if size > n { // nothing is found across the gap
		if id := Text(path, text[:Head]); id != "" {
			return id, nil
		}
		text = text[Head:]
	}
	return Text(path, text), nil
}

// Text returns the id of the first rule that finds a secret in the text of a file, "" for none.
func Text(path string, text []byte) string {
	text = narrow(text)
	there := wordsIn(text)
	for _, r := range rules() {
		if r.applies(path, there) && r.finds(text, there) {
			return r.ID
		}
	}
	return binaryKey(path, text)
}

// applies reports whether the rule is for a file of that path, with these words.
func (r *Rule) applies(path string, there map[string][]int) bool {
	some := len(r.Words) == 0
	for _, w := range r.Words {
		some = some || len(there[w]) > 0
	}
	if !some {
		return false
	}
	names, others := r.names(), r.others()
	return (names == nil || names.MatchString(path)) && (others == nil || !others.MatchString(path))
}

// finds reports whether a match near one of the words is a secret. A rule without words reads the whole text.
func (r *Rule) finds(text []byte, there map[string][]int) bool {
	if len(r.Words) == 0 {
		return r.findsIn(text)
	}
	before, behind := 128, 2<<10 // bytes around a word that a match takes
	if r.Kind == "key" {
		before, behind = 4<<10, 32<<10
	}
	var at []int
	for _, w := range r.Words {
		at = append(at, there[w]...)
	}
	slices.Sort(at)
	for i := 0; i < len(at); {
		from, to := max(0, at[i]-before), 0
		for ; i < len(at) && (to == 0 || at[i]-before <= to); i++ {
			to = at[i] + behind
		}
		if r.findsIn(text[from:min(to, len(text))]) {
			return true
		}
	}
	return false
}

// findsIn reports whether a match in a text is a secret.
func (r *Rule) findsIn(text []byte) bool {
	for range tries {
		m := r.find().FindSubmatchIndex(text)
		if m == nil {
			return false
		}
		from, to := m[0], m[1]
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				from, to = m[g], m[g+1]
				break
			}
		}
		if r.is(text[from:to]) {
			return true
		}
		text = text[max(m[1], m[0]+1):]
	}
	return false
}

// is reports whether a match is a secret, and no placeholder.
func (r *Rule) is(secret []byte) bool {
	must, not := r.must(), r.not()
	return entropy(secret) >= r.Entropy && (must == nil || must.Match(secret)) && (not == nil || !not.Match(secret))
}

// entropy returns the Shannon entropy of a text in bits for each byte.
func entropy(text []byte) (bits float64) {
	var count [256]float64
	for _, b := range text {
		count[b]++
	}
	for _, n := range count {
		if n > 0 {
			p := n / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

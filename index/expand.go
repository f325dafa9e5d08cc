package index

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"alcove/index/segments"
)

const (
	minPrefix   = 3 // letters or digits before the star
	maxPrefixes = 8 // of a query; further ones are read as words
)

// endings are those by which a word goes on that was begun. The part stored of a word is its
// stem, which may be shorter than the letters written of it: universit* means univers.
var endings = []string{"", "y", "ies", "s", "es", "e", "ed", "ing", "er", "al", "ation", "ion", "ions", "ity", "ive", "ness", "ment", "ful", "ly"}

// prefix is a word that ends in a star: all words that begin so. It is nil when it cannot
// be read as that, and the star says nothing.
func (p *parser) prefix(s string, fields []string) *segments.Node {
	begin := strings.TrimRight(s, "*")
	if len(begin) == len(s) || p.prefixes == maxPrefixes {
		return nil
	}
	begin = strings.ToLower(fold(begin))
	if n := utf8.RuneCountInString(begin); n < minPrefix || len(begin) > maxTerm {
		return nil
	}
	for _, r := range begin {
		if !letter(r) || paired(r) {
			return nil
		}
	}
	p.prefixes++
	var children []*segments.Node
	for _, f := range fields {
		terms := append([]string{begin}, stemsOf(begin, forms[f])...)
		if p.terms += len(terms); p.terms > maxTerms {
			return or(children...)
		}
		children = append(children, &segments.Node{Op: segments.OpPrefix, Field: f, Terms: terms})
	}
	return or(children...)
}

// stemsOf are the terms of words that begin with a text but whose terms do not.
func stemsOf(begin string, f form) (terms []string) {
	seen := map[string]bool{}
	for _, e := range endings {
		t := f.term(begin + e)
		if t != "" && !strings.HasPrefix(t, begin) && !seen[t] {
			seen[t] = true
			terms = append(terms, t)
		}
	}
	return terms
}

// A number with a unit is written with a space between them or without.
var (
	number   = regexp.MustCompile(`^\p{Nd}+(?:[.,]\p{Nd}+)*$`)
	unit     = regexp.MustCompile(`^\pL{1,4}$`)
	apart    = regexp.MustCompile(`(^|[^\pL\pN.,])(\p{Nd}+(?:[.,]\p{Nd}+)*)[ \x{a0}](\pL{1,4})($|[^\pL\pN])`)
	together = regexp.MustCompile(`(^|[^\pL\pN.,])(\p{Nd}+(?:[.,]\p{Nd}+)*)(\pL{1,6})($|[^\pL\pN])`)
)

// measures are the other ways in which the numbers with units of a text may be written.
func measures(s string) (list []string) {
	if other := apart.ReplaceAllString(s, "${1}${2}${3}${4}"); other != s {
		list = append(list, other)
	}
	other := together.ReplaceAllStringFunc(s, func(m string) string {
		part := together.FindStringSubmatch(m)
		if stopWords[strings.ToLower(part[3])] { // 5in is not any 5
			return m
		}
		return part[1] + part[2] + " " + part[3] + part[4]
	})
	if other != s {
		list = append(list, other)
	}
	return list
}

// measured adds to what a text means what its numbers with units mean otherwise written.
func (p *parser) measured(n *segments.Node, s string, fields []string) *segments.Node {
	if n == nil || !forms[fields[0]].stem {
		return n
	}
	for _, other := range measures(s) {
		n = or(n, p.sequence(split(other, forms[fields[0]]), fields))
	}
	return n
}

// joined adds to what a number means what it means with the unit that follows it, where
// one follows.
func (p *parser) joined(n *segments.Node, s string, next []lexeme, fields ...string) *segments.Node {
	if n == nil || len(next) == 0 || next[0].kind != lexWord || !number.MatchString(s) || !unit.MatchString(next[0].text) {
		return n
	}
	return or(n, p.sequence(split(s+next[0].text, forms[fields[0]]), fields))
}

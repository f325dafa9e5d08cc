package index

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"alcove/index/segments"
)

// matchTimeout bounds one search from Match to Close, whatever its caller allows.
const matchTimeout = 5 * time.Second

// ErrUnavailable is returned while there is nothing to search in: no index could be
// opened or made yet, or the Index was closed.
var ErrUnavailable = errors.New("search is not available")

// Matches are the items that a query describes.
type Matches = segments.Matches

// Match finds the items of a scope that a query describes, as of the last change that
// the index has seen (see Wait). While a first index is being built it finds those of
// the items that are in it already; Status tells. It does not authorise: the caller
// says for which account it asks, and reads the items in a way that checks who they belong to.
// The caller closes what it gets, in the time of a search: it takes at most five seconds,
// and what is asked of Matches after that, or after the end of ctx, fails.
//
// It costs about the same however many items there are and match. A limited number of
// searches run at a time, until they are closed; others wait for their turn or the end of
// ctx.
func (ix *Index) Match(ctx context.Context, s Scope, q Query) (*Matches, error) {
	if q.root == nil || s.kind == nil {
		return segments.Nothing(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, matchTimeout)
	select {
	case ix.turns <- struct{}{}:
	case <-ctx.Done():
		defer cancel()
		return nil, fmt.Errorf("cannot search: %w", ctx.Err())
	}
	release := func() {
		cancel()
		<-ix.turns
	}
	m, err := ix.subindex(s).match(ctx, s, q)
	if err != nil {
		release()
		return nil, err
	}
	m.OnClose(release)
	return m, nil
}

func (sd *subindex) match(ctx context.Context, s Scope, q Query) (*Matches, error) {
	g, r, err := sd.reader()
	if err != nil {
		return nil, err
	}
	in := segments.Scope{Kind: s.kind.id, Narrow: q.narrow}
	if s.kind != anyKind {
		in.Values = []segments.Value{{Field: fKind, Text: s.kind.name}}
	}
	if s.private {
		in.Values = append(in.Values, segments.Value{Field: fAccount, Text: strconv.FormatInt(s.account, 10)})
	}
	m, err := segments.Find(ctx, r, in, q.root, func(err error) error { return sd.suspect(g, err) })
	if err == nil {
		m.CountBy(sd.tags)
	}
	return m, err
}

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

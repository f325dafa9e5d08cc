package index

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"

	"alcove/index/segments"
	"alcove/record"
)

const (
	maxTerm  = 100 // bytes of one term; the rest of a longer word is not looked at
	maxChain = 64  // bytes of the parts of a hyphenated word written as one
	// valueGap is how far apart two values of one field stand, so that no phrase
	// reaches from one into the next. maxPhrase keeps phrases shorter.
	valueGap = segments.ValueGap
)

// valueEnd separates the values of a field in the text that is split into terms. In a
// user's text it is a control character that does no harm.
const valueEnd = "\x1e"

// form says what terms are: the stems of the words that say something (text), or every
// word as it is written (names of people).
type form struct{ stem, stop bool }

var (
	text  = form{stem: true, stop: true}
	names = form{}
)

// stopWords are so common that they are neither stored nor looked for.
var stopWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`a an and are as at be but by for from if in into is it its no not of
		on or such that the their then there these they this to was were which will with`) {
		stopWords[w] = true
	}
}

// token is a term at a position. A word of several parts (co-author, x.csv) takes as
// many positions as it has parts; its other readings share the position of the part
// where they begin, and are stored but never looked for as part of a phrase.
type token struct {
	term  string
	pos   int // from 1
	kind  tokenType
	parts int // how many parts a joined term was written in
}

type tokenType byte

const (
	part   tokenType = iota // what stands between punctuation, or two characters of a script without spaces
	single                  // one character of such a script
	joined                  // co-author as coauthor
	inner                   // CamelCase as camel and case
)

// split turns text into tokens. It is the same for what is stored and what is looked
// for: what differs is which kinds are used.
//
// Scripts written without spaces between words become overlapping pairs of characters,
// so that a phrase of pairs finds a word anywhere in a sentence.
func split(s string, f form) []token {
	p := splitter{form: f, out: make([]token, 0, len(s)/6+1)}
	p.run([]rune(fold(s)))
	return p.out
}

type splitter struct {
	form        form
	pos         int // positions used up
	out         []token
	cachedTerms map[string]string // the terms of words, where many texts are split
}

func (p *splitter) run(rs []rune) {
	for i := 0; i < len(rs); {
		switch r := rs[i]; {
		case r == rune(valueEnd[0]):
			p.pos += valueGap
			i++
		case paired(r):
			end := i
			for end < len(rs) && paired(rs[end]) {
				end++
			}
			p.pairs(rs[i:end])
			i = end
		case letter(r):
			i = p.chain(rs, i)
		default:
			i++
		}
	}
}

// chain reads a word and those that hang on it by hyphens and apostrophes.
func (p *splitter) chain(rs []rune, i int) int {
	first, n := len(p.out), 0
	start := p.pos + 1
	var all [maxChain]rune // the parts as one word, as long as it is short
	whole, size := all[:0], 0
	for {
		end := i
		for end < len(rs) && letter(rs[end]) && !paired(rs[end]) {
			end++
		}
		word := rs[i:end]
		possessive := n > 0 && rs[i-1] == '\'' && len(word) == 1 && (word[0] == 's' || word[0] == 'S')
		if !possessive {
			p.word(word)
			n++
			for _, r := range word {
				if size += utf8.RuneLen(r); size > maxChain {
					break
				}
				whole = append(whole, r)
			}
		}
		i = end
		if i+1 >= len(rs) || (rs[i] != '-' && rs[i] != '\'') || !letter(rs[i+1]) || paired(rs[i+1]) {
			break
		}
		i++
	}
	if n > 1 && size <= maxChain {
		if t, ok := p.term(whole); ok {
			p.insert(first, token{term: t, pos: start, kind: joined, parts: n})
		}
	}
	return i
}

// word adds one part, and what its capital letters divide it into.
func (p *splitter) word(rs []rune) {
	p.pos++
	if len(rs) > maxTerm {
		rs = rs[:maxTerm]
	}
	if t, ok := p.term(rs); ok {
		p.out = append(p.out, token{term: t, pos: p.pos, kind: part})
	}
	for _, piece := range humps(rs) {
		if t, ok := p.term(piece); ok {
			p.out = append(p.out, token{term: t, pos: p.pos, kind: inner})
		}
	}
}

// pairs adds a run of characters of scripts without spaces.
func (p *splitter) pairs(rs []rune) {
	for i, r := range rs {
		p.pos++
		if i+1 < len(rs) {
			p.out = append(p.out, token{term: string(rs[i : i+2]), pos: p.pos, kind: part})
		}
		k := single
		if len(rs) == 1 {
			k = part
		}
		p.out = append(p.out, token{term: string(r), pos: p.pos, kind: k})
	}
}

func (p *splitter) insert(at int, t token) {
	p.out = append(p.out, token{})
	copy(p.out[at+1:], p.out[at:])
	p.out[at] = t
}

// term is the form of a word that is compared, empty for a stop word.
func (f form) term(word string) string {
	w := cut(strings.ToLower(word), maxTerm)
	if f.stop && stopWords[w] {
		return ""
	}
	if f.stem && stems(w) {
		env := snowballstem.NewEnv(w)
		english.Stem(env)
		w = env.Current()
	}
	return w
}

// stems reports whether a term is a word that English endings can be taken from.
func stems(w string) bool {
	for i := 0; i < len(w); i++ {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return len(w) > 2
}

// humps divides CamelCase, HTTPServer and mRNA where capitals begin; pieces of a single
// letter are left out, and a word without humps has no pieces.
func humps(rs []rune) [][]rune {
	var pieces [][]rune
	start := 0
	for i := 1; i <= len(rs); i++ {
		if i < len(rs) {
			up := unicode.IsUpper(rs[i])
			rise := up && unicode.IsLower(rs[i-1])
			turn := up && unicode.IsUpper(rs[i-1]) && i+1 < len(rs) && unicode.IsLower(rs[i+1])
			if !rise && !turn {
				continue
			}
		} else if start == 0 {
			return nil
		}
		if i-start > 1 {
			pieces = append(pieces, rs[start:i])
		}
		start = i
	}
	return pieces
}

func letter(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// unspaced are the scripts that are read as pairs of characters. Korean has spaces, but
// its words carry endings that pairs see past.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

func paired(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return r == 'ー' || (unicode.In(r, unspaced...) && (unicode.IsLetter(r) || unicode.IsMark(r)))
}

// marked are the scripts in which a mark above or below a letter is left out when people
// type quickly. In others (Devanagari, kana, Thai) such marks are what tells words apart.
var marked = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic}

var ascii = asciifolding.New()

// fold brings text to the form in which it is compared, except for its case: compatible
// characters become one (NFKC), diacritics and characters that do not print are removed,
// and letters such as ß, ø and æ are spelled in ASCII. Invalid bytes become U+FFFD.
func fold(s string) string {
	if isASCII(s) {
		return s
	}
	s = norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD"))
	var b strings.Builder
	b.Grow(len(s))
	loose := false // the last letter is of a script whose marks are removed
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
			if loose {
				continue
			}
		case unicode.Is(unicode.Cf, r):
			continue
		default:
			loose = r < utf8.RuneSelf || unicode.In(r, marked...)
		}
		if r == 'ς' {
			r = 'σ'
		}
		b.WriteRune(r)
	}
	return string(ascii.Filter(norm.NFC.Bytes([]byte(b.String()))))
}

// exact is the form in which whole values (tags, extensions) are compared: folded, in
// lower case, without space around it and with single spaces inside.
func exact(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(fold(s)), " "))
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

var doiForm = regexp.MustCompile(`^10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+$`)

// isDOI reports whether a word is a DOI in any of the ways people write one.
func isDOI(s string) bool { return doiForm.MatchString(record.BareDOI(s)) }

// bareORCID is an ORCID iD as it is compared: sixteen digits with hyphens.
func bareORCID(s string) string {
	s = strings.ToLower(strings.Trim(strings.TrimSpace(s), "/"))
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		s = s[i+1:]
	}
	digits := strings.ReplaceAll(s, "-", "")
	if len(digits) != 16 {
		return s
	}
	return digits[:4] + "-" + digits[4:8] + "-" + digits[8:12] + "-" + digits[12:]
}

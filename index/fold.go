package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"golang.org/x/text/unicode/norm"
)

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

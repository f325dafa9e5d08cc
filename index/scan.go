package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexeme is a piece of a search text.
type lexeme struct {
	kind       lexemeType
	text       string // word, inside of a phrase, name of a filter
	start, end int    // where it stands, quotes included
}

type lexemeType byte

const (
	lexWord lexemeType = iota
	lexPhrase
	lexFilter // :name:
	lexOpen
	lexClose
	lexAnd
	lexOr
	lexNot
)

// scan divides a search text. It never fails: a quotation mark that is not closed, a
// parenthesis that was not opened and a colon that begins no filter are punctuation.
func scan(s string) []lexeme {
	var out []lexeme
	open := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		add := func(k lexemeType, text string, size int) {
			out = append(out, lexeme{k, text, i, i + size})
			i += size
		}
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			i += n
		case r == '(':
			add(lexOpen, "", n)
			open++
		case r == ')' && open == 0:
			i += n
		case r == ')':
			add(lexClose, "", n)
			open--
		case quote(r):
			if inside, size, ok := quoted(s[i+n:]); ok {
				add(lexPhrase, inside, n+size)
			} else {
				i += n
			}
		case r == ':':
			if name, size := filterName(s[i:]); size > 0 {
				add(lexFilter, name, size)
			} else {
				i += n
			}
		default:
			size := strings.IndexFunc(s[i:], func(r rune) bool {
				return unicode.IsSpace(r) || unicode.IsControl(r) || r == '(' || r == ')' || quote(r)
			})
			if size < 0 {
				size = len(s) - i
			}
			word := s[i : i+size]
			kind := lexWord
			switch word {
			case "AND":
				kind = lexAnd
			case "OR":
				kind = lexOr
			case "NOT":
				kind = lexNot
			}
			add(kind, word, size)
		}
	}
	return out
}

func quote(r rune) bool { return r == '"' || r == '“' || r == '”' || r == '„' }

// quoted reads up to the closing quotation mark.
func quoted(s string) (inside string, size int, ok bool) {
	end := strings.IndexFunc(s, quote)
	if end < 0 {
		return "", 0, false
	}
	_, n := utf8.DecodeRuneInString(s[end:])
	return s[:end], end + n, true
}

// filterName reads :name: and gives its size, 0 when it is no filter. The name may be in
// any case, with spaces for underscores.
func filterName(s string) (string, int) {
	end := strings.IndexByte(s[1:], ':')
	if end < 1 || end > 32 {
		return "", 0
	}
	name := strings.ToLower(strings.Join(strings.FieldsFunc(s[1:1+end], func(r rune) bool {
		return r == ' ' || r == '_'
	}), "_"))
	if real, ok := aliases[name]; ok {
		name = real
	}
	if filters[name] == nil {
		return "", 0
	}
	return name, end + 2
}

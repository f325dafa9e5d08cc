package record

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// FoldName is the form in which names are compared: without diacritics, in lower case,
// with single spaces.
func FoldName(name string) string { return strings.Join(NameWords(name), " ") }

// NameWords are the words of a name in the form in which they are compared, in order.
// Hyphens join, so that an ORCID is one word.
func NameWords(name string) []string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(name, " ")) {
		switch {
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’':
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-':
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// BareORCID is an ORCID iD without the address in front of it, in lower case.
func BareORCID(orcid string) string {
	orcid = strings.ToLower(strings.TrimSpace(orcid))
	return orcid[strings.LastIndexByte(orcid, '/')+1:]
}

// Everyone stands for all accounts in the list of accounts that may see a person.
const Everyone = 0

// SeenBy is the account that may name the person by id, or Everyone. It says what
// VisibleTo says, for indexes.
func (p *Person) SeenBy() int64 {
	if p.Public || p.AccountID != 0 {
		return Everyone
	}
	return p.CreatedBy
}

// SearchWords are the words by which the person is found: those of the name and the
// ORCID iD, each once.
func (p *Person) SearchWords() []string {
	seen := map[string]bool{}
	var words []string
	for _, w := range NameWords(p.FullName + " " + p.FirstName + " " + p.LastName + " " + BareORCID(p.ORCID)) {
		if w = IndexedWord(w); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// IndexedWord is what of a word is indexed.
func IndexedWord(w string) string { return w[:min(len(w), maxWord)] }

// maxWord bounds what of a word is indexed, in bytes.
const maxWord = 64

// Named reports whether every word begins a word of the name or of the ORCID iD.
func (p *Person) Named(words []string) bool {
	have := p.SearchWords()
	for _, w := range words {
		w = IndexedWord(w)
		found := false
		for _, h := range have {
			found = found || strings.HasPrefix(h, w)
		}
		if !found {
			return false
		}
	}
	return true
}

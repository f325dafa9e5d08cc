package record

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Identities find the surnames, mail addresses and ORCID iDs of some people in texts. Looking
// takes time in proportion to the text, however many people there are.
type Identities struct {
	names         map[string]string // folded surname to how it is written
	longest       int               // of a surname, in bytes
	mails, orcids map[string]bool
}

// Bounds of what is found inside longer words, in bytes: "lovelacedata" names Lovelace, but "alias"
// does not name Li.
const (
	insideLeast = 5
	insideMost  = 40
	nameWords   = 4 // of a surname
)

// NewIdentities are those of no one.
func NewIdentities() *Identities {
	return &Identities{names: map[string]string{}, mails: map[string]bool{}, orcids: map[string]bool{}}
}

// Person adds the surname, with and without its particle, and the ORCID iD of a person, or the name of an organisation. The
// surname of a name in one piece is the text before its comma, or its last word.
func (s *Identities) Person(p *Person) {
	surname := p.LastName
	before, _, comma := strings.Cut(p.FullName, ",")
	switch {
	case p.Organisation():
		surname = p.FullName
	case comma && !p.Guessed && p.Suffix == "":
		surname = before
	case surname == "":
		if words := strings.Fields(before); len(words) > 0 {
			surname = words[len(words)-1]
		}
	}
	s.name(surname)
	if p.Particle != "" {
		s.name(p.Names().BareFamily())
	}
	if id := strings.ReplaceAll(BareORCID(p.ORCID), "-", ""); id != "" {
		s.orcids[id] = true
	}
}

func (s *Identities) name(surname string) {
	words := foldedWords(surname)
	for _, form := range []string{strings.Join(words, " "), strings.Join(words, "")} {
		if len([]rune(form)) > 1 {
			s.names[form] = strings.TrimSpace(surname)
			s.longest = max(s.longest, len(form))
		}
	}
}

// Mail adds an address.
func (s *Identities) Mail(address string) {
	if address = strings.ToLower(strings.TrimSpace(address)); address != "" {
		s.mails[address] = true
	}
}

var (
	mailForm   = regexp.MustCompile(`[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,253}`)
	orcidsForm = regexp.MustCompile(`\d{4}-?\d{4}-?\d{4}-?\d{3}[\dXx]`)
)

// In are the people's names, addresses and iDs that a text has, each once, in order.
func (s *Identities) In(text string) (found []string) {
	add := func(what string) {
		if !slices.Contains(found, what) && len(found) < 10 {
			found = append(found, what)
		}
	}
	for _, m := range mailForm.FindAllString(text, -1) {
		if m = strings.Trim(strings.ToLower(m), ".-"); s.mails[m] {
			add(m)
		}
	}
	for _, m := range orcidsForm.FindAllString(text, -1) {
		if s.orcids[strings.ToLower(strings.ReplaceAll(m, "-", ""))] {
			add(m)
		}
	}
	words := foldedWords(text)
	for i, w := range words {
		for n := 1; n <= nameWords && i+n <= len(words); n++ {
			if name, ok := s.names[strings.Join(words[i:i+n], " ")]; ok {
				add(name)
			}
		}
		for from := 0; from+insideLeast <= len(w); from++ {
			for to := from + insideLeast; to <= min(len(w), from+min(s.longest, insideMost)); to++ {
				if name, ok := s.names[w[from:to]]; ok {
					add(name)
				}
			}
		}
	}
	return found
}

// foldedWords are the words of a text without marks and in lower case. A large letter behind a
// small one begins a word, as in the names of files.
func foldedWords(text string) []string {
	var b strings.Builder
	small := false
	for _, r := range text {
		if unicode.IsUpper(r) && small || r == '-' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		small = unicode.IsLower(r)
	}
	var words []string
	for _, w := range NameWords(b.String()) {
		words = append(words, strings.FieldsFunc(w, func(r rune) bool { return r == '-' || unicode.IsDigit(r) })...)
	}
	return words
}

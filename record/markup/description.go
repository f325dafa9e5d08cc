package markup

import (
	"html"
	"regexp"
	"strings"

	tree "golang.org/x/net/html"
)

// Description reads a description, or any other text of several lines: a reason of an embargo, a note.
func Description(text string) Text {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !strings.Contains(text, "<") {
		return Text{[]piece{{text: text}}, true}
	}
	s := scanner{src: text, dead: map[int]bool{}, unclosed: map[string]bool{}}
	s.scan()
	if s.found {
		for i := range s.pieces {
			s.pieces[i].text = decoded(s.pieces[i].text)
		}
	}
	return Text{s.pieces, true}
}

// scanner cuts a description into pieces in linear time.
type scanner struct {
	src      string
	pieces   []piece
	found    bool            // there is markup
	dead     map[int]bool    // ends of quoted values after which no tag is completed
	unclosed map[string]bool // what has no end in the rest
}

func (s *scanner) scan() {
	from := 0 // of the text that is not yet a piece
	for i := 0; i < len(s.src); {
		next := strings.IndexByte(s.src[i:], '<')
		if next < 0 {
			break
		}
		i += next
		size, list := s.markup(i)
		if size == 0 {
			i++
			continue
		}
		s.found = true
		s.text(s.src[from:i])
		s.pieces = append(s.pieces, list...)
		i += size
		from = i
	}
	s.text(s.src[from:])
}

func (s *scanner) text(text string) {
	if text != "" {
		s.pieces = append(s.pieces, piece{text: text})
	}
}

var (
	doctype     = regexp.MustCompile(`^(?i)<!doctype(?:\s[^<>]*)?>`)
	conditional = regexp.MustCompile(`^(?i)<!\[(?:if[^<>]*|endif)\]>`) // of Word, outside a comment
	namespace   = regexp.MustCompile(`^(?i)<\?xml[^<>]*>`)             // of Word, which does not end it as XML does
	instruction = regexp.MustCompile(`^<\?[A-Za-z]`)
)

// markup returns the length of the markup at i and its pieces, 0 where "<" is text.
func (s *scanner) markup(i int) (size int, list []piece) {
	rest := s.src[i:]
	switch {
	case len(rest) < 3:
		return 0, nil
	case strings.HasPrefix(rest, "<!--"):
		return s.until(i, 2, "-->"), nil
	case rest[1] == '!':
		return max(len(doctype.FindString(rest)), len(conditional.FindString(rest))), nil
	case rest[1] == '?':
		if n := len(namespace.FindString(rest)); n > 0 || !instruction.MatchString(rest) {
			return n, nil
		}
		return s.until(i, 2, "?>"), nil
	}
	name := tagName(rest[1:])
	prefix, local, prefixed := strings.Cut(strings.ToLower(strings.TrimPrefix(name, "/")), ":")
	if !prefixed && !elements[prefix] || prefixed && (!letter(prefix) || !letter(local)) {
		return 0, nil
	}
	end := s.tagEnd(i + 1 + len(name))
	if end < 0 {
		return 0, nil
	}
	return s.element(i, end, prefix, local)
}

// tagName returns the name of a tag with its slash and its prefix, empty where no name ends as one of a tag.
func tagName(rest string) string {
	for i := range len(rest) {
		switch c := rest[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == ':', c == '/' && i == 0:
		case strings.IndexByte(" \t\n\f\r/>", c) >= 0:
			return rest[:i]
		default:
			return ""
		}
	}
	return ""
}

// letter reports whether a name in lower case begins with a letter and has no colon.
func letter(name string) bool {
	return name != "" && name[0] >= 'a' && name[0] <= 'z' && !strings.Contains(name, ":")
}

// until returns the length of the text from i to the end of a mark, which begins after skip bytes at the earliest,
// 0 without one.
func (s *scanner) until(i, skip int, mark string) int {
	if s.unclosed[mark] {
		return 0
	}
	n := strings.Index(s.src[i+skip:], mark)
	if n < 0 {
		s.unclosed[mark] = true
		return 0
	}
	return skip + n + len(mark)
}

// tagEnd returns the position after the tag whose attributes begin at i, -1 where it is not complete.
func (s *scanner) tagEnd(i int) int {
	var passed []int
	fail := func() int {
		for _, at := range passed {
			s.dead[at] = true
		}
		return -1
	}
	for {
		i += span(s.src[i:], " \t\n\f\r/")
		if i < len(s.src) && s.src[i] == '>' {
			return i + 1
		}
		name := until(s.src[i:], " \t\n\f\r/=\"'<>")
		if i += name; name == 0 || i == len(s.src) {
			return fail()
		}
		equals := i + span(s.src[i:], " \t\n\f\r")
		if equals == len(s.src) || s.src[equals] != '=' {
			continue
		}
		i = equals + 1
		i += span(s.src[i:], " \t\n\f\r")
		if i == len(s.src) {
			return fail()
		}
		if quote := s.src[i]; quote != '"' && quote != '\'' {
			value := until(s.src[i:], " \t\n\f\r\"'=<>`")
			if i += value; value == 0 || i == len(s.src) {
				return fail()
			}
			continue
		} else if n := strings.IndexByte(s.src[i+1:], quote); n >= 0 {
			i += n + 2
		} else {
			return fail()
		}
		if s.dead[i] {
			return fail()
		}
		passed = append(passed, i)
	}
}

// span returns how many bytes at the beginning of a text are in a set.
func span(text, set string) int { return len(text) - len(strings.TrimLeft(text, set)) }

// until returns how many bytes at the beginning of a text are not in a set.
func until(text, set string) int {
	if n := strings.IndexAny(text, set); n >= 0 {
		return n
	}
	return len(text)
}

// element returns the length and the pieces of a tag from i to end, of a name or of a prefix with a name. An element
// without tags in it is taken with its content and its end tag.
func (s *scanner) element(i, end int, name, local string) (size int, list []piece) {
	if local != "" {
		if !inline[local] {
			list = []piece{{gap: true}}
		}
		return end - i, list
	}
	closing := s.src[i+1] == '/'
	if raw[name] && !closing {
		if s.unclosed[name] {
			return 0, nil
		}
		at := rawEnd[name].FindStringIndex(s.src[end:])
		if at == nil {
			s.unclosed[name] = true
			return 0, nil
		}
		return end + at[1] - i, []piece{{gap: true}, {text: s.src[end : end+at[0]]}, {gap: true}}
	}
	p := piece{tag: shownAs(name), end: closing, gap: !inline[name]}
	if p.tag == "" && !p.gap {
		return end - i, nil
	}
	if p.tag == "a" && !closing {
		p.href = href(s.src[i:end])
	}
	return end - i, []piece{p}
}

// rawEnd finds the end tag of an element that has no tags in it.
var rawEnd = func() map[string]*regexp.Regexp {
	ends := map[string]*regexp.Regexp{}
	for name := range raw {
		ends[name] = regexp.MustCompile(`(?i)</` + name + `(?:[\s/][^<>]*)?>`)
	}
	return ends
}()

// href returns the address of a link.
func href(tag string) string {
	z := tree.NewTokenizer(strings.NewReader(tag))
	z.Next()
	for _, a := range z.Token().Attr {
		if a.Key == "href" {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

var entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// decoded returns a text with its entities decoded. Without a semicolon there is none.
func decoded(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	return entity.ReplaceAllStringFunc(text, func(name string) string {
		if name[1] == '#' || name == "&semi;" {
			return html.UnescapeString(name)
		}
		if char := html.UnescapeString(name); !strings.HasSuffix(char, ";") { // "&notit;" is no entity
			return char
		}
		return name
	})
}

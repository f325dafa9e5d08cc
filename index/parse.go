package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"alcove/index/segments"
	"alcove/record"
)

// parser reads the lexemes of one search text by recursive descent:
//
//	alternatives = run { OR run }
//	run          = all { all }              side by side: alternatives, without the NOTs
//	all          = factor { AND factor }
//	factor       = { NOT } ( "(" alternatives ")" | filter | phrase | word )
//
// Operators without an operand are passed over.
type parser struct {
	text     string
	tokens   []lexeme
	at       int
	flat     int    // open parentheses beyond maxDepth, read as if they were not there
	scope    filter // of the filter whose parentheses are being read: :title: (a OR b)
	clauses  int
	terms    int
	prefixes int
}

func (p *parser) peek() (lexemeType, bool) {
	if p.at >= len(p.tokens) {
		return 0, false
	}
	return p.tokens[p.at].kind, true
}

func (p *parser) accept(k lexemeType) bool {
	if got, ok := p.peek(); !ok || got != k {
		return false
	}
	p.at++
	return true
}

// alternatives stops before a closing parenthesis and at the end.
func (p *parser) alternatives(depth int) *segments.Node {
	children := []*segments.Node{p.run(depth)}
	for p.accept(lexOr) {
		children = append(children, p.run(depth))
	}
	return or(children...)
}

func (p *parser) run(depth int) *segments.Node {
	var with, without []*segments.Node
	for {
		k, ok := p.peek()
		switch {
		case ok && k == lexClose && p.flat > 0:
			p.flat--
			p.at++
			continue
		case !ok || k == lexOr || k == lexClose:
			if with == nil || or(with...) == nil {
				return not(or(without...))
			}
			return and(or(with...), not(or(without...)))
		case k == lexAnd:
			p.at++
			continue
		}
		if n, negated := p.all(depth); negated {
			without = append(without, n)
		} else {
			with = append(with, n)
		}
	}
}

// all reports negated when it read one negated factor, which is then given without NOT.
func (p *parser) all(depth int) (n *segments.Node, negated bool) {
	n, negated = p.factor(depth)
	if k, ok := p.peek(); !ok || k != lexAnd {
		return n, negated
	}
	var children []*segments.Node
	for {
		if negated {
			n = not(n)
		}
		children = append(children, n)
		if !p.accept(lexAnd) {
			return and(children...), false
		}
		for p.accept(lexAnd) {
		}
		if k, ok := p.peek(); !ok || k == lexOr || k == lexClose {
			return and(children...), false
		}
		n, negated = p.factor(depth)
	}
}

func (p *parser) factor(depth int) (n *segments.Node, negated bool) {
	for p.accept(lexNot) {
		negated = !negated
	}
	for depth >= maxDepth && p.accept(lexOpen) {
		p.flat++
	}
	k, ok := p.peek()
	if !ok || k == lexClose || k == lexAnd || k == lexOr || k == lexNot {
		return nil, negated
	}
	t := p.tokens[p.at]
	p.at++
	switch k {
	case lexOpen:
		n = p.alternatives(depth + 1)
		p.accept(lexClose)
		return n, negated
	case lexFilter:
		return p.filter(t, depth), negated
	}
	switch {
	case p.scope != nil:
		return p.scope(p, value{raw: t.text, quoted: k == lexPhrase, lexemes: []lexeme{t}}), negated
	case k == lexPhrase:
		return p.quoted(t.text, everywhere...), negated
	}
	return p.joined(p.word(t.text, everywhere...), t.text, p.tokens[p.at:], everywhere...), negated
}

// filter reads the value of a filter, whose name has been read.
func (p *parser) filter(name lexeme, depth int) *segments.Node {
	f := filters[name.text]
	k, ok := p.peek()
	if ok && k == lexOpen && depth < maxDepth {
		outer := p.scope
		p.scope = f
		p.at++
		n := p.alternatives(depth + 1)
		p.accept(lexClose)
		p.scope = outer
		return n
	}
	if ok && k == lexPhrase {
		// A quoted value is complete by itself.
		t := p.tokens[p.at]
		p.at++
		return f(p, value{raw: t.text, quoted: true, lexemes: []lexeme{t}})
	}
	begin, open := p.at, 0
	for p.at < len(p.tokens) {
		switch p.tokens[p.at].kind {
		case lexOpen:
			open++
		case lexClose:
			open--
		}
		if open < 0 || p.ends(name.text) {
			break
		}
		p.at++
	}
	if begin == p.at {
		return nil
	}
	from, to := p.tokens[begin].start, p.tokens[p.at-1].end
	raw := strings.TrimSpace(p.text[from:to])
	v := value{raw: raw, lexemes: p.tokens[begin:p.at]}
	if n := len(raw); n > 2 && raw[0] == '\'' && raw[n-1] == '\'' {
		inside := raw[1 : n-1]
		v = value{raw: inside, quoted: true, lexemes: []lexeme{{lexPhrase, inside, from, to}}}
	}
	return f(p, v)
}

// ends reports whether the value of a filter ends before the next lexeme. A tag may hold
// the words OR and NOT: only AND ends it, or an operator that a filter, a phrase or a
// parenthesis follows.
func (p *parser) ends(name string) bool {
	switch k := p.tokens[p.at].kind; k {
	case lexAnd, lexFilter:
		return true
	case lexOr, lexNot:
		if name != "tag" {
			return true
		}
		if p.at+1 == len(p.tokens) {
			return true
		}
		next := p.tokens[p.at+1].kind
		return next != lexWord
	}
	return false
}

// word is a word without quotes. One of several parts has to be found as it stands, or
// written as one; a DOI may also be that of the item or its resource; a star at the end
// stands for any ending.
func (p *parser) word(s string, fields ...string) *segments.Node {
	if !p.clause() {
		return nil
	}
	if n := p.prefix(s, fields); n != nil {
		return n
	}
	doi := isDOI(s)
	if doi {
		s = record.BareDOI(s)
	}
	tokens := split(s, forms[fields[0]])
	n := p.sequence(tokens, fields)
	if n == nil {
		return nil
	}
	if doi && len(fields) > 1 {
		n = or(n, p.exactly(fDOI, s), p.exactly(fResourceDOI, s))
	}
	for _, t := range tokens {
		if t.kind == joined && t.parts == positions(tokens) {
			n = or(n, p.sequence([]token{{term: t.term, pos: 1}}, fields))
		}
	}
	if doi {
		return n
	}
	return p.measured(n, s, fields)
}

// quoted is a phrase: its words one after another in one of the fields.
func (p *parser) quoted(s string, fields ...string) *segments.Node {
	if !p.clause() {
		return nil
	}
	return p.measured(p.sequence(split(s, forms[fields[0]]), fields), s, fields)
}

// sequence is nil when no term is left. Stop words inside leave a gap for any word.
func (p *parser) sequence(tokens []token, fields []string) *segments.Node {
	var terms []string
	last := 0
	for _, t := range tokens {
		if t.kind != part {
			continue
		}
		if len(terms) > 0 {
			gap := t.pos - last - 1
			if len(terms)+gap >= maxPhrase {
				break
			}
			terms = append(terms, make([]string, gap)...)
		}
		terms = append(terms, t.term)
		last = t.pos
	}
	if len(terms) == 0 || p.terms+len(terms)*len(fields) > maxTerms {
		return nil
	}
	p.terms += len(terms) * len(fields)
	var children []*segments.Node
	for _, f := range fields {
		children = append(children, phrase(f, terms))
	}
	return or(children...)
}

// exactly is equality with a whole value.
func (p *parser) exactly(field, value string) *segments.Node {
	p.terms++
	return term(field, value)
}

func (p *parser) clause() bool {
	p.clauses++
	return p.clauses <= maxClauses
}

// positions counts the parts of a word.
func positions(tokens []token) int {
	n := 0
	for _, t := range tokens {
		n = max(n, t.pos)
	}
	return n
}

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

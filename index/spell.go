package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"alcove/index/segments"
	"alcove/record/markup"
)

const (
	maxSpelled = 8 // words of a search that are looked at
	minSpelled = 4 // letters of a word that can be corrected
	farSpelled = 6 // letters from which on two of them may be wrong
)

// Correct looks for the words of a search that no item has anywhere, and puts in place of each the
// nearest word of a title, tag, category, name or the beginning of a description that some item has.
// corrected is empty where it has none for any. It looks among all items of the scope of the matches,
// whatever they are narrowed to.
func Correct(m *Matches, text string) (corrected string, missing []string) {
	var b strings.Builder
	at, looked := 0, 0
	for _, t := range scan(text) {
		if t.kind != lexWord || strings.HasSuffix(t.text, "*") {
			continue
		}
		for begin, word := range letters(text[t.start:t.end]) {
			if looked++; looked > maxSpelled {
				break
			}
			p := parser{}
			if n := p.word(word, everywhere...); n == nil || m.Finds(n) {
				continue
			}
			missing = append(missing, word)
			if near := similar(m, word); near != "" {
				b.WriteString(text[at:t.start+begin] + near)
				at = t.start + begin + len(word)
			}
		}
	}
	if b.Len() == 0 {
		return "", missing
	}
	return b.String() + text[at:], missing
}

// PlainWords reports whether a search is nothing but words: no operators, filters, phrases or stars.
func PlainWords(text string) bool {
	for _, t := range scan(text) {
		if t.kind != lexWord || strings.HasSuffix(t.text, "*") {
			return false
		}
	}
	return true
}

// letters are the runs of letters in a word that are long enough, by where they begin.
func letters(s string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		begin := -1
		for i, r := range s + " " {
			switch in := unicode.IsLetter(r) && !paired(r); {
			case in && begin < 0:
				begin = i
			case !in && begin >= 0:
				if word := s[begin:i]; utf8.RuneCountInString(word) >= minSpelled && len(word) <= maxCachedWord && !yield(begin, word) {
					return
				}
				begin = -1
			}
		}
	}
}

// similar is the nearest word that some item has, "" for none.
func similar(m *Matches, word string) string {
	word = exact(word)
	distance := 1
	if utf8.RuneCountInString(word) >= farSpelled {
		distance = 2
	}
	for _, n := range m.Similar(fSpelling, word, distance) {
		if n.Distance > 0 {
			return n.Value
		}
	}
	return ""
}

// Suggestions are tags and authors that begin as a text does, or with a name that does: as the most
// items have them, at most n of each.
func Suggestions(m *Matches, text string, n int) (tags, authors []string) {
	begin := exact(text)
	if begin == "" {
		return nil, nil
	}
	return shown(m.Values(fSuggestTag, begin, n)), shown(m.Values(fSuggestName, begin, n))
}

// shownMark stands in suggested values between the text that is searched and the text that is shown.
const shownMark = "\x1f"

func shown(counts []segments.Count) (list []string) {
	for _, c := range counts {
		_, text, _ := strings.Cut(c.Value, shownMark)
		list = append(list, text)
	}
	return list
}

// suggestTags adds tags that are suggested for a text that begins them.
func (b *builder) suggestTags(tags []string) {
	for _, tag := range tags {
		b.suggest(fSuggestTag, exact(tag), tag)
	}
}

// suggestNames adds names that are suggested for a text that begins them or one of their parts.
func (b *builder) suggestNames(names []string) {
	for _, name := range names {
		for key := exact(name); key != ""; {
			b.suggest(fSuggestName, key, name)
			_, key, _ = strings.Cut(key, " ")
		}
	}
}

func (b *builder) suggest(field, key, text string) {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, shownMark, " ")), " ")
	if value := key + shownMark + text; key != "" && len(value) <= maxTerm {
		b.exact(field, value)
	}
}

// spell adds the words of texts to the known spellings, at most maxSpellings in a call.
func (b *builder) spell(texts ...string) {
	most := b.doc.field(fSpelling).length + maxSpellings
	for _, text := range texts {
		for _, word := range letters(cut(exact(markup.Title(text).String()), 1000)) {
			b.exactUpTo(most, fSpelling, word)
		}
	}
}

// InTitles is the query for items with all words of a text in their titles, where the last may go on.
func InTitles(text string) Query {
	words := strings.FieldsFunc(cut(text, maxText), func(r rune) bool { return !letter(r) })
	var nodes []*segments.Node
	p := parser{}
	for i, w := range words[:min(len(words), maxPhrase)] {
		if i == len(words)-1 && utf8.RuneCountInString(w) >= 3 {
			w += "*"
		}
		nodes = append(nodes, p.word(w, fTitle))
	}
	n := and(nodes...)
	if n == nil {
		n = &segments.Node{Op: segments.OpNone}
	}
	return Query{root: n}
}

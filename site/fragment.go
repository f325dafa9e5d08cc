package site

import (
	"unicode/utf8"

	"alcove/handlers"
)

// piece is a piece of a text, which may be one of the words that were looked for.
type piece struct {
	Text   string
	Marked bool
}

// maxLooked is how many bytes of a description are looked through for a fragment.
const maxLooked = 16 << 10

// begin is the beginning of a long text, cut before a character.
func begin(text string) string {
	if len(text) <= maxLooked {
		return text
	}
	n := maxLooked
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// fragment is the part of a plain text that has the most of the words that were looked for, in pieces,
// nil where it has none.
func fragment(text string, marks *handlers.Marks) (pieces []piece) {
	spans := marks.Spans(text)
	if len(spans) == 0 {
		return nil
	}
	best, most := 0, 0
	for i, j := 0, 0; i < len(spans); i++ {
		for j < len(spans) && spans[j][1]-spans[i][0] <= cardText {
			j++
		}
		if n := j - i; n > most {
			best, most = i, n
		}
	}
	const before = 60 // bytes in front of the first word
	from := max(0, spans[best][0]-before)
	for from > 0 && text[from-1] != ' ' {
		from--
		if spans[best][0]-from > 2*before {
			from = spans[best][0]
			break
		}
	}
	to := min(len(text), from+cardText)
	for to < len(text) && text[to] != ' ' && to-from < cardText+before {
		to++
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	at := from
	if from > 0 {
		pieces = append(pieces, piece{Text: "… "})
	}
	for _, s := range spans {
		if s[0] < at || s[1] > to {
			continue
		}
		if last := len(pieces) - 1; last >= 0 && pieces[last].Marked && text[at:s[0]] == " " { // words of a phrase are one mark
			pieces[last].Text += text[at:s[1]]
		} else {
			pieces = append(pieces, piece{Text: text[at:s[0]]}, piece{text[s[0]:s[1]], true})
		}
		at = s[1]
	}
	pieces = append(pieces, piece{Text: text[at:to]})
	if to < len(text) {
		pieces = append(pieces, piece{Text: " …"})
	}
	return pieces
}

package described

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
)

var noTags = bluemonday.StrictPolicy()

// bare reports whether a text has neither tags nor characters by name, as most have: reading it as
// HTML would find nothing.
func bare(text string) bool { return !strings.ContainsAny(text, "<&") }

// blocks are the tags at which a word ends.
var blocks = regexp.MustCompile(`(?i)</?(p|br|hr|div|li|ul|ol|dl|dt|dd|h[1-6]|table|tr|td|th|blockquote|pre)\b`)

// Plain is a text without tags, on one line.
func Plain(text string) string {
	return Title(blocks.ReplaceAllString(text, " $0"))
}

// Title is a title without tags: unlike in prose, no word ends at one.
func Title(text string) string {
	if bare(text) {
		return strings.Join(strings.Fields(text), " ")
	}
	return strings.Join(strings.Fields(html.UnescapeString(noTags.Sanitize(text))), " ")
}

// Short is the beginning of a text, up to a number of characters, ending with a whole word.
func Short(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	cut := string([]rune(text)[:most])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,.;:–-") + "…"
}

package described

import (
	"strings"
	"unicode/utf8"
)

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

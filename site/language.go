package site

import (
	"net/http"
	"strings"

	"golang.org/x/text/language"

	"alcove/handlers"
	"alcove/site/words"
)

// Words are the texts of a language, with what is said of the values that a page shows.
type Words struct{ *words.Words }

var (
	english    = &Words{words.In("en")}
	byLanguage = map[string]*Words{"en": english, "de": {words.In("de")}}
)

// WordsOf are the words in the language of a call.
func WordsOf(c *handlers.Call) *Words { return byLanguage[chosenLanguage(c)] }

const languageCookie = "lang"

var matcher = language.NewMatcher([]language.Tag{language.English, language.German})

// chosenLanguage is the language of a page: that of the link that was followed, of the cookie that
// remembers it, of the profile of the person, or the one that the browser prefers.
func chosenLanguage(c *handlers.Call) string {
	if code := asks(c, "lang"); byLanguage[code] != nil {
		return code
	}
	cookies, _ := http.ParseCookie(strings.Join(c.Header.Values("Cookie"), "; "))
	for _, k := range cookies {
		if k.Name == languageCookie && byLanguage[k.Value] != nil {
			return k.Value
		}
	}
	if p := c.Person(); p != nil && byLanguage[p.Language] != nil {
		return p.Language
	}
	tags, _, _ := language.ParseAcceptLanguage(strings.Join(c.Header.Values("Accept-Language"), ","))
	_, i, _ := matcher.Match(tags...)
	return words.Languages[i]
}

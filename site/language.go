package site

import (
	"net/http"
	"strings"

	"golang.org/x/text/language"

	"alcove/handlers/endpoint"
	"alcove/site/words"
)

// Words are the texts of a language, with what is said of the values that a page shows.
type Words struct{ *words.Words }

var (
	english    = &Words{words.In("en")}
	byLanguage = map[string]*Words{"en": english, "de": {words.In("de")}}
)

// WordsOf are the words in the language of a call.
func WordsOf(c *endpoint.Call) *Words { return byLanguage[LanguageOf(c)] }

// WordsIn are the words in a language by its code, nil for one that pages do not have.
func WordsIn(code string) *Words { return byLanguage[code] }

const languageCookie = "lang"

// KeepLanguage is the line of a header that has a browser keep a language, or forget it for "".
func KeepLanguage(c *endpoint.Call, code string) string {
	cookie := http.Cookie{Name: languageCookie, Value: code, Path: "/", MaxAge: 365 * 24 * 3600, HttpOnly: true, Secure: c.Encrypted(), SameSite: http.SameSiteLaxMode}
	if code == "" {
		cookie.MaxAge = -1
	}
	return cookie.String()
}

var matcher = language.NewMatcher([]language.Tag{language.English, language.German})

// LanguageOf is the language of a page: that of the link that was followed, of the cookie that
// remembers it, of the profile of the person, or the one that the browser prefers.
func LanguageOf(c *endpoint.Call) string {
	if code := Asked(c, "lang"); byLanguage[code] != nil {
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

package present

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"alcove/record/catalogue"
	"alcove/record/markup"
)

// maxSlug bounds the part of an address that comes from a title, in characters.
const maxSlug = 120

// slug is a title in an address: every run of characters other than letters, digits, - and _ is
// one _ (docs/reference/api.md#slugs). A title without letters is "_".
func slug(title string) string {
	if len(title) > 8*maxSlug {
		title = strings.ToValidUTF8(title[:8*maxSlug], "")
	}
	title = markup.Title(title).String()
	var b strings.Builder
	n, gap := 0, false
	for _, r := range title {
		if n == maxSlug {
			break
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			b.WriteRune(r)
			n, gap = n+1, false
		} else if !gap {
			b.WriteByte('_')
			n, gap = n+1, true
		}
	}
	if b.Len() == 0 {
		return "_"
	}
	return b.String()
}

// landing is the page of an item for people.
func (s Settings) landing(it item, t catalogue.ItemType) string {
	return s.SiteURL + "/articles/" + t.URLName + "/" + it.slug() + "/" + strconv.FormatInt(it.id, 10)
}

// slug is the title's part of an address, _ before the first publication.
func (it item) slug() string {
	if !it.everPublic {
		return "_"
	}
	return url.PathEscape(slug(it.Title))
}

// CollectionPage is the page of a public collection for people.
func (s Settings) CollectionPage(id int64, title string) string {
	return s.SiteURL + "/collections/" + url.PathEscape(slug(title)) + "/" + strconv.FormatInt(id, 10)
}

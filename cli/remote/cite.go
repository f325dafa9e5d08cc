package remote

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"alcove/cli/fetch"
	"alcove/formats"
)

// Styles are the names of the styles and formats in which an item can be cited.
func Styles() (list []string) {
	for _, f := range formats.All() {
		if f.Citation() || slices.Contains([]string{"bibtex", "ris", "endnote", "csl"}, f.Name) {
			list = append(list, f.Name)
		}
	}
	return list
}

// Cite is the citation of a version in a style; "" is as the server words it.
func Cite(v *fetch.Version, style string) (string, error) {
	about, err := v.About()
	if err != nil {
		return "", err
	}
	if style == "" && about.Citation != "" {
		return about.Citation, nil
	}
	if style == "" {
		style = "apa"
	}
	if !slices.Contains(Styles(), style) {
		return "", fmt.Errorf("there is no style %q; there are %s", style, strings.Join(Styles(), ", "))
	}
	f, _ := formats.ByName(style)
	it := formats.Item{
		Kind: "article", ID: v.ID, Type: about.Type, Title: about.Title, DOI: about.DOI, URL: about.Page, Publisher: publisher(about),
	}
	if about.Citation != "" && !strings.Contains(about.Citation, about.DOI) {
		it.DOI = "" // it is not registered yet, and leads nowhere
	}
	if t, err := time.Parse(time.RFC3339, about.Published); err == nil {
		it.Published, it.First = t, t
	}
	for _, a := range about.Authors {
		it.Authors = append(it.Authors, formats.Author{
			Family: a.Last, Given: a.First, Full: a.Full, ORCID: a.ORCID, Particle: a.Particle, Suffix: a.Suffix, Organisation: a.Organisation,
		})
	}
	return strings.TrimRight(f.Write(it), "\n"), nil
}

// publisher is what stands behind the title in the citation that the server gives, where the API has nothing else of it, and
// otherwise the name of the server.
func publisher(about fetch.About) string {
	if _, rest, ok := strings.Cut(about.Citation, about.Title+". "); ok && about.Title != "" {
		if name, _, ok := strings.Cut(rest, ". "); ok && name != "" && len(name) < 200 && !strings.EqualFold(name, about.Type) {
			return name
		}
	}
	if u, err := url.Parse(about.Page); err == nil {
		return u.Hostname()
	}
	return ""
}

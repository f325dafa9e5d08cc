package formats

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// clean is the item with every text in one line, so that no form has to think of lines, controls
// or text that turns its direction round.
func (it Item) clean() *Item {
	for _, s := range []*string{&it.Type, &it.Title, &it.DOI, &it.ConceptDOI, &it.Handle, &it.URL, &it.Image, &it.Publisher,
		&it.Site, &it.Package, &it.License, &it.LicenseURL, &it.Description} {
		*s = line(*s)
	}
	it.URL, it.Image, it.LicenseURL, it.Site, it.Package = web(it.URL), web(it.Image), web(it.LicenseURL), web(it.Site), web(it.Package)
	it.Keywords = lines(it.Keywords)
	categories := make([]Category, 0, len(it.Categories))
	for _, c := range it.Categories {
		if c = (Category{line(c.Title), line(c.Code)}); c.Title != "" {
			categories = append(categories, c)
		}
	}
	grants := make([]Grant, 0, len(it.Grants))
	for _, g := range it.Grants {
		if g = (Grant{line(g.Title), line(g.Funder), line(g.Code), web(line(g.URL))}); g.Title != "" {
			grants = append(grants, g)
		}
	}
	related := make([]Related, 0, len(it.Related))
	for _, r := range it.Related {
		if r = (Related{line(r.Identifier), line(r.Type), line(r.Relation), line(r.Title), web(line(r.URL))}); r.Identifier != "" {
			related = append(related, r)
		}
	}
	it.Categories, it.Grants, it.Related = categories, grants, related
	authors := make([]Author, 0, len(it.Authors))
	for _, a := range it.Authors {
		a = a.clean()
		if a.Family == "" && a.Full == "" {
			a.Full = a.Given
		}
		if a.Family != "" || a.Full != "" {
			authors = append(authors, a)
		}
	}
	it.Authors = authors
	files := make([]File, 0, len(it.Files))
	for _, f := range it.Files {
		files = append(files, File{line(f.Name), web(line(f.URL)), line(f.MD5), line(f.MIME), f.Size})
	}
	it.Files = files
	if it.Title == "" {
		it.Title = "Untitled"
	}
	return &it
}

// clean is the author with clean texts. An organisation has a full name alone.
func (a Author) clean() Author {
	out := Author{
		Family: line(a.Family), Given: line(a.Given), Full: line(a.Full), Particle: line(a.Particle), Suffix: line(a.Suffix),
		Organisation: a.Organisation, Guessed: a.Guessed, ORCID: line(a.ORCID), ROR: web(line(a.ROR)),
	}
	if out.Organisation {
		out.Family, out.Given = "", ""
	}
	for _, f := range a.Affiliations {
		if f = (Affiliation{line(f.Name), web(line(f.ROR))}); f.Name != "" {
			out.Affiliations = append(out.Affiliations, f)
		}
	}
	return out
}

// line is a text without line breaks, controls, marks of direction and bytes that are not UTF-8.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r), r == '\uFEFF', r == '\uFFFE', r == '\uFFFF':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.Join(strings.Fields(s), " ")
}

func lines(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s = line(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// web is an address of http or https, and nothing for any other text.
func web(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	s = unsafe.Replace(s)
	host := strings.Index(s, "://") + len("://") + len(u.Host) // brackets are those of IPv6 in it, and nowhere else
	if host > len(s) {
		return ""
	}
	return s[:host] + brackets.Replace(s[host:])
}

var brackets = strings.NewReplacer("[", "%5B", "]", "%5D")

// unsafe are characters that no address has as they are.
var unsafe = strings.NewReplacer(" ", "%20", `"`, "%22", "<", "%3C", ">", "%3E", `\`, "%5C", "^", "%5E", "`", "%60",
	"{", "%7B", "|", "%7C", "}", "%7D")

// doiURL is the address of the DOI, empty without one.
func (it *Item) doiURL() string {
	if it.DOI == "" {
		return ""
	}
	return "https://doi.org/" + inPath.Replace(it.DOI)
}

// inPath are also characters that would end the path.
var inPath = strings.NewReplacer("%", "%25", "#", "%23", "?", "%3F", " ", "%20", `"`, "%22", "<", "%3C", ">", "%3E",
	`\`, "%5C", "^", "%5E", "`", "%60", "{", "%7B", "|", "%7C", "}", "%7D", "[", "%5B", "]", "%5D")

// where is the address that a citation names.
func (it *Item) where() string {
	switch {
	case it.DOI != "":
		return it.doiURL()
	case it.Handle != "":
		return it.handleURL()
	}
	return it.URL
}

func (it *Item) year(unknown string) string {
	if it.Published.IsZero() {
		return unknown
	}
	return it.Published.UTC().Format("2006")
}

// version is "Version 2", empty where the version is not to be named.
func (it *Item) version() string {
	if it.Version == 0 {
		return ""
	}
	return "Version " + strconv.Itoa(it.Version)
}

// stop ends a sentence, unless it ends already.
func stop(s string) string {
	if seen := strings.TrimRight(s, marks); seen == "" || strings.ContainsRune(".?!", rune(seen[len(seen)-1])) {
		return s
	}
	return s + "."
}

// sentences joins what is not empty, each with its full stop.
func sentences(parts ...string) string {
	out := []string{}
	for _, p := range parts {
		if p != "" {
			out = append(out, stop(p))
		}
	}
	return strings.Join(out, " ")
}

// words joins what is not empty.
func words(parts ...string) string { return joined(" ", parts...) }

func joined(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), sep)
}

// inner makes double quotation marks single, for a title that stands between double ones.
func inner(s string) string {
	open := true
	return strings.Map(func(r rune) rune {
		switch r {
		case '“':
			return '‘'
		case '”':
			return '’'
		case '"':
			open = !open
			if open {
				return '’'
			}
			return '‘'
		}
		return r
	}, s)
}

// abstract is the description where it stands among other things: at most 5,000 characters, which is what
// search engines for data sets read.
func (it *Item) abstract() string { return short(it.Description, 5000) }

// day is a date without its time, empty for none.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

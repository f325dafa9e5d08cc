package site

import (
	"encoding/xml"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record/markup"
)

// atomFeed is a feed of RFC 4287.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Updated string      `xml:"updated"`
	Author  atomPerson  `xml:"author"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomPerson struct {
	Name string `xml:"name"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	Title     string       `xml:"title"`
	ID        string       `xml:"id"`
	Updated   string       `xml:"updated"`
	Published string       `xml:"published"`
	Authors   []atomPerson `xml:"author"`
	Link      atomLink     `xml:"link"`
	Category  *atomTerm    `xml:"category"`
	Summary   string       `xml:"summary"`
}

type atomTerm struct {
	Term string `xml:"term,attr"`
}

const (
	atomType    = "application/atom+xml; charset=utf-8"
	atomSummary = 1000 // characters
)

// Feed is the first page of a search as an Atom feed, the newest first unless another order is asked for.
func (s *Site) Feed(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := readSearch(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if order, _ := c.Query.Find("sort"); order == "" {
		a.sort = newest
	}
	a.page, a.more = 1, ""
	w := WordsOf(c)
	base := s.api.Settings.SiteURL
	f := atomFeed{
		Title: a.heading(w) + " – " + s.Name(), ID: base + a.feedURL(), Author: atomPerson{s.Name()}, Updated: stamp(nil),
		Links: []atomLink{{"self", "application/atom+xml", base + a.feedURL()}, {"alternate", "text/html", base + a.url()}},
	}
	if n := utf8.RuneCountInString(a.words); n == 0 || n > 2 {
		asked := a.finding()
		asked.Facets = nil
		found, err := s.api.Find(c, asked)
		if err != nil {
			return endpoint.Reply{}, err
		}
		for i := range found.Items {
			e := s.entry(w, &found.Items[i])
			f.Updated = max(f.Updated, e.Updated)
			f.Entries = append(f.Entries, e)
		}
	}
	text, err := xml.MarshalIndent(f, "", " ")
	if err != nil {
		return endpoint.Reply{}, err
	}
	h := http.Header{"X-Robots-Tag": {"noindex"}, "Vary": {"Accept-Language, Cookie"}}
	return endpoint.Reply{Raw: append([]byte(xml.Header), text...), Type: atomType, Header: h, Public: true}, nil
}

// feedURL is the address of a search as a feed.
func (a asked) feedURL() string {
	a.page, a.more = 1, ""
	return "/search.atom" + strings.TrimPrefix(a.url(), "/search")
}

// entry is an item in a feed.
func (s *Site) entry(w *Words, item *handlers.FoundItem) atomEntry {
	card := s.foundCard(w, item, nil)
	e := atomEntry{Title: card.Plain, Category: &atomTerm{card.Type}}
	address, published, modified, about := card.URL, (*string)(nil), (*string)(nil), (*string)(nil)
	switch {
	case item.Article != nil:
		d := item.Article
		published, modified, about = d.PublishedDate, d.Modified, d.Description
		for _, p := range d.Authors {
			e.Authors = append(e.Authors, atomPerson{p.FullName})
		}
	case item.Collection != nil:
		d := item.Collection
		published, modified, about = d.PublishedDate, d.Modified, d.Description
		for _, p := range d.Authors {
			e.Authors = append(e.Authors, atomPerson{p.FullName})
		}
	default:
		d := item.Project
		published, modified, about = d.PublishedDate, d.ModifiedDate, d.Description
	}
	if strings.HasPrefix(address, "/") {
		address = s.api.Settings.SiteURL + address
	}
	e.ID, e.Link = address, atomLink{"alternate", "text/html", address}
	e.Published, e.Updated = stamp(published), max(stamp(published), stamp(modified))
	e.Summary = Short(begin(markup.Description(Text(about)).String()), atomSummary)
	return e
}

// stamp is a time as feeds have it, the first of all where there is none.
func stamp(of *string) string {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(form, Text(of)); err == nil {
			return t.UTC().Format(time.RFC3339)
		}
	}
	return time.Unix(0, 0).UTC().Format(time.RFC3339)
}

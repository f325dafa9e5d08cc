package site

import (
	"slices"
	"strings"
	"unicode/utf8"

	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record/catalogue"
	"alcove/record/markup"
)

type search struct {
	*Frame
	Asked      string
	Heading    string
	Refused    string // why the search was not made, "" where it was
	Items      []card
	Count      string // how many there are on all pages, "" where they were not counted
	Page       int
	Sorts      []Choice
	Facets     []facetShown
	Chosen     []Choice // what narrows the search; each link takes it away
	Previous   string   // address of the page before, "" for none
	Next       string
	Everything string   // address of the same search without anything that narrows it
	Missing    []string // words that nothing has
	Meant      Choice   // the search with other words instead, blank for none
	Corrected  bool     // the items are those of Meant
	Written    string   // address of the search with its words as they are
	Kept       []kept   // beside the words, for the search form
}

type kept struct{ Name, Value string }

const pageSize = 20

// Search is the page that finds public items.
func (s *Site) Search(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := readSearch(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	f := s.Frame(c)
	v := search{Frame: f, Asked: a.words, Page: a.page, Heading: a.heading(f.Words)}
	if n := utf8.RuneCountInString(a.words); n > 0 && n < 3 {
		v.Refused = f.TooShort
	} else if err := s.find(c, &v, &a); err != nil {
		return endpoint.Reply{}, err
	}
	v.offer(a)
	f.Search, f.Title, f.Hidden = a.words, v.Heading, a.url() != "/search"
	f.Feed = a.feedURL()
	f.OwnBox, f.About, f.Main = true, f.HomeLead, v
	if !f.Hidden {
		f.Canonical = s.api.Settings.SiteURL + "/search"
	}
	return s.render(c, "search", f)
}

// heading is what is looked for, in words.
func (a asked) heading(w *Words) string {
	if a.words != "" {
		return strings.Replace(w.SearchOf, "%s", a.words, 1)
	}
	if a.author != "" {
		return strings.Replace(w.WorkOf, "%s", a.author, 1)
	}
	if c, ok := catalogue.CategoryBySourceID(a.only["category"]); ok {
		return c.Title
	}
	return w.AllItems
}

// find makes the search. It asks for one more than it shows, which tells whether there is a page behind.
func (s *Site) find(c *endpoint.Call, v *search, a *asked) error {
	asked := a.finding()
	asked.Take++
	found, err := s.api.Find(c, asked)
	if err != nil {
		return err
	}
	if len(found.Items) > pageSize {
		found.Items = found.Items[:pageSize]
		if a.page < maxPage {
			next := *a
			next.page++
			v.Next = next.url()
		}
	}
	if err := s.nameGroups(a, found); err != nil {
		return err
	}
	for i := range found.Items {
		v.Items = append(v.Items, s.foundCard(v.Words, &found.Items[i], found.Marks))
	}
	v.Missing, v.Corrected = found.Missing, found.Corrected
	if found.Meant != "" {
		meant, written := a.ordered(a.sort), a.ordered(a.sort)
		meant.words, meant.written, written.written = found.Meant, false, true
		v.Meant, v.Written = Choice{Words: found.Meant, URL: meant.url()}, written.url()
	}
	if found.Total >= 0 {
		v.Count = strings.Replace(v.Total, "%s", v.Number(found.Total), 1)
		if found.Total == 1 {
			v.Count = v.TotalOne
		}
		v.Facets = a.facetsShown(v.Words, found)
	}
	return nil
}

// foundCard is the card of an item of any kind, with the part of its description that has the words
// that were looked for.
func (s *Site) foundCard(w *Words, item *handlers.FoundItem, marks *handlers.Marks) (c card) {
	var about *string
	switch {
	case item.Article != nil:
		c, about = s.articleCard(w, item.Article), item.Article.Description
	case item.Collection != nil:
		d := item.Collection
		c, about = card{Type: w.CollectionKind, URL: s.Local(s.api.Settings.CollectionPage(d.ID, Text(d.Title))), Authors: names(d.Authors, 4)}, d.Description
		c.Title, c.Plain, c.Date = markup.Title(Text(d.Title)).HTML(), markup.Title(Text(d.Title)).String(), w.ReadDay(Text(d.PublishedDate))
	default:
		d := item.Project
		c, about = card{Type: w.ProjectKind, URL: s.Local(Text(d.FigshareURL))}, d.Description
		c.Title, c.Plain, c.Date = markup.Title(Text(d.Title)).HTML(), markup.Title(Text(d.Title)).String(), w.ReadDay(Text(d.PublishedDate))
	}
	c.Words = w
	says := begin(markup.Description(Text(about)).String())
	c.Text = Short(says, cardText)
	if marks != nil {
		c.Fragment = fragment(says, marks)
	}
	return c
}

// offer adds the links that change the search.
func (v *search) offer(a asked) {
	labels := map[string]string{relevance: v.MostRelevant, newest: v.Newest, "oldest": v.Oldest, "views": v.MostViewed, "downloads": v.MostDownloaded}
	for _, o := range sorts {
		if o.name == relevance && a.words == "" {
			continue
		}
		v.Sorts = append(v.Sorts, Choice{labels[o.name], a.ordered(o.name).url(), o.name == a.sort})
	}
	bare := asked{words: a.words, sort: a.sort, page: 1}
	v.Everything, v.Chosen = bare.url(), a.chips(v.Words)
	if a.page > 1 {
		before := a
		before.page--
		v.Previous = before.url()
	}
	q := a.values()
	for name := range q {
		if name != "q" && name != "more" && name != "written" {
			v.Kept = append(v.Kept, kept{name, q.Get(name)})
		}
	}
	slices.SortFunc(v.Kept, func(a, b kept) int { return strings.Compare(a.Name, b.Name) })
}

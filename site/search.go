package site

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"alcove/handlers"
	"alcove/handlers/lists"
	"alcove/record"
	"alcove/record/catalogue"
)

type search struct {
	*frame
	Asked      string
	Refused    string // why the search was not made, "" where it was
	Items      []card
	Page       int
	Sorts      []choice
	Types      []choice
	Chosen     []choice // what narrows the search; each link takes it away
	Previous   string   // address of the page before, "" for none
	Next       string
	Everything string // address of the same search without anything that narrows it
	Kept       []kept // beside the words, for the search form
}

type kept struct{ Name, Value string }

const pageSize = 20

// sorts are the orders of results, the first of which is the usual one.
var sorts = []struct{ name, order, direction string }{
	{"newest", "published_date", "desc"}, {"oldest", "published_date", "asc"}, {"views", "views", "desc"}, {"downloads", "downloads", "desc"},
}

// asked is what the address of a search says, so that each state of the page has one address.
type asked struct {
	words, kind, sort string
	page              int
}

func (a asked) url() string {
	q := url.Values{}
	for name, value := range map[string]string{"q": a.words, "type": a.kind, "sort": a.sort} {
		if value != "" && value != sorts[0].name {
			q.Set(name, value)
		}
	}
	if a.page > 1 {
		q.Set("page", strconv.Itoa(a.page))
	}
	if len(q) == 0 {
		return "/search"
	}
	return "/search?" + q.Encode()
}

// Search is the page that finds public items.
func (s *Site) Search(c *handlers.Call) (handlers.Reply, error) {
	a, body, err := readSearch(c)
	if err != nil {
		return handlers.Reply{}, err
	}
	f := s.frame(c)
	v := search{frame: f, Asked: a.words, Page: a.page}
	if n := utf8.RuneCountInString(a.words); n > 0 && n < 3 {
		v.Refused = f.TooShort
	} else if err := s.find(c, &v, a, body); err != nil {
		return handlers.Reply{}, err
	}
	s.offer(&v, a)
	f.Search, f.Title, f.Hidden = a.words, f.AllItems, a != asked{sort: sorts[0].name, page: 1}
	if a.words != "" {
		f.Title = strings.Replace(f.SearchOf, "%s", a.words, 1)
	}
	f.OwnBox, f.About, f.Main = true, f.HomeLead, v
	if !f.Hidden {
		f.Canonical = s.api.Settings.SiteURL + "/search"
	}
	return s.render(c, "search", f)
}

// readSearch reads the address of a search.
func readSearch(c *handlers.Call) (a asked, body lists.ArticleSearch, err error) {
	a = asked{sort: sorts[0].name, page: 1}
	if words, ok := c.Query.Find("q"); ok {
		a.words = strings.TrimSpace(words)
	}
	if a.words != "" {
		body.SearchFor = &a.words
	}
	if kind, ok := c.Query.Find("type"); ok && kind != "" {
		i := slices.IndexFunc(catalogue.ItemTypes(), func(t catalogue.ItemType) bool { return t.URLName == kind })
		if i < 0 {
			return a, body, record.ErrNotFound
		}
		a.kind, body.ItemType = kind, &catalogue.ItemTypes()[i].ID
	}
	if sort, ok := c.Query.Find("sort"); ok && sort != "" {
		a.sort = sort
	}
	i := slices.IndexFunc(sorts[:], func(o struct{ name, order, direction string }) bool { return o.name == a.sort })
	if i < 0 {
		return a, body, record.ErrNotFound
	}
	body.Order, body.OrderDirection = &sorts[i].order, &sorts[i].direction
	if page, ok := c.Query.Find("page"); ok {
		if a.page, err = strconv.Atoi(page); err != nil || a.page < 1 || a.page > maxPage {
			return a, body, record.ErrNotFound
		}
	}
	return a, body, nil
}

// maxPage is the last page that the bounds of lists let through.
const maxPage = 250

// find makes the search as a client of the API would. It asks for one more than it shows, which
// tells whether there is a page behind.
func (s *Site) find(c *handlers.Call, v *search, a asked, body lists.ArticleSearch) error {
	limit, offset := int64(pageSize+1), int64(a.page-1)*pageSize
	body.Limit, body.Offset = &limit, &offset
	found, err := s.api.PublicArticleSearch(c.Unasked(), &body)
	if err != nil {
		return err
	}
	if v.Items, err = s.cards(v.Words, found); err != nil {
		return err
	}
	if len(v.Items) > pageSize {
		v.Items = v.Items[:pageSize]
		if a.page < maxPage {
			next := a
			next.page++
			v.Next = next.url()
		}
	}
	return nil
}

// offer adds the links that change the search.
func (s *Site) offer(v *search, a asked) {
	first := a
	first.page = 1
	labels := map[string]string{"newest": v.Newest, "oldest": v.Oldest, "views": v.MostViewed, "downloads": v.MostDownloaded}
	for _, o := range sorts {
		to := first
		to.sort = o.name
		v.Sorts = append(v.Sorts, choice{labels[o.name], to.url(), o.name == a.sort})
	}
	none := first
	none.kind = ""
	v.Everything = none.url()
	types, err := s.types(v.Words)
	if err != nil {
		types = nil // the search itself was answered
	}
	v.Types = append(v.Types, choice{v.AllTypes, none.url(), a.kind == ""})
	for _, t := range types {
		to := first
		to.kind = strings.TrimPrefix(t.URL, "/search?type=")
		v.Types = append(v.Types, choice{t.Words, to.url(), to.kind == a.kind})
		if to.kind == a.kind {
			v.Chosen = append(v.Chosen, choice{Words: t.Words, URL: none.url()})
		}
	}
	if a.page > 1 {
		before := a
		before.page--
		v.Previous = before.url()
	}
	if a.kind != "" {
		v.Kept = append(v.Kept, kept{"type", a.kind})
	}
	if a.sort != sorts[0].name {
		v.Kept = append(v.Kept, kept{"sort", a.sort})
	}
}

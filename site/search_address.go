package site

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/record/catalogue"
)

// asked is what the address of a search says, so that each state of the page has one address.
type asked struct {
	words, author, sort string
	only                map[string]string // by the names of facets
	written             bool              // words that find nothing are not corrected
	more                string            // the facet of which more values are shown
	page                int
	groups              map[int64]string // names, of those that have one for everyone
}

// sorts are the orders of results.
var sorts = []struct {
	name, order string
	ascending   bool
}{{relevance, "", false}, {newest, "published_date", false}, {"oldest", "published_date", true}, {"views", "views", false}, {"downloads", "downloads", false}}

const (
	relevance = "relevance"
	newest    = "newest"
)

// maxPage is the last page that the bounds of lists let through.
const maxPage = 250

// values are the parameters of a state but its page.
func (a asked) values() url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("q", a.words)
	set("author", a.author)
	set("more", a.more)
	for name, value := range a.only {
		set(name, value)
	}
	if a.written {
		set("written", "1")
	}
	if a.sort != a.usualSort() {
		set("sort", a.sort)
	}
	return q
}

func (a asked) url() string {
	q := a.values()
	if a.page > 1 {
		q.Set("page", strconv.Itoa(a.page))
	}
	if len(q) == 0 {
		return "/search"
	}
	return "/search?" + q.Encode()
}

// usualSort is the order that an address does not name.
func (a asked) usualSort() string {
	if a.words != "" {
		return relevance
	}
	return newest
}

// with is the first page of the search with another value of a facet, "" for any.
func (a asked) with(name, value string) asked {
	only := map[string]string{}
	for n, v := range a.only {
		only[n] = v
	}
	if only[name] = value; value == "" {
		delete(only, name)
	}
	a.only, a.page = only, 1
	return a
}

// ordered is the first page in another order.
func (a asked) ordered(sort string) asked {
	a.sort, a.page = sort, 1
	return a
}

// showing is the same page with more values of a facet, "" for none.
func (a asked) showing(facet string) asked {
	a.more = facet
	return a
}

// readSearch reads the address of a search. One that says nonsense is not found.
func readSearch(c *endpoint.Call) (a asked, err error) {
	a.page, a.only = 1, map[string]string{}
	text := func(name string) string {
		value, _ := c.Query.Find(name)
		return strings.TrimSpace(value)
	}
	a.words, a.author, a.more, a.sort = text("q"), text("author"), text("more"), text("sort")
	a.written = text("written") == "1"
	for _, f := range facets {
		if value := text(f.name); value != "" {
			if _, known := f.value(value); !known {
				return a, record.ErrNotFound
			}
			a.only[f.name] = value
		}
	}
	if a.more != "" && !slices.ContainsFunc(facets[:], func(f facet) bool { return f.name == a.more }) || len(a.author) > maxAuthor {
		return a, record.ErrNotFound
	}
	if a.sort == "" || a.sort == relevance && a.words == "" {
		a.sort = a.usualSort()
	}
	if !slices.ContainsFunc(sorts, func(o struct {
		name, order string
		ascending   bool
	}) bool {
		return o.name == a.sort
	}) {
		return a, record.ErrNotFound
	}
	if page, ok := c.Query.Find("page"); ok {
		if a.page, err = strconv.Atoi(page); err != nil || a.page < 1 || a.page > maxPage {
			return a, record.ErrNotFound
		}
	}
	return a, nil
}

const maxAuthor = 1000 // bytes of a name

// finding is the search that an address describes.
func (a asked) finding() *handlers.Finding {
	f := &handlers.Finding{Words: a.words, AsWritten: a.written, Author: a.author, Skip: (a.page - 1) * pageSize, Take: pageSize}
	for _, o := range sorts {
		if o.name == a.sort {
			f.Order, f.Ascending = o.order, o.ascending
		}
	}
	f.Most = shownValues + 1
	if a.more != "" {
		f.Most = moreValues + 1
	}
	for _, of := range facets {
		f.Facets = append(f.Facets, of.by)
		if value := a.only[of.name]; value != "" {
			id, _ := of.value(value)
			f.Only = append(f.Only, handlers.Narrowing{Facet: of.by, Value: id})
			if of.by == handlers.ByCategory {
				f.Category, _ = strconv.ParseInt(id, 10, 64)
			}
		}
	}
	return f
}

// typeID is the id of a type by its name in addresses.
func typeID(name string) (string, bool) {
	for _, t := range catalogue.ItemTypes() {
		if t.URLName == name {
			return strconv.FormatInt(t.ID, 10), true
		}
	}
	return "", false
}

// ArticlesWith looks for public articles as the page of the search does, the newest first.
func ArticlesWith(words string) *handlers.Finding {
	return asked{words: words, only: map[string]string{"kind": "article"}, sort: newest, page: 1}.finding()
}

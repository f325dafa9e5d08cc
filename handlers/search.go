package handlers

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"alcove/index"
	"alcove/record"
	"alcove/record/catalogue"
)

// Asked is what every list and search of items can ask for (specification 4.1): in the
// query string of a list, in the body of a search.
type Asked struct {
	Paging
	SearchFor      *string `json:"search_for"`
	Order          *string `json:"order"`
	OrderDirection *string `json:"order_direction"`
	Institution    *int64  `json:"institution"`
	Group          *int64  `json:"group"`
	PublishedSince *string `json:"published_since"`
	ModifiedSince  *string `json:"modified_since"`
}

// ArticleSearch is what a list or search of articles or collections asks for
// (specification 4.2, 4.7).
type ArticleSearch struct {
	Asked
	ItemType    *int64  `json:"item_type"`
	ProjectID   *int64  `json:"project_id"`
	ResourceDOI *string `json:"resource_doi"`
	DOI         *string `json:"doi"`
	Handle      *string `json:"handle"`
}

const (
	minSearch      = 3               // characters of search_for on public searches (specification 8)
	searchPatience = 2 * time.Second // for the index to reach what was acknowledged before the search
	searchTime     = 5 * time.Second
)

// filter is a checked ArticleSearch.
type filter struct {
	ArticleSearch
	ascending                     bool
	publishedSince, modifiedSince time.Time
	doi, resourceDOI              string // bare
	asks, deep                    bool   // something of an item; its identifiers
	project                       bool   // the answer names the project of each item
}

// articleFilter merges what the query says into a body and checks it. The order may be
// published_date, or one of others.
func (c *Call) articleFilter(s ArticleSearch, others ...string) (*filter, error) {
	for name, to := range map[string]**string{
		"search_for": &s.SearchFor, "order": &s.Order, "order_direction": &s.OrderDirection, "published_since": &s.PublishedSince,
		"modified_since": &s.ModifiedSince, "resource_doi": &s.ResourceDOI, "doi": &s.DOI, "handle": &s.Handle,
	} {
		if v, ok := c.Query[name]; ok && *to == nil {
			*to = &v
		}
	}
	for _, f := range []struct {
		name string
		to   **int64
	}{{"institution", &s.Institution}, {"group", &s.Group}, {"item_type", &s.ItemType}, {"project_id", &s.ProjectID}} {
		if *f.to != nil {
			continue
		}
		n, err := c.Query.integer(f.name)
		if err != nil {
			return nil, err
		}
		*f.to = n
	}
	if c.Header.Get("X-Cursor") != "" {
		return nil, record.Wrong("X-Cursor", "is not known")
	}
	f := &filter{ArticleSearch: s}
	return f, f.check(others)
}

func (f *filter) check(orders []string) error {
	if f.Order != nil && *f.Order != "published_date" && !slices.Contains(orders, *f.Order) {
		return record.ErrBadOrder
	}
	if f.OrderDirection != nil {
		switch *f.OrderDirection {
		case "asc":
			f.ascending = true
		case "desc":
		default:
			return record.Wrong("order_direction", "must be asc or desc")
		}
	}
	for _, d := range []struct {
		name string
		text *string
		to   *time.Time
	}{{"published_since", f.PublishedSince, &f.publishedSince}, {"modified_since", f.ModifiedSince, &f.modifiedSince}} {
		if d.text == nil || *d.text == "" {
			continue
		}
		t, ok := since(*d.text)
		if !ok {
			return record.Wrong(d.name, "must be a date in the form YYYY-MM-DD")
		}
		*d.to = t
	}
	if f.ItemType != nil { // withdrawn types count as what they became
		if t, ok := catalogue.ItemTypeByID(*f.ItemType); ok {
			f.ItemType = &t.ID
		}
	}
	if f.DOI != nil {
		f.doi = bareDOI(*f.DOI)
	}
	if f.ResourceDOI != nil {
		f.resourceDOI = bareDOI(*f.ResourceDOI)
	}
	f.deep = f.DOI != nil || f.ResourceDOI != nil || f.Handle != nil
	f.asks = f.deep || f.Institution != nil || f.Group != nil || f.ItemType != nil || f.ProjectID != nil ||
		!f.publishedSince.IsZero() || !f.modifiedSince.IsZero()
	return nil
}

// since reads the date of a filter: a day, or a time.
func since(text string) (time.Time, bool) { return record.Moment(text) }

// PublicArticleSearch searches public articles (specification 4.2). It waits until the
// index has taken in all that was acknowledged before.
func (a *API) PublicArticleSearch(c *Call, body *ArticleSearch) (Reply, error) {
	return c.publicSearch(a.articleListing(), body, true, func(words string) (idSet, error) {
		return a.match(c.Context, index.PublicArticles, words, minSearch)
	})
}

// PublicCollectionSearch searches public collections (specification 4.7), as
// PublicArticleSearch does articles.
func (a *API) PublicCollectionSearch(c *Call, body *ArticleSearch) (Reply, error) {
	return c.publicSearch(a.collectionListing(), body, false, func(words string) (idSet, error) {
		return a.match(c.Context, index.PublicCollections, words, minSearch)
	})
}

// match asks the index about a scope, after it has reached the last change. Words of
// less than so many characters are refused.
func (a *API) match(ctx context.Context, scope index.Scope, words string, least int) (idSet, error) {
	if utf8.RuneCountInString(strings.TrimSpace(words)) < least {
		return nil, record.Wrong("search_for", "must have at least "+strconv.Itoa(least)+" characters")
	}
	q, err := index.Parse(words)
	if err != nil {
		return nil, record.Wrong("search_for", "must have at most "+strconv.Itoa(index.MaxQuery)+" bytes")
	}
	wait, cancel := context.WithTimeout(ctx, searchPatience)
	if err := a.Index.Wait(wait, scope, a.DB.Sequence()); err != nil {
		a.Log.Warn("a search did not wait any longer for the index", "error", err)
	}
	cancel()
	ctx, cancel = context.WithTimeout(ctx, searchTime)
	defer cancel()
	m, err := a.Index.Match(ctx, scope, q)
	if errors.Is(err, index.ErrUnavailable) {
		return nil, record.ErrUnavailable
	}
	return m, err
}

package handlers

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"alcove/bucket"
	"alcove/handlers/accounts"
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
	minSearch      = 3                // characters of search_for on public searches (specification 8)
	searchPatience = 10 * time.Second // for the index to reach what was acknowledged before the search
	buildPatience  = 30 * time.Second // for an index to be built where there is none
)

// filter is a checked ArticleSearch.
type filter struct {
	ArticleSearch
	order                         string
	ascending                     bool
	publishedSince, modifiedSince time.Time
	doi, resourceDOI              string // bare
	project                       bool   // the answer names the project of each item
}

// articleFilter merges what the query says into a body and checks it. The order is
// published_date, or another that there is.
func (c *Call) articleFilter(s ArticleSearch, known func(order string) bool) (*filter, error) {
	f := &filter{ArticleSearch: s, order: "published_date"}
	if len(c.Query) > 0 {
		if err := f.read(c.Query); err != nil {
			return nil, err
		}
	}
	return f, f.check(known)
}

// warnOfTyped tells who searches what has no item type and is in no project.
func (c *Call) warnOfTyped(s ArticleSearch) {
	for _, f := range [...]struct {
		key  string
		sent *int64
	}{{"item_type", s.ItemType}, {"project_id", s.ProjectID}} {
		if f.sent != nil {
			c.warn(f.key, "only articles have one")
		}
	}
}

// read takes from a query what the body did not say.
func (f *filter) read(q query) error {
	s := &f.ArticleSearch
	for _, p := range [...]struct {
		name string
		to   **string
	}{
		{"search_for", &s.SearchFor}, {"order", &s.Order}, {"order_direction", &s.OrderDirection}, {"published_since", &s.PublishedSince},
		{"modified_since", &s.ModifiedSince}, {"resource_doi", &s.ResourceDOI}, {"doi", &s.DOI}, {"handle", &s.Handle},
	} {
		if text, ok := q.find(p.name); ok && *p.to == nil {
			*p.to = new(text)
		}
	}
	for _, p := range [...]struct {
		name string
		to   **int64
	}{{"institution", &s.Institution}, {"group", &s.Group}, {"item_type", &s.ItemType}, {"project_id", &s.ProjectID}} {
		if *p.to != nil {
			continue
		}
		n, err := q.integer(p.name)
		if err != nil {
			return err
		}
		*p.to = n
	}
	return nil
}

func (f *filter) check(known func(order string) bool) error {
	if f.Order != nil && *f.Order != f.order {
		if f.order = *f.Order; !known(f.order) {
			return record.ErrBadOrder
		}
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
		f.doi = record.BareDOI(*f.DOI)
	}
	if f.ResourceDOI != nil {
		f.resourceDOI = record.BareDOI(*f.ResourceDOI)
	}
	return nil
}

// byPublished reports whether the order is that of publication.
func (f *filter) byPublished() bool { return f.order == "published_date" || f.order == "created_date" }

// byCount reports whether the order is that of something counted.
func (f *filter) byCount() bool { return !f.byPublished() && f.order != "modified_date" }

// rank is what the order looks at: Unix seconds, or a count.
func (f *filter) rank(have *bucket.Facts) int64 {
	switch f.order {
	case "views":
		return have.Counts.Views
	case "shares":
		return have.Counts.Shares
	case "downloads":
		return have.Counts.Downloads
	case "cites":
		return have.Counts.Cites
	case "modified_date":
		return have.Modified.Unix()
	}
	return have.Published.Unix()
}

// since is the earliest time in the order that the filter lets pass, zero for none.
func (f *filter) since() time.Time {
	switch {
	case f.byPublished():
		return f.publishedSince
	case f.byCount():
		return time.Time{}
	}
	return f.modifiedSince
}

// over reports whether nothing behind an item in the order can pass: items are of the one
// institution, or of none.
func (f *filter) over(have *bucket.Facts) bool {
	if f.Institution != nil && *f.Institution != accounts.InstitutionID && *f.Institution != 0 {
		return true
	}
	since := f.since()
	return !f.ascending && !since.IsZero() && f.rank(have) < since.Unix()
}

// passes reports whether an item passes the filter, identifiers apart.
func (f *filter) passes(have *bucket.Facts) bool {
	return is(f.Institution, have.Institution) && is(f.Group, have.Group) && is(f.ItemType, have.Type) && is(f.ProjectID, have.Project) &&
		!have.Published.Before(f.publishedSince) && !have.Modified.Before(f.modifiedSince)
}

// identifies reports whether the filter asks for identifiers.
func (f *filter) identifies() bool { return f.DOI != nil || f.ResourceDOI != nil || f.Handle != nil }

// names reports whether a version has the identifiers that the filter asks for.
func (f *filter) names(m *record.Metadata, version int) bool {
	return (f.DOI == nil || f.namesDOI(record.BareDOI(m.DOI), int64(version))) &&
		(f.ResourceDOI == nil || record.BareDOI(m.ResourceDOI) == f.resourceDOI) &&
		(f.Handle == nil || record.BareHandle(m.Handle) == record.BareHandle(*f.Handle))
}

// namesDOI reports whether the filter asks for a bare DOI, or for that of one of so many versions.
func (f *filter) namesDOI(doi string, versions int64) bool {
	if doi == f.doi {
		return true
	}
	item, version := splitDOI(f.doi)
	return doi == item && 0 < version && version <= versions
}

// versioned is the DOI of a version.
func versioned(doi string, version int64) string { return doi + ".v" + strconv.FormatInt(version, 10) }

// splitDOI parts a bare DOI from the version at its end, 0 for none.
func splitDOI(doi string) (item string, version int64) {
	item = record.ItemDOI(doi)
	if item != doi {
		version, _ = strconv.ParseInt(doi[len(item)+2:], 10, 64)
	}
	return item, version
}

func is(want *int64, have int64) bool { return want == nil || *want == have }

// since reads the date of a filter: a day, or a time.
func since(text string) (time.Time, bool) { return record.Moment(text) }

// PublicArticleSearch searches public articles (specification 4.2). It waits until the
// index has taken in all that was acknowledged before.
func (a *API) PublicArticleSearch(c *Call, body *ArticleSearch) (Reply, error) {
	return c.publicSearch(&a.publicArticles, body, true, index.PublicArticles)
}

// PublicCollectionSearch searches public collections (specification 4.7), as
// PublicArticleSearch does articles.
func (a *API) PublicCollectionSearch(c *Call, body *ArticleSearch) (Reply, error) {
	return c.publicSearch(&a.publicCollections, body, false, index.PublicCollections)
}

// find asks the index for the items of a search: those that the words describe, with the
// fields of the filter. It gives nil when there are no words and the ordered indexes do
// as well. The caller closes what it gets.
func (q *listQuery) find(scope index.Scope) (*index.Matches, error) {
	a, c := q.call.API, q.call
	fields := index.Fields{ItemType: q.ItemType, Institution: q.Institution, Group: q.Group, Project: q.ProjectID}
	if q.SearchFor != nil {
		words, err := searched(*q.SearchFor, minSearch)
		if err != nil {
			return nil, err
		}
		return a.match(c.Context, scope, words.OfProjects(q.knowsProject).Within(fields))
	}
	if !q.scattered() || a.reach(c.Context, scope, searchPatience) != nil {
		return nil, nil
	}
	m, err := a.Index.Match(c.Context, scope, index.Everything.Within(fields))
	if errors.Is(err, index.ErrUnavailable) {
		return nil, nil // the walk is long then, and right
	}
	return m, err
}

// scattered reports whether what a filter asks for may lie far apart in every ordered
// index.
func (q *listQuery) scattered() bool {
	if q.identifies() {
		return false
	}
	together := false
	if q.byPublished() {
		together = slices.ContainsFunc(q.prefixIndexes, func(n prefixIndex) bool { return n.value(q.filter) != nil })
	}
	fields := 0
	for _, asked := range []*int64{q.ItemType, q.Institution, q.Group, q.ProjectID} {
		if asked != nil && *asked != 0 {
			fields++
		}
	}
	return fields > 1 || fields == 1 && !together
}

// searched reads the words of a search. Less than so many characters are refused.
func searched(words string, least int) (index.Query, error) {
	if utf8.RuneCountInString(strings.TrimSpace(words)) < least {
		return index.Query{}, record.Wrong("search_for", "must have at least "+strconv.Itoa(least)+" characters")
	}
	q, err := index.Parse(words)
	if err != nil {
		return q, record.Wrong("search_for", "must have at most "+strconv.Itoa(index.MaxQuery)+" bytes")
	}
	return q, nil
}

// reach waits, but not for ever, until the index has taken in all that was acknowledged
// in a scope. It fails at once while the index is known not to follow the store.
func (a *API) reach(ctx context.Context, scope index.Scope, timeout time.Duration) error {
	wait, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := a.Index.Wait(wait, scope, a.DB.Sequence())
	if err != nil && !errors.Is(err, index.ErrUnavailable) { // that it does not follow was told by the index
		a.Log.Warn("a search did not wait any longer for the index", "error", err)
	}
	return err
}

// match asks the index about a scope, after it has reached the last change, for which it
// waits longer where the index is soon built that has all items. An index that does not
// reach it gives no answer: one of what it knows would be one with too little. The caller
// closes what it gets.
func (a *API) match(ctx context.Context, scope index.Scope, words index.Query) (*index.Matches, error) {
	timeout := searchPatience
	if rest := a.Index.Expected(scope); rest > 0 && rest < buildPatience {
		timeout = buildPatience
	}
	if a.reach(ctx, scope, timeout) != nil {
		return nil, record.ErrUnavailable
	}
	m, err := a.Index.Match(ctx, scope, words)
	if errors.Is(err, index.ErrUnavailable) {
		return nil, record.ErrUnavailable
	}
	return m, err
}

// closeMatches closes what a search found, when the answer was made of it. An answer made of
// what could not be read whole is none.
func closeMatches(found *index.Matches, err *error) {
	if broken := found.Close(); *err == nil {
		*err = broken
	}
}

package handlers

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/index"
	"alcove/record"
)

const (
	minOwnSearch   = 4                // and in own items
	searchPatience = 10 * time.Second // for the index to reach what was acknowledged before the search
	buildPatience  = 30 * time.Second // for an index to be built where there is none
)

// PublicArticleSearch searches public articles. It waits until the index has taken in all that
// was acknowledged before.
func (a *API) PublicArticleSearch(c *endpoint.Call, body *lists.ArticleSearch) (endpoint.Reply, error) {
	return a.publicSearch(c, a.publicArticles, body, true, index.PublicArticles)
}

// PublicCollectionSearch searches public collections, as PublicArticleSearch does articles.
func (a *API) PublicCollectionSearch(c *endpoint.Call, body *lists.ArticleSearch) (endpoint.Reply, error) {
	return a.publicSearch(c, a.publicCollections, body, false, index.PublicCollections)
}

// publicSearch answers a search in public items: the words of search_for through the
// index, everything else and the order as the list does.
func (a *API) publicSearch(c *endpoint.Call, l *lists.Public, body *lists.ArticleSearch, projects bool, scope index.Scope) (r endpoint.Reply, err error) {
	q, err := l.Query(c.ListRequest(), *body)
	if err != nil {
		return endpoint.Reply{}, err
	}
	found, err := a.find(c, q, scope)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if found != nil {
		defer closeMatches(found, &err)
		q.Matches = found
	}
	err = c.Server.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		r, err = c.ListPage(tx, q, projects)
		return err
	})
	return r, err
}

// find asks the index for the items of a search: those that the words describe, with the
// fields of the filter. It gives nil when there are no words and the ordered indexes do
// as well. The caller closes what it gets.
func (a *API) find(c *endpoint.Call, q *lists.PublicQuery, scope index.Scope) (*index.Matches, error) {
	fields := index.Fields{ItemType: q.ItemType, Institution: q.Institution, Group: q.Group, Project: q.ProjectID}
	var words index.Query
	if q.SearchFor != nil {
		var err error
		if words, err = searched(*q.SearchFor, lists.MinSearch); err != nil {
			return nil, err
		}
	}
	if q.ProjectID != nil && !a.knowsProject(*q.ProjectID) {
		return nil, nil // nothing in it is shown
	}
	if q.SearchFor != nil {
		return a.match(c.Context, scope, words.OfProjects(a.knowsProject).Within(fields))
	}
	if !q.Scattered() || a.reach(c.Context, scope, searchPatience) != nil {
		return nil, nil
	}
	m, err := a.Index.Match(c.Context, scope, index.Everything.Within(fields))
	if errors.Is(err, index.ErrUnavailable) {
		return nil, nil // the scan is long then, and right
	}
	return m, err
}

// knowsProject reports whether readers know of a project.
func (a *API) knowsProject(id int64) (known bool) {
	err := a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		known = lists.PublicProject(tx, id) != 0
		return nil
	})
	return known && err == nil
}

// searchOwn asks the index for the items of a search in own items, nil where there are no words. The
// caller closes what it gets.
func (a *API) searchOwn(c *endpoint.Call, words *string, scope index.Scope) (*index.Matches, error) {
	if words == nil {
		return nil, nil
	}
	query, err := searched(*words, minOwnSearch)
	if err != nil {
		return nil, err
	}
	return a.match(c.Context, scope, query)
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

// reach waits, for a bounded time, until the index has taken in all that was acknowledged
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

// ownItems is how own items of a kind are listed and searched.
type ownItems struct {
	*lists.Own
	scope func(account int64) index.Scope
	show  func(items.Item) any // in an answer to a search
}

func (a *API) ownArticles() ownItems {
	return ownItems{lists.OwnArticles(a.publicArticles), index.OwnArticles, func(o items.Item) any { return a.Settings.OwnArticleWithProject(o.(*record.Article)) }}
}

func (a *API) ownCollections() ownItems {
	return ownItems{lists.OwnCollections(a.publicCollections), index.OwnCollections, func(o items.Item) any { return a.Settings.OwnCollection(o.(*record.Collection)) }}
}

// list is a page of the caller's items, the newest first unless the query says otherwise.
func (k *ItemKind) list(c *endpoint.Call, tx *bucket.Tx, show func(items.Item) any) (endpoint.Reply, error) {
	q, err := k.query(c, lists.OwnSearch{}, lists.OwnItems, "created_date", "published_date", "modified_date")
	if err != nil {
		return endpoint.Reply{}, err
	}
	return ownPage(c, tx, q, show)
}

// Search searches the caller's working copies. It waits
// until the index has taken in all that was acknowledged before.
func (k *ItemKind) Search(c *endpoint.Call, body *lists.OwnSearch) (r endpoint.Reply, err error) {
	q, err := k.query(c, *body, lists.OwnSearches, "published_date", "modified_date")
	if err != nil {
		return endpoint.Reply{}, err
	}
	found, err := k.api.searchOwn(c, q.SearchFor, k.own.scope(c.Account.ID))
	if err != nil {
		return endpoint.Reply{}, err
	}
	if found != nil {
		defer closeMatches(found, &err)
		q.Matches = found
	}
	err = k.api.DB.View(func(tx *bucket.Tx) error {
		r, err = ownPage(c, tx, q, k.own.show)
		return err
	})
	return r, err
}

// query checks what a request asks of the caller's items. The orders are those named, and under
// the profile of the public service those of its public lists, which generated clients send by
// themselves (docs/compatibility.md).
func (k *ItemKind) query(c *endpoint.Call, body lists.OwnSearch, b lists.Bounds, orders ...string) (*lists.OwnQuery, error) {
	return k.own.Query(c.ListRequest(), c.Account.ID, body, b, k.api.Settings.Figshare, orders...)
}

// ownPage is a page of own items with the cursor of the next one.
func ownPage(c *endpoint.Call, tx *bucket.Tx, q *lists.OwnQuery, show func(items.Item) any) (endpoint.Reply, error) {
	list := []any{}
	last, err := q.Show(tx, func(item lists.Item) { list = append(list, show(item)) })
	if err != nil {
		return endpoint.Reply{}, err
	}
	r := endpoint.Reply{Body: list, Cursor: q.Cursor(last)}
	if !q.ByCount() { // counts move without a change of anything that is dated
		r.Modified = c.Changed
	}
	return r, nil
}

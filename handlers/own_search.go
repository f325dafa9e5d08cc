package handlers

import (
	"fmt"
	"slices"

	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/index"
	"alcove/record"
)

// OwnSearch is what a list of own items asks for in its query, and a search in them in its
// body (specification 4.3 and 4.7). A search takes it from the query, too; the body counts first.
type OwnSearch struct {
	ArticleSearch
	ResourceID *string `json:"resource_id"`
}

// ownSearches are the bounds of searches in own items (specification 4.1 and 8).
var ownSearches = bounds{100, 100, 10, record.ErrMaxPage}

// ownSearch is how own items of a kind are listed and searched.
type ownSearch struct {
	scope  func(account int64) index.Scope
	orders map[string]ownOrder
	public func() *listing // the public items of the kind
	get    func(*bucket.Tx, int64) (items.Item, error)
	show   func(items.Item) any // in an answer to a search
	typed  bool                 // they have an item type, and can be in a project
}

func (a *API) articleSearch() ownSearch {
	return ownSearch{
		scope: index.OwnArticles, typed: true,
		orders: map[string]ownOrder{
			"published_date": {bucket.OwnArticlesByPublished.Walk, false},
			"modified_date":  {bucket.OwnArticlesByModified.Walk, false},
			"created_date":   {bucket.ArticlesByCreated.Walk, true},
		},
		public: func() *listing { return &a.publicArticles },
		get:    func(tx *bucket.Tx, id int64) (items.Item, error) { return present1(bucket.Articles.Get(tx, id)) },
		show:   func(o items.Item) any { return a.Settings.OwnArticleWithProject(o.(*record.Article)) },
	}
}

func (a *API) collectionSearch() ownSearch {
	return ownSearch{
		scope: index.OwnCollections,
		orders: map[string]ownOrder{
			"published_date": {bucket.OwnCollectionsByPublished.Walk, false},
			"modified_date":  {bucket.OwnCollectionsByModified.Walk, false},
			"created_date":   {bucket.CollectionsByCreated.Walk, true},
		},
		public: func() *listing { return &a.publicCollections },
		get:    func(tx *bucket.Tx, id int64) (items.Item, error) { return present1(bucket.Collections.Get(tx, id)) },
		show:   func(o items.Item) any { return a.Settings.OwnCollection(o.(*record.Collection)) },
	}
}

// ownListQuery is a checked list or search of own items.
type ownListQuery struct {
	*filter
	window
	kind       *ItemKind
	call       *Call
	resourceID *string
	from       position
	seal       seal
}

// parseOwnListQuery checks what a request asks of the caller's items. The orders are those named, and under
// the profile of the public service those of its public lists, which generated clients send by
// themselves (compatibility.md).
func (k *ItemKind) parseOwnListQuery(c *Call, body OwnSearch, b bounds, named ...string) (*ownListQuery, error) {
	public := k.search.public().orders
	if !k.search.typed {
		c.warnOfTyped(body.ArticleSearch)
	}
	f, err := c.articleFilter(body.ArticleSearch, func(order string) bool {
		return slices.Contains(named, order) || k.api.Settings.Figshare && public[order] != nil
	})
	if err != nil {
		return nil, err
	}
	if !k.search.typed {
		f.ItemType, f.ProjectID = nil, nil
	}
	if f.Order == nil {
		f.order = named[0]
	}
	q := &ownListQuery{filter: f, kind: k, call: c, resourceID: body.ResourceID}
	if text, ok := c.Query.find("resource_id"); ok && q.resourceID == nil {
		q.resourceID = &text
	}
	p, err := c.paging(body.Paging)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("own %s of %d", k.Path, c.Account.ID)
	if q.resourceID != nil {
		name += fmt.Sprintf(" of %q", *q.resourceID)
	}
	q.seal = k.api.seal(name, f)
	if q.from, err = c.from(p, q.seal, first(f.ascending)); err != nil {
		return nil, err
	}
	q.window, err = p.window(b)
	return q, err
}

// reply is a page that ends at a place.
func (q *ownListQuery) reply(r Reply, last position) Reply {
	if r.Cursor = last.cursor(q.seal); !q.byCount() { // counts move without a change of anything that is dated
		r.Modified = q.call.changed
	}
	return r
}

// list is a page of the caller's items, the newest first unless the query says otherwise.
func (k *ItemKind) list(c *Call, tx *bucket.Tx, show func(items.Item) any) (Reply, error) {
	q, err := k.parseOwnListQuery(c, OwnSearch{}, ownItems, "created_date", "published_date", "modified_date")
	if err != nil {
		return Reply{}, err
	}
	return q.answer(tx, nil, show)
}

// Search searches the caller's working copies. It waits
// until the index has taken in all that was acknowledged before.
func (k *ItemKind) Search(c *Call, body *OwnSearch) (_ Reply, err error) {
	q, err := k.parseOwnListQuery(c, *body, ownSearches, "published_date", "modified_date")
	if err != nil {
		return Reply{}, err
	}
	var ids idSet
	if q.SearchFor != nil {
		words, refused := searched(*q.SearchFor, minOwnSearch)
		if refused != nil {
			return Reply{}, refused
		}
		var found *index.Matches
		if found, err = k.api.match(c.Context, k.search.scope(c.Account.ID), words); err != nil {
			return Reply{}, err
		}
		defer closeMatches(found, &err)
		ids = found
	}
	var r Reply
	err = k.api.DB.View(func(tx *bucket.Tx) error {
		r, err = q.answer(tx, ids, k.search.show)
		return err
	})
	return r, err
}

// answer is a page of the caller's items that pass the filter and, when ids is not nil, are among
// them, with the cursor of the next one. It reads no record of an item that the index can refuse.
func (q *ownListQuery) answer(tx *bucket.Tx, ids idSet, show func(items.Item) any) (Reply, error) {
	list, last := []any{}, q.from
	passed, met := 0, 0
	for e := range q.walk(tx) {
		id := int64(e.id)
		if ids != nil {
			if met == ids.Len() {
				break
			}
			if !ids.Contains(id) {
				continue
			}
			met++
		}
		item, ok, err := q.passing(tx, e)
		if err != nil {
			return Reply{}, err
		}
		if !ok {
			continue
		}
		if passed++; passed <= q.skip {
			continue
		}
		if item == nil {
			if item, err = q.kind.search.get(tx, id); err != nil {
				return Reply{}, err
			}
		}
		list = append(list, show(item))
		if last = e.position; len(list) == q.take {
			break
		}
	}
	return q.reply(Reply{Body: list}, last), nil
}

// passing reports whether an item passes the filter. It loads one only to look what it is called.
func (q *ownListQuery) passing(tx *bucket.Tx, e *entry) (item items.Item, ok bool, err error) {
	if !q.passes(&e.facts) {
		return nil, false, nil
	}
	if !q.identifies() && q.resourceID == nil {
		return nil, true, nil
	}
	if item, err = q.kind.search.get(tx, int64(e.id)); err != nil {
		return nil, false, err
	}
	m := item.Common()
	return item, q.names(&m.Metadata, m.Version) && (q.resourceID == nil || m.ResourceID == *q.resourceID), nil
}

package handlers

import (
	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/index"
	"alcove/record"
)

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
func (k *ItemKind) list(c *Call, tx *bucket.Tx, show func(items.Item) any) (Reply, error) {
	q, err := k.query(c, lists.OwnSearch{}, lists.OwnItems, "created_date", "published_date", "modified_date")
	if err != nil {
		return Reply{}, err
	}
	return c.ownPage(tx, q, show)
}

// Search searches the caller's working copies. It waits
// until the index has taken in all that was acknowledged before.
func (k *ItemKind) Search(c *Call, body *lists.OwnSearch) (r Reply, err error) {
	q, err := k.query(c, *body, lists.OwnSearches, "published_date", "modified_date")
	if err != nil {
		return Reply{}, err
	}
	found, err := c.searchOwn(q.SearchFor, k.own.scope(c.Account.ID))
	if err != nil {
		return Reply{}, err
	}
	if found != nil {
		defer closeMatches(found, &err)
		q.Matches = found
	}
	err = k.api.DB.View(func(tx *bucket.Tx) error {
		r, err = c.ownPage(tx, q, k.own.show)
		return err
	})
	return r, err
}

// query checks what a request asks of the caller's items. The orders are those named, and under
// the profile of the public service those of its public lists, which generated clients send by
// themselves (docs/compatibility.md).
func (k *ItemKind) query(c *Call, body lists.OwnSearch, b lists.Bounds, orders ...string) (*lists.OwnQuery, error) {
	return k.own.Query(c.listRequest(), c.Account.ID, body, b, k.api.Settings.Figshare, orders...)
}

// ownPage is a page of own items with the cursor of the next one.
func (c *Call) ownPage(tx *bucket.Tx, q *lists.OwnQuery, show func(items.Item) any) (Reply, error) {
	list := []any{}
	last, err := q.Show(tx, func(item lists.Item) { list = append(list, show(item)) })
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Body: list, Cursor: q.Cursor(last)}
	if !q.ByCount() { // counts move without a change of anything that is dated
		r.Modified = c.changed
	}
	return r, nil
}

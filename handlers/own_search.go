package handlers

import (
	"iter"

	"alcove/bucket"
	"alcove/index"
	"alcove/record"
)

// OwnSearch is what a search in own items asks for (specification 4.3 and 4.7). Clients
// may send it in the query string, except resource_id; the body counts first.
type OwnSearch struct {
	ArticleSearch
	ResourceID *string `json:"resource_id"`
}

// ownSearches are the bounds of searches in own items (specification 4.1 and 8).
var ownSearches = bounds{100, 100, 10, record.ErrMaxPage}

// ownSearch is how own items of a kind are searched.
type ownSearch struct {
	scope  func(account int64) index.Scope
	orders map[string]ownOrder
	get    func(*bucket.Tx, int64) (owned, error)
	show   func(owned) any
	typed  bool // they have an item type, and can be in a project
}

// ownOrder walks own items in an order. What has no place in it, as it was never
// published, stands under a prefix of its own, unless everything has a place (whole).
type ownOrder struct {
	up, down func(*bucket.Tx, []byte) iter.Seq[bucket.Hit[int64]]
	whole    bool
}

func (a *API) articleSearch() ownSearch {
	return ownSearch{
		scope: index.OwnArticles, typed: true,
		orders: map[string]ownOrder{
			"published_date": {bucket.OwnArticlesByPublished.Ascending, bucket.OwnArticlesByPublished.Descending, false},
			"modified_date":  {bucket.OwnArticlesByModified.Ascending, bucket.OwnArticlesByModified.Descending, false},
		},
		get:  func(tx *bucket.Tx, id int64) (owned, error) { return present1(bucket.Articles.Get(tx, id)) },
		show: func(o owned) any { return a.Settings.OwnArticleWithProject(o.(*record.Article)) },
	}
}

func (a *API) collectionSearch() ownSearch {
	return ownSearch{
		scope: index.OwnCollections,
		orders: map[string]ownOrder{
			"published_date": {bucket.OwnCollectionsByPublished.Ascending, bucket.OwnCollectionsByPublished.Descending, false},
			"modified_date":  {bucket.OwnCollectionsByModified.Ascending, bucket.OwnCollectionsByModified.Descending, false},
			"created_date":   {bucket.CollectionsByCreated.Ascending, bucket.CollectionsByCreated.Descending, true}, // of lists only
		},
		get:  func(tx *bucket.Tx, id int64) (owned, error) { return present1(bucket.Collections.Get(tx, id)) },
		show: func(o owned) any { return a.Settings.OwnCollection(o.(*record.Collection)) },
	}
}

// Search searches the caller's working copies (specification 4.3 and 4.7). It waits
// until the index has taken in all that was acknowledged before.
func (k *Kind) Search(c *Call, body *OwnSearch) (_ Reply, err error) {
	f, err := c.articleFilter(body.ArticleSearch, orders("modified_date"))
	if err != nil {
		return Reply{}, err
	}
	if err := c.noCursor(); err != nil {
		return Reply{}, err
	}
	if !k.search.typed {
		f.ItemType, f.ProjectID = nil, nil
	}
	p, err := c.paging(body.Paging)
	if err != nil {
		return Reply{}, err
	}
	w, err := p.window(ownSearches)
	if err != nil {
		return Reply{}, err
	}
	var ids idSet
	if f.SearchFor != nil {
		words, refused := searched(*f.SearchFor, minOwnSearch)
		if refused != nil {
			return Reply{}, refused
		}
		var found *index.Matches
		if found, err = k.api.match(c.Context, k.search.scope(c.Account.ID), words); err != nil {
			return Reply{}, err
		}
		defer settle(found, &err)
		ids = found
	}
	var list []any
	err = k.api.DB.View(func(tx *bucket.Tx) error {
		list, err = k.search.page(c, tx, ownFilter{f, body.ResourceID}, w, ids)
		return err
	})
	return Reply{Body: list, Modified: c.changed}, err
}

// page collects a page of the caller's items that pass the filter and, when ids is not
// nil, are among them.
func (s *ownSearch) page(c *Call, tx *bucket.Tx, f ownFilter, w window, ids idSet) ([]any, error) {
	list, passed, met := []any{}, 0, 0
	for hit := range s.walk(tx, c.Account.ID, f.filter) {
		if ids != nil {
			if met == ids.Len() {
				break
			}
			if !ids.Contains(hit.Key) {
				continue
			}
			met++
		}
		item, ok, err := s.passing(c, tx, hit, f, passed >= w.skip)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if passed++; passed <= w.skip {
			continue
		}
		if list = append(list, s.show(item)); len(list) == w.take {
			break
		}
	}
	return list, nil
}

// passing reports whether an item passes the filter, and loads one that is wanted. It
// reads no record where the index can tell.
func (s *ownSearch) passing(c *Call, tx *bucket.Tx, hit bucket.Hit[int64], f ownFilter, wanted bool) (item owned, ok bool, err error) {
	if facts := bucket.IndexedFacts(hit.Value); !f.passes(&facts) {
		return nil, false, nil
	}
	deep := f.identifies() || f.resourceID != nil
	if !deep && !wanted {
		return nil, true, nil
	}
	if item, err = s.get(tx, hit.Key); err != nil {
		return nil, false, err
	}
	m := item.Common()
	return item, m.AccountID == c.Account.ID && f.names(&m.Metadata, m.Version) && (f.resourceID == nil || m.ResourceID == *f.resourceID), nil
}

// ownFilter is a filter with what only own items can be asked for.
type ownFilter struct {
	*filter
	resourceID *string
}

// walk goes through the items of an account in the order of a filter, ties by id. Those
// that were never published come last in either direction.
func (s *ownSearch) walk(tx *bucket.Tx, account int64, f *filter) iter.Seq[bucket.Hit[int64]] {
	order := s.orders[f.order]
	along := order.down
	if f.ascending {
		along = order.up
	}
	prefixes := [][]byte{bucket.SortKey(account, 1), bucket.SortKey(account, 0)}
	if order.whole {
		prefixes = [][]byte{bucket.SortKey(account)}
	}
	return func(yield func(bucket.Hit[int64]) bool) {
		for _, prefix := range prefixes {
			for hit := range along(tx, prefix) {
				if !yield(hit) {
					return
				}
			}
		}
	}
}

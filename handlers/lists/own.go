package lists

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/working"
	"alcove/record"
)

// OwnSearch is what a list of own items asks for in its query, and a search in them in its
// body. A search takes it from the query, too; the body counts first.
type OwnSearch struct {
	ArticleSearch
	ResourceID *string `json:"resource_id"`
}

// Own is how the items of an account are listed and searched.
type Own struct {
	Public *Public // the public items of the kind
	typed  bool    // they have an item type, and can be in a project
	orders map[string]ownOrder
	get    func(*bucket.Tx, int64) (Item, error)
}

// Item is an article or a collection.
type Item interface{ Common() *record.Working }

// OwnArticles are the articles of an account.
func OwnArticles(public *Public) *Own {
	return &Own{
		Public: public, typed: true,
		orders: map[string]ownOrder{
			"published_date": {working.OwnArticlesByPublished.Walk, false},
			"modified_date":  {working.OwnArticlesByModified.Walk, false},
			"created_date":   {working.ArticlesByCreated.Walk, true},
		},
		get: func(tx *bucket.Tx, id int64) (Item, error) { return working.Articles.Get(tx, id) },
	}
}

// OwnCollections are the collections of an account.
func OwnCollections(public *Public) *Own {
	return &Own{
		Public: public,
		orders: map[string]ownOrder{
			"published_date": {working.OwnCollectionsByPublished.Walk, false},
			"modified_date":  {working.OwnCollectionsByModified.Walk, false},
			"created_date":   {working.CollectionsByCreated.Walk, true},
		},
		get: func(tx *bucket.Tx, id int64) (Item, error) { return working.Collections.Get(tx, id) },
	}
}

// OwnQuery is a checked list or search of own items.
type OwnQuery struct {
	*Filter
	*Own
	Window
	Seal
	// Matches are the items that the words of a search match, nil where there are no words.
	Matches    IDSet
	account    int64
	resourceID *string
	from       Position
}

// Query checks what a request asks of the items of an account. The orders are those named, and with
// public those of the public lists, too.
func (l *Own) Query(r *Request, account int64, body OwnSearch, b Bounds, public bool, named ...string) (*OwnQuery, error) {
	if !l.typed {
		r.warnOfTyped(body.ArticleSearch)
	}
	f, err := newFilter(r.Query, body.ArticleSearch, "published_date", func(order string) bool {
		return slices.Contains(named, order) || public && l.Public.orders[order] != nil
	})
	if err != nil {
		return nil, err
	}
	if !l.typed {
		f.ItemType, f.ProjectID = nil, nil
	}
	if f.Order == nil {
		f.order = named[0]
	}
	q := &OwnQuery{Filter: f, Own: l, account: account, resourceID: body.ResourceID}
	r.Query.Text("resource_id", &q.resourceID)
	name := fmt.Sprintf("own %s of %d", l.Public.Kind, account)
	if q.resourceID != nil {
		name += fmt.Sprintf(" of %q", *q.resourceID)
	}
	q.Seal = f.seal(r.Sealer, name)
	q.Window, q.from, err = r.page(body.Paging, b, func() Seal { return q.Seal }, first(f.ascending))
	return q, err
}

// Show shows the items of the page, and tells the position behind the last one. No record is read of an
// item that the index can refuse.
func (q *OwnQuery) Show(tx *bucket.Tx, show func(Item)) (last Position, err error) {
	last = q.from
	for e, err := range PageOf(q.Window, q.items(tx)) {
		if err == nil && e.item == nil {
			e.item, err = q.get(tx, int64(e.ID))
		}
		if err != nil {
			return last, err
		}
		show(e.item)
		last = e.Position
	}
	return last, nil
}

// ownEntry is an item in an order, with its record where that was read.
type ownEntry struct {
	Position
	item Item
}

// items yields the items that pass the filter. It reads the record of one only for the names that
// it has.
func (q *OwnQuery) items(tx *bucket.Tx) iter.Seq2[ownEntry, error] {
	return func(yield func(ownEntry, error) bool) {
		for e := range q.matching(q.scan(tx)) {
			if !q.passes(&e.Facts) {
				continue
			}
			one, err := ownEntry{Position: e.Position}, error(nil)
			if q.identifies() || q.resourceID != nil {
				if one.item, err = q.get(tx, int64(e.ID)); err == nil {
					w := one.item.Common()
					if !q.names(&w.Metadata, w.Version) || q.resourceID != nil && w.ResourceID != *q.resourceID {
						continue
					}
				}
			}
			if !yield(one, err) {
				return
			}
		}
	}
}

// matching yields the entries that the words of a search match, until all have come.
func (q *OwnQuery) matching(list iter.Seq[*Entry]) iter.Seq[*Entry] {
	if q.Matches == nil {
		return list
	}
	return func(yield func(*Entry) bool) {
		met := 0
		for e := range list {
			if met == q.Matches.Len() {
				return
			}
			if !q.Matches.Contains(int64(e.ID)) {
				continue
			}
			if met++; !yield(e) {
				return
			}
		}
	}
}

// ownOrder is an order of own items. Items without a place in it, as they were never published,
// stand under a prefix of their own, unless everything has a place (whole).
type ownOrder struct {
	scan  func(tx *bucket.Tx, prefix, from []byte, ascending bool) iter.Seq[bucket.Hit[int64]]
	whole bool
}

// ownPart is a part of an order: the entries with a date, or those without.
type ownPart struct {
	prefix []byte
	dated  bool
}

func (o ownOrder) parts(account int64) []ownPart {
	if o.whole {
		return []ownPart{{bucket.SortKey(account), true}}
	}
	return []ownPart{{bucket.SortKey(account, 1), true}, {bucket.SortKey(account, 0), false}}
}

// start is where a scan goes on in a part behind a position, nil for the beginning. Items without a
// date have the position least and come last in either direction; ok is false when all of the part
// lies before the position.
func (p ownPart) start(from Position) (_ []byte, ok bool) {
	switch {
	case p.dated && from.At == least:
		return nil, false
	case p.dated:
		return key(p.prefix, from), true
	case from.At == least:
		return binary.BigEndian.AppendUint64(slices.Clone(p.prefix), from.ID), true
	}
	return nil, true
}

// scan yields the account's items behind the position of the query, in its order, ties by id.
func (q *OwnQuery) scan(tx *bucket.Tx) iter.Seq[*Entry] {
	order, ok := q.Own.orders[q.order]
	if !ok {
		return q.counted(tx)
	}
	begins := q.from == first(q.ascending)
	return func(yield func(*Entry) bool) {
		var e Entry
		for _, part := range order.parts(q.account) {
			start, ok := []byte(nil), true
			if !begins {
				start, ok = part.start(q.from)
			}
			if !ok {
				continue
			}
			for hit := range order.scan(tx, part.prefix, start, q.ascending) {
				e.Position = Position{least, uint64(hit.Key)}
				if part.dated {
					e.At = at(hit.Sort[len(part.prefix):])
				}
				facts.Read(&e.Facts, hit.Value)
				if e.Position != q.from && !yield(&e) {
					return
				}
			}
		}
	}
}

// counted yields them in the order of a count, which only public items have: all of them
// are sorted, as there is no such index of one account.
func (q *OwnQuery) counted(tx *bucket.Tx) iter.Seq[*Entry] {
	var list []*Entry
	mine := q.Own.orders["created_date"].scan(tx, bucket.SortKey(q.account), nil, true)
	for hit := range mine {
		e := &Entry{Position{0, uint64(hit.Key)}, facts.Indexed(hit.Value)}
		if e.Version > 0 {
			public, _ := q.Public.facts(tx, hit.Key)
			e.At = q.rank(&public)
		}
		list = append(list, e)
	}
	return q.behind(list, q.from)
}

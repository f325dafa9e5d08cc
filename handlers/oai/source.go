package oai

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/published"
	"alcove/bucket/withdrawn"
	"alcove/formats"
	"alcove/handlers/described"
	"alcove/handlers/present"
	"alcove/record"
)

// hit is an entry of an order, and a record once its source has shown it.
type hit struct {
	set    string
	at     time.Time
	key    bucket.Pair       // id of the item; of a tombstone with its version
	gone   *record.Tombstone // nil of a public item
	source *source
	number int // of the source
}

// place is where a list goes on: behind a record.
type place struct {
	at     time.Time
	source int
	key    bucket.Pair
}

func (h hit) place() place { return place{h.at, h.number, h.key} }

// source is one of the orders that a list is merged from.
type source struct {
	kind     string
	walk     func(tx *bucket.Tx, prefix, from []byte) iter.Seq[hit]
	encode   func(bucket.Pair) []byte // a key as it stands in the order
	shown    func(*bucket.Tx, *hit) (bool, error)
	find     func(tx *bucket.Tx, id int64) (hit, bool, error)
	describe func(q *request, id int64) (formats.Item, error)
}

var sources [4]source

func init() {
	sources = [4]source{
		public(article, published.ArticlesByChange, &published.Articles.Table, func(a *record.PublicArticle) (time.Time, bool) { return a.ChangedAt(), a.Foreign }, describeArticle),
		public(collection, published.CollectionsByChange, &published.Collections.Table, func(c *record.PublicCollection) (time.Time, bool) { return c.ChangedAt(), c.Foreign }, describeCollection),
		withdrawnItems(article, withdrawn.TombstonesByChange, withdrawn.Tombstones, func(tx *bucket.Tx, id int64) bool { return published.Articles.Has(tx, id) }),
		withdrawnItems(collection, withdrawn.CollectionTombstonesByChange, withdrawn.CollectionTombstones, func(tx *bucket.Tx, id int64) bool { return published.Collections.Has(tx, id) }),
	}
	for i := range sources {
		s, find := &sources[i], sources[i].find
		sources[i].find = func(tx *bucket.Tx, id int64) (hit, bool, error) {
			h, ok, err := find(tx, id)
			h.source, h.number = s, i
			return h, ok, err
		}
	}
}

// public are the public items of a kind.
func public[R any](kind string, order bucket.PublicIndex[int64], table *bucket.Table[int64, R], changed func(*R) (at time.Time, foreign bool), describe func(*request, int64) (formats.Item, error)) source {
	return source{
		kind: kind,
		walk: func(tx *bucket.Tx, prefix, from []byte) iter.Seq[hit] {
			return func(yield func(hit) bool) {
				for e := range order.Walk(tx, prefix, from, true) {
					set, at := facts.SortedSet(e.Sort)
					if !yield(hit{set: set, at: at, key: bucket.Pair{A: e.Key}}) {
						return
					}
				}
			}
		},
		encode: func(key bucket.Pair) []byte { return bucket.Prefix(key.A) },
		shown:  func(*bucket.Tx, *hit) (bool, error) { return true, nil },
		find: func(tx *bucket.Tx, id int64) (hit, bool, error) {
			head, err := table.Get(tx, id)
			if errors.Is(err, bucket.ErrNotFound) {
				return hit{}, false, nil
			}
			if err != nil {
				return hit{}, false, err
			}
			at, foreign := changed(head)
			return hit{at: at, key: bucket.Pair{A: id}}, !foreign, nil
		},
		describe: describe,
	}
}

// withdrawn are the items of a kind that were public and are not any more, by their last withdrawal.
func withdrawnItems(kind string, order *bucket.Index[bucket.Pair], table *bucket.Table[bucket.Pair, record.Tombstone], isPublic func(*bucket.Tx, int64) bool) source {
	return source{
		kind: kind,
		walk: func(tx *bucket.Tx, prefix, from []byte) iter.Seq[hit] {
			return func(yield func(hit) bool) {
				for e := range order.Walk(tx, prefix, from, true) {
					set, at := facts.SortedSet(e.Sort)
					if !yield(hit{set: set, at: at, key: e.Key}) {
						return
					}
				}
			}
		},
		encode: bucket.Pair.Key,
		shown: func(tx *bucket.Tx, h *hit) (bool, error) {
			if isPublic(tx, h.key.A) {
				return false, nil
			}
			t, version, err := lastTombstone(tx, table, h.key.A)
			h.gone = t
			return t != nil && version == h.key.B, err
		},
		find: func(tx *bucket.Tx, id int64) (hit, bool, error) {
			t, version, err := lastTombstone(tx, table, id)
			if err != nil || t == nil || t.Foreign {
				return hit{}, false, err
			}
			return hit{at: t.At, key: bucket.Pair{A: id, B: version}, gone: t}, true, nil
		},
	}
}

func describeArticle(q *request, id int64) (it formats.Item, err error) {
	facts, ok := published.ArticleFacts.Facts(q.tx, id)
	if !ok {
		return it, bucket.ErrNotFound
	}
	doc, err := q.Items.ArticleDocs.Full(q.tx, bucket.Pair{A: id, B: facts.Version})
	if err != nil {
		return it, err
	}
	var shown present.ArticleComplete
	if err := json.Unmarshal(doc.Full, &shown); err != nil {
		return it, err
	}
	return described.Item(q.Settings, article, &shown, fmt.Sprintf("%s/%d", shown.URLPublicHTML, shown.Version), q.Items.LeadsIn(q.tx)), nil
}

func describeCollection(q *request, id int64) (it formats.Item, err error) {
	facts, ok := published.CollectionFacts.Facts(q.tx, id)
	if !ok {
		return it, bucket.ErrNotFound
	}
	doc, err := q.Items.CollectionDocs.Full(q.tx, bucket.Pair{A: id, B: facts.Version})
	if err != nil {
		return it, err
	}
	var from present.CollectionComplete
	if err := json.Unmarshal(doc.Full, &from); err != nil {
		return it, err
	}
	shown := described.Collection(q.Settings, &from)
	return described.Item(q.Settings, collection, &shown, fmt.Sprintf("%s/%d", shown.URLPublicHTML, shown.Version), q.Items.LeadsIn(q.tx)), nil
}

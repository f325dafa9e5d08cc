package handlers

import (
	"iter"

	"alcove/bucket"
	"alcove/record"
)

// Names in bodies of articles, collections and projects name by an id or a code, and what
// that stands for.

// mostDescribed is how many of the caller's newest articles, collections and projects a
// search of grants looks at, each.
const mostDescribed = 1000

// described walks over what describes the caller's items: the newest articles, then the
// newest collections, then its own newest projects.
func (c *Call) described(tx *bucket.Tx) iter.Seq2[*record.Metadata, error] {
	mine := bucket.SortKey(c.Account.ID)
	return func(yield func(*record.Metadata, error) bool) {
		for id := range newest(bucket.ArticlesByCreated.Descending(tx, mine)) {
			art, err := bucket.Articles.Get(tx, id)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&art.Metadata, nil) {
				return
			}
		}
		for id := range newest(bucket.CollectionsByCreated.Descending(tx, mine)) {
			col, err := bucket.Collections.Get(tx, id)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&col.Metadata, nil) {
				return
			}
		}
		for at := range newest(bucket.MembersByAccount.Descending(tx, mine)) {
			p, err := bucket.Projects.Get(tx, at.A)
			if err != nil {
				yield(nil, err)
				return
			}
			if p.AccountID == c.Account.ID && !yield(p.Metadata(), nil) {
				return
			}
		}
	}
}

// newest are the keys that a walk meets first.
func newest[K any](hits iter.Seq[bucket.Hit[K]]) iter.Seq[K] {
	return func(yield func(K) bool) {
		met := 0
		for hit := range hits {
			if met++; met > mostDescribed || !yield(hit.Key) {
				return
			}
		}
	}
}

package handlers

import (
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// PublicCollectionList lists public collections (specification 4.7).
func (a *API) PublicCollectionList(c *Call) (Reply, error) {
	return c.publicList(&a.publicCollections)
}

// PublicCollectionRead is the latest public version of a collection.
func (a *API) PublicCollectionRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := c.publicCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	v, err := bucket.CollectionVersions.Get(tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return Reply{}, err
	}
	return a.publicCollectionDetail(c, tx, v)
}

// publicCollectionDetail is a public version in full. Its number of articles is that of those
// that its list shows: one that was withdrawn since is not counted while it is away.
func (a *API) publicCollectionDetail(c *Call, tx *bucket.PublicTx, v *record.CollectionVersion) (r Reply, err error) {
	shown, modified := 0, v.Modified
	for _, id := range v.Articles {
		if have, public := bucket.PublicFacts.Facts(tx, id); public {
			shown++
			if have.Published.After(modified) { // it may have been away before
				modified = have.Published
			}
		}
	}
	if shown == len(v.Articles) {
		r, err = a.collectionDocs.full(c, tx, bucket.Pair{A: v.CollectionID, B: int64(v.Version)})
	} else {
		r, modified = Reply{Body: a.Settings.CollectionDetail(v, shown)}, c.changed
	}
	r.Modified, r.Count = modified, view(bucket.KindCollection, v.CollectionID)
	return r, err
}

// publicCollection says which version of the path's collection readers get.
func (c *Call) publicCollection(tx bucket.Reader) (*record.PublicCollection, error) {
	head, err := bucket.PublicCollections.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrCollectionNotFound
	}
	return head, err
}

// PublicCollectionVersions lists the public versions of a collection.
func (a *API) PublicCollectionVersions(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := c.publicCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	grants := map[int][]string{}
	for hit := range bucket.CollectionVersionGrants.Ascending(tx, bucket.SortKey(head.ID)) {
		if grants[int(hit.Key.B)], err = bucket.IndexedTitles(hit.Value); err != nil {
			return Reply{}, err
		}
	}
	list := slices.DeleteFunc(a.Settings.CollectionVersions(head.ID, head.Latest, grants), func(v present.CollectionVersion) bool {
		return v.Version < head.Oldest || head.Skipped.Has(v.Version)
	})
	return Reply{Body: list, Modified: head.Modified}, nil
}

// PublicCollectionVersion is one public version of a collection.
func (a *API) PublicCollectionVersion(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := c.publicCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	key := bucket.Pair{A: head.ID, B: c.ID("version")}
	v, err := bucket.CollectionVersions.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		return Reply{}, record.ErrCollectionVersion
	}
	if err != nil {
		return Reply{}, err
	}
	return a.publicCollectionDetail(c, tx, v)
}

// PublicCollectionArticles lists the articles of the latest public version that are
// public.
func (a *API) PublicCollectionArticles(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := c.publicCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(publicItems)
	if err != nil {
		return Reply{}, err
	}
	v, err := bucket.CollectionVersions.Get(tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return Reply{}, err
	}
	docs, at := [][]byte{}, 0
	for _, id := range v.Articles { // documents are read of the page only: there may be 100,000 members
		fact, public := bucket.PublicFacts.Facts(tx, id)
		if !public {
			continue
		}
		if at++; at <= w.skip {
			continue
		}
		doc, err := a.articleDocs.list(tx, bucket.Pair{A: id, B: fact.Version})
		if err != nil {
			return Reply{}, err
		}
		if docs = append(docs, doc.List); len(docs) == w.take {
			break
		}
	}
	return Reply{Raw: present.Joined(docs), Modified: c.changed}, nil
}

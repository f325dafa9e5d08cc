package handlers

import (
	"errors"

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
	r, err := a.collectionDocs.full(c, tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	r.Modified, r.Count = head.Modified, view(bucket.KindCollection, head.ID)
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
	return Reply{Body: a.Settings.CollectionVersions(head.ID, head.Latest), Modified: head.Modified}, nil
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
	r, err := a.collectionDocs.full(c, tx, key)
	r.Modified, r.Count = v.Modified, view(bucket.KindCollection, head.ID)
	return r, err
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
	docs := [][]byte{}
	for _, id := range v.Articles {
		doc, err := a.publicMember(tx, id)
		if err != nil {
			return Reply{}, err
		}
		if doc != nil {
			docs = append(docs, doc)
		}
	}
	return Reply{Raw: present.Joined(w.of(docs)), Modified: c.changed}, nil
}

package handlers

import (
	"errors"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// PublicCollectionList lists public collections.
func (a *API) PublicCollectionList(c *Call) (Reply, error) {
	return c.publicList(a.publicCollections)
}

// PublicCollectionRead is the latest public version of a collection.
func (a *API) PublicCollectionRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := c.publicCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	m, err := a.publicMembers(c, tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return Reply{}, err
	}
	return a.publicCollectionDetail(c, tx, m)
}

// publicCollectionDetail is a public version in full. Its number of articles is that of those
// that its list shows: one that was withdrawn since is not counted while it is away.
func (a *API) publicCollectionDetail(c *Call, tx *bucket.PublicTx, m *publicMembers) (r Reply, err error) {
	v, modified := m.version, m.modified
	if len(m.articles) == len(v.Articles) {
		r, err = c.fullForm(a.Items.CollectionDocs.Full(tx, bucket.Pair{A: v.CollectionID, B: int64(v.Version)}))
	} else {
		r, modified = Reply{Body: a.Settings.CollectionDetail(v, len(m.articles))}, c.changed
	}
	r.Modified, r.Count = modified, view(bucket.KindCollection, v.CollectionID)
	return r, err
}

// publicMembers are the members of a public version of a collection that readers see. It is
// shared, and not modified.
type publicMembers struct {
	version  *record.CollectionVersion
	articles []bucket.Pair // id and version
	modified time.Time     // the latest of the version and of the articles, which may have been away before
}

// membersMost is how many members of collections are cached, some 40 bytes each.
const membersMost = 1 << 18

// publicMembers reads a whole version and a fact of each member, of which there may be 100,000, so
// what it finds is cached: a client reads one page after the other.
func (a *API) publicMembers(c *Call, tx *bucket.PublicTx, key bucket.Pair) (*publicMembers, error) {
	if m, ok := a.members.find(c.position, key); ok {
		return m, nil
	}
	v, err := bucket.CollectionVersions.Get(tx, key)
	if err != nil {
		return nil, err
	}
	m := &publicMembers{version: v, modified: v.Modified}
	for _, id := range v.Articles {
		if fact, public := bucket.PublicFacts.Facts(tx, id); public {
			m.articles = append(m.articles, bucket.Pair{A: id, B: fact.Version})
			if fact.Published.After(m.modified) {
				m.modified = fact.Published
			}
		}
	}
	a.members.keep(c.position, key, m, len(v.Articles)+membersMost>>10)
	return m, nil
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
	m, err := a.publicMembers(c, tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		return Reply{}, record.ErrCollectionVersion
	}
	if err != nil {
		return Reply{}, err
	}
	return a.publicCollectionDetail(c, tx, m)
}

// PublicCollectionArticles lists the articles of the latest public version that are
// public.
func (a *API) PublicCollectionArticles(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := c.publicCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(lists.PublicItems)
	if err != nil {
		return Reply{}, err
	}
	m, err := a.publicMembers(c, tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return Reply{}, err
	}
	docs := [][]byte{}
	for key := range lists.Page(w, slices.Values(m.articles)) {
		doc, err := a.Items.ArticleDocs.List(tx, key)
		if err != nil {
			return Reply{}, err
		}
		docs = append(docs, doc.List)
	}
	return Reply{Raw: present.Joined(docs), Modified: c.changed}, nil
}

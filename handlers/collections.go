package handlers

import (
	"errors"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/jobs"
	"alcove/record"
)

// CollectionList lists the caller's collections, the newest first, with the filters and
// orders of the public list.
func (a *API) CollectionList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return a.Collections.list(c, tx, a.Collections.own.show)
}

// CollectionCreate makes a collection.
func (a *API) CollectionCreate(c *endpoint.Call, tx *bucket.Tx, body *record.CollectionBody) (endpoint.Reply, error) {
	return a.Collections.create(c, tx, body)
}

// CollectionRead is the caller's collection in full, or what a private link shows of another's:
// the keys of the public detail, and of its articles those that are public.
func (a *API) CollectionRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	col, err := c.OwnCollection(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	r, err := a.workingCollection(tx, col, c.ByLink(&col.Working))
	if doc, ok := r.Body.(present.CollectionComplete); ok && c.Anonymous {
		r.Body = doc.Anonymous()
	}
	return r, err
}

// workingCollection is a working copy in full, as its owner sees it or as a private link shows it.
func (a *API) workingCollection(tx *bucket.Tx, col *record.Collection, byLink bool) (endpoint.Reply, error) {
	authors, err := items.People(tx, col.Authors)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := items.Define(tx, &col.Metadata); err != nil {
		return endpoint.Reply{}, err
	}
	articles := 0
	for _, id := range col.Articles {
		shown, err := showsMember(tx, col, id, byLink)
		if err != nil {
			return endpoint.Reply{}, err
		}
		if shown {
			articles++
		}
	}
	leads := a.Items.Leads(tx, col.DOI)
	if byLink {
		return endpoint.Reply{Body: a.Settings.LinkedCollection(col, authors, articles, leads), Modified: col.Modified}, nil
	}
	return endpoint.Reply{Body: a.Settings.OwnCollectionDetail(col, authors, articles, leads), Modified: col.Modified}, nil
}

// CollectionChange is the update by PUT and by PATCH: what is not sent stays. A title
// is required on create only.
func (a *API) CollectionChange(c *endpoint.Call, tx *bucket.Tx, body *record.CollectionBody) (endpoint.Reply, error) {
	col, err := c.OwnCollection(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.Collections.update(c, tx, col, body)
}

// CollectionDelete removes a collection; its articles stay. Its public versions are withdrawn and
// leave a tombstone.
func (a *API) CollectionDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	col, err := c.OwnCollection(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: 204}, a.Items.DeleteCollection(tx, col, c.Actor)
}

// CollectionArticles lists the articles of an own collection: its owner's as working copies
// are, others as they are public. A private link shows those that are public, as they are.
func (a *API) CollectionArticles(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	col, err := c.OwnCollection(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, err := c.Page(lists.PublicItems)
	if err != nil {
		return endpoint.Reply{}, err
	}
	members := func(yield func(int64, error) bool) {
		for _, id := range col.Articles {
			shown, err := showsMember(tx, col, id, c.ByLink(&col.Working))
			if (shown || err != nil) && !yield(id, err) {
				return
			}
		}
	}
	docs := [][]byte{}
	for id, err := range lists.PageOf(w, members) { // only those of the page are read: there may be 100,000
		if err != nil {
			return endpoint.Reply{}, err
		}
		doc, err := a.memberDoc(c, tx, col, id)
		if err != nil {
			return endpoint.Reply{}, err
		}
		docs = append(docs, doc)
	}
	return endpoint.Reply{Raw: present.Joined(docs), Modified: c.Changed}, nil
}

// memberDoc is an article in the list of a collection's owner, nil when it is neither
// public nor its own any more.
func (a *API) memberDoc(c *endpoint.Call, tx *bucket.Tx, col *record.Collection, id int64) ([]byte, error) {
	if c.ByLink(&col.Working) {
		return a.publicMember(tx, id)
	}
	art, err := working.Articles.Get(tx, id)
	if err == nil && art.AccountID == c.Account.ID {
		return present.Encode(a.Settings.OwnArticle(art))
	}
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return nil, err
	}
	return a.publicMember(tx, id)
}

// showsMember reports whether the list of a collection shows an article to its owner, or by a
// link: what was deleted or withdrawn stays named in the collection, and is not counted.
func showsMember(tx *bucket.Tx, col *record.Collection, id int64, byLink bool) (bool, error) {
	if published.Articles.Has(tx, id) {
		return true, nil
	}
	return !byLink && working.ArticleOwners.Of(tx, id).Account == col.AccountID, nil
}

// publicMember is the list form of a public article, nil when it is not public.
func (a *API) publicMember(tx bucket.Reader, id int64) ([]byte, error) {
	head, err := published.Articles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := a.Items.ArticleDocs.List(tx, bucket.Pair{A: id, B: int64(head.Latest)})
	return doc.List, err
}

// CollectionArticlesAdd puts articles behind those of an own collection.
func (a *API) CollectionArticlesAdd(c *endpoint.Call, tx *bucket.Tx, body *record.ArticlesBody) (endpoint.Reply, error) {
	return a.writeMembers(c, tx, body, true)
}

// CollectionArticlesReplace gives an own collection other articles.
func (a *API) CollectionArticlesReplace(c *endpoint.Call, tx *bucket.Tx, body *record.ArticlesBody) (endpoint.Reply, error) {
	return a.writeMembers(c, tx, body, false)
}

func (a *API) writeMembers(c *endpoint.Call, tx *bucket.Tx, body *record.ArticlesBody, add bool) (endpoint.Reply, error) {
	col, err := c.OwnCollection(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	if err := a.Items.SetMembers(&c.Caller, tx, col, *body.Articles, add); err != nil {
		return endpoint.Reply{}, err
	}
	return a.Collections.addedReply(c, &col.Working, "articles", add), a.Collections.Put(tx, col)
}

// CollectionArticleDelete takes one article out of an own collection.
func (a *API) CollectionArticleDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	col, err := c.OwnCollection(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	id := c.ID("article_id")
	i := slices.Index(col.Articles, id)
	if i < 0 || c.ByLink(&col.Working) && !published.Articles.Has(tx, id) {
		return endpoint.Reply{}, record.ErrCollectionArticleGone
	}
	col.Articles = slices.Delete(col.Articles, i, i+1)
	return endpoint.Reply{Status: 204}, a.Collections.Put(tx, col)
}

// PublicCollectionList lists public collections.
func (a *API) PublicCollectionList(c *endpoint.Call) (endpoint.Reply, error) {
	return c.PublicList(a.publicCollections)
}

// PublicCollectionRead is the latest public version of a collection.
func (a *API) PublicCollectionRead(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	head, err := publicCollection(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	m, err := a.publicMembers(c, tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.publicCollectionDetail(c, tx, m)
}

// publicCollectionDetail is a public version in full. Its number of articles is that of those
// that its list shows: one that was withdrawn since is not counted while it is away.
func (a *API) publicCollectionDetail(c *endpoint.Call, tx *bucket.PublicTx, m *publicMembers) (r endpoint.Reply, err error) {
	v, modified := m.version, m.modified
	if len(m.articles) == len(v.Articles) {
		doc, err := a.Items.CollectionDocs.Full(tx, bucket.Pair{A: v.CollectionID, B: int64(v.Version)})
		if err != nil {
			return r, err
		}
		r = fullForm(c, doc)
	} else {
		r, modified = endpoint.Reply{Body: a.Settings.CollectionDetail(v, len(m.articles), a.Items.Leads(tx, v.PublicDOI(v.Version)))}, c.Changed
	}
	r.Modified, r.Count = modified, jobs.View(record.KindCollection, v.CollectionID)
	return r, nil
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
func (a *API) publicMembers(c *endpoint.Call, tx *bucket.PublicTx, key bucket.Pair) (*publicMembers, error) {
	if m, ok := a.members.Find(c.Position, key); ok {
		return m, nil
	}
	v, err := published.CollectionVersions.Get(tx, key)
	if err != nil {
		return nil, err
	}
	m := &publicMembers{version: v, modified: v.Modified}
	for _, id := range v.Articles {
		if fact, public := published.ArticleFacts.Facts(tx, id); public {
			m.articles = append(m.articles, bucket.Pair{A: id, B: fact.Version})
			if fact.Published.After(m.modified) {
				m.modified = fact.Published
			}
		}
	}
	a.members.Keep(c.Position, key, m, len(v.Articles)+membersMost>>10)
	return m, nil
}

// publicCollection says which version of the path's collection readers get.
func publicCollection(c *endpoint.Call, tx bucket.Reader) (*record.PublicCollection, error) {
	head, err := published.Collections.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrCollectionNotFound
	}
	return head, err
}

// PublicCollectionVersions lists the public versions of a collection.
func (a *API) PublicCollectionVersions(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	head, err := publicCollection(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	grants := map[int][]string{}
	for hit := range published.CollectionVersionGrants.Ascending(tx, bucket.SortKey(head.ID)) {
		if grants[int(hit.Key.B)], err = published.IndexedTitles(hit.Value); err != nil {
			return endpoint.Reply{}, err
		}
	}
	list := slices.DeleteFunc(a.Settings.CollectionVersions(head.ID, head.Latest, grants), func(v present.CollectionVersion) bool {
		return v.Version < head.Oldest || head.Skipped.Has(v.Version)
	})
	return endpoint.Reply{Body: list, Modified: head.Modified}, nil
}

// PublicCollectionVersion is one public version of a collection.
func (a *API) PublicCollectionVersion(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	head, err := publicCollection(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	key := bucket.Pair{A: head.ID, B: c.ID("version")}
	m, err := a.publicMembers(c, tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		return endpoint.Reply{}, record.ErrCollectionVersion
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.publicCollectionDetail(c, tx, m)
}

// PublicCollectionArticles lists the articles of the latest public version that are
// public.
func (a *API) PublicCollectionArticles(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	head, err := publicCollection(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, err := c.Page(lists.PublicItems)
	if err != nil {
		return endpoint.Reply{}, err
	}
	m, err := a.publicMembers(c, tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return endpoint.Reply{}, err
	}
	docs := [][]byte{}
	for key := range lists.Page(w, slices.Values(m.articles)) {
		doc, err := a.Items.ArticleDocs.List(tx, key)
		if err != nil {
			return endpoint.Reply{}, err
		}
		docs = append(docs, doc.List)
	}
	return endpoint.Reply{Raw: present.Joined(docs), Modified: c.Changed}, nil
}

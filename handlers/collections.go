package handlers

import (
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// CollectionList lists the caller's collections, the newest first, with the filters and
// orders of the public list (specification 4.7).
func (a *API) CollectionList(c *Call, tx *bucket.Tx) (Reply, error) {
	f, err := c.articleFilter(ArticleSearch{}, orders("created_date", "modified_date"))
	if err != nil {
		return Reply{}, err
	}
	if f.Order == nil {
		f.order = "created_date"
	}
	f.ItemType, f.ProjectID = nil, nil
	w, err := c.page(ownItems)
	if err != nil {
		return Reply{}, err
	}
	list, err := a.Collections.search.page(c, tx, ownFilter{f, nil}, w, nil)
	return Reply{Body: list, Modified: c.changed}, err
}

// CollectionCreate makes a collection (specification 4.7).
func (a *API) CollectionCreate(c *Call, tx *bucket.Tx, body *record.CollectionBody) (Reply, error) {
	if err := body.RequireTitle(); err != nil {
		return Reply{}, err
	}
	col := &record.Collection{Working: a.newWorking(c, tx), Articles: []int64{}}
	kept := col.Authors
	if err := c.applyCollection(tx, col, body); err != nil {
		return Reply{}, err
	}
	if body.Authors != nil {
		col.Authors = unique(append(kept, col.Authors...))
	}
	var err error
	if col.ID, err = bucket.Collections.NextID(tx); err != nil {
		return Reply{}, err
	}
	if err := bucket.Collections.Put(tx, col.ID, col); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/collections/%d", col.ID)
	return Reply{Status: 201, Location: at, Body: present.NewCreated(col.ID, at, c.warned)}, nil
}

// applyCollection writes a body to a working copy.
func (c *Call) applyCollection(tx *bucket.Tx, col *record.Collection, body *record.CollectionBody) error {
	if err := body.Check(); err != nil {
		return err
	}
	if field, needed := body.NeedsRights(); needed && !c.Account.Admin {
		return record.Refused("FieldNotAllowed", "Only administrators may set "+field)
	}
	if body.Articles != nil {
		ids, err := c.members(tx, *body.Articles)
		if err != nil {
			return err
		}
		col.Articles = ids
	}
	if err := c.API.Collections.sort(c, tx, &col.Working, body.Authors, body.Categories, &body.Extras); err != nil {
		return err
	}
	body.Apply(&col.Metadata)
	if body.CustomFields != nil || body.CustomFieldsList != nil {
		if err := c.checkFields(tx, &col.Metadata); err != nil {
			return err
		}
	}
	if err := free(tx, &col.Metadata, 0); err != nil {
		return err
	}
	return c.credit(tx, &col.Working, body.Authors)
}

// members checks ids of articles for a collection: public ones, and the caller's own.
// What he may not see does not exist (threat A07).
func (c *Call) members(tx *bucket.Tx, ids []int64) ([]int64, error) {
	for _, id := range ids {
		if _, err := bucket.PublicArticles.Get(tx, id); err == nil {
			continue
		} else if !errors.Is(err, bucket.ErrNotFound) {
			return nil, err
		}
		art, err := bucket.Articles.Get(tx, id)
		if errors.Is(err, bucket.ErrNotFound) || err == nil && art.AccountID != c.Account.ID {
			return nil, record.ErrCollectionArticle
		}
		if err != nil {
			return nil, err
		}
	}
	return unique(ids), nil
}

// CollectionRead is the caller's collection in full.
func (a *API) CollectionRead(c *Call, tx *bucket.Tx) (Reply, error) {
	col, err := c.ownCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	authors, err := people(tx, col.Authors)
	if err != nil {
		return Reply{}, err
	}
	if err := define(tx, &col.Metadata); err != nil {
		return Reply{}, err
	}
	articles := 0
	for _, id := range col.Articles {
		shown, err := c.showsMember(tx, id)
		if err != nil {
			return Reply{}, err
		}
		if shown {
			articles++
		}
	}
	return Reply{Body: a.Settings.OwnCollectionDetail(col, authors, articles), Modified: col.Modified}, nil
}

// CollectionChange is the update by PUT and by PATCH: what is not sent stays. The
// specification asks for a title on create only.
func (a *API) CollectionChange(c *Call, tx *bucket.Tx, body *record.CollectionBody) (Reply, error) {
	col, err := c.ownCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := c.applyCollection(tx, col, body); err != nil {
		return Reply{}, err
	}
	col.Saved = true
	if err := a.Collections.put(tx, col); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/collections/%d", col.ID)
	return Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.warned)}, nil
}

// CollectionDelete removes a collection that was never published; its articles stay.
func (a *API) CollectionDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	col, err := c.ownCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	if col.Version > 0 {
		return Reply{}, record.ErrCollectionPublic
	}
	if err := a.Collections.dropLinks(tx, col.ID); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204}, bucket.Collections.Delete(tx, col.ID)
}

// CollectionPublish makes a new public version (specification 3 and 4.7). It has those
// of its articles that are public at this moment.
func (a *API) CollectionPublish(c *Call, tx *bucket.Tx) (Reply, error) {
	col, err := c.ownCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	switch {
	case len(col.Authors) == 0:
		return Reply{}, record.ErrCollectionAuthorless
	case col.Title == "":
		return Reply{}, record.ErrCollectionTitleless
	}
	authors, err := people(tx, col.Authors)
	if err != nil {
		return Reply{}, err
	}
	public := []int64{}
	for _, id := range col.Articles {
		if _, err := bucket.PublicArticles.Get(tx, id); err == nil {
			public = append(public, id)
		} else if !errors.Is(err, bucket.ErrNotFound) {
			return Reply{}, err
		}
	}
	now := tx.Now()
	col.Version++
	col.Published, col.Modified = &now, now
	if col.First == nil {
		col.First = &now
	}
	if col.DOI == "" {
		col.DOI = a.Collections.identifier(a.Limits.DOIPrefix, col.ID)
	}
	if err := makePublic(tx, authors); err != nil {
		return Reply{}, err
	}
	if err := bucket.Collections.Put(tx, col.ID, col); err != nil {
		return Reply{}, err
	}
	v := &record.CollectionVersion{
		CollectionID: col.ID, Version: col.Version, Metadata: col.Metadata, Authors: authors, Articles: public,
		First: *col.First, Published: now, Modified: now,
	}
	if err := define(tx, &v.Metadata); err != nil {
		return Reply{}, err
	}
	if name, missing := record.MissingField(v.CustomFields, v.Defined); missing {
		return Reply{}, record.CollectionLacks(name)
	}
	if err := a.freezeCollection(tx, v); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/collections/%d", col.ID)
	return Reply{Status: 201, Location: at, Body: present.Location{Location: at}}, nil
}

func (a *API) freezeCollection(tx *bucket.Tx, v *record.CollectionVersion) error {
	key := bucket.Pair{A: v.CollectionID, B: int64(v.Version)}
	if err := bucket.CollectionVersions.Put(tx, key, v); err != nil {
		return err
	}
	head := &record.PublicCollection{
		ID: v.CollectionID, Latest: v.Version, GroupID: v.GroupID, InstitutionID: v.InstitutionID,
		First: v.First, Published: v.Published, Modified: v.Modified,
	}
	if err := bucket.PublicCollections.Put(tx, v.CollectionID, head); err != nil {
		return err
	}
	if err := bucket.Cite(tx, bucket.Pair{A: bucket.KindCollection, B: v.CollectionID}, v.DOI, v.Cited()); err != nil {
		return err
	}
	return a.collectionDocs.store(tx, v)
}

// CollectionArticles lists the articles of an own collection: its owner's as he sees
// them, others as they are public.
func (a *API) CollectionArticles(c *Call, tx *bucket.Tx) (Reply, error) {
	col, err := c.ownCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(publicItems)
	if err != nil {
		return Reply{}, err
	}
	docs := [][]byte{}
	for _, id := range col.Articles {
		doc, err := a.memberDoc(c, tx, id)
		if err != nil {
			return Reply{}, err
		}
		if doc != nil {
			docs = append(docs, doc)
		}
	}
	return Reply{Raw: present.Joined(w.of(docs)), Modified: c.changed}, nil
}

// memberDoc is an article in the list of a collection's owner, nil when it is neither
// public nor his any more.
func (a *API) memberDoc(c *Call, tx *bucket.Tx, id int64) ([]byte, error) {
	art, err := bucket.Articles.Get(tx, id)
	if err == nil && art.AccountID == c.Account.ID {
		return present.Encode(a.Settings.OwnArticle(art))
	}
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return nil, err
	}
	return a.publicMember(tx, id)
}

// showsMember reports whether the list of a collection's owner shows an article: what was
// deleted or withdrawn stays named in the collection, and is not counted.
func (c *Call) showsMember(tx *bucket.Tx, id int64) (bool, error) {
	if bucket.PublicArticles.Has(tx, id) {
		return true, nil
	}
	art, err := bucket.Articles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	return err == nil && art.AccountID == c.Account.ID, err
}

// publicMember is the list form of a public article, nil when it is not public.
func (a *API) publicMember(tx bucket.Reader, id int64) ([]byte, error) {
	head, err := bucket.PublicArticles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := a.articleDocs.list(tx, bucket.Pair{A: id, B: int64(head.Latest)})
	return doc.List, err
}

// of is the part of a list that a window shows.
func (w window) of(docs [][]byte) [][]byte {
	from := min(w.skip, len(docs))
	return docs[from:min(from+w.take, len(docs))]
}

// CollectionArticlesAdd puts articles behind those of an own collection.
func (a *API) CollectionArticlesAdd(c *Call, tx *bucket.Tx, body *record.ArticlesBody) (Reply, error) {
	return a.writeMembers(c, tx, body, true)
}

// CollectionArticlesReplace gives an own collection other articles.
func (a *API) CollectionArticlesReplace(c *Call, tx *bucket.Tx, body *record.ArticlesBody) (Reply, error) {
	return a.writeMembers(c, tx, body, false)
}

func (a *API) writeMembers(c *Call, tx *bucket.Tx, body *record.ArticlesBody, add bool) (Reply, error) {
	col, err := c.ownCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	ids, err := c.members(tx, *body.Articles)
	if err != nil {
		return Reply{}, err
	}
	if add {
		ids = unique(append(col.Articles, ids...))
	}
	col.Articles = ids
	return a.Collections.addedReply(&col.Working, "articles", add), a.Collections.put(tx, col)
}

// CollectionArticleDelete takes one article out of an own collection.
func (a *API) CollectionArticleDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	col, err := c.ownCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	i := slices.Index(col.Articles, c.ID("article_id"))
	if i < 0 {
		return Reply{}, record.ErrCollectionArticleGone
	}
	col.Articles = slices.Delete(col.Articles, i, i+1)
	return Reply{Status: 204}, a.Collections.put(tx, col)
}

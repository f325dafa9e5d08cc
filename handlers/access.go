package handlers

import (
	"errors"

	"alcove/bucket"
	"alcove/record"
)

// Loading is authorising: a private record is reached only through these functions, and
// one that the caller may not see is not found.

// ownArticle is the article of the path when it is the caller's.
func (c *Call) ownArticle(tx *bucket.Tx) (*record.Article, error) {
	a, err := bucket.Articles.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && a.AccountID != c.Account.ID {
		return nil, record.ErrArticleNotOwn
	}
	return a, err
}

// ownCollection is the collection of the path when it is the caller's, or, where the
// endpoint is Linked, when he holds a private link that lets him edit it.
func (c *Call) ownCollection(tx *bucket.Tx) (*record.Collection, error) {
	col, err := bucket.Collections.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrCollectionNotFound
	}
	if err != nil || col.AccountID == c.Account.ID {
		return col, err
	}
	l, err := c.editLink(tx)
	if err == nil && (l == nil || l.ItemID != col.ID) {
		err = record.ErrCollectionNotFound
	}
	if err != nil {
		return nil, err
	}
	return col, nil
}

// ownFile is the file of the path in the working copy of the caller's article.
func (c *Call) ownFile(tx *bucket.Tx) (*record.Article, *record.File, error) {
	a, err := c.ownArticle(tx)
	if err != nil {
		return nil, nil, err
	}
	f, err := bucket.Files.Get(tx, c.ID("file_id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (f.ArticleID != a.ID || f.Dropped) {
		return nil, nil, record.ErrFileNotFound
	}
	return a, f, err
}

// ownVersion is the public version of the caller's article that the path names.
func (c *Call) ownVersion(tx *bucket.Tx) (*record.ArticleVersion, error) {
	a, err := c.ownArticle(tx)
	if err != nil {
		return nil, err
	}
	if _, err := publicHead(tx, a.ID, record.ErrEntityVersion); err != nil {
		return nil, err
	}
	v, err := bucket.ArticleVersions.Get(tx, bucket.Pair{A: a.ID, B: c.ID("version_id")})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrEntityVersion
	}
	return v, err
}

// heldLink is the private link whose token came with the request, when it is active and
// leads to an item of a kind; otherwise nil.
func (c *Call) heldLink(tx *bucket.Tx, kind string) (*record.PrivateLink, error) {
	if c.secrets.link == "" {
		return nil, nil
	}
	l, err := bucket.PrivateLinks.Get(tx, c.secrets.link)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (l.Kind != kind || !l.Active(tx.Now())) {
		return nil, nil
	}
	return l, err
}

// editLink is the private link of a request to a Linked endpoint, when it lets its
// holder edit a collection; otherwise nil.
func (c *Call) editLink(tx *bucket.Tx) (*record.PrivateLink, error) {
	if !c.linked {
		return nil, nil
	}
	l, err := c.heldLink(tx, "collections")
	if err != nil || l == nil || l.ReadOnly {
		return nil, err
	}
	return l, nil
}

// visiblePerson is a person whom the caller may name by id.
func (c *Call) visiblePerson(tx *bucket.Tx, id int64, unknown *record.Error) (*record.Person, error) {
	p, err := bucket.People.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && !p.VisibleTo(c.Account.ID) {
		return nil, unknown
	}
	return p, err
}

// uploadFile is the file that an upload token names, as long as a working copy has it.
func uploadFile(tx *bucket.Tx, token string) (*record.File, error) {
	id, ok := bucket.FilesByToken.First(tx, bucket.SortKey(token))
	if !ok {
		return nil, record.ErrUploadUnknown
	}
	f, err := bucket.Files.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && f.Dropped {
		return nil, record.ErrUploadUnknown
	}
	return f, err
}

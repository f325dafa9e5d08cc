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

// ownCollection is the collection of the path when it is the caller's.
func (c *Call) ownCollection(tx *bucket.Tx) (*record.Collection, error) {
	col, err := bucket.Collections.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && col.AccountID != c.Account.ID {
		return nil, record.ErrCollectionNotFound
	}
	return col, err
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

package handlers

import (
	"cmp"
	"errors"

	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/record"
)

// Loading is authorising: a private record is reached only through these functions, and
// one that the caller may not see is not found.

// ownArticle is the article of the path when it is the caller's, or, where the endpoint is
// Linked, when a private link opens it to the caller.
func (c *Call) ownArticle(tx *bucket.Tx) (*record.Article, error) {
	id := c.ID("id")
	var by *record.PrivateLink
	if !c.Is(bucket.ArticleOwners.Of(tx, id)) {
		l, err := c.opens(tx, id)
		if err != nil || l == nil {
			return nil, cmp.Or(err, error(record.ErrArticleNotOwn))
		}
		by = l
	}
	a, err := bucket.Articles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrArticleNotOwn
	}
	if err == nil {
		err = c.withhold(tx, by, &a.Working)
	}
	return a, err
}

// readArticle is the article of the path when it is the caller's, or when it reads it in a
// project.
func (c *Call) readArticle(tx *bucket.Tx) (*record.Article, error) {
	owner := bucket.ArticleOwners.Of(tx, c.ID("id"))
	if !c.Is(owner) {
		if shared, err := c.shares(tx, owner.In); err != nil || !shared {
			return nil, cmp.Or(err, error(record.ErrArticleNotOwn))
		}
	}
	art, err := bucket.Articles.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrArticleNotOwn
	}
	return art, err
}

// ownCollection is the collection of the path when it is the caller's, or, where the
// endpoint is Linked, when a private link opens it to the caller.
func (c *Call) ownCollection(tx *bucket.Tx) (*record.Collection, error) {
	id := c.ID("id")
	var by *record.PrivateLink
	if !c.Is(bucket.CollectionOwners.Of(tx, id)) {
		l, err := c.opens(tx, id)
		if err != nil || l == nil {
			return nil, cmp.Or(err, error(record.ErrCollectionNotFound))
		}
		by = l
	}
	col, err := bucket.Collections.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrCollectionNotFound
	}
	if err == nil {
		err = c.withhold(tx, by, &col.Working)
	}
	if err == nil && c.anonymous {
		col.Articles = nil // their authors are known
	}
	return col, err
}

// ownFile is the file of the path in the working copy of the caller's article.
func (c *Call) ownFile(tx *bucket.Tx) (*record.Article, *record.File, error) {
	a, err := c.ownArticle(tx)
	if err != nil {
		return nil, nil, err
	}
	f, err := workingFile(tx, a.ID, c.ID("file_id"))
	return a, f, err
}

// workingFile is a file in the working copy of an article.
func workingFile(tx *bucket.Tx, article, id int64) (*record.File, error) {
	if bucket.FileOwners.Of(tx, id).In != article {
		return nil, record.ErrFileNotFound
	}
	f, err := bucket.Files.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && f.Dropped {
		return nil, record.ErrFileNotFound
	}
	return f, err
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

// presentedLink is the private link whose token came with the request, when it is active, leads to
// an item of a kind, and the owner of that may act; otherwise nil.
func (c *Call) presentedLink(tx *bucket.Tx, kind string) (*record.PrivateLink, error) {
	if c.secrets.link == "" {
		return nil, nil
	}
	l, err := bucket.PrivateLinks.Get(tx, c.secrets.link)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (l.Kind != kind || !l.Active(tx.Latest())) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	owner, err := linkOwner(tx, l)
	if err != nil {
		return nil, err
	}
	acts, err := active(tx, owner)
	if err != nil || !acts {
		return nil, err
	}
	return l, nil
}

// linkOwner is the account that has the item of a private link.
func linkOwner(tx *bucket.Tx, l *record.PrivateLink) (int64, error) {
	if l.Kind == "collections" {
		col, err := bucket.Collections.Get(tx, l.ItemID)
		if err != nil {
			return 0, err
		}
		return col.AccountID, nil
	}
	art, err := bucket.Articles.Get(tx, l.ItemID)
	if err != nil {
		return 0, err
	}
	return art.AccountID, nil
}

// active reports whether an account is neither disabled nor expired: then what it has handed
// out, private links and upload addresses, works.
func active(tx *bucket.Tx, account int64) (bool, error) {
	acc, err := bucket.Accounts.Get(tx, account)
	return err == nil && acc.Active(tx.Latest()), err
}

// openingLink is the private link of a request to a Linked endpoint, when it lets its holder do
// what the endpoint does: to read any will do, to write one that lets edit. Otherwise nil.
func (c *Call) openingLink(tx *bucket.Tx) (*record.PrivateLink, error) {
	if c.linked == "" {
		return nil, nil
	}
	l, err := c.presentedLink(tx, c.linked)
	if err != nil || l == nil || l.ReadOnly && !c.reading {
		return nil, err
	}
	return l, nil
}

// opens is the private link of a request when it opens an item, otherwise nil.
func (c *Call) opens(tx *bucket.Tx, item int64) (*record.PrivateLink, error) {
	l, err := c.openingLink(tx)
	if l != nil && l.ItemID != item {
		l = nil
	}
	return l, err
}

// withhold takes out of an item what the link that opened it, nil for none, does not show. Nothing
// behind the loading of the item can then tell it.
func (c *Call) withhold(tx *bucket.Tx, by *record.PrivateLink, w *record.Working) error {
	if c.anonymous = by != nil && by.Anonymous; !c.anonymous {
		return nil
	}
	return items.Withhold(tx, w)
}

// visiblePerson is a person that the caller may name by id.
func (c *Call) visiblePerson(tx *bucket.Tx, id int64, unknown *record.Error) (*record.Person, error) {
	if !bucket.SeenPerson(tx, id, c.Account.ID).Named {
		return nil, unknown
	}
	return bucket.People.Get(tx, id)
}

// uploadFile is the file that an upload token names, as long as a working copy has it and its
// owner may act.
func uploadFile(tx *bucket.Tx, token string) (*record.File, error) {
	id, ok := bucket.FilesByToken.First(tx, bucket.SortKey(token))
	if !ok {
		return nil, record.ErrUploadUnknown
	}
	f, err := bucket.Files.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && f.Dropped {
		return nil, record.ErrUploadUnknown
	}
	if err != nil {
		return nil, err
	}
	acts, err := active(tx, f.AccountID)
	if err == nil && !acts {
		err = record.ErrUploadUnknown
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

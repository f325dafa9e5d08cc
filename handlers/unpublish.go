package handlers

import (
	"cmp"
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// Unpublishing takes everything of an article out of the public tables, so that no public
// address can show any of it. The records move to tables of their own, beside a tombstone
// that says why. What its owner has goes on as a private item; the next publication has
// the next number.

// ArticleUnpublish withdraws all public versions of an article (api-beyond 2, decision
// 15), and what waits for the end of an embargo or for a review.
func (a *API) ArticleUnpublish(c *Call, tx *bucket.Tx, body *record.UnpublishBody) (Reply, error) {
	art, err := c.withdrawable(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	if !art.Public() && !bucket.HeldVersions.Has(tx, art.ID) {
		return Reply{}, record.ErrNotPublic
	}
	if err := closePending(tx, art.ID); err != nil {
		return Reply{}, err
	}
	if err := deleteEmbargoed(tx, art.ID); err != nil {
		return Reply{}, err
	}
	if art.Public() {
		if err := c.withdraw(tx, art, *body.Reason); err != nil {
			return Reply{}, err
		}
	}
	return Reply{Status: 204}, putArticle(tx, art)
}

// ToUnpublish tells the state that conditions of a withdrawal are tested on: the own
// detail of the article, also where an administrator withdraws it.
func (a *API) ToUnpublish(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.withdrawable(tx)
	if err != nil {
		return Reply{}, err
	}
	return a.ownDetail(tx, art)
}

// On makes an endpoint test its conditions on another state than that of the address
// above it.
func (e Endpoint) On(state func(*Call, *bucket.Tx) (Reply, error)) Endpoint {
	run := e.run
	e.run = func(a *API, c *Call) (Reply, error) {
		c.state = state
		return run(a, c)
	}
	return e
}

// withdrawable is the article of the path when it is the caller's, or in what he
// administers: the institution, or a group of it.
func (c *Call) withdrawable(tx *bucket.Tx) (*record.Article, error) {
	id := c.ID("id")
	if owner := bucket.ArticleOwners.Of(tx, id); !c.is(owner) {
		groups := []int64{owner.Group}
		if head, err := bucket.PublicArticles.Get(tx, id); err == nil { // where readers find it, wherever it has gone since
			groups = append(groups, head.GroupID)
		}
		if may, err := c.administersAny(tx, owner.Institution, groups); err != nil || !may {
			return nil, cmp.Or(err, error(record.ErrArticleNotOwn))
		}
	}
	art, err := bucket.Articles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrArticleNotOwn
	}
	return art, err
}

// administersAny reports whether the caller administers an institution, or one of some groups of
// it.
func (c *Call) administersAny(tx *bucket.Tx, institution int64, groups []int64) (bool, error) {
	r, err := c.adminScope(tx)
	if errors.Is(err, record.ErrNotAdministrator) {
		return false, nil
	}
	return err == nil && institution != 0 && r.institution == institution && slices.ContainsFunc(groups, r.includes), err
}

// withdraw moves the public versions of an article and their files out of sight.
func (c *Call) withdraw(tx *bucket.Tx, art *record.Article, reason string) error {
	tomb := &record.Tombstone{
		ArticleID: art.ID, Version: art.Version, AccountID: art.AccountID, DOI: art.DOI, Reason: reason, By: c.actor, At: tx.Now(),
	}
	var versions []*record.ArticleVersion
	for row, err := range bucket.ArticleVersions.All(tx, bucket.Prefix(art.ID)) {
		if err != nil {
			return err
		}
		versions = append(versions, row.Record)
		tomb.DOI, tomb.Handle = row.Record.DOI, row.Record.Handle
	}
	for _, v := range versions {
		key := versionKey(v)
		if err := errors.Join(bucket.WithdrawnVersions.Put(tx, key, v), bucket.ArticleVersions.Delete(tx, key)); err != nil {
			return err
		}
	}
	if err := bucket.ArticleDocs.DeleteAll(tx, art.ID); err != nil {
		return err
	}
	for _, v := range versions {
		if err := unname(tx, v.Authors); err != nil {
			return err
		}
	}
	if err := withdrawFiles(tx, art); err != nil {
		return err
	}
	if err := bucket.PublicArticles.Delete(tx, art.ID); err != nil {
		return err
	}
	if err := bucket.Cite(tx, bucket.Pair{A: bucket.KindArticle, B: art.ID}, "", nil); err != nil {
		return err
	}
	art.Withdrawn, art.Saved, art.Published = true, true, nil
	return bucket.Tombstones.Put(tx, bucket.Pair{A: art.ID, B: int64(art.Version)}, tomb)
}

// withdrawFiles makes the files of public versions private again. Those of the working
// copy are as if they had never been published. The others stay until the article is
// deleted, and count as private until then.
func withdrawFiles(tx *bucket.Tx, art *record.Article) error {
	account, err := bucket.Accounts.Get(tx, art.AccountID)
	if err != nil {
		return err
	}
	files, err := indexedFiles(tx, bucket.FilesHidden, art.ID)
	if err != nil {
		return err
	}
	for _, id := range hitKeys(bucket.PublicFilesByArticle.Ascending(tx, bucket.SortKey(art.ID))) {
		f, err := bucket.Files.Get(tx, id)
		if err != nil {
			return err
		}
		files = append(files, f)
		if err := bucket.PublicFiles.Delete(tx, id); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := bucket.WithdrawnFiles.PutDeferred(tx, bucket.Pair{A: f.ID, B: int64(f.Added)}, f.Public(f.Modified)); err != nil {
			return err
		}
		account.UsedPublic -= f.Size
		account.UsedPrivate += f.Size
		f.Hidden, f.Modified = false, tx.Now()
		f.Added = 0
		if f.Dropped {
			f.Withdrawn, f.Removed = true, art.NextVersion()
		}
		if err := bucket.Files.PutDeferred(tx, f.ID, f); err != nil {
			return err
		}
	}
	return bucket.Accounts.Put(tx, account.ID, account)
}

// dropWithdrawn deletes the files of an article that only withdrawn versions have.
func dropWithdrawn(tx *bucket.Tx, article int64) error {
	files, err := indexedFiles(tx, bucket.FilesWithdrawn, article)
	if err != nil {
		return err
	}
	return deleteFiles(tx, files...)
}

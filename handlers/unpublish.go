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
// that says why. The working copy goes on as a private item; the next publication has
// the next number.

// ArticleUnpublish withdraws all public versions of an article, and what waits for the end of an embargo or for a review.
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
	return Reply{Status: 204}, a.Items.Withdraw(tx, art, c.Actor, *body.Reason)
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

// withdrawable is the article of the path when it is the caller's, or in what it
// administers: the institution, or a group of it.
func (c *Call) withdrawable(tx *bucket.Tx) (*record.Article, error) {
	id := c.ID("id")
	if owner := bucket.ArticleOwners.Of(tx, id); !c.Is(owner) {
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
	return err == nil && institution != 0 && r.Institution == institution && slices.ContainsFunc(groups, r.Includes), err
}

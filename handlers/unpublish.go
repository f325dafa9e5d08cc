package handlers

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/people"
	"alcove/record"
)

// Unpublishing takes everything of an article out of the public tables, so that no public
// address can show any of it. The records move to tables of their own, beside a tombstone
// that says why. The working copy goes on as a private item; the next publication has
// the next number.

// ArticleUnpublish withdraws all public versions of an article, and what waits for the end of an embargo or for a review.
func (a *API) ArticleUnpublish(c *endpoint.Call, tx *bucket.Tx, body *record.UnpublishBody) (endpoint.Reply, error) {
	art, err := withdrawable(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	if !art.Public() && !working.HeldVersions.Has(tx, art.ID) {
		return endpoint.Reply{}, record.ErrNotPublic
	}
	return endpoint.Reply{Status: 204}, a.Items.Withdraw(tx, art, c.Actor, body.Withdrawal())
}

// ToUnpublish tells the state that conditions of a withdrawal are tested on: the own
// detail of the article, also where an administrator withdraws it.
func (a *API) ToUnpublish(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, err := withdrawable(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.ownDetail(tx, art, c.Scope())
}

// withdrawable is the article of the path when it is the caller's, or in what it
// administers: the institution, or a group of it.
func withdrawable(c *endpoint.Call, tx *bucket.Tx) (*record.Article, error) {
	id := c.ID("id")
	if owner := working.ArticleOwners.Of(tx, id); !c.Is(owner) {
		groups := []int64{owner.Group}
		if head, err := published.Articles.Get(tx, id); err == nil { // where readers find it, wherever it has gone since
			groups = append(groups, head.GroupID)
		}
		if may, err := administersAny(c, tx, owner.Institution, groups); err != nil || !may {
			return nil, cmp.Or(err, error(record.ErrArticleNotOwn))
		}
	}
	art, err := working.Articles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrArticleNotOwn
	}
	return art, err
}

// administersAny reports whether the caller administers an institution, or one of some groups of
// it.
func administersAny(c *endpoint.Call, tx *bucket.Tx, institution int64, groups []int64) (bool, error) {
	r, err := people.ScopeOf(c, tx)
	if errors.Is(err, record.ErrNotAdministrator) {
		return false, nil
	}
	return err == nil && institution != 0 && r.Institution == institution && slices.ContainsFunc(groups, r.Includes), err
}

// Collections and projects are withdrawn as articles are: what was public moves to tables of its
// own, beside a tombstone, and the owner keeps a private item.

// CollectionUnpublish withdraws all public versions of a collection. Its articles stay as they are.
func (a *API) CollectionUnpublish(c *endpoint.Call, tx *bucket.Tx, body *record.UnpublishBody) (endpoint.Reply, error) {
	col, err := withdrawableCollection(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	if !col.Public() {
		return endpoint.Reply{}, record.ErrCollectionNotPublic
	}
	if err := a.Items.WithdrawCollection(tx, col, c.Actor, body.Withdrawal()); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: 204}, a.Collections.Put(tx, col)
}

// ToUnpublishCollection is ToUnpublish of a collection.
func (a *API) ToUnpublishCollection(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	col, err := withdrawableCollection(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.workingCollection(tx, col, false)
}

// withdrawableCollection is withdrawable for collections.
func withdrawableCollection(c *endpoint.Call, tx *bucket.Tx) (*record.Collection, error) {
	id := c.ID("id")
	if owner := working.CollectionOwners.Of(tx, id); !c.Is(owner) {
		groups := []int64{owner.Group}
		if head, err := published.Collections.Get(tx, id); err == nil {
			groups = append(groups, head.GroupID)
		}
		if may, err := administersAny(c, tx, owner.Institution, groups); err != nil || !may {
			return nil, cmp.Or(err, error(record.ErrCollectionNotFound))
		}
	}
	col, err := working.Collections.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrCollectionNotFound
	}
	return col, err
}

// ProjectUnpublish makes a public project private again. Its public articles stay public, and
// readers no longer learn that they are in it.
func (a *API) ProjectUnpublish(c *endpoint.Call, tx *bucket.Tx, body *record.UnpublishBody) (endpoint.Reply, error) {
	p, err := withdrawableProject(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	if p.Published == nil {
		return endpoint.Reply{}, record.ErrProjectNotPublic
	}
	if err := items.WithdrawProject(tx, p, c.Actor, body.Withdrawal()); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: 204}, items.PutProject(tx, p)
}

// ToUnpublishProject is ToUnpublish of a project.
func (a *API) ToUnpublishProject(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, err := withdrawableProject(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	shown, err := items.ShownMembers(tx, p.ID)
	return endpoint.Reply{Body: a.Settings.OwnProjectDetail(p, record.ProjectOwner, shown), Modified: p.Modified}, err
}

// withdrawableProject is withdrawable for projects.
func withdrawableProject(c *endpoint.Call, tx *bucket.Tx) (*record.Project, error) {
	p, _, refused := c.OpenProject(tx, record.ProjectOwner)
	if refused == nil {
		return p, nil
	}
	owner := working.ProjectOwners.Of(tx, c.ID("id"))
	if may, err := administersAny(c, tx, owner.Institution, []int64{owner.Group}); err != nil || !may {
		return nil, cmp.Or(err, refused)
	}
	p, err := working.Projects.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		err = refused
	}
	return p, err
}

// Withdrawn is what stays known of an item that was public and is not any more.
type Withdrawn struct {
	Title     string // "" where an administrator has hidden it
	Authors   []string
	DOI       string
	Published time.Time
	At        time.Time // it was withdrawn
	Reason    string    // "" where it is not public
}

// Withdrawn tells of an item, a kind and an id, that was withdrawn, and nil of one that never was
// public, or is.
func (a *API) Withdrawn(kind, id int64) (w *Withdrawn, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		var t *record.Tombstone
		var m *record.Metadata
		var authors []record.Person
		at := bucket.Pair{A: id}
		switch kind {
		case record.KindArticle:
			if t, err = lastTombstone(tx, withdrawn.Tombstones, id); t == nil || published.Articles.Has(tx, id) {
				return err
			}
			at.B = int64(t.Version)
			v, err := withdrawn.Versions.Get(tx, at)
			if err != nil {
				return err
			}
			m, authors, w = &v.Metadata, v.Authors, &Withdrawn{Published: v.Published}
		case record.KindCollection:
			if t, err = lastTombstone(tx, withdrawn.CollectionTombstones, id); t == nil || published.Collections.Has(tx, id) {
				return err
			}
			at.B = int64(t.Version)
			v, err := withdrawn.Collections.Get(tx, at)
			if err != nil {
				return err
			}
			m, authors, w = &v.Metadata, v.Authors, &Withdrawn{Published: v.Published}
		case record.KindProject:
			if t, err = lastTombstone(tx, withdrawn.ProjectTombstones, id); t == nil || published.Projects.Has(tx, id) {
				return err
			}
			at.B = int64(t.Version)
			p, err := withdrawn.Projects.Get(tx, at)
			if err != nil {
				return err
			}
			m, w = &record.Metadata{Title: p.Title}, &Withdrawn{Published: p.Published}
		}
		w.DOI, w.At, w.Reason = t.DOI, t.At, t.PublicReason
		if t.HideTitle {
			return nil
		}
		w.Title = m.Title
		for _, p := range authors {
			w.Authors = append(w.Authors, p.FullName)
		}
		return nil
	})
	if errors.Is(err, bucket.ErrNotFound) {
		err = nil // an item withdrawn by an earlier program
	}
	return w, err
}

// lastTombstone is that of the latest withdrawal of an item, nil for none.
func lastTombstone(tx *bucket.Tx, table *bucket.Table[bucket.Pair, record.Tombstone], id int64) (last *record.Tombstone, err error) {
	for t, err := range table.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return nil, err
		}
		last = t.Record
	}
	return last, nil
}

// WithdrawnPath is the path of the page of a withdrawn item that has a DOI, "" for none.
func (a *API) WithdrawnPath(doi string) (path string, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		for _, name := range []string{record.BareDOI(doi), record.ItemDOI(doi)} {
			for hit := range withdrawn.VersionsByIdentifier.Ascending(tx, bucket.SortKey(name)) {
				path = "/articles/" + strconv.FormatInt(hit.Key.A, 10)
				return nil
			}
			for hit := range withdrawn.CollectionsByIdentifier.Ascending(tx, bucket.SortKey(name)) {
				path = "/collections/" + strconv.FormatInt(hit.Key.A, 10)
				return nil
			}
		}
		return nil
	})
	return path, err
}

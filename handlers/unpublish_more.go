package handlers

import (
	"cmp"
	"errors"

	"alcove/bucket"
	"alcove/record"
)

// Collections and projects are withdrawn as articles are: what was public moves to tables of its
// own, beside a tombstone, and the owner keeps a private item.

// CollectionUnpublish withdraws all public versions of a collection. Its articles stay as they are.
func (a *API) CollectionUnpublish(c *Call, tx *bucket.Tx, body *record.UnpublishBody) (Reply, error) {
	col, err := c.withdrawableCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	if !col.Public() {
		return Reply{}, record.ErrCollectionNotPublic
	}
	if err := c.withdrawCollection(tx, col, *body.Reason); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204}, a.Collections.put(tx, col)
}

// ToUnpublishCollection is ToUnpublish of a collection.
func (a *API) ToUnpublishCollection(c *Call, tx *bucket.Tx) (Reply, error) {
	col, err := c.withdrawableCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	return a.workingCollection(tx, col, false)
}

// withdrawableCollection is withdrawable for collections.
func (c *Call) withdrawableCollection(tx *bucket.Tx) (*record.Collection, error) {
	id := c.ID("id")
	if owner := bucket.CollectionOwners.Of(tx, id); !c.is(owner) {
		groups := []int64{owner.Group}
		if head, err := bucket.PublicCollections.Get(tx, id); err == nil {
			groups = append(groups, head.GroupID)
		}
		if may, err := c.administersAny(tx, owner.Institution, groups); err != nil || !may {
			return nil, cmp.Or(err, error(record.ErrCollectionNotFound))
		}
	}
	col, err := bucket.Collections.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrCollectionNotFound
	}
	return col, err
}

// withdrawCollection moves the public versions of a collection out of sight. The caller stores
// the working copy.
func (c *Call) withdrawCollection(tx *bucket.Tx, col *record.Collection, reason string) error {
	tomb := &record.Tombstone{
		ArticleID: col.ID, Version: col.Version, AccountID: col.AccountID, DOI: col.DOI, Reason: reason, By: c.actor, At: tx.Now(),
	}
	var versions []*record.CollectionVersion
	for row, err := range bucket.CollectionVersions.All(tx, bucket.Prefix(col.ID)) {
		if err != nil {
			return err
		}
		versions = append(versions, row.Record)
		tomb.DOI, tomb.Handle = row.Record.DOI, row.Record.Handle
	}
	for _, v := range versions {
		key := bucket.Pair{A: v.CollectionID, B: int64(v.Version)}
		if err := errors.Join(bucket.WithdrawnCollections.Put(tx, key, v), bucket.CollectionVersions.Delete(tx, key)); err != nil {
			return err
		}
	}
	if err := bucket.CollectionDocs.DeleteAll(tx, col.ID); err != nil {
		return err
	}
	for _, v := range versions {
		if err := unname(tx, v.Authors); err != nil {
			return err
		}
	}
	if err := bucket.PublicCollections.Delete(tx, col.ID); err != nil {
		return err
	}
	if err := bucket.Cite(tx, bucket.Pair{A: bucket.KindCollection, B: col.ID}, "", nil); err != nil {
		return err
	}
	col.Withdrawn, col.Saved, col.Published = true, true, nil
	return bucket.CollectionTombstones.Put(tx, bucket.Pair{A: col.ID, B: int64(col.Version)}, tomb)
}

// ProjectUnpublish makes a public project private again. Its public articles stay public, and
// readers no longer learn that they are in it.
func (a *API) ProjectUnpublish(c *Call, tx *bucket.Tx, body *record.UnpublishBody) (Reply, error) {
	p, err := c.withdrawableProject(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	if p.Published == nil {
		return Reply{}, record.ErrProjectNotPublic
	}
	if err := c.withdrawProject(tx, p, *body.Reason); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204}, putProject(tx, p)
}

// ToUnpublishProject is ToUnpublish of a project.
func (a *API) ToUnpublishProject(c *Call, tx *bucket.Tx) (Reply, error) {
	p, err := c.withdrawableProject(tx)
	if err != nil {
		return Reply{}, err
	}
	shown, err := shownMembers(tx, p.ID)
	return Reply{Body: a.Settings.OwnProjectDetail(p, record.ProjectOwner, shown), Modified: p.Modified}, err
}

// withdrawableProject is withdrawable for projects.
func (c *Call) withdrawableProject(tx *bucket.Tx) (*record.Project, error) {
	p, _, refused := c.project(tx, record.ProjectOwner)
	if refused == nil {
		return p, nil
	}
	owner := bucket.ProjectOwners.Of(tx, c.ID("id"))
	if may, err := c.administersAny(tx, owner.Institution, []int64{owner.Group}); err != nil || !may {
		return nil, cmp.Or(err, refused)
	}
	p, err := bucket.Projects.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		err = refused
	}
	return p, err
}

// withdrawProject takes what readers know of a project out of sight. The caller stores it.
func (c *Call) withdrawProject(tx *bucket.Tx, p *record.Project, reason string) error {
	public, err := bucket.PublicProjects.Get(tx, p.ID)
	if err != nil {
		return err
	}
	n := 1
	for _, err := range bucket.ProjectTombstones.All(tx, bucket.Prefix(p.ID)) {
		if err != nil {
			return err
		}
		n++
	}
	key := bucket.Pair{A: p.ID, B: int64(n)}
	p.Published = nil
	return errors.Join(
		bucket.WithdrawnProjects.Put(tx, key, public),
		bucket.PublicProjects.Delete(tx, p.ID),
		bucket.ProjectTombstones.Put(tx, key, &record.Tombstone{
			ArticleID: p.ID, Version: n, AccountID: p.AccountID, Reason: reason, By: c.actor, At: tx.Now(),
		}),
	)
}

package handlers

import (
	"cmp"
	"errors"

	"alcove/bucket"
	"alcove/handlers/items"
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
	if err := a.Items.WithdrawCollection(tx, col, c.Actor, *body.Reason); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204}, a.Collections.Put(tx, col)
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
	if owner := bucket.CollectionOwners.Of(tx, id); !c.Is(owner) {
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
	if err := items.WithdrawProject(tx, p, c.Actor, *body.Reason); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204}, items.PutProject(tx, p)
}

// ToUnpublishProject is ToUnpublish of a project.
func (a *API) ToUnpublishProject(c *Call, tx *bucket.Tx) (Reply, error) {
	p, err := c.withdrawableProject(tx)
	if err != nil {
		return Reply{}, err
	}
	shown, err := items.ShownMembers(tx, p.ID)
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

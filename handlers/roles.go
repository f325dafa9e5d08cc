package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/present"
	"alcove/record"
)

// RoleList is the catalogue of roles, for administrators.
func (a *API) RoleList(c *Call, tx *bucket.Tx) (Reply, error) {
	if _, err := c.adminScope(tx); err != nil {
		return Reply{}, err
	}
	return Reply{Body: present.Roles()}, nil
}

// RolesRead tells the roles of an account in the groups that the caller administers.
func (a *API) RolesRead(c *Call, tx *bucket.Tx) (Reply, error) {
	acc, r, err := c.administered(tx)
	if err != nil {
		return Reply{}, err
	}
	grants, err := accounts.GrantsOf(tx, acc.ID)
	if err != nil {
		return Reply{}, err
	}
	grants = slices.DeleteFunc(grants, func(g *record.Grant) bool { return !r.Groups[g.GroupID] })
	return Reply{Body: present.GroupRoles(grants), Modified: c.changed}, nil
}

// RolesAdd grants roles to an account in groups that the caller administers.
func (a *API) RolesAdd(c *Call, tx *bucket.Tx, body *record.GroupRoles) (Reply, error) {
	acc, r, err := c.administered(tx)
	if err != nil {
		return Reply{}, err
	}
	for _, g := range body.Grants {
		if err := r.checkGroup(g.GroupID); err != nil {
			return Reply{}, err
		}
	}
	for _, g := range body.Grants {
		if err := accounts.Grant(tx, acc.ID, g.GroupID, g.Roles...); err != nil {
			return Reply{}, err
		}
	}
	at := a.Settings.API("/account/institution/roles/%d", acc.ID)
	return Reply{Status: 201, Location: at, Body: present.NewUpdated(at, c.Warned)}, nil
}

// RoleDelete takes a role in a group away from an account. Roles outside of what the
// caller administers are not found.
func (a *API) RoleDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	acc, r, err := c.administered(tx)
	if err != nil {
		return Reply{}, err
	}
	if !r.Groups[c.ID("group_id")] {
		return Reply{}, record.ErrRoleNotFound
	}
	had, err := accounts.Revoke(tx, acc.ID, c.ID("group_id"), c.ID("role_id"))
	if err == nil && !had {
		err = record.ErrRoleNotFound
	}
	return Reply{Status: 204}, err
}

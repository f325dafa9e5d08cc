package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// Institution names the institution that runs the repository, as the configuration does.
type Institution struct {
	Name   string
	Domain string // may be empty
}

// InstitutionRead is the institution of the caller.
func (a *API) InstitutionRead(c *Call, tx *bucket.Tx) (Reply, error) {
	if c.Account.InstitutionID != accounts.InstitutionID {
		return Reply{}, record.ErrNoInstitution
	}
	return Reply{Body: present.NewInstitution(accounts.InstitutionID, a.Institution.Name, a.Institution.Domain)}, nil
}

// InstitutionGroups lists the groups that the caller administers, assigned and
// inherited.
func (a *API) InstitutionGroups(c *Call, tx *bucket.Tx) (Reply, error) {
	groups, err := accounts.GroupsWith(tx, c.Account, record.RoleAdministrator)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.Groups(groups), Modified: c.changed}, nil
}

// ItemTypes lists all types of items.
func (a *API) ItemTypes(c *Call) (Reply, error) {
	if group, err := c.Query.Integer("group_id"); err != nil {
		return Reply{}, err
	} else if group != nil && *group < 0 {
		return Reply{}, record.Wrong("group_id", "must not be negative")
	}
	if off := a.Choices().TypesOff; len(off) > 0 {
		types := present.ItemTypes()
		for i := range types {
			types[i].IsSelectable = types[i].IsSelectable && !slices.Contains(off, types[i].ID)
		}
		return Reply{Body: types}, nil
	}
	return itemTypes()
}

var itemTypes = constant(func() any { return present.ItemTypes() })

// InstitutionArticles lists the articles of the institution or of the groups that the
// caller administers, whether they are public or not.
func (a *API) InstitutionArticles(c *Call, tx *bucket.Tx) (Reply, error) {
	r, err := c.AdminScope(tx)
	if err != nil {
		return Reply{}, err
	}
	q, err := lists.NewInstitutionQuery(c.Query)
	if err != nil {
		return Reply{}, err
	}
	if q.Window, err = c.page(lists.PublicItems); err != nil {
		return Reply{}, err
	}
	list, err := lists.Show(q.Articles(tx, &r.Scope), a.Settings.OwnArticle)
	return Reply{Body: list, Modified: c.changed}, err
}

// The demands of a group on its items hold in the groups below it too.

// workedGroup is the group that the query or the path names, when the caller is in it or
// below it, or has a role in it; without a name its own, 0 for none. Any other group, and
// one that there is not, is refused.
func (c *Call) workedGroup(tx *bucket.Tx, named *int64) (int64, error) {
	if c.Account.InstitutionID != accounts.InstitutionID {
		return 0, record.ErrNoInstitution
	}
	if named == nil {
		return c.Account.GroupID, nil
	}
	mine, err := items.InGroups(tx, c.Account, []int64{*named})
	if err != nil || mine {
		return *named, err
	}
	for _, role := range []int64{record.RoleAdministrator, record.RoleReviewer} {
		groups, err := accounts.GroupsWith(tx, c.Account, role)
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(groups, func(g *record.Group) bool { return g.ID == *named }) {
			return *named, nil
		}
	}
	return 0, record.ErrGroupForeign
}

// RoleList is the catalogue of roles, for administrators.
func (a *API) RoleList(c *Call, tx *bucket.Tx) (Reply, error) {
	if _, err := c.AdminScope(tx); err != nil {
		return Reply{}, err
	}
	return Reply{Body: present.Roles()}, nil
}

// RolesRead tells the roles of an account in the groups that the caller administers.
func (a *API) RolesRead(c *Call, tx *bucket.Tx) (Reply, error) {
	acc, r, err := c.Administered(tx)
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
	acc, r, err := c.Administered(tx)
	if err != nil {
		return Reply{}, err
	}
	for _, g := range body.Grants {
		if err := r.CheckGroup(g.GroupID); err != nil {
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
	acc, r, err := c.Administered(tx)
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

// AdminScope is what an account administers: a whole institution, or groups of it.
type AdminScope struct{ lists.Scope }

// AdminScope is what the caller administers. A caller that administers nothing is refused.
func (c *Call) AdminScope(tx *bucket.Tx) (*AdminScope, error) {
	groups, err := accounts.GroupsWith(tx, c.Account, record.RoleAdministrator)
	if err != nil {
		return nil, err
	}
	if !c.Account.Admin && len(groups) == 0 {
		return nil, record.ErrNotAdministrator
	}
	r := &AdminScope{lists.Scope{Institution: c.Account.InstitutionID, Whole: c.Account.Admin, Groups: map[int64]bool{}}}
	for _, g := range groups {
		r.Groups[g.ID] = true
	}
	return r, nil
}

// CheckGroup refuses a group that an account or an item is to be put into, unless it is one
// of the admin scope. A group that does not exist is refused in the same way.
func (r *AdminScope) CheckGroup(group int64) error {
	if group == 0 && r.Whole || r.Groups[group] {
		return nil
	}
	return record.ErrGroupNotAllowed
}

// Administered is the account of the path when it is in the admin scope of the caller, with
// the admin scope.
func (c *Call) Administered(tx *bucket.Tx) (*record.Account, *AdminScope, error) {
	r, err := c.AdminScope(tx)
	if err != nil {
		return nil, nil, err
	}
	owner := bucket.AccountOwners.Of(tx, c.ID("account_id"))
	if owner.Account == 0 || owner.Institution != r.Institution || !r.Includes(owner.Group) {
		return nil, nil, record.ErrAccountNotFound
	}
	acc, err := bucket.Accounts.Get(tx, owner.Account)
	return acc, r, err
}

// MayChange refuses changes to accounts that administer what is outside the admin scope.
func (r *AdminScope) MayChange(tx *bucket.Tx, acc *record.Account) error {
	if r.Whole {
		return nil
	}
	if acc.Admin {
		return record.ErrOutranked
	}
	grants, err := accounts.GrantsOf(tx, acc.ID)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if slices.Contains(g.Roles, record.RoleAdministrator) && !r.Groups[g.GroupID] {
			return record.ErrOutranked
		}
	}
	return nil
}

// Changeable is Administered when the caller may change it.
func (c *Call) Changeable(tx *bucket.Tx) (*record.Account, *AdminScope, error) {
	acc, r, err := c.Administered(tx)
	if err == nil {
		err = r.MayChange(tx, acc)
	}
	return acc, r, err
}

// ChangesAccount refuses a caller that may not change the account of the path.
func ChangesAccount(c *Call, tx *bucket.Tx) error {
	_, _, err := c.Changeable(tx)
	return err
}

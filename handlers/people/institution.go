package people

import (
	"slices"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
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
func (a *People) InstitutionRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	if c.Account.InstitutionID != accounts.InstitutionID {
		return endpoint.Reply{}, record.ErrNoInstitution
	}
	return endpoint.Reply{Body: present.NewInstitution(accounts.InstitutionID, a.Institution.Name, a.Institution.Domain)}, nil
}

// InstitutionGroups lists the groups that the caller administers, assigned and
// inherited.
func (a *People) InstitutionGroups(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	groups, err := accounts.GroupsWith(tx, c.Account, record.RoleAdministrator)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.Groups(groups), Modified: c.Changed}, nil
}

// InstitutionArticles lists the articles of the institution or of the groups that the
// caller administers, whether they are public or not.
func (a *People) InstitutionArticles(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	r, err := ScopeOf(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	q, err := lists.NewInstitutionQuery(c.Query)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if q.Window, err = c.Page(lists.PublicItems); err != nil {
		return endpoint.Reply{}, err
	}
	list, err := lists.Show(q.Articles(tx, &r.Scope), a.Settings.OwnArticle)
	return endpoint.Reply{Body: list, Modified: c.Changed}, err
}

// The demands of a group on its items hold in the groups below it too.

// WorkedGroup is the group that the query or the path names, when the caller is in it or
// below it, or has a role in it; without a name its own, 0 for none. Any other group, and
// one that there is not, is refused.
func WorkedGroup(c *endpoint.Call, tx *bucket.Tx, named *int64) (int64, error) {
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
func (a *People) RoleList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	if _, err := ScopeOf(c, tx); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: present.Roles()}, nil
}

// RolesRead tells the roles of an account in the groups that the caller administers.
func (a *People) RolesRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	acc, r, err := Administered(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	grants, err := accounts.GrantsOf(tx, acc.ID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	grants = slices.DeleteFunc(grants, func(g *record.Grant) bool { return !r.Groups[g.GroupID] })
	return endpoint.Reply{Body: present.GroupRoles(grants), Modified: c.Changed}, nil
}

// RolesAdd grants roles to an account in groups that the caller administers.
func (a *People) RolesAdd(c *endpoint.Call, tx *bucket.Tx, body *record.GroupRoles) (endpoint.Reply, error) {
	acc, r, err := Administered(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	for _, g := range body.Grants {
		if err := r.CheckGroup(g.GroupID); err != nil {
			return endpoint.Reply{}, err
		}
	}
	for _, g := range body.Grants {
		if err := accounts.Grant(tx, acc.ID, g.GroupID, g.Roles...); err != nil {
			return endpoint.Reply{}, err
		}
	}
	at := a.Settings.API("/account/institution/roles/%d", acc.ID)
	return endpoint.Reply{Status: 201, Location: at, Body: present.NewUpdated(at, c.Warned)}, nil
}

// RoleDelete takes a role in a group away from an account. Roles outside of what the
// caller administers are not found.
func (a *People) RoleDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	acc, r, err := Administered(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if !r.Groups[c.ID("group_id")] {
		return endpoint.Reply{}, record.ErrRoleNotFound
	}
	had, err := accounts.Revoke(tx, acc.ID, c.ID("group_id"), c.ID("role_id"))
	if err == nil && !had {
		err = record.ErrRoleNotFound
	}
	return endpoint.Reply{Status: 204}, err
}

// AdminScope is what an account administers: a whole institution, or groups of it.
type AdminScope struct{ lists.Scope }

// ScopeOf is what the caller administers. A caller that administers nothing is refused.
func ScopeOf(c *endpoint.Call, tx *bucket.Tx) (*AdminScope, error) {
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
func Administered(c *endpoint.Call, tx *bucket.Tx) (*record.Account, *AdminScope, error) {
	r, err := ScopeOf(c, tx)
	if err != nil {
		return nil, nil, err
	}
	owner := users.AccountOwners.Of(tx, c.ID("account_id"))
	if owner.Account == 0 || owner.Institution != r.Institution || !r.Includes(owner.Group) {
		return nil, nil, record.ErrAccountNotFound
	}
	acc, err := users.Accounts.Get(tx, owner.Account)
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
func Changeable(c *endpoint.Call, tx *bucket.Tx) (*record.Account, *AdminScope, error) {
	acc, r, err := Administered(c, tx)
	if err == nil {
		err = r.MayChange(tx, acc)
	}
	return acc, r, err
}

// ChangesAccount refuses a caller that may not change the account of the path.
func ChangesAccount(c *endpoint.Call, tx *bucket.Tx) error {
	_, _, err := Changeable(c, tx)
	return err
}

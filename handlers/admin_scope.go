package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/lists"
	"alcove/record"
)

// adminScope is what an account administers: a whole institution, or groups of it.
type adminScope struct{ lists.Scope }

// adminScope is what the caller administers. A caller that administers nothing is refused.
func (c *Call) adminScope(tx *bucket.Tx) (*adminScope, error) {
	groups, err := accounts.GroupsWith(tx, c.Account, record.RoleAdministrator)
	if err != nil {
		return nil, err
	}
	if !c.Account.Admin && len(groups) == 0 {
		return nil, record.ErrNotAdministrator
	}
	r := &adminScope{lists.Scope{Institution: c.Account.InstitutionID, Whole: c.Account.Admin, Groups: map[int64]bool{}}}
	for _, g := range groups {
		r.Groups[g.ID] = true
	}
	return r, nil
}

// checkGroup refuses a group that an account or an item is to be put into, unless it is one
// of the admin scope. A group that does not exist is refused in the same way.
func (r *adminScope) checkGroup(group int64) error {
	if group == 0 && r.Whole || r.Groups[group] {
		return nil
	}
	return record.ErrGroupNotAllowed
}

// administered is the account of the path when it is in the admin scope of the caller, with
// the admin scope.
func (c *Call) administered(tx *bucket.Tx) (*record.Account, *adminScope, error) {
	r, err := c.adminScope(tx)
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

// mayChange refuses changes to accounts that administer what is outside the admin scope.
func (r *adminScope) mayChange(tx *bucket.Tx, acc *record.Account) error {
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

// changeable is administered when the caller may change it.
func (c *Call) changeable(tx *bucket.Tx) (*record.Account, *adminScope, error) {
	acc, r, err := c.administered(tx)
	if err == nil {
		err = r.mayChange(tx, acc)
	}
	return acc, r, err
}

// ChangesAccount refuses a caller that may not change the account of the path.
func ChangesAccount(c *Call, tx *bucket.Tx) error {
	_, _, err := c.changeable(tx)
	return err
}

package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/lists"
	"alcove/record"
)

// adminScope is what somebody administers: a whole institution, or groups of it.
type adminScope struct {
	institution int64
	whole       bool
	groups      []*record.Group // by id
	in          map[int64]bool  // their ids
}

// adminScope is what the caller administers. Who administers nothing is refused.
func (c *Call) adminScope(tx *bucket.Tx) (*adminScope, error) {
	groups, err := accounts.GroupsWith(tx, c.Account, record.RoleAdministrator)
	if err != nil {
		return nil, err
	}
	if !c.Account.Admin && len(groups) == 0 {
		return nil, record.ErrNotAdministrator
	}
	r := &adminScope{c.Account.InstitutionID, c.Account.Admin, groups, map[int64]bool{}}
	for _, g := range groups {
		r.in[g.ID] = true
	}
	return r, nil
}

// scope is the admin scope as a list needs it.
func (r *adminScope) scope() *lists.Scope {
	s := &lists.Scope{Institution: r.institution, Whole: r.whole}
	for _, g := range r.groups {
		s.Groups = append(s.Groups, g.ID)
	}
	return s
}

// includes reports whether what belongs to a group of the institution is in the admin scope; 0 is
// no group.
func (r *adminScope) includes(group int64) bool { return r.whole || r.in[group] }

// checkGroup refuses a group that somebody or something is to be put into, unless it is one
// of the admin scope. A group that does not exist is refused in the same way.
func (r *adminScope) checkGroup(group int64) error {
	if group == 0 && r.whole || r.in[group] {
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
	if owner.Account == 0 || owner.Institution != r.institution || !r.includes(owner.Group) {
		return nil, nil, record.ErrAccountNotFound
	}
	acc, err := bucket.Accounts.Get(tx, owner.Account)
	return acc, r, err
}

// mayChange refuses changes to accounts that administer what is outside the admin scope.
func (r *adminScope) mayChange(tx *bucket.Tx, acc *record.Account) error {
	if r.whole {
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
		if slices.Contains(g.Roles, record.RoleAdministrator) && !r.in[g.GroupID] {
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

// ChangesAccount refuses who may not change the account of the path.
func ChangesAccount(c *Call, tx *bucket.Tx) error {
	_, _, err := c.changeable(tx)
	return err
}

package handlers

import (
	"cmp"
	"errors"
	"slices"

	"alcove/bucket"
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
	groups, err := groupsWith(tx, c.Account, record.RoleAdministrator)
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
	grants, err := grantsOf(tx, acc.ID)
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

// groupsWith are the groups in which an account has a role, assigned or inherited, by
// id. Who administers an institution has every role in all its groups.
func groupsWith(tx *bucket.Tx, acc *record.Account, role int64) ([]*record.Group, error) {
	if acc.InstitutionID == 0 {
		return nil, nil
	}
	all, err := groupsOf(tx, acc.InstitutionID)
	if err != nil || acc.Admin {
		return all, err
	}
	grants, err := grantsOf(tx, acc.ID)
	if err != nil {
		return nil, err
	}
	granted := map[int64]bool{}
	for _, g := range grants {
		granted[g.GroupID] = slices.Contains(g.Roles, role)
	}
	byID := map[int64]*record.Group{}
	for _, g := range all {
		byID[g.ID] = g
	}
	return slices.DeleteFunc(all, func(g *record.Group) bool {
		for range all { // a chain of parents is never longer than this
			if g == nil || granted[g.ID] {
				break
			}
			g = byID[g.ParentID]
		}
		return g == nil || !granted[g.ID]
	}), nil
}

// groupsOf are the groups of an institution, by id.
func groupsOf(tx *bucket.Tx, institution int64) ([]*record.Group, error) {
	var groups []*record.Group
	for row, err := range bucket.Groups.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		if row.Record.InstitutionID == institution {
			groups = append(groups, row.Record)
		}
	}
	slices.SortFunc(groups, func(a, b *record.Group) int { return cmp.Compare(a.ID, b.ID) })
	return groups, nil
}

// grantsOf are the roles of an account, by group.
func grantsOf(tx *bucket.Tx, account int64) ([]*record.Grant, error) {
	var grants []*record.Grant
	for row, err := range bucket.Grants.All(tx, bucket.Prefix(account)) {
		if err != nil {
			return nil, err
		}
		grants = append(grants, row.Record)
	}
	return grants, nil
}

// grant gives an account roles in a group, beside those it has there.
func grant(tx *bucket.Tx, account, group int64, roles ...int64) error {
	key := bucket.Pair{A: account, B: group}
	g, err := bucket.Grants.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		g, err = &record.Grant{AccountID: account, GroupID: group}, nil
	}
	if err != nil {
		return err
	}
	added := false
	for _, role := range roles {
		added = g.Add(role) || added
	}
	if !added {
		return nil
	}
	return bucket.Grants.Put(tx, key, g)
}

// revoke takes a role in a group away from an account. It reports false when the account
// does not have it.
func revoke(tx *bucket.Tx, account, group, role int64) (bool, error) {
	key := bucket.Pair{A: account, B: group}
	g, err := bucket.Grants.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	if err != nil || !g.Remove(role) {
		return false, err
	}
	if len(g.Roles) == 0 {
		return true, bucket.Grants.Delete(tx, key)
	}
	return true, bucket.Grants.Put(tx, key, g)
}

package accounts

import (
	"cmp"
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"
)

// GroupsWith are the groups in which an account has a role, assigned or inherited, by
// id. An administrator of an institution has every role in all its groups.
func GroupsWith(tx *bucket.Tx, acc *record.Account, role int64) ([]*record.Group, error) {
	if acc.InstitutionID == 0 {
		return nil, nil
	}
	all, err := GroupsOf(tx, acc.InstitutionID)
	if err != nil || acc.Admin {
		return all, err
	}
	grants, err := GrantsOf(tx, acc.ID)
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

// GroupsOf are the groups of an institution, by id.
func GroupsOf(tx *bucket.Tx, institution int64) ([]*record.Group, error) {
	var groups []*record.Group
	for row, err := range users.Groups.All(tx, nil) {
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

// GrantsOf are the roles of an account, by group.
func GrantsOf(tx *bucket.Tx, account int64) ([]*record.Grant, error) {
	var grants []*record.Grant
	for row, err := range users.Grants.All(tx, bucket.Prefix(account)) {
		if err != nil {
			return nil, err
		}
		grants = append(grants, row.Record)
	}
	return grants, nil
}

// Grant gives an account roles in a group, beside those it has there.
func Grant(tx *bucket.Tx, account, group int64, roles ...int64) error {
	key := bucket.Pair{A: account, B: group}
	g, err := users.Grants.Get(tx, key)
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
	return users.Grants.Put(tx, key, g)
}

// Revoke takes a role in a group away from an account. It reports false when the account
// does not have it.
func Revoke(tx *bucket.Tx, account, group, role int64) (bool, error) {
	key := bucket.Pair{A: account, B: group}
	g, err := users.Grants.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	if err != nil || !g.Remove(role) {
		return false, err
	}
	if len(g.Roles) == 0 {
		return true, users.Grants.Delete(tx, key)
	}
	return true, users.Grants.Put(tx, key, g)
}

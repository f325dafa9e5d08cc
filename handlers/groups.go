package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/items"
	"alcove/record"
)

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

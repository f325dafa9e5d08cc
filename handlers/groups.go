package handlers

import (
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// What a group asks of its items holds in the groups below it too.

// lineage is a group and those above it, the nearest first; none for 0 and for a group
// that there is not.
func lineage(tx *bucket.Tx, id int64) (line []*record.Group, err error) {
	for id != 0 {
		g, err := bucket.Groups.Get(tx, id)
		if errors.Is(err, bucket.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, id = append(line, g), g.ParentID
	}
	return line, nil
}

// asksForReview reports whether articles of a group are reviewed before they are published.
func asksForReview(tx *bucket.Tx, group int64) (bool, error) {
	line, err := lineage(tx, group)
	return slices.ContainsFunc(line, func(g *record.Group) bool { return g.Review }), err
}

// definedFields are the custom fields that hold for the items of a group: those of the
// groups above come first, each group's in their order. Of two with one name the nearer
// one holds.
func definedFields(tx *bucket.Tx, group int64) ([]record.Field, error) {
	line, err := lineage(tx, group)
	if err != nil {
		return nil, err
	}
	var fields []record.Field
	taken := map[string]bool{}
	for _, g := range line {
		var own []record.Field
		for hit := range bucket.FieldsByGroup.Ascending(tx, bucket.SortKey(g.ID)) {
			f, err := bucket.Fields.Get(tx, hit.Key)
			if err != nil {
				return nil, err
			}
			if !taken[f.Name] {
				own = append(own, *f)
			}
		}
		for _, f := range own {
			taken[f.Name] = true
		}
		fields = append(own, fields...)
	}
	for i := range fields {
		fields[i].Order = i + 1
	}
	return fields, nil
}

// inGroups reports whether an account is in one of the groups or below one.
func inGroups(tx *bucket.Tx, acc *record.Account, groups []int64) (bool, error) {
	line, err := lineage(tx, acc.GroupID)
	return slices.ContainsFunc(line, func(g *record.Group) bool { return slices.Contains(groups, g.ID) }), err
}

// workedGroup is the group that the query or the path names, when the caller is in it or
// below it, or has a role in it; without a name his own, 0 for none. Any other group, and
// one that there is not, is refused.
func (c *Call) workedGroup(tx *bucket.Tx, named *int64) (int64, error) {
	if c.Account.InstitutionID != InstitutionID {
		return 0, record.ErrNoInstitution
	}
	if named == nil {
		return c.Account.GroupID, nil
	}
	mine, err := inGroups(tx, c.Account, []int64{*named})
	if err != nil || mine {
		return *named, err
	}
	for _, role := range []int64{record.RoleAdministrator, record.RoleReviewer} {
		groups, err := groupsWith(tx, c.Account, role)
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(groups, func(g *record.Group) bool { return g.ID == *named }) {
			return *named, nil
		}
	}
	return 0, record.ErrGroupForeign
}

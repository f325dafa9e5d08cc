package items

import (
	"errors"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/accounts"
	"alcove/record"
)

// The demands of a group on its items hold in the groups below it too.

// lineage is a group and those above it, the nearest first; none for 0 and for a group
// that there is not.
func lineage(tx *bucket.Tx, id int64) (line []*record.Group, err error) {
	for id != 0 {
		g, err := users.Groups.Get(tx, id)
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

// AsksForReview reports whether articles of a group are reviewed before they are published.
func AsksForReview(tx *bucket.Tx, group int64) (bool, error) {
	line, err := lineage(tx, group)
	return slices.ContainsFunc(line, func(g *record.Group) bool { return g.Review }), err
}

// DefinedFields are the custom fields that hold for the items of a group: those of the
// groups above come first, each group's in their order. Of two with one name the nearer
// one holds.
func DefinedFields(tx *bucket.Tx, group int64) ([]record.Field, error) {
	line, err := lineage(tx, group)
	if err != nil {
		return nil, err
	}
	var fields []record.Field
	taken := map[string]bool{}
	for _, g := range line {
		var own []record.Field
		for hit := range users.FieldsByGroup.Ascending(tx, bucket.SortKey(g.ID)) {
			f, err := users.Fields.Get(tx, hit.Key)
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

// InGroups reports whether an account is in one of the groups or below one.
func InGroups(tx *bucket.Tx, acc *record.Account, groups []int64) (bool, error) {
	line, err := lineage(tx, acc.GroupID)
	return slices.ContainsFunc(line, func(g *record.Group) bool { return slices.Contains(groups, g.ID) }), err
}

// AdministersGroup reports whether the caller administers a group, assigned or inherited.
func (c *Caller) AdministersGroup(tx *bucket.Tx, group int64) (bool, error) {
	groups, err := accounts.GroupsWith(tx, c.Account, record.RoleAdministrator)
	return slices.ContainsFunc(groups, func(g *record.Group) bool { return g.ID == group }), err
}

// MemberProject is project of another project than that of the path.
func (c *Caller) MemberProject(tx *bucket.Tx, id int64, least record.ProjectRole) (*record.Project, *record.ProjectMember, error) {
	m, err := c.Membership(tx, id)
	if err != nil {
		return nil, nil, err
	}
	if m.Role < least {
		return nil, nil, record.ErrProjectRole
	}
	p, err := working.Projects.Get(tx, m.ProjectID)
	return p, m, err
}

// Membership is the caller's place in a project.
func (c *Caller) Membership(tx *bucket.Tx, project int64) (*record.ProjectMember, error) {
	key, ok := working.MembersByAccount.First(tx, bucket.SortKey(c.Account.ID, project))
	if !ok {
		return nil, record.ErrProjectNotFound
	}
	return working.ProjectMembers.Get(tx, key)
}

// checkFields refuses values of custom fields that the definitions of the item's group do
// not take. A field that is not defined is kept, and named in the warnings.
func (c *Caller) checkFields(tx *bucket.Tx, m *record.Metadata) error {
	defined, err := DefinedFields(tx, m.GroupID)
	if err != nil {
		return err
	}
	unknown, err := record.CheckFields(m.CustomFields, defined)
	if err != nil || len(unknown) == 0 {
		return err
	}
	w := "These custom fields are not defined in the group: " + strings.Join(unknown[:min(len(unknown), 20)], ", ")
	if !slices.Contains(c.Warned, w) { // a handler may run twice
		c.Warned = append(c.Warned, w)
	}
	return nil
}

// Define puts the definitions that hold for an item beside its values, for a reader or
// for a version that keeps them.
func Define(tx *bucket.Tx, m *record.Metadata) (err error) {
	m.Defined, err = DefinedFields(tx, m.GroupID)
	return err
}

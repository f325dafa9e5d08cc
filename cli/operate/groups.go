package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/record"
)

// GroupLine is what operators see of a group.
type GroupLine struct {
	ID                  int64  `json:"id"`
	ParentID            int64  `json:"parent_id"`
	Name                string `json:"name"`
	ResourceID          string `json:"resource_id"`
	AssociationCriteria string `json:"association_criteria"`
	Review              bool   `json:"review"`
}

// ListGroups lists the groups of the institution by id.
func ListGroups(db *bucket.DB) ([]GroupLine, error) {
	lines := []GroupLine{}
	err := db.View(func(tx *bucket.Tx) error {
		groups, err := accounts.GroupsOf(tx, accounts.InstitutionID)
		for _, g := range groups {
			lines = append(lines, GroupLine{g.ID, g.ParentID, g.Name, g.ResourceID, g.AssociationCriteria, g.Review})
		}
		return err
	})
	return lines, err
}

// GroupEdit is a group to add, or to change where it has an ID. A nil field stays.
type GroupEdit = accounts.GroupEdit

// StoreGroup adds or changes a group and returns its id. A group cannot be put below
// itself.
func StoreGroup(ctx context.Context, db *bucket.DB, e GroupEdit) (id int64, err error) {
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) (err error) {
		id, err = accounts.StoreGroup(tx, e)
		return err
	})
	return id, err
}

// RemoveGroup removes a group in which there are no people and no items, and the roles in it.
func RemoveGroup(ctx context.Context, db *bucket.DB, id int64) error {
	return db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error { return accounts.RemoveGroup(tx, id) })
}

// GrantLine is what operators see of a role that an account has in a group.
type GrantLine struct {
	AccountID int64  `json:"account_id"`
	Email     string `json:"email"`
	GroupID   int64  `json:"group_id"`
	Group     string `json:"group"`
	RoleID    int64  `json:"role_id"`
	Role      string `json:"role"`
}

// ListGrants lists who has which role in which group.
func ListGrants(db *bucket.DB) ([]GrantLine, error) {
	lines := []GrantLine{}
	err := db.View(func(tx *bucket.Tx) error {
		for row, err := range users.Grants.All(tx, nil) {
			if err != nil {
				return err
			}
			acc, err := users.Accounts.Get(tx, row.Record.AccountID)
			if err != nil {
				return err
			}
			group, err := users.Groups.Get(tx, row.Record.GroupID)
			if err != nil {
				return err
			}
			for _, id := range row.Record.Roles {
				role, _ := record.RoleByID(id)
				lines = append(lines, GrantLine{acc.ID, acc.Email, group.ID, group.Name, id, role.Name})
			}
		}
		return nil
	})
	return lines, err
}

// RoleEdit grants or revokes a role, given by name or id, in a group.
type RoleEdit struct {
	Account string `json:"account"`
	GroupID int64  `json:"group_id"`
	Role    string `json:"role"`
	Revoke  bool   `json:"revoke"`
}

// ChangeRole grants or revokes a role.
func ChangeRole(ctx context.Context, db *bucket.DB, e RoleEdit) error {
	roles := record.Roles()
	i := slices.IndexFunc(roles, func(r record.Role) bool {
		return strings.EqualFold(r.Name, e.Role) || strconv.FormatInt(r.ID, 10) == e.Role
	})
	if i < 0 {
		return fmt.Errorf("cannot find a role %q", e.Role)
	}
	return db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		acc, err := accounts.Find(tx, e.Account)
		if err != nil {
			return err
		}
		if _, err := accounts.FindGroup(tx, e.GroupID); err != nil {
			return err
		}
		if !e.Revoke {
			return accounts.Grant(tx, acc.ID, e.GroupID, roles[i].ID)
		}
		had, err := accounts.Revoke(tx, acc.ID, e.GroupID, roles[i].ID)
		if err == nil && !had {
			err = errors.New("cannot revoke a role that the account does not have in that group")
		}
		return err
	})
}

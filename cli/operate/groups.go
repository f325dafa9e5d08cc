package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
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
type GroupEdit struct {
	ID                  int64   `json:"id"`
	ParentID            *int64  `json:"parent_id"` // 0 for the top
	Name                *string `json:"name"`
	ResourceID          *string `json:"resource_id"`
	AssociationCriteria *string `json:"association_criteria"`
	Review              *bool   `json:"review"` // articles are reviewed before they are published
}

// StoreGroup adds or changes a group and returns its id. A group cannot be put below
// itself.
func StoreGroup(ctx context.Context, db *bucket.DB, e GroupEdit) (id int64, err error) {
	err = db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		g := &record.Group{InstitutionID: accounts.InstitutionID, Created: tx.Now()}
		var err error
		if e.ID != 0 {
			if g, err = findGroup(tx, e.ID); err != nil {
				return err
			}
		}
		for _, f := range []struct{ to, from *string }{{&g.Name, e.Name}, {&g.ResourceID, e.ResourceID}, {&g.AssociationCriteria, e.AssociationCriteria}} {
			if f.from != nil {
				*f.to = strings.TrimSpace(*f.from)
			}
		}
		if e.Review != nil {
			g.Review = *e.Review
		}
		if e.ParentID != nil {
			if err := mayStandBelow(tx, g.ID, *e.ParentID); err != nil {
				return err
			}
			g.ParentID = *e.ParentID
		}
		if err := g.Check(); err != nil {
			return fmt.Errorf("cannot store the group: %w", err)
		}
		if g.ID == 0 {
			if g.ID, err = bucket.Groups.NextID(tx); err != nil {
				return err
			}
		}
		id, g.Modified = g.ID, tx.Now()
		return bucket.Groups.Put(tx, g.ID, g)
	})
	return id, err
}

func findGroup(tx *bucket.Tx, id int64) (*record.Group, error) {
	g, err := bucket.Groups.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, fmt.Errorf("cannot find a group %d", id)
	}
	return g, err
}

// mayStandBelow refuses a parent that does not exist or stands below the group itself.
func mayStandBelow(tx *bucket.Tx, group, parent int64) error {
	for parent != 0 {
		if parent == group {
			return fmt.Errorf("cannot put group %d below itself", group)
		}
		p, err := findGroup(tx, parent)
		if err != nil {
			return err
		}
		parent = p.ParentID
	}
	return nil
}

// RemoveGroup removes a group in which there are no people and no items, and the roles in it.
func RemoveGroup(ctx context.Context, db *bucket.DB, id int64) error {
	return db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		if _, err := findGroup(tx, id); err != nil {
			return err
		}
		what, err := groupHas(tx, id)
		if err != nil {
			return err
		}
		if what != "" {
			return fmt.Errorf("cannot remove group %d: it has %s", id, what)
		}
		var keys []bucket.Pair
		for hit := range bucket.GrantsByGroup.Ascending(tx, bucket.SortKey(id)) {
			keys = append(keys, hit.Key)
		}
		for _, k := range keys {
			if err := bucket.Grants.Delete(tx, k); err != nil {
				return err
			}
		}
		if err := removeFields(tx, id); err != nil {
			return err
		}
		return bucket.Groups.Delete(tx, id)
	})
}

// groupHas says what is in a group, nothing when it is empty.
func groupHas(tx *bucket.Tx, id int64) (string, error) {
	groups, err := accounts.GroupsOf(tx, accounts.InstitutionID)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(groups, func(g *record.Group) bool { return g.ParentID == id }) {
		return "groups below it", nil
	}
	for hit := range bucket.AccountsByInstitution.Ascending(tx, bucket.SortKey(accounts.InstitutionID)) {
		if bucket.IndexedGroup(hit.Value) == id {
			return "accounts", nil
		}
	}
	for hit := range bucket.ArticlesByModified.Ascending(tx, bucket.SortKey(accounts.InstitutionID)) {
		if bucket.IndexedFacts(hit.Value).Group == id {
			return "articles", nil
		}
	}
	for row, err := range bucket.Collections.All(tx, nil) {
		if err != nil {
			return "", err
		}
		if row.Record.GroupID == id {
			return "collections", nil
		}
	}
	for row, err := range bucket.Projects.All(tx, nil) {
		if err != nil {
			return "", err
		}
		if row.Record.GroupID == id {
			return "projects", nil
		}
	}
	for row, err := range bucket.Reviews.All(tx, nil) {
		if err != nil {
			return "", err
		}
		if row.Record.GroupID == id && row.Record.Status == record.ReviewPending {
			return "reviews that are pending", nil
		}
	}
	return "", nil
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
		for row, err := range bucket.Grants.All(tx, nil) {
			if err != nil {
				return err
			}
			acc, err := bucket.Accounts.Get(tx, row.Record.AccountID)
			if err != nil {
				return err
			}
			group, err := bucket.Groups.Get(tx, row.Record.GroupID)
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
	return db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		acc, err := accounts.Find(tx, e.Account)
		if err != nil {
			return err
		}
		if _, err := findGroup(tx, e.GroupID); err != nil {
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

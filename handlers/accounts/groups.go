package accounts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
)

// GroupEdit is a group to add, or to change where it has an ID. A nil field stays.
type GroupEdit struct {
	ID                  int64   `json:"id"`
	ParentID            *int64  `json:"parent_id"` // 0 for the top
	Name                *string `json:"name"`
	ResourceID          *string `json:"resource_id"`
	AssociationCriteria *string `json:"association_criteria"`
	Review              *bool   `json:"review"` // articles are reviewed before they are published
}

// StoreGroup adds or changes a group and returns its id. A group cannot be put below itself.
func StoreGroup(tx *bucket.Tx, e GroupEdit) (int64, error) {
	g := &record.Group{InstitutionID: InstitutionID, Created: tx.Now()}
	var err error
	if e.ID != 0 {
		if g, err = FindGroup(tx, e.ID); err != nil {
			return 0, err
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
			return 0, err
		}
		g.ParentID = *e.ParentID
	}
	if err := g.Check(); err != nil {
		return 0, fmt.Errorf("cannot store the group: %w", err)
	}
	if g.ID == 0 {
		if g.ID, err = users.Groups.NextID(tx); err != nil {
			return 0, err
		}
	}
	g.Modified = tx.Now()
	return g.ID, users.Groups.Put(tx, g.ID, g)
}

// FindGroup is a group by its id.
func FindGroup(tx *bucket.Tx, id int64) (*record.Group, error) {
	g, err := users.Groups.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, fmt.Errorf("cannot find a group %d", id)
	}
	return g, err
}

// ErrBelowItself says that a group cannot be put where it was to stand.
var ErrBelowItself = errors.New("below itself")

// mayStandBelow refuses a parent that does not exist or stands below the group itself, or in a circle.
func mayStandBelow(tx *bucket.Tx, group, parent int64) error {
	seen := map[int64]bool{group: true}
	for parent != 0 {
		if seen[parent] {
			return fmt.Errorf("cannot put group %d %w", group, ErrBelowItself)
		}
		seen[parent] = true
		p, err := FindGroup(tx, parent)
		if err != nil {
			return err
		}
		parent = p.ParentID
	}
	return nil
}

// NotEmpty says that a group cannot be removed, and what it has.
type NotEmpty struct {
	Group int64
	Has   string
}

func (e *NotEmpty) Error() string {
	return fmt.Sprintf("cannot remove group %d: it has %s", e.Group, e.Has)
}

// RemoveGroup removes a group in which there are no people and no items, and the roles in it. Otherwise the error
// is a *NotEmpty.
func RemoveGroup(tx *bucket.Tx, id int64) error {
	if _, err := FindGroup(tx, id); err != nil {
		return err
	}
	what, err := groupHas(tx, id)
	if err != nil {
		return err
	}
	if what != "" {
		return &NotEmpty{id, what}
	}
	var keys []bucket.Pair
	for hit := range users.GrantsByGroup.Ascending(tx, bucket.SortKey(id)) {
		keys = append(keys, hit.Key)
	}
	for _, k := range keys {
		if err := users.Grants.Delete(tx, k); err != nil {
			return err
		}
	}
	if err := removeFields(tx, id); err != nil {
		return err
	}
	return users.Groups.Delete(tx, id)
}

// groupHas says what is in a group, nothing when it is empty.
func groupHas(tx *bucket.Tx, id int64) (string, error) {
	groups, err := GroupsOf(tx, InstitutionID)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(groups, func(g *record.Group) bool { return g.ParentID == id }) {
		return "groups below it", nil
	}
	for hit := range users.AccountsByInstitution.Ascending(tx, bucket.SortKey(InstitutionID)) {
		if facts.IndexedGroup(hit.Value) == id {
			return "accounts", nil
		}
	}
	for hit := range working.ArticlesByModified.Ascending(tx, bucket.SortKey(InstitutionID)) {
		if facts.Indexed(hit.Value).Group == id {
			return "articles", nil
		}
	}
	for row, err := range working.Collections.All(tx, nil) {
		if err != nil {
			return "", err
		}
		if row.Record.GroupID == id {
			return "collections", nil
		}
	}
	for row, err := range working.Projects.All(tx, nil) {
		if err != nil {
			return "", err
		}
		if row.Record.GroupID == id {
			return "projects", nil
		}
	}
	for row, err := range working.Reviews.All(tx, nil) {
		if err != nil {
			return "", err
		}
		if row.Record.GroupID == id && row.Record.Status == record.ReviewPending {
			return "reviews that are pending", nil
		}
	}
	return "", nil
}

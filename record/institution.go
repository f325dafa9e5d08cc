package record

import "time"

// Group is a part of the institution, such as a faculty; groups form trees.
type Group struct {
	ID                  int64     `json:"id"`
	InstitutionID       int64     `json:"institution_id"`
	ParentID            int64     `json:"parent_id"` // 0 at the top
	Name                string    `json:"name"`
	ResourceID          string    `json:"resource_id"`          // the institution's own id of it
	AssociationCriteria string    `json:"association_criteria"` // code by which its people are told
	Review              bool      `json:"review"`               // articles of it and the groups below are reviewed before they are published
	Created             time.Time `json:"created"`
	Modified            time.Time `json:"modified"`
}

// Grant is the roles that an account has in a group. They hold in the groups below it too.
type Grant struct {
	AccountID int64   `json:"account_id"`
	GroupID   int64   `json:"group_id"`
	Roles     []int64 `json:"roles"` // ascending, never empty
}

// Role is a right of an account in a group.
type Role struct {
	ID          int64
	Name        string
	Category    string
	Description string
}

// The roles that can be granted. An administrator of the whole institution has no role: that is a
// property of the account.
const (
	RoleAdministrator = 1
	RoleReviewer      = 2
)

var roles = []Role{
	{RoleAdministrator, "Administrator", "group", "Sees all items of the group and the groups below it, looks after their accounts and grants roles in them."},
	{RoleReviewer, "Reviewer", "group", "Reviews what is handed in for publication in the group and the groups below it."},
}

// Roles is the catalogue of roles, by id. The slice is the caller's own.
func Roles() []Role { return append([]Role{}, roles...) }

// RoleByID finds a role.
func RoleByID(id int64) (Role, bool) {
	for _, r := range roles {
		if r.ID == id {
			return r, true
		}
	}
	return Role{}, false
}

// Limits of group names and codes, in characters.
const (
	maxGroupName = 255
	maxCode      = 255
)

// Check refuses a group that has no name or texts that are too long.
func (g *Group) Check() error {
	switch {
	case blankText(g.Name):
		return Wrong("name", "must not be blank")
	case longer(g.Name, maxGroupName):
		return Wrong("name", "must have at most 255 characters")
	case longer(g.ResourceID, maxCode):
		return Wrong("resource_id", "must have at most 255 characters")
	case longer(g.AssociationCriteria, maxCode):
		return Wrong("association_criteria", "must have at most 255 characters")
	}
	return nil
}

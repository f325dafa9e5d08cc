package present

import (
	"strconv"

	"alcove/record"
	"alcove/record/catalogue"
)

// Institution is the institution of an account.
type Institution struct {
	ID     int64   `json:"id"`
	Name   string  `json:"name"`
	Domain *string `json:"domain"`
}

// NewInstitution is an institution; its domain may be empty.
func NewInstitution(id int64, name, domain string) Institution {
	return Institution{id, name, nullable(domain)}
}

// Group is a part of the institution.
type Group struct {
	ID                  int64   `json:"id"`
	Name                string  `json:"name"`
	ResourceID          *string `json:"resource_id"`
	ParentID            int64   `json:"parent_id"`
	AssociationCriteria *string `json:"association_criteria"`
	UploadAccess        string  `json:"upload_access"` // uploads are allowed in every group
}

// Groups is a list of groups.
func (s Settings) Groups(groups []*record.Group) []Group {
	out := []Group{}
	for _, g := range groups {
		out = append(out, Group{g.ID, g.Name, s.text(g.ResourceID), g.ParentID, s.text(g.AssociationCriteria), "All Users"})
	}
	return out
}

// GroupRole is a role in a group.
type GroupRole struct {
	Category string `json:"category"`
	ID       int64  `json:"id"`
	Name     string `json:"name"`
}

// Role is a role in the catalogue of roles.
type Role struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Category    string `json:"category"`
	Description string `json:"description"`
}

// Roles is the catalogue of roles.
func Roles() []Role {
	out := []Role{}
	for _, r := range record.Roles() {
		out = append(out, Role(r))
	}
	return out
}

// GroupRoles are the roles of an account under the ids of their groups.
func GroupRoles(grants []*record.Grant) map[string][]GroupRole {
	out := map[string][]GroupRole{}
	for _, g := range grants {
		list := []GroupRole{}
		for _, id := range g.Roles {
			if r, ok := record.RoleByID(id); ok {
				list = append(list, GroupRole{r.Category, r.ID, r.Name})
			}
		}
		out[strconv.FormatInt(g.GroupID, 10)] = list
	}
	return out
}

// ShortAccount is an account in the list of an institution's accounts.
type ShortAccount struct {
	ID                int64   `json:"id"`
	FirstName         *string `json:"first_name"`
	LastName          *string `json:"last_name"`
	InstitutionID     *int64  `json:"institution_id"`
	Email             string  `json:"email"`
	Active            int     `json:"active"`
	InstitutionUserID *string `json:"institution_user_id"`
	SymplecticUserID  *string `json:"symplectic_user_id"`
	Quota             int64   `json:"quota"`
	UsedQuota         int64   `json:"used_quota"`
	UserID            int64   `json:"user_id"`
	ORCID             *string `json:"orcid_id"`
}

// ShortAccount is an account with its person and the quota that holds for it, in bytes.
func (s Settings) ShortAccount(a *record.Account, p *record.Person, active bool, quota int64) ShortAccount {
	return ShortAccount{
		ID: a.ID, FirstName: s.text(a.FirstName), LastName: s.text(a.LastName), InstitutionID: s.id(a.InstitutionID),
		Email: a.Email, Active: Flag(active), InstitutionUserID: s.text(a.InstitutionUserID), SymplecticUserID: s.text(a.SymplecticUserID),
		Quota: quota, UsedQuota: a.Used(), UserID: a.PersonID, ORCID: s.text(p.ORCID),
	}
}

// Flag is a truth as 0 or 1.
func Flag(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// CreatedAccount acknowledges a new account.
type CreatedAccount struct {
	AccountID int64 `json:"account_id"`
}

// User is the person of an account.
type User struct {
	ID        int64   `json:"id"`
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	Name      string  `json:"name"`
	IsActive  bool    `json:"is_active"`
	URLName   string  `json:"url_name"`
	IsPublic  bool    `json:"is_public"`
	JobTitle  *string `json:"job_title"`
	ORCID     *string `json:"orcid_id"`
}

// User is the person of an account that is active or not.
func (s Settings) User(p *record.Person, active bool) User {
	return User{
		ID: p.ID, FirstName: s.text(p.FirstName), LastName: s.text(p.LastName), Name: p.FullName, IsActive: active,
		URLName: urlName(p.FullName), IsPublic: p.Public, JobTitle: s.text(p.JobTitle()), ORCID: s.text(p.ORCID),
	}
}

// AuthorComplete is a person with what the institution adds.
type AuthorComplete struct {
	Author
	InstitutionID *int64  `json:"institution_id"`
	GroupID       *int64  `json:"group_id"`
	IsPublic      int     `json:"is_public"`
	JobTitle      *string `json:"job_title"`
}

// AuthorComplete is a person, and the account whose profile this is, nil for a name only.
func (s Settings) AuthorComplete(p *record.Person, a *record.Account) AuthorComplete {
	out := AuthorComplete{Author: s.Authors([]record.Person{*p})[0], IsPublic: Flag(p.Public), JobTitle: s.text(p.JobTitle()), InstitutionID: s.id(0), GroupID: s.id(0)}
	if a != nil {
		out.InstitutionID, out.GroupID = s.id(a.InstitutionID), s.id(a.GroupID)
	}
	return out
}

// ItemType is a type of items.
type ItemType struct {
	ID                int64  `json:"id"`
	Name              string `json:"name"`
	StringID          string `json:"string_id"`
	Icon              string `json:"icon"`
	PublicDescription string `json:"public_description"`
	IsSelectable      bool   `json:"is_selectable"`
	URLName           string `json:"url_name"`
}

// ItemTypes are all types of items.
func ItemTypes() []ItemType {
	out := []ItemType{}
	for _, t := range catalogue.ItemTypes() {
		out = append(out, ItemType(t))
	}
	return out
}

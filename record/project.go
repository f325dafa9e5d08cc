package record

import (
	"fmt"
	"net/mail"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Project is a place where several people work on articles. Its members are records of their own.
// It has no versions: once public, it is public as it is at the moment.
type Project struct {
	ID            int64         `json:"id"`
	AccountID     int64         `json:"account_id"` // its owner
	Title         string        `json:"title"`
	Description   string        `json:"description"`
	Funding       string        `json:"funding"`
	CustomFields  []CustomField `json:"custom_fields"`
	GroupID       int64         `json:"group_id"` // 0 for an individual project
	InstitutionID int64         `json:"institution_id"`
	Published     *time.Time    `json:"published"` // when it became public
	Created       time.Time     `json:"created"`
	Modified      time.Time     `json:"modified"`
	FundingList   []string      `json:"funding_list"` // titles of grants
}

// Storage says where its data belongs: to a group or to individuals.
func (p *Project) Storage() string {
	if p.GroupID != 0 {
		return "group"
	}
	return "individual"
}

// Metadata is what describes the project, as it describes items.
func (p *Project) Metadata() *Metadata {
	return &Metadata{
		Title: p.Title, Description: p.Description, Funding: p.Funding, FundingList: p.FundingList, CustomFields: p.CustomFields,
		GroupID: p.GroupID, InstitutionID: p.InstitutionID,
	}
}

// PublicProject is what readers know of a public project.
type PublicProject struct {
	ID            int64          `json:"id"`
	Title         string         `json:"title"`
	Description   string         `json:"description"`
	Funding       string         `json:"funding"`
	CustomFields  []CustomField  `json:"custom_fields"`
	GroupID       int64          `json:"group_id"`
	InstitutionID int64          `json:"institution_id"`
	Members       []PublicMember `json:"members"` // the owner first; without those who are only invited
	Published     time.Time      `json:"published"`
	Created       time.Time      `json:"created"`
	Modified      time.Time      `json:"modified"`
	FundingList   []string       `json:"funding_list"`
}

// PublicMember is a member of a public project as readers see it.
type PublicMember struct {
	UserID int64       `json:"user_id"`
	Name   string      `json:"name"`
	Role   ProjectRole `json:"role"`
}

// Public is the project as readers know it.
func (p *Project) Public(members []PublicMember) *PublicProject {
	return &PublicProject{
		ID: p.ID, Title: p.Title, Description: p.Description, Funding: p.Funding, CustomFields: p.CustomFields,
		GroupID: p.GroupID, InstitutionID: p.InstitutionID, Members: members,
		Published: *p.Published, Created: p.Created, Modified: p.Modified, FundingList: p.FundingList,
	}
}

// ProjectRole is what a member may do; a greater one includes the smaller ones.
type ProjectRole int

// The roles of a project.
const (
	ProjectViewer       ProjectRole = iota + 1 // reads everything in it
	ProjectCollaborator                        // also adds articles and notes, and changes its own
	ProjectOwner                               // everything
)

var projectRoles = []string{"", "Viewer", "Collaborator", "Owner"}

// String is the role as representations show it.
func (r ProjectRole) String() string { return projectRoles[r] }

// ProjectRoleByName knows the names of requests: owner, collaborator and viewer.
func ProjectRoleByName(name string) (ProjectRole, bool) {
	i := slices.IndexFunc(projectRoles, func(r string) bool { return name != "" && strings.ToLower(r) == name })
	return ProjectRole(max(i, 0)), i > 0
}

// ProjectMember is an account in a project, or an address that was invited. The key is the
// project and the user id: a person's, or for an invitation one of no person.
type ProjectMember struct {
	ProjectID int64       `json:"project_id"`
	UserID    int64       `json:"user_id"`
	AccountID int64       `json:"account_id"` // 0 for an address without an account
	Role      ProjectRole `json:"role"`
	Email     string      `json:"email"`   // as it was invited
	Comment   string      `json:"comment"` // of the invitation
	Created   time.Time   `json:"created"`

	// Of an invitation by address, so that no answer tells whose it is:
	Pending  bool `json:"pending,omitempty"`  // its account has not shown itself in the project
	Declined bool `json:"declined,omitempty"` // its account does not want it
}

// Invited reports whether other members know the member as an address only.
func (m *ProjectMember) Invited() bool { return m.AccountID == 0 || m.Pending }

// Reads reports whether an account gets at the project as this member.
func (m *ProjectMember) Reads() bool { return m.AccountID != 0 && !m.Declined }

// ProjectNote is a note in a project. Only its members ever read it.
type ProjectNote struct {
	ID        int64     `json:"id"`
	ProjectID int64     `json:"project_id"`
	AccountID int64     `json:"account_id"` // who wrote it
	UserID    int64     `json:"user_id"`    // the same as a person
	Text      string    `json:"text"`
	Created   time.Time `json:"created"`
	Modified  time.Time `json:"modified"`
}

// Limits of projects (docs/reference/api.md#limits; RFC 5321, 4.5.3.1.3, for addresses).
const (
	maxProjectTitle = 500
	minNote         = 3
	maxEmail        = 254
	maxComment      = 2000
)

// ProjectBody is the body of a project create or update. A nil field was not sent; null sends the
// blank value.
type ProjectBody struct {
	Title            *string        `json:"title"`
	Description      *string        `json:"description"`
	Funding          *string        `json:"funding"`
	GroupID          *int64         `json:"group_id"` // of a create only
	CustomFields     *CustomFields  `json:"custom_fields"`
	CustomFieldsList *[]customField `json:"custom_fields_list"`
	Grants           *[]FundingRef  `json:"funding_list"`
}

// described is the part of the body that articles have too.
func (b *ProjectBody) described() *ArticleBody {
	return &ArticleBody{
		Title: b.Title, Description: b.Description, Funding: b.Funding,
		CustomFields: b.CustomFields, CustomFieldsList: b.CustomFieldsList, Extras: Extras{Grants: b.Grants},
	}
}

// RequireTitle refuses a body without a title.
func (b *ProjectBody) RequireTitle() error { return b.described().RequireTitle() }

// Check refuses values that break a rule (422). It looks at nothing but the body.
func (b *ProjectBody) Check() error {
	if b.Title != nil && utf8.RuneCountInString(*b.Title) > maxProjectTitle {
		return Wrong("title", "must have at most 500 characters")
	}
	return b.described().Check()
}

// Apply writes what was sent to the project, but for the group. It must follow Check.
func (b *ProjectBody) Apply(p *Project) {
	m := p.Metadata()
	b.described().Apply(m)
	p.Title, p.Description, p.CustomFields = m.Title, m.Description, m.CustomFields
	p.Funding, p.FundingList = m.Funding, m.FundingList
}

// ProjectArticleBody is the body of an article made in a project: that of an article, whose
// license may be a string there. A number is taken too.
type ProjectArticleBody ArticleBody

func (*ProjectArticleBody) keys() reflect.Type { return reflect.TypeFor[ArticleBody]() }

// bind reads a license given as a string as the number it holds; a blank one is none.
// The reply to such a body has no place for warnings.
func (b *ProjectArticleBody) bind(n *node, at *spot) error {
	if l := n.member("license"); l != nil && l.kind == '"' {
		if l.text == "" {
			l.kind = 'n'
		} else if isInteger([]byte(l.text)) {
			l.kind, l.raw = '0', []byte(l.text)
		}
	}
	return bindStruct(n, reflect.ValueOf((*ArticleBody)(b)).Elem(), at)
}

// InviteBody is the body of an invitation.
type InviteBody struct {
	RoleName *string `json:"role_name"`
	UserID   *int64  `json:"user_id"`
	Email    *string `json:"email"`
	Comment  *string `json:"comment"`
}

// Check refuses an invitation without a role or a person.
func (b *InviteBody) Check() error {
	if b.RoleName == nil {
		return Wrong("role_name", "is required")
	}
	if r, ok := ProjectRoleByName(*b.RoleName); !ok || r == ProjectOwner {
		return Wrong("role_name", "must be viewer or collaborator")
	}
	if b.Comment != nil && utf8.RuneCountInString(*b.Comment) > maxComment {
		return Wrong("comment", "must have at most 2000 characters")
	}
	if b.User() != 0 {
		return nil
	}
	if b.Address() == "" {
		return Wrong("user_id", "or email is required")
	}
	a, err := mail.ParseAddress(b.Address())
	if err != nil || a.Name != "" || a.Address != b.Address() || len(a.Address) > maxEmail {
		return Wrong("email", "is not an e-mail address")
	}
	return nil
}

// Role is the role that is offered. It must follow Check.
func (b *InviteBody) Role() ProjectRole {
	r, _ := ProjectRoleByName(*b.RoleName)
	return r
}

// User is the user id, 0 for none. It counts before the address.
func (b *InviteBody) User() (id int64) {
	set(&id, b.UserID)
	return id
}

// Address is the address without space around it, "" for none.
func (b *InviteBody) Address() (email string) {
	set(&email, b.Email)
	return strings.TrimSpace(email)
}

// NoteBody is the body of a note.
type NoteBody struct {
	Text *string `json:"text"`
}

// Check refuses a note that says nothing.
func (b *NoteBody) Check() error {
	if b.Text == nil {
		return Wrong("text", "is required")
	}
	if utf8.RuneCountInString(strings.TrimSpace(*b.Text)) < minNote {
		return Wrong("text", "must have at least 3 characters")
	}
	return nil
}

// May refuses a change: a collaborator may change its own items, the owner of the project those
// of all.
func (m *ProjectMember) May(account int64) error {
	if m.Role == ProjectOwner || m.Role == ProjectCollaborator && m.AccountID == account {
		return nil
	}
	return ErrProjectRole
}

// UserInvited is the promised answer to an invitation.
const UserInvited = "User invited to project"

// ProjectPublished is the answer to the publication of a project.
func ProjectPublished(id int64) string { return fmt.Sprintf("Project %d has been published", id) }

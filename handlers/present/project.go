package present

import (
	"net/url"
	"strconv"
	"time"

	"alcove/record"
)

// projectHead are the keys that every form of a project ends with.
type projectHead struct {
	ID            int64   `json:"id"`
	Title         *string `json:"title"`
	URL           string  `json:"url"`
	CreatedDate   *string `json:"created_date"`
	PublishedDate *string `json:"published_date"`
	ModifiedDate  *string `json:"modified_date"`
}

// Project is a public project in a list.
type Project struct{ projectHead }

// ProjectPrivate is a project in its members' lists.
type ProjectPrivate struct {
	Role    string `json:"role"`
	Storage string `json:"storage"`
	projectHead
}

// projectMetadata is what the complete forms add.
type projectMetadata struct {
	Description   *string        `json:"description"`
	Funding       *string        `json:"funding"`
	FundingList   []Funding      `json:"funding_list"`
	Collaborators []Collaborator `json:"collaborators"`
	FigshareURL   *string        `json:"figshare_url"`
	CustomFields  []CustomField  `json:"custom_fields"`
}

// ProjectComplete is a public project in full.
type ProjectComplete struct {
	projectMetadata
	projectHead
}

// ProjectCompletePrivate is a project in full, as its members see it. The quotas are
// those of a group's storage, 0 where there is none.
type ProjectCompletePrivate struct {
	AccountID        int64  `json:"account_id"`
	GroupID          *int64 `json:"group_id"`
	Quota            int64  `json:"quota"`
	UsedQuota        int64  `json:"used_quota"`
	UsedQuotaPrivate int64  `json:"used_quota_private"`
	UsedQuotaPublic  int64  `json:"used_quota_public"`
	projectMetadata
	ProjectPrivate
}

// Collaborator is a member of a project.
type Collaborator struct {
	UserID   int64  `json:"user_id"`
	Name     string `json:"name"`
	RoleName string `json:"role_name"`
}

// ProjectCollaborator is a member or an invitation in the list of members: the status is
// "invited", or blank for a member. Where only a member's address is known, it is the name.
type ProjectCollaborator struct {
	Status *string `json:"status"`
	Collaborator
}

// PublicProject is a public project in a list.
func (s Settings) PublicProject(p *record.PublicProject) Project {
	return Project{s.projectHead("/projects/%d", p.ID, p.Title, p.Created, p.Modified, &p.Published)}
}

// OwnProject is a project in the list of a member.
func (s Settings) OwnProject(p *record.Project, role record.ProjectRole) ProjectPrivate {
	return ProjectPrivate{
		role.String(), p.Storage(), s.projectHead("/account/projects/%d", p.ID, p.Title, p.Created, p.Modified, p.Published),
	}
}

// PublicProjectDetail is a public project in full.
func (s Settings) PublicProjectDetail(p *record.PublicProject) ProjectComplete {
	m := s.projectMetadata(p.Description, p.Funding, p.FundingList, p.CustomFields, p.Members)
	m.FigshareURL = s.projectPage(p.ID, p.Title)
	return ProjectComplete{m, s.PublicProject(p).projectHead}
}

// OwnProjectDetail is a project in full, as a member with a role sees it.
func (s Settings) OwnProjectDetail(p *record.Project, role record.ProjectRole, members []record.PublicMember) ProjectCompletePrivate {
	m := s.projectMetadata(p.Description, p.Funding, p.FundingList, p.CustomFields, members)
	if p.Published != nil {
		m.FigshareURL = s.projectPage(p.ID, p.Title)
	}
	return ProjectCompletePrivate{
		AccountID: p.AccountID, GroupID: s.id(p.GroupID), projectMetadata: m, ProjectPrivate: s.OwnProject(p, role),
	}
}

func (s Settings) projectHead(path string, id int64, title string, created, modified time.Time, published *time.Time) projectHead {
	h := projectHead{
		ID: id, Title: s.text(title), URL: s.API(path, id), CreatedDate: stamp(created), ModifiedDate: stamp(modified),
	}
	if published != nil {
		h.PublishedDate = stamp(*published)
	}
	return h
}

func (s Settings) projectMetadata(description, funding string, grants []string, fields []record.CustomField, members []record.PublicMember) projectMetadata {
	m := projectMetadata{
		Description: s.text(description), Funding: s.text(funding), FundingList: s.fundings(grants),
		Collaborators: []Collaborator{}, CustomFields: s.customFields(fields, nil),
	}
	for _, p := range members {
		m.Collaborators = append(m.Collaborators, Collaborator{p.UserID, p.Name, p.Role.String()})
	}
	return m
}

// ProjectPage is the address of the page of a public project.
func (s Settings) ProjectPage(id int64, title string) string {
	return s.SiteURL + "/projects/" + url.PathEscape(slug(title)) + "/" + strconv.FormatInt(id, 10)
}

// projectPage is ProjectPage for answers in which there may be none.
func (s Settings) projectPage(id int64, title string) *string {
	page := s.ProjectPage(id, title)
	return &page
}

// ProjectArticle is the working copy of an article in the list of its project: its url
// is the one that all members can read.
func (s Settings) ProjectArticle(a *record.Article) Article {
	out := s.OwnArticle(a)
	out.URL = s.projectArticleURL(a)
	return out
}

// ProjectArticleDetail is the working copy of an article in full, as members read it.
func (s Settings) ProjectArticleDetail(a *record.Article, authors []record.Person, files []*record.File, leads Leads) ArticlePrivate {
	out := s.OwnDetail(a, authors, files, leads)
	out.URL = s.projectArticleURL(a)
	return out
}

func (s Settings) projectArticleURL(a *record.Article) string {
	return s.API("/account/projects/%d/articles/%d", a.ProjectID, a.ID)
}

// ProjectMember is a member in the list of members.
func (s Settings) ProjectMember(m *record.ProjectMember, name string) ProjectCollaborator {
	out := ProjectCollaborator{Status: s.text(""), Collaborator: Collaborator{m.UserID, name, m.Role.String()}}
	if m.Invited() {
		invited := "invited"
		out.Status, out.Name = &invited, m.Email
	}
	return out
}

// CreatedProject is the acknowledgement of a new project.
type CreatedProject struct {
	EntityID int64 `json:"entity_id"`
	Location
}

// NewCreatedProject is the acknowledgement of a project that was made.
func NewCreatedProject(id int64, location string) CreatedProject {
	return CreatedProject{id, Location{location}}
}

// Message is an acknowledgement in words.
type Message struct {
	Message string `json:"message"`
}

// ProjectNote is a note in a list.
type ProjectNote struct {
	ID           int64   `json:"id"`
	UserID       int64   `json:"user_id"`
	UserName     string  `json:"user_name"`
	Abstract     string  `json:"abstract"`
	CreatedDate  *string `json:"created_date"`
	ModifiedDate *string `json:"modified_date"`
}

// ProjectNotePrivate is a note with its whole text.
type ProjectNotePrivate struct {
	ProjectNote
	Text string `json:"text"`
}

// maxAbstract is how much of a note lists show, in characters.
const maxAbstract = 160

// NewProjectNote is a note in a list.
func NewProjectNote(n *record.ProjectNote, name string) ProjectNote {
	abstract := n.Text
	if r := []rune(abstract); len(r) > maxAbstract {
		abstract = string(r[:maxAbstract-1]) + "…"
	}
	return ProjectNote{n.ID, n.UserID, name, abstract, stamp(n.Created), stamp(n.Modified)}
}

// NewProjectNotePrivate is a note in full.
func NewProjectNotePrivate(n *record.ProjectNote, name string) ProjectNotePrivate {
	return ProjectNotePrivate{NewProjectNote(n, name), n.Text}
}

package handlers

import (
	"errors"
	"iter"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/index"
	"alcove/jobs"
	"alcove/record"
)

// ProjectCreate makes a project of the caller's.
func (a *API) ProjectCreate(c *endpoint.Call, tx *bucket.Tx, body *record.ProjectBody) (endpoint.Reply, error) {
	if err := body.RequireTitle(); err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Within(a.Limits.Lists, &record.Project{}); err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	p := &record.Project{
		AccountID: c.Account.ID, CustomFields: []record.CustomField{}, FundingList: []string{}, InstitutionID: c.Account.InstitutionID,
		Created: tx.Now(),
	}
	if body.GroupID != nil && *body.GroupID != 0 {
		if err := c.UsableGroup(tx, *body.GroupID, record.ErrProjectGroup); err != nil {
			return endpoint.Reply{}, err
		}
		p.GroupID = *body.GroupID
	}
	if err := c.Fill(tx, p.Metadata(), &record.Extras{Grants: body.Grants}); err != nil {
		return endpoint.Reply{}, err
	}
	body.Apply(p)
	var err error
	if p.ID, err = working.Projects.NextID(tx); err != nil {
		return endpoint.Reply{}, err
	}
	m := &record.ProjectMember{
		ProjectID: p.ID, UserID: c.Account.PersonID, AccountID: c.Account.ID, Role: record.ProjectOwner, Created: tx.Now(),
	}
	if err := working.ProjectMembers.Put(tx, items.MemberKey(m), m); err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/account/projects/%d", p.ID)
	return endpoint.Reply{Status: 201, Location: at, Body: present.NewCreatedProject(p.ID, at)}, items.PutProject(tx, p)
}

// ProjectRead is a project in full.
func (a *API) ProjectRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, m, err := c.OpenProject(tx, record.ProjectViewer)
	if err != nil {
		return endpoint.Reply{}, err
	}
	shown, err := items.ShownMembers(tx, p.ID)
	return endpoint.Reply{Body: a.Settings.OwnProjectDetail(p, m.Role, shown), Modified: p.Modified}, err
}

// ProjectUpdate changes what is sent of a project, by PUT or PATCH.
func (a *API) ProjectUpdate(c *endpoint.Call, tx *bucket.Tx, body *record.ProjectBody) (endpoint.Reply, error) {
	p, _, err := c.OpenProject(tx, record.ProjectOwner)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Within(a.Limits.Lists, p); err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	if err := c.Fill(tx, p.Metadata(), &record.Extras{Grants: body.Grants}); err != nil {
		return endpoint.Reply{}, err
	}
	body.Apply(p)
	if body.GroupID != nil && *body.GroupID != p.GroupID {
		c.Warn("group_id", "a project stays in its group")
	}
	return endpoint.Reply{Status: 205, Location: a.Settings.API("/account/projects/%d", p.ID)}, items.PutProject(tx, p)
}

// ProjectPublish makes a project public, with those of its articles that are. Publishing again changes nothing.
func (a *API) ProjectPublish(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, _, err := c.OpenProject(tx, record.ProjectOwner)
	if err != nil {
		return endpoint.Reply{}, err
	}
	r := endpoint.Reply{
		Status: 201, Location: a.Settings.API("/projects/%d", p.ID),
		Body: present.Message{Message: record.ProjectPublished(p.ID)},
	}
	if p.Published != nil {
		return r, nil
	}
	now := tx.Now()
	p.Published = &now
	return r, items.PutProject(tx, p)
}

// ProjectDelete removes a project that is not public and has no public articles: of an
// individual project the articles stay with their owners, of a group project they are deleted with their files. An administrator of the group may do it too.
func (a *API) ProjectDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, err := c.DeletableProject(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	gone, err := a.Items.DeleteProject(tx, p)
	return endpoint.Reply{Status: 204, After: func() { a.Jobs.DropStaged(gone...) }}, err
}

// projectDoc is the short form of a public project. It is small and has no versions, so it is
// rendered when it is read.
func (a *API) projectDoc(tx bucket.Reader, key bucket.Pair) (bucket.Doc, error) {
	p, err := published.Projects.Get(tx, key.A)
	if err != nil {
		return bucket.Doc{}, err
	}
	text, err := present.Encode(a.Settings.PublicProject(p))
	return bucket.Doc{List: text, ListSum: bucket.SumOf(text)}, err
}

// PublicProjectList lists public projects.
func (a *API) PublicProjectList(c *endpoint.Call) (endpoint.Reply, error) {
	return c.PublicList(a.publicProjects)
}

// PublicProjectSearch searches public projects.
func (a *API) PublicProjectSearch(c *endpoint.Call, body *lists.ArticleSearch) (endpoint.Reply, error) {
	return a.publicSearch(c, a.publicProjects, body, false, index.PublicProjects)
}

// publicProject is the public project of the path.
func publicProject(c *endpoint.Call, tx bucket.Reader) (*record.PublicProject, error) {
	p, err := published.Projects.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrProjectNotFound
	}
	return p, err
}

// PublicProjectRead is a public project in full.
func (a *API) PublicProjectRead(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	p, err := publicProject(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.PublicProjectDetail(p), Modified: p.Modified, Count: jobs.View(record.KindProject, p.ID)}, nil
}

// PublicProjectArticles lists the public articles of a public project.
func (a *API) PublicProjectArticles(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	p, err := publicProject(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	q, err := a.publicArticles.InProject(p.ID).Query(c.ListRequest(), lists.ArticleSearch{})
	if err != nil {
		return endpoint.Reply{}, err
	}
	return c.ListPage(tx, q, false)
}

// ownProjectFilter checks what is asked of the caller's projects, which under the profile of the
// public service have the orders of public ones.
func ownProjectFilter(c *endpoint.Call, body lists.ProjectSearch) (*lists.ProjectFilter, error) {
	if c.Server.Settings.Figshare {
		return lists.NewProjectFilter(c.Query, body, "views")
	}
	return lists.NewProjectFilter(c.Query, body)
}

// ProjectList lists the projects of which the caller is a member.
func (a *API) ProjectList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	f, err := ownProjectFilter(c, lists.ProjectSearch{})
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, err := c.Page(lists.OwnProjects)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return projectPage(c, f, lists.PageOf(w, f.Projects(tx, c.Account.ID, nil)))
}

// ProjectSearch searches the projects of which the caller is a member.
func (a *API) ProjectSearch(c *endpoint.Call, body *lists.ProjectSearch) (r endpoint.Reply, err error) {
	f, err := ownProjectFilter(c, *body)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := c.NoCursor(); err != nil {
		return endpoint.Reply{}, err
	}
	w, err := body.Window(c.Query, lists.ProjectMatches)
	if err != nil {
		return endpoint.Reply{}, err
	}
	found, err := a.searchOwn(c, f.SearchFor, index.OwnProjects(c.Account.ID))
	if err != nil {
		return endpoint.Reply{}, err
	}
	var matches lists.IDSet
	if found != nil {
		defer closeMatches(found, &err)
		matches = found
	}
	err = a.DB.View(func(tx *bucket.Tx) error {
		r, err = projectPage(c, f, lists.PageOf(w, f.Projects(tx, c.Account.ID, matches)))
		return err
	})
	return r, err
}

// projectPage is a page of the caller's projects.
func projectPage(c *endpoint.Call, f *lists.ProjectFilter, page iter.Seq2[lists.Membership, error]) (endpoint.Reply, error) {
	list, err := lists.Show(page, func(m lists.Membership) present.ProjectPrivate {
		return c.Server.Settings.OwnProject(m.Project, m.Role)
	})
	if f.ByCount() { // views move without a change of anything that is dated
		return endpoint.Reply{Body: list}, err
	}
	return endpoint.Reply{Body: list, Modified: c.Changed}, err
}

// NoteList lists the notes of a project, the newest first.
func (a *API) NoteList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, _, err := c.OpenProject(tx, record.ProjectViewer)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, err := c.Page(lists.Others)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list := []present.ProjectNote{}
	for hit := range lists.Page(w, working.NotesByProject.Descending(tx, bucket.SortKey(p.ID))) {
		n, err := working.ProjectNotes.Get(tx, hit.Key)
		if err != nil {
			return endpoint.Reply{}, err
		}
		who, err := users.People.Get(tx, n.UserID)
		if err != nil {
			return endpoint.Reply{}, err
		}
		list = append(list, present.NewProjectNote(n, who.FullName))
	}
	return endpoint.Reply{Body: list, Modified: c.Changed}, nil
}

// NoteRead is a note with its text.
func (a *API) NoteRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	n, _, err := c.OwnNote(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	who, err := users.People.Get(tx, n.UserID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: present.NewProjectNotePrivate(n, who.FullName), Modified: n.Modified}, nil
}

// NoteCreate writes a note into a project.
func (a *API) NoteCreate(c *endpoint.Call, tx *bucket.Tx, body *record.NoteBody) (endpoint.Reply, error) {
	p, m, err := c.OpenProject(tx, record.ProjectCollaborator)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	if err := c.ShowUp(tx, p, m); err != nil {
		return endpoint.Reply{}, err
	}
	n := &record.ProjectNote{
		ProjectID: p.ID, AccountID: c.Account.ID, UserID: c.Account.PersonID, Text: *body.Text, Created: tx.Now(), Modified: tx.Now(),
	}
	if n.ID, err = working.ProjectNotes.NextID(tx); err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/account/projects/%d/notes/%d", p.ID, n.ID)
	return endpoint.Reply{Status: 201, Location: at, Body: present.NewUpdated(at, c.Warned)}, working.ProjectNotes.Put(tx, n.ID, n)
}

// NoteUpdate gives a note another text.
func (a *API) NoteUpdate(c *endpoint.Call, tx *bucket.Tx, body *record.NoteBody) (endpoint.Reply, error) {
	n, err := c.ChangeableNote(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	n.Text, n.Modified = *body.Text, tx.Now()
	at := a.Settings.API("/account/projects/%d/notes/%d", n.ProjectID, n.ID)
	return endpoint.Reply{Status: 205, Location: at}, working.ProjectNotes.Put(tx, n.ID, n)
}

// NoteDelete removes a note.
func (a *API) NoteDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	n, err := c.ChangeableNote(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: 204}, working.ProjectNotes.Delete(tx, n.ID)
}

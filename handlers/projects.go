package handlers

import (
	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/record"
)

// ProjectCreate makes a project of the caller's.
func (a *API) ProjectCreate(c *Call, tx *bucket.Tx, body *record.ProjectBody) (Reply, error) {
	if err := body.RequireTitle(); err != nil {
		return Reply{}, err
	}
	if err := body.Within(a.Limits.Lists, &record.Project{}); err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	p := &record.Project{
		AccountID: c.Account.ID, CustomFields: []record.CustomField{}, FundingList: []string{}, InstitutionID: c.Account.InstitutionID,
		Created: tx.Now(),
	}
	if body.GroupID != nil && *body.GroupID != 0 {
		if err := c.UsableGroup(tx, *body.GroupID, record.ErrProjectGroup); err != nil {
			return Reply{}, err
		}
		p.GroupID = *body.GroupID
	}
	if err := c.Fill(tx, p.Metadata(), &record.Extras{Grants: body.Grants}); err != nil {
		return Reply{}, err
	}
	body.Apply(p)
	var err error
	if p.ID, err = bucket.Projects.NextID(tx); err != nil {
		return Reply{}, err
	}
	m := &record.ProjectMember{
		ProjectID: p.ID, UserID: c.Account.PersonID, AccountID: c.Account.ID, Role: record.ProjectOwner, Created: tx.Now(),
	}
	if err := bucket.ProjectMembers.Put(tx, items.MemberKey(m), m); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/projects/%d", p.ID)
	return Reply{Status: 201, Location: at, Body: present.NewCreatedProject(p.ID, at)}, items.PutProject(tx, p)
}

// ProjectRead is a project in full.
func (a *API) ProjectRead(c *Call, tx *bucket.Tx) (Reply, error) {
	p, m, err := c.project(tx, record.ProjectViewer)
	if err != nil {
		return Reply{}, err
	}
	shown, err := items.ShownMembers(tx, p.ID)
	return Reply{Body: a.Settings.OwnProjectDetail(p, m.Role, shown), Modified: p.Modified}, err
}

// ProjectUpdate changes what is sent of a project, by PUT or PATCH.
func (a *API) ProjectUpdate(c *Call, tx *bucket.Tx, body *record.ProjectBody) (Reply, error) {
	p, _, err := c.project(tx, record.ProjectOwner)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Within(a.Limits.Lists, p); err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	if err := c.Fill(tx, p.Metadata(), &record.Extras{Grants: body.Grants}); err != nil {
		return Reply{}, err
	}
	body.Apply(p)
	if body.GroupID != nil && *body.GroupID != p.GroupID {
		c.warn("group_id", "a project stays in its group")
	}
	return Reply{Status: 205, Location: a.Settings.API("/account/projects/%d", p.ID)}, items.PutProject(tx, p)
}

// ProjectPublish makes a project public, with those of its articles that are. Publishing again changes nothing.
func (a *API) ProjectPublish(c *Call, tx *bucket.Tx) (Reply, error) {
	p, _, err := c.project(tx, record.ProjectOwner)
	if err != nil {
		return Reply{}, err
	}
	r := Reply{
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
func (a *API) ProjectDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	p, err := c.deletableProject(tx)
	if err != nil {
		return Reply{}, err
	}
	gone, err := a.Items.DeleteProject(tx, p)
	return Reply{Status: 204, After: func() { a.dropStaged(gone...) }}, err
}

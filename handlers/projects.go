package handlers

import (
	"errors"
	"iter"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// ProjectCreate makes a project of the caller's (specification 4.6).
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
		if err := c.usableGroup(tx, *body.GroupID, record.ErrProjectGroup); err != nil {
			return Reply{}, err
		}
		p.GroupID = *body.GroupID
	}
	if err := c.fill(tx, p.Metadata(), &record.Extras{Grants: body.Grants}); err != nil {
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
	if err := bucket.ProjectMembers.Put(tx, memberKey(m), m); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/projects/%d", p.ID)
	return Reply{Status: 201, Location: at, Body: present.NewCreatedProject(p.ID, at)}, putProject(tx, p)
}

// putProject stores a project that was changed now, and what readers know of it when it
// is public.
func putProject(tx *bucket.Tx, p *record.Project) error {
	p.Modified = tx.Now()
	if err := bucket.Projects.Put(tx, p.ID, p); err != nil || p.Published == nil {
		return err
	}
	shown, err := shownMembers(tx, p.ID)
	if err != nil {
		return err
	}
	return bucket.PublicProjects.Put(tx, p.ID, p.Public(shown))
}

// ProjectRead is a project in full (specification 4.6).
func (a *API) ProjectRead(c *Call, tx *bucket.Tx) (Reply, error) {
	p, m, err := c.project(tx, record.ProjectViewer)
	if err != nil {
		return Reply{}, err
	}
	shown, err := shownMembers(tx, p.ID)
	return Reply{Body: a.Settings.OwnProjectDetail(p, m.Role, shown), Modified: p.Modified}, err
}

// ProjectUpdate changes what is sent of a project, by PUT or PATCH (specification 4.6).
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
	if err := c.fill(tx, p.Metadata(), &record.Extras{Grants: body.Grants}); err != nil {
		return Reply{}, err
	}
	body.Apply(p)
	if body.GroupID != nil && *body.GroupID != p.GroupID {
		c.warn("group_id", "a project stays in its group")
	}
	return Reply{Status: 205, Location: a.Settings.API("/account/projects/%d", p.ID)}, putProject(tx, p)
}

// ProjectPublish makes a project public, with those of its articles that are
// (specification 3 and 4.6). Publishing again changes nothing.
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
	return r, putProject(tx, p)
}

// ProjectDelete removes a project that is not public and has no public articles
// (specification 3): of an individual project the articles stay with their owners, of a
// group project they are deleted with their files. Who administers the group may do it too.
func (a *API) ProjectDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	p, err := c.deletableProject(tx)
	if err != nil {
		return Reply{}, err
	}
	return a.deleteProject(tx, p)
}

func (a *API) deleteProject(tx *bucket.Tx, p *record.Project) (Reply, error) {
	if p.Published != nil {
		return Reply{}, record.ErrProjectPublic
	}
	for range bucket.PublicByProject.Ascending(tx, bucket.SortKey(p.ID)) {
		return Reply{}, record.ErrProjectPublic
	}
	after, err := a.emptyProject(tx, p)
	if err != nil {
		return Reply{}, err
	}
	all, err := members(tx, p.ID)
	if err != nil {
		return Reply{}, err
	}
	for _, m := range all {
		if err := bucket.ProjectMembers.Delete(tx, memberKey(m)); err != nil {
			return Reply{}, err
		}
	}
	for _, n := range hitKeys(bucket.NotesByProject.Ascending(tx, bucket.SortKey(p.ID))) {
		if err := bucket.ProjectNotes.Delete(tx, n); err != nil {
			return Reply{}, err
		}
	}
	return Reply{Status: 204, After: after}, bucket.Projects.Delete(tx, p.ID)
}

// emptyProject takes the articles out of a project that is being deleted. What was
// published once and withdrawn leaves a trace that stays, so it goes to its owner from a
// group project too.
func (a *API) emptyProject(tx *bucket.Tx, p *record.Project) (after func(), err error) {
	var todo []func()
	for _, id := range hitKeys(bucket.ArticlesByProject.Ascending(tx, bucket.SortKey(p.ID))) {
		art, err := bucket.Articles.Get(tx, id)
		if err != nil {
			return nil, err
		}
		if p.GroupID != 0 && art.Version == 0 {
			r, err := a.deleteDraft(tx, art)
			if err != nil {
				return nil, err
			}
			todo = append(todo, r.After)
			continue
		}
		if err := leaveProject(tx, art); err != nil {
			return nil, err
		}
	}
	return func() {
		for _, f := range todo {
			f()
		}
	}, nil
}

// leaveProject moves a working copy, and what of it waits to become public, out of its project to
// its owner's own data.
func leaveProject(tx *bucket.Tx, art *record.Article) error {
	art.ProjectID = 0
	if err := putArticle(tx, art); err != nil {
		return err
	}
	held, err := bucket.HeldVersions.Get(tx, art.ID)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	held.ProjectID = 0
	return bucket.HeldVersions.Put(tx, art.ID, held)
}

// hitKeys are the keys of an index scan, which must not be written meanwhile.
func hitKeys[K any](hits iter.Seq[bucket.Hit[K]]) (keys []K) {
	for hit := range hits {
		keys = append(keys, hit.Key)
	}
	return keys
}

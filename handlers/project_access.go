package handlers

import (
	"errors"

	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/record"
)

// The loading functions of projects (access.go says what they promise). To a stranger a
// project does not exist; a member whose role does not reach far enough is refused. A person whose address was invited is a member, which the others know by that address only (ProjectInvite).

// project is the project of the path, with the caller's place in it, which has at least
// a role.
func (c *Call) project(tx *bucket.Tx, least record.ProjectRole) (*record.Project, *record.ProjectMember, error) {
	return c.MemberProject(tx, c.ID("id"), least)
}

// showUp makes an invited account a member by name, once it does what the others of the project
// see with its name.
func (c *Call) showUp(tx *bucket.Tx, p *record.Project, m *record.ProjectMember) error {
	if !m.Pending {
		return nil
	}
	if err := bucket.ProjectMembers.Delete(tx, items.MemberKey(m)); err != nil {
		return err
	}
	m.UserID, m.Pending = c.Account.PersonID, false
	if err := bucket.ProjectMembers.Put(tx, items.MemberKey(m), m); err != nil {
		return err
	}
	return items.PutProject(tx, p)
}

// deletableProject is the project of the path when the caller owns it or, if it is a
// group's, administers the group.
func (c *Call) deletableProject(tx *bucket.Tx) (*record.Project, error) {
	p, _, refused := c.project(tx, record.ProjectOwner)
	if refused == nil {
		return p, nil
	}
	mine, err := c.AdministersGroup(tx, bucket.ProjectOwners.Of(tx, c.ID("id")).Group)
	if err == nil && !mine {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return bucket.Projects.Get(tx, c.ID("id"))
}

// projectArticle is the article of the path when it is in the project of the path, of
// which the caller is a member.
func (c *Call) projectArticle(tx *bucket.Tx) (*record.Article, *record.ProjectMember, error) {
	p, m, err := c.project(tx, record.ProjectViewer)
	if err != nil {
		return nil, nil, err
	}
	if bucket.ArticleOwners.Of(tx, c.ID("article_id")).In != p.ID {
		return nil, nil, record.ErrArticleNotOwn
	}
	art, err := bucket.Articles.Get(tx, c.ID("article_id"))
	return art, m, err
}

// shares reports whether the caller reads what is in a project, 0 for none: a member that reads it there
// gets the bytes of its files too.
func (c *Call) shares(tx *bucket.Tx, project int64) (bool, error) {
	if c.Account == nil || c.Account.ID == 0 {
		return false, nil
	}
	_, err := c.Membership(tx, project) // also of none, which costs the same
	if errors.Is(err, record.ErrProjectNotFound) {
		return false, nil
	}
	return err == nil, err
}

// changeableArticle is projectArticle when the caller may remove it: what is its own as
// a collaborator, everything as the owner of the project.
func (c *Call) changeableArticle(tx *bucket.Tx) (*record.Article, error) {
	art, m, err := c.projectArticle(tx)
	if err != nil {
		return nil, err
	}
	return art, m.May(art.AccountID)
}

// projectFile is the file of the path in the article and project of the path.
func (c *Call) projectFile(tx *bucket.Tx) (*record.Article, *record.File, error) {
	art, _, err := c.projectArticle(tx)
	if err != nil {
		return nil, nil, err
	}
	f, err := workingFile(tx, art.ID, c.ID("file_id"))
	return art, f, err
}

// note is the note of the path in the project of the path, of which the caller is a
// member.
func (c *Call) note(tx *bucket.Tx) (*record.ProjectNote, *record.ProjectMember, error) {
	p, m, err := c.project(tx, record.ProjectViewer)
	if err != nil {
		return nil, nil, err
	}
	if bucket.NoteOwners.Of(tx, c.ID("note_id")).In != p.ID {
		return nil, nil, record.ErrNoteNotFound
	}
	n, err := bucket.ProjectNotes.Get(tx, c.ID("note_id"))
	return n, m, err
}

// changeableNote is note when the caller may change it: its own as a collaborator, every
// one as the owner of the project.
func (c *Call) changeableNote(tx *bucket.Tx) (*record.ProjectNote, error) {
	n, m, err := c.note(tx)
	if err != nil {
		return nil, err
	}
	return n, m.May(n.AccountID)
}

// OwnsProject refuses who does not own the project of the path.
func OwnsProject(c *Call, tx *bucket.Tx) error {
	_, _, err := c.project(tx, record.ProjectOwner)
	return err
}

// DeletesProject refuses who may not delete the project of the path.
func DeletesProject(c *Call, tx *bucket.Tx) error {
	_, err := c.deletableProject(tx)
	return err
}

// WorksInProject refuses who may only look at the project of the path, or not even that.
func WorksInProject(c *Call, tx *bucket.Tx) error {
	_, _, err := c.project(tx, record.ProjectCollaborator)
	return err
}

// RemovesProjectArticle refuses who may not remove the article of the path.
func RemovesProjectArticle(c *Call, tx *bucket.Tx) error {
	_, err := c.changeableArticle(tx)
	return err
}

// ChangesNote refuses who may not change the note of the path.
func ChangesNote(c *Call, tx *bucket.Tx) error {
	_, err := c.changeableNote(tx)
	return err
}

// When puts a refusal before the tests of conditions and of the values of a body, as
// their order demands (401, 400, 404 and 403, 412, 422): without it they come before
// what the handler itself asks of the caller, because it can read the address.
func (e Endpoint) When(may func(*Call, *bucket.Tx) error) Endpoint {
	run := e.run
	e.run = func(a *API, c *Call) (Reply, error) {
		if state := c.state; state != nil {
			c.state = func(c *Call, tx *bucket.Tx) (Reply, error) {
				if err := may(c, tx); err != nil {
					return Reply{}, err
				}
				return state(c, tx)
			}
		}
		return run(a, c)
	}
	return e
}

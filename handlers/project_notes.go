package handlers

import (
	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// NoteList lists the notes of a project, the newest first.
func (a *API) NoteList(c *Call, tx *bucket.Tx) (Reply, error) {
	p, _, err := c.project(tx, record.ProjectViewer)
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(lists.Others)
	if err != nil {
		return Reply{}, err
	}
	list := []present.ProjectNote{}
	for hit := range lists.Page(w, bucket.NotesByProject.Descending(tx, bucket.SortKey(p.ID))) {
		n, err := bucket.ProjectNotes.Get(tx, hit.Key)
		if err != nil {
			return Reply{}, err
		}
		who, err := bucket.People.Get(tx, n.UserID)
		if err != nil {
			return Reply{}, err
		}
		list = append(list, present.NewProjectNote(n, who.FullName))
	}
	return Reply{Body: list, Modified: c.changed}, nil
}

// NoteRead is a note with its text.
func (a *API) NoteRead(c *Call, tx *bucket.Tx) (Reply, error) {
	n, _, err := c.note(tx)
	if err != nil {
		return Reply{}, err
	}
	who, err := bucket.People.Get(tx, n.UserID)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: present.NewProjectNotePrivate(n, who.FullName), Modified: n.Modified}, nil
}

// NoteCreate writes a note into a project.
func (a *API) NoteCreate(c *Call, tx *bucket.Tx, body *record.NoteBody) (Reply, error) {
	p, m, err := c.project(tx, record.ProjectCollaborator)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	if err := c.showUp(tx, p, m); err != nil {
		return Reply{}, err
	}
	n := &record.ProjectNote{
		ProjectID: p.ID, AccountID: c.Account.ID, UserID: c.Account.PersonID, Text: *body.Text, Created: tx.Now(), Modified: tx.Now(),
	}
	if n.ID, err = bucket.ProjectNotes.NextID(tx); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/projects/%d/notes/%d", p.ID, n.ID)
	return Reply{Status: 201, Location: at, Body: present.NewUpdated(at, c.Warned)}, bucket.ProjectNotes.Put(tx, n.ID, n)
}

// NoteUpdate gives a note another text.
func (a *API) NoteUpdate(c *Call, tx *bucket.Tx, body *record.NoteBody) (Reply, error) {
	n, err := c.changeableNote(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	n.Text, n.Modified = *body.Text, tx.Now()
	at := a.Settings.API("/account/projects/%d/notes/%d", n.ProjectID, n.ID)
	return Reply{Status: 205, Location: at}, bucket.ProjectNotes.Put(tx, n.ID, n)
}

// NoteDelete removes a note.
func (a *API) NoteDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	n, err := c.changeableNote(tx)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204}, bucket.ProjectNotes.Delete(tx, n.ID)
}

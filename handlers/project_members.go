package handlers

import (
	"errors"
	"strconv"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/people"
	"alcove/handlers/present"
	"alcove/jobs"
	"alcove/record"
)

// ProjectMembers lists the members of a project and who is invited.
func (a *API) ProjectMembers(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, _, err := c.OpenProject(tx, record.ProjectViewer)
	if err != nil {
		return endpoint.Reply{}, err
	}
	all, err := items.Members(tx, p.ID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list := []present.ProjectCollaborator{}
	for _, m := range all {
		name := ""
		if !m.Invited() {
			p, err := users.People.Get(tx, m.UserID)
			if err != nil {
				return endpoint.Reply{}, err
			}
			name = p.FullName
		}
		list = append(list, a.Settings.ProjectMember(m, name))
	}
	return endpoint.Reply{Body: list, Modified: p.Modified}, nil
}

// ProjectInvite gives a person a role in a project. One that is named by its id
// is a member from now on. An address stays what all see, whether it has an account or
// not: an account with it, now or later, gets at the project, and is shown by its name when it
// has added something there. No mail is sent; Invite sends one.
func (a *API) ProjectInvite(c *endpoint.Call, tx *bucket.Tx, body *record.InviteBody) (endpoint.Reply, error) {
	p, _, err := c.OpenProject(tx, record.ProjectOwner)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	all, err := items.Members(tx, p.ID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	m, err := invited(c, tx, p, all, body)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if m.ProjectID == 0 {
		if most := a.Limits.Lists.Members; most > 0 && len(all) >= most {
			return endpoint.Reply{}, record.ErrProjectFull
		}
		m.ProjectID, m.Created = p.ID, tx.Now()
	}
	if m.Role == record.ProjectOwner {
		return endpoint.Reply{}, record.Wrong("role_name", "cannot be given to the owner of the project")
	}
	m.Role, m.Declined = body.Role(), false
	if body.Comment != nil {
		m.Comment = *body.Comment
	}
	if m.UserID == 0 { // an id that no person gets, by which the invitation can be withdrawn
		if m.UserID, err = users.People.NextID(tx); err != nil {
			return endpoint.Reply{}, err
		}
	}
	if err := working.ProjectMembers.Put(tx, items.MemberKey(m), m); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: 201, Body: present.Message{Message: record.UserInvited}}, items.PutProject(tx, p)
}

// invited is the member or invitation that a body names, without a project when it is
// new.
func invited(c *endpoint.Call, tx *bucket.Tx, p *record.Project, all []*record.ProjectMember, body *record.InviteBody) (*record.ProjectMember, error) {
	if body.User() == 0 {
		return invitedAddress(c, tx, p, all, body.Address())
	}
	fresh := &record.ProjectMember{UserID: body.User()}
	if !users.SeenPerson(tx, fresh.UserID, record.Everyone).Profile {
		return nil, record.Wrong("user_id", "is not the id of a user")
	}
	person, err := users.People.Get(tx, fresh.UserID)
	if err != nil {
		return nil, err
	}
	fresh.AccountID = person.AccountID
	for _, m := range all {
		if m.UserID == fresh.UserID {
			return m, nil
		}
		if m.AccountID == fresh.AccountID { // its address was invited before, which stays an address
			m.AccountID = 0
			if err := working.ProjectMembers.Put(tx, items.MemberKey(m), m); err != nil {
				return nil, err
			}
		}
	}
	return fresh, nil
}

// invitedAddress is invited for an address. Answer and record are the same whether that
// has an account or not, but for which account gets at the project. The account of a member by
// another way is left alone.
func invitedAddress(c *endpoint.Call, tx *bucket.Tx, p *record.Project, all []*record.ProjectMember, address string) (*record.ProjectMember, error) {
	name := record.FoldEmail(address)
	if name == record.FoldEmail(c.Account.Email) { // the owner invites
		return nil, record.Wrong("role_name", "cannot be given to the owner of the project")
	}
	for _, m := range all {
		if m.Email != "" && record.FoldEmail(m.Email) == name {
			return m, nil
		}
	}
	fresh := &record.ProjectMember{Email: address, Pending: true}
	if id, ok := users.AccountsByEmail.First(tx, bucket.SortKey(name)); ok {
		if _, member := working.MembersByAccount.First(tx, bucket.SortKey(id, p.ID)); !member {
			fresh.AccountID = id
		}
	}
	return fresh, nil
}

// Invite is ProjectInvite by a page: who is invited is told by mail, where mail is configured. The answer does not depend
// on whether an address has an account, nor on how many mails it was sent already.
func (a *API) Invite(c *endpoint.Call, body *record.InviteBody, language string) error {
	err := a.DB.View(func(tx *bucket.Tx) error { return OwnsProject(c, tx) })
	if err == nil {
		err = body.Check()
	}
	if err != nil {
		return err
	}
	send := false
	if a.Mails() {
		to := body.Address()
		if id := body.User(); id != 0 {
			to = strconv.FormatInt(id, 10)
		}
		if send, err = a.AskForMail(c, to); err != nil {
			return err
		}
	}
	_, err = a.Change(c, nil, "", nil, func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		r, err := a.ProjectInvite(c, tx, body)
		if err != nil || !send {
			return r, err
		}
		return r, a.tellInvited(c, tx, body, language)
	})
	if errors.Is(err, jobs.ErrOutboxFull) {
		err = record.ErrUnavailable
	}
	return err
}

// tellInvited has the mail of an invitation sent, which lasts as long as that.
func (a *API) tellInvited(c *endpoint.Call, tx *bucket.Tx, body *record.InviteBody, language string) error {
	m := record.Mail{Kind: record.MailProject, To: body.Address(), ProjectID: c.ID("id"), UserID: body.User(), Language: language}
	all, err := items.Members(tx, m.ProjectID)
	if err != nil {
		return err
	}
	for _, one := range all {
		switch {
		case m.UserID == 0 && one.Email != "" && record.FoldEmail(one.Email) == record.FoldEmail(m.To):
			m.UserID = one.UserID
		case one.UserID == body.User() && one.AccountID != 0:
			acc, err := users.Accounts.Get(tx, one.AccountID)
			if err != nil {
				return err
			}
			m.To = acc.Email
		}
	}
	if m.To == "" { // a person without an account
		return nil
	}
	return jobs.QueueMail(tx, m)
}

// PeopleToInvite are the first people with an account that words find, and that can be invited by their id.
func (a *API) PeopleToInvite(c *endpoint.Call, words string) (list []present.AuthorComplete, err error) {
	r, err := a.PersonSearch(c.Asking("page_size=50"), &people.PersonSearch{SearchFor: &words})
	if err != nil {
		return nil, err
	}
	found, _ := r.Body.([]present.AuthorComplete)
	err = a.DB.View(func(tx *bucket.Tx) error {
		for _, p := range found {
			if users.SeenPerson(tx, p.ID, record.Everyone).Profile && len(list) < 10 {
				list = append(list, p)
			}
		}
		return nil
	})
	return list, err
}

// ProjectAccept makes an account that was invited by its address a member by name.
func (a *API) ProjectAccept(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, m, err := c.OpenProject(tx, record.ProjectViewer)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: 204}, c.ShowUp(tx, p, m)
}

// Membership is the caller's place in a project.
type Membership struct {
	Role    record.ProjectRole
	Invited bool // by its address, and not known to the others by name
}

// ProjectDocument is a project as ProjectRead answers it, with its entity tag and the caller's place in it.
func (a *API) ProjectDocument(c *endpoint.Call, tx *bucket.Tx) (doc present.ProjectCompletePrivate, tag string, m Membership, err error) {
	_, member, err := c.OpenProject(tx, record.ProjectViewer)
	if err != nil {
		return doc, "", m, err
	}
	r, err := a.ProjectRead(c, tx)
	if err != nil {
		return doc, "", m, err
	}
	doc, _ = r.Body.(present.ProjectCompletePrivate)
	tag, err = r.EntityTag()
	return doc, tag, Membership{member.Role, member.Pending}, err
}

// ProjectMemberDelete takes a member out of a project, or withdraws an invitation.
func (a *API) ProjectMemberDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, _, err := c.OpenProject(tx, record.ProjectOwner)
	if err != nil {
		return endpoint.Reply{}, err
	}
	m, err := working.ProjectMembers.Get(tx, bucket.Pair{A: p.ID, B: c.ID("user_id")})
	if errors.Is(err, bucket.ErrNotFound) {
		return endpoint.Reply{}, record.ErrMemberNotFound
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: 204}, items.DropMember(tx, p, m)
}

// ProjectLeave takes the caller out of a project.
func (a *API) ProjectLeave(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, m, err := c.OpenProject(tx, record.ProjectViewer)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if m.Pending { // the others go on seeing the address, and do not learn that the invitation was declined
		m.Declined = true
		return endpoint.Reply{Status: 204}, working.ProjectMembers.Put(tx, items.MemberKey(m), m)
	}
	return endpoint.Reply{Status: 204}, items.DropMember(tx, p, m)
}

// Refusals that come before the conditions of a request (When). To a stranger a
// project does not exist; a member whose role does not reach far enough is refused. A person whose address was invited is a member, which the others know by that address only (ProjectInvite).

// OwnsProject refuses who does not own the project of the path.
func OwnsProject(c *endpoint.Call, tx *bucket.Tx) error {
	_, _, err := c.OpenProject(tx, record.ProjectOwner)
	return err
}

// DeletesProject refuses who may not delete the project of the path.
func DeletesProject(c *endpoint.Call, tx *bucket.Tx) error {
	_, err := c.DeletableProject(tx)
	return err
}

// WorksInProject refuses who may only look at the project of the path, or not even that.
func WorksInProject(c *endpoint.Call, tx *bucket.Tx) error {
	_, _, err := c.OpenProject(tx, record.ProjectCollaborator)
	return err
}

// RemovesProjectArticle refuses who may not remove the article of the path.
func RemovesProjectArticle(c *endpoint.Call, tx *bucket.Tx) error {
	_, err := c.ChangeableArticle(tx)
	return err
}

// ChangesNote refuses who may not change the note of the path.
func ChangesNote(c *endpoint.Call, tx *bucket.Tx) error {
	_, err := c.ChangeableNote(tx)
	return err
}

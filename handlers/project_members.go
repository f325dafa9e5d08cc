package handlers

import (
	"cmp"
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// maxMembers bounds the members and invitations of a project.
const maxMembers = 1000

func memberKey(m *record.ProjectMember) bucket.Pair {
	return bucket.Pair{A: m.ProjectID, B: m.UserID}
}

// members are the members of a project, then the invitations, each the owner first and
// then as they came.
func members(tx *bucket.Tx, project int64) ([]*record.ProjectMember, error) {
	var all []*record.ProjectMember
	for row, err := range bucket.ProjectMembers.All(tx, bucket.Prefix(project)) {
		if err != nil {
			return nil, err
		}
		all = append(all, row.Record)
	}
	rank := func(m *record.ProjectMember) int {
		switch {
		case m.Invited():
			return 2
		case m.Role == record.ProjectOwner:
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(x, y *record.ProjectMember) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), x.Created.Compare(y.Created))
	})
	return all, nil
}

// shownMembers are the members of a project by name, without invitations.
func shownMembers(tx *bucket.Tx, project int64) ([]record.PublicMember, error) {
	all, err := members(tx, project)
	if err != nil {
		return nil, err
	}
	shown := []record.PublicMember{}
	for _, m := range all {
		if m.Invited() {
			break // they come last
		}
		p, err := bucket.People.Get(tx, m.UserID)
		if err != nil {
			return nil, err
		}
		shown = append(shown, record.PublicMember{UserID: m.UserID, Name: p.FullName, Role: m.Role})
	}
	return shown, nil
}

// ProjectMembers lists the members of a project and who is invited (specification 4.6).
func (a *API) ProjectMembers(c *Call, tx *bucket.Tx) (Reply, error) {
	p, _, err := c.project(tx, record.ProjectViewer)
	if err != nil {
		return Reply{}, err
	}
	all, err := members(tx, p.ID)
	if err != nil {
		return Reply{}, err
	}
	list := []present.ProjectCollaborator{}
	for _, m := range all {
		name := ""
		if !m.Invited() {
			p, err := bucket.People.Get(tx, m.UserID)
			if err != nil {
				return Reply{}, err
			}
			name = p.FullName
		}
		list = append(list, present.ProjectMember(m, name))
	}
	return Reply{Body: list, Modified: p.Modified}, nil
}

// ProjectInvite gives somebody a role in a project (specification 4.6). Who has an
// account is a member from now on; an address without one is kept, and whoever gets an
// account with it becomes a member then. No mail is sent.
func (a *API) ProjectInvite(c *Call, tx *bucket.Tx, body *record.InviteBody) (Reply, error) {
	p, _, err := c.project(tx, record.ProjectOwner)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	all, err := members(tx, p.ID)
	if err != nil {
		return Reply{}, err
	}
	m, err := invited(tx, all, body)
	if err != nil {
		return Reply{}, err
	}
	if m.ProjectID == 0 {
		if len(all) >= maxMembers {
			return Reply{}, record.ErrProjectFull
		}
		m.ProjectID, m.Created = p.ID, tx.Now()
	}
	if m.Role == record.ProjectOwner {
		return Reply{}, record.Wrong("role_name", "cannot be given to the owner of the project")
	}
	m.Role = body.Role()
	if body.Comment != nil {
		m.Comment = *body.Comment
	}
	if m.UserID == 0 { // an id that no person gets, by which the invitation can be withdrawn
		if m.UserID, err = bucket.People.NextID(tx); err != nil {
			return Reply{}, err
		}
	}
	if err := bucket.ProjectMembers.Put(tx, memberKey(m), m); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 201, Body: present.Message{Message: record.UserInvited}}, putProject(tx, p)
}

// invited is the member or invitation that a body names, without a project when it is
// new.
func invited(tx *bucket.Tx, all []*record.ProjectMember, body *record.InviteBody) (*record.ProjectMember, error) {
	fresh := &record.ProjectMember{}
	if fresh.UserID = body.User(); fresh.UserID != 0 {
		p, err := bucket.People.Get(tx, fresh.UserID)
		if errors.Is(err, bucket.ErrNotFound) || err == nil && p.AccountID == 0 {
			return nil, record.Wrong("user_id", "is not the id of a user")
		}
		if err != nil {
			return nil, err
		}
		fresh.AccountID = p.AccountID
	} else {
		fresh.Email = body.Address()
		if id, ok := bucket.AccountsByEmail.First(tx, bucket.SortKey(record.FoldEmail(fresh.Email))); ok {
			acc, err := bucket.Accounts.Get(tx, id)
			if err != nil {
				return nil, err
			}
			fresh.UserID, fresh.AccountID = acc.PersonID, acc.ID
		}
	}
	for _, m := range all {
		same := m.UserID == fresh.UserID
		if fresh.UserID == 0 {
			same = m.Invited() && record.FoldEmail(m.Email) == record.FoldEmail(fresh.Email)
		}
		if same {
			return m, nil
		}
	}
	return fresh, nil
}

// claimInvitations makes a new account a member wherever its address was invited.
func claimInvitations(tx *bucket.Tx, acc *record.Account) error {
	for _, key := range hitKeys(bucket.MembersByEmail.Ascending(tx, bucket.SortKey(record.FoldEmail(acc.Email)))) {
		m, err := bucket.ProjectMembers.Get(tx, key)
		if err != nil {
			return err
		}
		if err := bucket.ProjectMembers.Delete(tx, key); err != nil {
			return err
		}
		m.UserID, m.AccountID = acc.PersonID, acc.ID
		if err := bucket.ProjectMembers.Put(tx, memberKey(m), m); err != nil {
			return err
		}
		p, err := bucket.Projects.Get(tx, m.ProjectID)
		if err != nil {
			return err
		}
		if err := putProject(tx, p); err != nil {
			return err
		}
	}
	return nil
}

// ProjectMemberDelete takes a member out of a project, or withdraws an invitation
// (specification 4.6). What the member put into it stays there and stays his.
func (a *API) ProjectMemberDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	p, _, err := c.project(tx, record.ProjectOwner)
	if err != nil {
		return Reply{}, err
	}
	m, err := bucket.ProjectMembers.Get(tx, bucket.Pair{A: p.ID, B: c.ID("user_id")})
	if errors.Is(err, bucket.ErrNotFound) {
		return Reply{}, record.ErrMemberNotFound
	}
	if err != nil {
		return Reply{}, err
	}
	return dropMember(tx, p, m)
}

// ProjectLeave takes the caller out of a project (specification 4.6).
func (a *API) ProjectLeave(c *Call, tx *bucket.Tx) (Reply, error) {
	p, m, err := c.project(tx, record.ProjectViewer)
	if err != nil {
		return Reply{}, err
	}
	return dropMember(tx, p, m)
}

func dropMember(tx *bucket.Tx, p *record.Project, m *record.ProjectMember) (Reply, error) {
	if m.Role == record.ProjectOwner {
		return Reply{}, record.ErrProjectOwner
	}
	if err := bucket.ProjectMembers.Delete(tx, memberKey(m)); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204}, putProject(tx, p)
}

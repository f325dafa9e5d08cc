package own

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/site"
)

// projectMembers are the people of a project, and for its owner the forms that change them.
type projectMembers struct {
	*projectPage
	List   []projectMember
	Invite []site.Control
	Sought string
	Found  []site.Option
	NoOne  string // what a search says that found no person
	Mails  bool   // who is invited is told
	Leaves bool   // the person can leave
}

type projectMember struct {
	ID      int64
	Name    string
	Role    string
	Address string // of an invitation
	Changes bool   // by the owner: another role, or out
	Roles   []site.Option
}

// ProjectPeople lists the members of a project, and who is invited.
func (s *Pages) ProjectPeople(c *endpoint.Call) (endpoint.Reply, error) {
	return s.projectPeople(c, http.StatusOK, "", "", "")
}

// projectPeople shows the members with what is wrong: with the address, with the comment, or with all of it.
func (s *Pages) projectPeople(c *endpoint.Call, status int, wrongAddress, wrongComment, said string) (endpoint.Reply, error) {
	p, err := s.projectOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w := &p.OwnProject
	v := projectMembers{projectPage: p, Sought: strings.TrimSpace(site.Asked(c, "q")), Mails: s.api.Mails(), Leaves: !p.Owns}
	var list []present.ProjectCollaborator
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		r, err := s.api.ProjectMembers(c.Unasked(), tx)
		list, _ = r.Body.([]present.ProjectCollaborator)
		return err
	})
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	roles := func(now string) (list []site.Option) {
		for _, name := range []string{"Viewer", "Collaborator"} {
			list = append(list, site.Option{Value: strings.ToLower(name), Words: w.RoleMeans[name], Chosen: name == now})
		}
		return list
	}
	for _, m := range list {
		row := projectMember{ID: m.UserID, Name: m.Name, Role: p.Mine.Roles[m.RoleName], Changes: p.Owns && m.RoleName != "Owner", Roles: roles(m.RoleName)}
		if site.Text(m.Status) != "" {
			row.Address = m.Name
		}
		v.List = append(v.List, row)
	}
	if p.Owns {
		role := c.Field("role")
		if role == "" {
			role = "viewer"
		}
		v.Invite = []site.Control{
			{Name: "email", Kind: "line", Input: "email", Label: w.InviteAddress, Help: w.InviteHelp, Value: c.Field("email"), Most: site.MostEmail, Error: wrongAddress},
			{Name: "role", Kind: "radio", Label: w.RoleLabel, Options: roles(strings.ToUpper(role[:1]) + role[1:])},
			{Name: "comment", Kind: "area", Rows: 2, Label: w.Comment, Help: w.CommentHelp, Value: c.Field("comment"), Error: wrongComment},
		}
		for _, k := range v.Invite {
			if k.Error != "" {
				v.Fields = append(v.Fields, site.Field{Name: k.Name, Error: k.Error})
			}
		}
		if err := s.findPeople(c, &v); err != nil {
			return endpoint.Reply{}, err
		}
	}
	if v.Said = said; status != http.StatusOK {
		v.Done = ""
	}
	p.Frame.Main = v
	return s.formPage(c, "projectmembers", status, p.Frame)
}

func (s *Pages) findPeople(c *endpoint.Call, v *projectMembers) error {
	if v.Sought == "" {
		return nil
	}
	found, err := s.api.PeopleToInvite(c, v.Sought)
	if site.Refusal(err) != nil {
		v.NoOne = v.OwnProject.PeopleShort
		return nil
	}
	if len(found) == 0 {
		v.NoOne = v.OwnProject.PeopleNone
	}
	for _, one := range found {
		v.Found = append(v.Found, site.Option{Value: strconv.FormatInt(one.ID, 10), Words: one.FullName, Help: site.Text(one.ORCID)})
	}
	return err
}

// ChangeProjectPeople invites a person, gives another role, takes a member out; or accepts an invitation, or leaves.
func (s *Pages) ChangeProjectPeople(c *endpoint.Call) (endpoint.Reply, error) {
	p, err := s.projectOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	at := p.Base + "/members"
	w := &p.OwnProject
	said := ""
	switch do := c.Field("do"); {
	case do == "accept":
		said = "accepted"
		_, err = s.api.Change(c, nil, "", nil, s.api.ProjectAccept)
	case do == "leave":
		if _, err = s.api.Change(c, nil, "", nil, s.api.ProjectLeave); err == nil {
			return endpoint.Reply{Status: http.StatusSeeOther, Location: own[2] + "?left=1"}, nil
		}
	case c.Field("out") != "":
		said = "out"
		_, err = s.api.Change(c, nil, "", nil, ownsIt, s.api.WithoutProjectMember(c.Field("out")))
	case c.Field("change") != "":
		said = "role"
		id := c.Field("change")
		body := map[string]any{"role_name": c.Field("role." + id)}
		if body["user_id"] = numeric(id); c.Field("address."+id) != "" { // an invitation is known by its address
			body["user_id"], body["email"] = nil, c.Field("address."+id)
		}
		_, err = s.api.Change(c, nil, "", nil, ownsIt, handlers.With(s.api.ProjectInvite, object(body)))
	default:
		said = "invited"
		err = s.invite(c)
	}
	if wait := site.Waiting(err); wait > 0 {
		r, err := s.projectPeople(c, http.StatusTooManyRequests, "", "", fmt.Sprintf(p.Mails.Tired, site.Minutes(wait)))
		r.Header.Set("Retry-After", strconv.Itoa(wait))
		return r, err
	}
	switch refused := site.Refusal(err); {
	case refused == nil && err != nil:
		return endpoint.Reply{}, err
	case refused != nil && refused.Class == record.Forbidden && !p.Owns:
		return endpoint.Reply{}, err
	case refused != nil && refused.Class == record.NotFound:
		return s.projectPeople(c, http.StatusUnprocessableEntity, "", "", w.MemberGone)
	case refused != nil:
		address, comment, all := "", "", ""
		switch refused.Data["field"] {
		case "email", "user_id":
			address = w.AddressWrong
		case "comment":
			comment = w.CommentWrong
		default:
			all = p.Refused(refused)
		}
		return s.projectPeople(c, http.StatusUnprocessableEntity, address, comment, all)
	}
	return done(at, said), nil
}

// invite invites the address or the person that the form names.
func (s *Pages) invite(c *endpoint.Call) error {
	role, email, comment := c.Field("role"), strings.TrimSpace(c.Field("email")), strings.TrimSpace(unified(c.Field("comment")))
	body := record.InviteBody{RoleName: &role, Email: &email, Comment: &comment}
	if chosen := c.Field("person"); chosen != "" {
		id, err := strconv.ParseInt(chosen, 10, 64)
		if err != nil || id < 1 {
			return record.Wrong("user_id", "is not the id of a user")
		}
		body.UserID, body.Email = &id, nil
	}
	return s.api.Invite(c, &body, site.LanguageOf(c))
}

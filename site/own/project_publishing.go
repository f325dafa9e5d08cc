package own

import (
	"errors"
	"net/http"
	"strings"

	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/site"
)

// PublishProjectPage says what is public once the project is.
func (s *Pages) PublishProjectPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.askOfProject(c, http.StatusOK, publishProject, "", "")
}

// UnpublishProjectPage asks for the reason of a withdrawal.
func (s *Pages) UnpublishProjectPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.askOfProject(c, http.StatusOK, unpublishProject, "", "")
}

// DeleteProjectPage asks before a project is deleted.
func (s *Pages) DeleteProjectPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.askOfProject(c, http.StatusOK, deleteProject, "", "")
}

const (
	publishProject = iota
	unpublishProject
	deleteProject
)

// askOfProject is a page that asks before something is done with a project, with what was wrong with a reason or with
// all of it.
func (s *Pages) askOfProject(c *endpoint.Call, status, what int, wrong, said string) (endpoint.Reply, error) {
	p, err := s.owned(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w := &p.OwnProject
	v := &confirming{Frame: p.Frame, Back: p.Base, Item: p.Heading, Tag: p.Tag, Action: c.Address().Path, Form: site.Form{Said: said}}
	switch what {
	case publishProject:
		v.Heading, v.Text, v.Button = w.PublishTitle, w.PublishText, w.Publish
		if p.public() {
			v.Button, v.Text = "", w.IsPublic
		}
		var people []string
		for _, one := range p.doc.Collaborators {
			people = append(people, one.Name)
		}
		v.Facts = []fact{{p.FieldTitle, []string{p.Heading}}, {w.MembersTab, people}}
	case unpublishProject:
		v.Heading, v.Text, v.Button = w.Unpublish, w.UnpublishText, w.Unpublish
		v.Controls = []site.Control{
			{Name: "reason", Kind: "area", Rows: 2, Label: p.Edit.Reason, Help: p.Edit.ReasonHelp, Value: c.Field("reason"), Error: wrong},
			{Name: "public_reason", Kind: "area", Rows: 2, Label: p.Edit.PublicReason, Help: p.Edit.PublicReasonHelp, Value: c.Field("public_reason")},
		}
		if wrong != "" {
			v.Fields = []site.Field{{Name: "reason", Error: wrong}}
		}
		if !p.public() {
			v.Button, v.Text, v.Controls = "", p.Edit.NotPublic, nil
		}
	case deleteProject:
		v.Heading, v.Text, v.Button = w.Delete, w.DeleteText, w.Delete
		if p.doc.Storage == "group" {
			v.Text = w.DeleteGroupText
		}
	}
	p.Frame.Title = v.Heading
	return s.confirmPage(c, status, v)
}

// PublishProject makes a project public.
func (s *Pages) PublishProject(c *endpoint.Call) (endpoint.Reply, error) {
	return s.doWithProject(c, publishProject, s.api.ProjectRead, "published", s.api.ProjectPublish)
}

// UnpublishProject makes a public project private again.
func (s *Pages) UnpublishProject(c *endpoint.Call) (endpoint.Reply, error) {
	body := map[string]any{"reason": strings.TrimSpace(c.Field("reason"))}
	if public := strings.TrimSpace(c.Field("public_reason")); public != "" {
		body["public_reason"] = public
	}
	return s.doWithProject(c, unpublishProject, s.api.ToUnpublishProject, "withdrawn", handlers.With(s.api.ProjectUnpublish, object(body)))
}

// DeleteProject deletes a project.
func (s *Pages) DeleteProject(c *endpoint.Call) (endpoint.Reply, error) {
	return s.doWithProject(c, deleteProject, s.api.ProjectRead, "", s.api.ProjectDelete)
}

// doWithProject does what a page has asked about, if the project is as that showed it.
func (s *Pages) doWithProject(c *endpoint.Call, what int, state endpoint.Step, said string, step endpoint.Step) (endpoint.Reply, error) {
	p, err := s.owned(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if c.Field("tag") != p.Tag {
		return s.askOfProject(c, site.StaleStatus(c), what, "", p.Edit.ChangedMeanwhile)
	}
	_, err = s.api.Change(c, state, p.Tag, nil, ownsIt, step)
	switch refused := site.Refusal(err); {
	case errors.Is(err, record.ErrStale):
		return s.askOfProject(c, http.StatusPreconditionFailed, what, "", p.Edit.ChangedMeanwhile)
	case refused != nil && refused.Class == record.Invalid:
		return s.askOfProject(c, http.StatusUnprocessableEntity, what, p.Edit.ReasonWrong, "")
	case refused != nil && (refused.Class == record.Unreadable || refused.Class == record.Forbidden || refused.Class == record.Conflict):
		return s.askOfProject(c, http.StatusUnprocessableEntity, what, "", p.Refused(refused))
	case err != nil:
		return endpoint.Reply{}, site.Unknown(err)
	}
	if what == deleteProject {
		return endpoint.Reply{Status: http.StatusSeeOther, Location: own[2] + "?deleted=1"}, nil
	}
	return done(p.Base, said), nil
}

package own

import (
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/site"
)

// owned is projectOf for pages that only the owner has.
func (s *Pages) owned(c *endpoint.Call) (*projectPage, error) {
	p, err := s.projectOf(c)
	if err == nil && !p.Owns {
		err = record.ErrProjectRole
	}
	if err != nil || p.doc.GroupID == nil {
		return p, err
	}
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		defined, err := s.api.DefinedFields(tx, *p.doc.GroupID)
		p.custom = customRows(asDefined(p.doc.CustomFields, defined))
		return err
	})
	return p, err
}

// asDefined are the custom fields of a project, which knows their values alone, with the definitions of its group:
// those that are defined first, then others that it has.
func asDefined(has, defined []present.CustomField) []present.CustomField {
	list := slices.Clone(defined)
	for _, h := range has {
		if i := slices.IndexFunc(list, func(f present.CustomField) bool { return f.Name == h.Name }); i >= 0 {
			list[i].Value = h.Value
		} else {
			list = append(list, h)
		}
	}
	return list
}

// projectForm is the form that describes a project.
type projectForm struct {
	*projectPage
	Controls, Custom []site.Control
	Group            string
}

// keyFields is the key of custom fields in bodies of the API.
const keyFields = "custom_fields_list"

// said are the texts of a project by their key in the API.
func (v *projectPage) said() map[string]string {
	var grants []string
	for _, g := range v.doc.FundingList {
		grants = append(grants, g.Title)
	}
	return map[string]string{
		"title": site.Text(v.doc.Title), "description": unified(site.Text(v.doc.Description)), "funding": unified(site.Text(v.doc.Funding)), "funding_list": strings.Join(grants, "\n"),
	}
}

// ProjectForm is the form of a project.
func (s *Pages) ProjectForm(c *endpoint.Call) (endpoint.Reply, error) {
	p, err := s.owned(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return s.projectForm(c, p, http.StatusOK, p.said(), p.custom, nil, false)
}

// projectForm shows the form with what was written in it. Where it is stale, what is saved stands below what differs.
func (s *Pages) projectForm(c *endpoint.Call, p *projectPage, status int, written map[string]string, custom []customRow, wrong map[string]string, stale bool) (endpoint.Reply, error) {
	w, is := &p.Edit, p.said()
	v := projectForm{projectPage: p, Custom: fieldControls(p.Words, custom), Controls: []site.Control{
		{Name: "title", Kind: "line", Label: p.FieldTitle, Most: 500},
		{Name: "description", Kind: "area", Rows: 8, Label: w.Description},
		{Name: "funding", Kind: "line", Label: w.FundingText, Most: 2000},
		{Name: "funding_list", Kind: "area", Rows: 3, Label: w.Grants, Help: w.GrantsHelp},
	}}
	for i := range v.Controls {
		k := &v.Controls[i]
		k.Value, k.Error, k.Take, k.TheirsKey = written[k.Name], wrong[k.Name], w.TakeTheirs, k.Name
		if stale && written[k.Name] != is[k.Name] {
			theirs := is[k.Name]
			if theirs == "" {
				theirs = w.Nothing
			}
			k.Theirs = strings.Replace(w.TheirValue, "%s", theirs, 1)
		}
		if k.Error != "" {
			v.Fields = append(v.Fields, site.Field{Name: k.Name, Error: k.Error})
		}
	}
	if len(v.Custom) > 0 { // the first control stands for all of them
		k := &v.Custom[0]
		k.Error, k.Take, k.TheirsKey = wrong[keyFields], w.TakeTheirs, keyFields
		if stale && !reflect.DeepEqual(fieldBodies(custom), fieldBodies(p.custom)) {
			theirs := (&draft{Custom: p.custom}).says(keyFields)
			if theirs == "" {
				theirs = w.Nothing
			}
			k.Theirs = strings.Replace(w.TheirValue, "%s", theirs, 1)
		}
		if k.Error != "" {
			v.Fields = append(v.Fields, site.Field{Name: k.Name, Error: k.Error})
		}
	}
	if p.doc.GroupID != nil && *p.doc.GroupID != 0 {
		name, err := s.groupName(c, *p.doc.GroupID)
		if err != nil {
			return endpoint.Reply{}, err
		}
		v.Group = strings.Replace(p.OwnProject.GroupStays, "%s", name, 1)
	}
	if status != http.StatusOK {
		v.Done = ""
	}
	p.Frame.Main = v
	return s.formPage(c, "projectform", status, p.Frame)
}

// SaveProject takes the form of a project.
func (s *Pages) SaveProject(c *endpoint.Call) (endpoint.Reply, error) {
	p, err := s.owned(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, is := &p.Edit, p.said()
	written, body := map[string]string{}, map[string]any{}
	for name, was := range is {
		value := strings.TrimSpace(unified(c.Field(name)))
		if !c.Written(name) || slices.Contains(c.Fields("theirs"), name) {
			value = was
		}
		if written[name] = value; value == strings.TrimSpace(was) {
			continue
		}
		if body[name] = value; name == "funding_list" {
			grants := []any{}
			for _, title := range lines(value) {
				grants = append(grants, map[string]any{"title": title})
			}
			body[name] = grants
		}
	}
	custom := readRows(c, p.custom)
	if slices.Contains(c.Fields("theirs"), keyFields) {
		custom = p.custom
	}
	if fields := fieldBodies(custom); !reflect.DeepEqual(fields, fieldBodies(p.custom)) {
		body[keyFields] = fields
	}
	if c.Field("tag") != p.Tag {
		p.Said = w.Stale
		return s.projectForm(c, p, site.StaleStatus(c), written, custom, nil, true)
	}
	if len(body) == 0 {
		return done(p.Base, "saved"), nil
	}
	_, err = s.api.Change(c, s.api.ProjectRead, p.Tag, nil, ownsIt, handlers.With(s.api.ProjectUpdate, object(body)))
	switch refused := site.Refusal(err); {
	case errors.Is(err, record.ErrStale):
		if p, err = s.owned(c); err != nil {
			return endpoint.Reply{}, err
		}
		p.Said = w.Stale
		return s.projectForm(c, p, http.StatusPreconditionFailed, written, readRows(c, p.custom), nil, true)
	case refused != nil && refused.Class == record.Invalid:
		wrong := map[string]string{}
		for _, name := range append(slices.Collect(maps.Keys(is)), keyFields) {
			if at, _ := refused.Data["field"].(string); strings.HasPrefix(at, name) && (name != "funding" || !strings.HasPrefix(at, "funding_list")) {
				wrong[name] = p.Refused(refused)
			}
		}
		if wrong["title"] != "" {
			wrong["title"] = p.Mine.TitleWrong
		}
		if len(wrong) == 0 {
			p.Said = p.Refused(refused)
		}
		return s.projectForm(c, p, http.StatusUnprocessableEntity, written, custom, wrong, false)
	case err != nil:
		return endpoint.Reply{}, site.Unknown(err)
	}
	return done(p.Base, "saved"), nil
}

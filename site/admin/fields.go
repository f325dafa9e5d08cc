package admin

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/site"
	"alcove/site/words"
)

// fieldParts are the custom fields that the group defines, the form of the one that the address names, and that of a
// new one; what is a form that was refused, which is shown as it was written.
func (a *Admin) fieldParts(c *endpoint.Call, v *page, g *record.Group, fields []*record.Field, what string) []part {
	w := &v.Admin
	list := part{ID: "fields", Heading: w.CustomFields, Text: w.FieldsText, Table: &table{
		Caption: w.CustomFields, Head: []string{w.Name, w.FieldType, w.Required, w.Order}, None: w.NoFields,
	}}
	is := map[bool]string{true: v.Yes, false: v.No}
	chosen := cmp.Or(id(site.Asked(c, "record")), id(c.Field("field")))
	var edit []part
	for _, f := range fields {
		list.Table.Rows = append(list.Table.Rows, []cell{
			{Text: f.Name, URL: fmt.Sprintf("%s?record=%d#field", groupAt(g.ID), f.ID)}, {Text: w.FieldTypes[string(f.Type)], Label: w.FieldType},
			{Text: is[f.Mandatory], Label: w.Required}, {Text: strconv.Itoa(f.Order), Label: w.Order},
		})
		if f.ID != chosen {
			continue
		}
		shown := *f
		if what == "change_field" {
			shown, _ = writtenField(c)
			shown.ID, shown.Type = f.ID, f.Type
		}
		remove := do(groupAt(g.ID), "remove_field", w.RemoveField)
		remove.Hidden, remove.Text = []hidden{{"field", strconv.FormatInt(f.ID, 10)}}, w.RemoveFieldText
		edit = []part{{ID: "field", Heading: w.Change + ": " + f.Name, Forms: []action{fieldForm(w, g, &shown), remove}}}
	}
	blank := record.Field{Type: record.FieldText}
	if what == "add_field" {
		blank, _ = writtenField(c)
	}
	return append(append([]part{list}, edit...), part{Heading: w.NewField, Forms: []action{fieldForm(w, g, &blank)}})
}

// fieldForm is the form of a custom field, of a new one where it has no id. The type of one that there is stays, as
// items have values of it.
func fieldForm(w *words.Admin, g *record.Group, f *record.Field) action {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	form := do(groupAt(g.ID), "add_field", w.AddField)
	prefix := "new_"
	if f.ID != 0 {
		form, prefix = do(groupAt(g.ID), "change_field", w.Store), "field_"
		form.Hidden = []hidden{{"field", strconv.FormatInt(f.ID, 10)}}
	}
	form.Controls = append(form.Controls, site.Control{Name: "name", Kind: "line", Label: w.Name, Value: f.Name, Most: 255})
	if f.ID == 0 {
		types := site.Control{Name: "type", Kind: "select", Label: w.FieldType}
		for _, t := range fieldTypes {
			types.Options = append(types.Options, site.Option{Value: string(t), Words: w.FieldTypes[string(t)], Chosen: t == f.Type})
		}
		form.Controls = append(form.Controls, types)
	}
	if f.ID == 0 || f.List() {
		form.Controls = append(form.Controls, site.Control{Name: "options", Kind: "area", Label: w.Options, Help: w.OptionsHelp, Value: strings.Join(f.Options, "\n"), Rows: 5},
			site.Control{Name: "multiple", Kind: "check", Label: w.Multiple, Chosen: f.Multiple})
	}
	if f.ID == 0 || !f.List() {
		form.Controls = append(form.Controls, site.Control{Name: "min", Kind: "line", Input: "number", Label: w.MinLength, Value: number(f.MinLength), Most: 6},
			site.Control{Name: "max", Kind: "line", Input: "number", Label: w.MaxLength, Value: number(f.MaxLength), Most: 6})
	}
	form.Controls = append(form.Controls, site.Control{Name: "placeholder", Kind: "line", Label: w.FieldHelp, Value: f.Placeholder, Most: 255},
		site.Control{Name: "order", Kind: "line", Input: "number", Label: w.Order, Help: w.OrderHelp, Value: number(f.Order), Most: 6},
		site.Control{Name: "mandatory", Kind: "check", Label: w.RequiredText, Chosen: f.Mandatory},
		site.Control{Name: "identifying", Kind: "check", Label: w.Identifying, Chosen: f.Identifying})
	for i := range form.Controls {
		form.Controls[i].Name = prefix + form.Controls[i].Name
	}
	return form
}

var fieldTypes = []record.FieldType{
	record.FieldText, record.FieldTextArea, record.FieldDropdown, record.FieldURL, record.FieldEmail, record.FieldDate, record.FieldLargeList,
}

// writtenField is the field that a form describes, and whether its numbers are some.
func writtenField(c *endpoint.Call) (f record.Field, right bool) {
	right = true
	prefix := "new_" // of the fields of the form, as a page has two such forms
	if c.Field("do") == "change_field" {
		prefix = "field_"
	}
	number := func(name string) int {
		text := strings.TrimSpace(c.Field(prefix + name))
		if text == "" {
			return 0
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > 1_000_000 {
			right = false
			return 0
		}
		return n
	}
	name, shown := line(c, prefix+"name", 255)
	help, also := line(c, prefix+"placeholder", 255)
	f = record.Field{
		Name: name, Type: record.FieldType(c.Field(prefix + "type")), Placeholder: help, Order: number("order"), MinLength: number("min"), MaxLength: number("max"),
		Mandatory: c.Field(prefix+"mandatory") != "", Multiple: c.Field(prefix+"multiple") != "", Identifying: c.Field(prefix+"identifying") != "",
	}
	for one := range strings.Lines(c.Field(prefix + "options")) {
		if one = strings.TrimSpace(one); one != "" {
			f.Options = append(f.Options, one)
		}
	}
	return f, right && shown && also && name != ""
}

// ChangeGroup does what a form of the page of a group says.
func (a *Admin) ChangeGroup(c *endpoint.Call) (endpoint.Reply, error) {
	what, at := c.Field("do"), groupAt(c.ID("group_id"))
	field, right := writtenField(c)
	_, err := a.api.Change(c, nil, "", nil, func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		g, r, err := a.group(c, tx)
		if err != nil {
			return endpoint.Reply{}, err
		}
		switch what {
		case "add_field", "change_field", "remove_field":
			if what != "remove_field" && !right {
				return endpoint.Reply{}, errFieldBad
			}
			return endpoint.Reply{}, a.changeField(c, tx, g, field, what)
		case "change", "remove":
			if !r.Whole {
				return endpoint.Reply{}, record.ErrGroupNotAllowed
			}
		default:
			return endpoint.Reply{}, record.Wrong("do", "is not known")
		}
		if what == "remove" {
			return endpoint.Reply{}, accounts.RemoveGroup(tx, g.ID)
		}
		parent, review := id(c.Field("parent")), c.Field("review") != ""
		if err := r.CheckGroup(parent); err != nil {
			return endpoint.Reply{}, err
		}
		name, shown := line(c, "name", 255)
		criteria, also := line(c, "criteria", 255)
		if name == "" || !shown || !also {
			return endpoint.Reply{}, errNameBad
		}
		_, err = accounts.StoreGroup(tx, accounts.GroupEdit{ID: g.ID, Name: &name, ParentID: &parent, AssociationCriteria: &criteria, Review: &review})
		return endpoint.Reply{}, err
	})
	w := site.WordsOf(c)
	text, again := said(w, err)
	switch {
	case errors.Is(err, errFieldBad):
		text, again = w.Admin.FieldBad, true
	case errors.Is(err, errNameBad):
		text, again = w.Admin.GroupNameBad, true
	}
	switch {
	case again:
		return a.groupPage(c, statusOf(err), text, what)
	case err != nil:
		return endpoint.Reply{}, err
	case what == "remove":
		at = groupsPath
	}
	return site.Onward(at + "?done=" + what), nil
}

var (
	errFieldBad = errors.New("the field cannot be read")
	errNameBad  = errors.New("the name cannot be taken")
)

func (a *Admin) changeField(c *endpoint.Call, tx *bucket.Tx, g *record.Group, f record.Field, what string) error {
	f.GroupID = g.ID
	if what == "add_field" {
		if !f.List() {
			f.Options, f.Multiple = nil, false
		} else {
			f.MinLength, f.MaxLength = 0, 0
		}
		_, err := accounts.AddField(tx, f)
		return err
	}
	was, err := users.Fields.Get(tx, id(c.Field("field")))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && was.GroupID != g.ID {
		return record.ErrNotFound
	}
	if err != nil {
		return err
	}
	if what == "remove_field" {
		return accounts.RemoveField(tx, was.ID)
	}
	f.ID, f.Type, f.Uploaded = was.ID, was.Type, was.Uploaded
	if !f.List() {
		f.Options, f.Multiple = nil, false
	}
	if f.Order == 0 {
		f.Order = was.Order
	}
	return accounts.ChangeField(tx, &f)
}

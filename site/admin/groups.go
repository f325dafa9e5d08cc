package admin

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/accounts"
	"alcove/record"
	"alcove/site"
)

const groupsPath = root + "/groups"

// place is where a group stands in the tree.
type place struct {
	group *record.Group
	path  string // its name behind those above it
}

// placed are all groups in the order of their tree, which is by name.
func placed(by map[int64]*record.Group) (list []place) {
	below := childrenOf(by)
	var walk func(parent int64, above string)
	walk = func(parent int64, above string) {
		for _, g := range below[parent] {
			list = append(list, place{g, above + g.Name})
			walk(g.ID, above+g.Name+" / ")
		}
	}
	walk(0, "")
	return list
}

func childrenOf(by map[int64]*record.Group) map[int64][]*record.Group {
	below := map[int64][]*record.Group{}
	for _, g := range by {
		below[g.ParentID] = append(below[g.ParentID], g)
	}
	for _, list := range below {
		slices.SortFunc(list, func(a, b *record.Group) int {
			return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
		})
	}
	return below
}

func groupAt(id int64) string { return fmt.Sprintf("%s/%d", groupsPath, id) }

// Groups is the tree of the groups that the person administers.
func (a *Admin) Groups(c *handlers.Call) (handlers.Reply, error) {
	return a.groupsPage(c, http.StatusOK, "", "")
}

func (a *Admin) groupsPage(c *handlers.Call, status int, wrong, name string) (handlers.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		r, err := a.scope(c, tx)
		if err != nil {
			return err
		}
		groups, err := names(tx)
		if err != nil {
			return err
		}
		v = a.begin(c, r, groupsPath, site.WordsOf(c).Admin.Groups)
		w := &v.Admin
		below := childrenOf(groups)
		var nodes func(parent int64) []node
		nodes = func(parent int64) (list []node) {
			for _, g := range below[parent] {
				if !r.Groups[g.ID] {
					list = append(list, nodes(g.ID)...)
					continue
				}
				n := node{Text: g.Name, URL: groupAt(g.ID), Below: nodes(g.ID)}
				if g.Review {
					n.Small = w.Reviewed
				}
				list = append(list, n)
			}
			return list
		}
		tree := part{Tree: nodes(0)}
		if len(tree.Tree) == 0 {
			tree.Text = w.NoGroups
		}
		v.Parts = []part{tree}
		if r.Whole {
			add := do(groupsPath, "add", w.AddGroup)
			add.Controls = []site.Control{
				{Name: "name", Kind: "line", Label: w.GroupName, Value: name, Most: 255, Error: wrong},
				{Name: "parent", Kind: "select", Label: w.Below, Options: groupOptions(r, groups, id(c.Field("parent")), w.AtTop)},
			}
			if wrong != "" {
				v.Form.Fields = []site.Field{{Name: "name", Error: wrong}}
			}
			v.Parts = append(v.Parts, part{Heading: w.NewGroup, Forms: []action{add}})
		}
		return nil
	})
	if err != nil {
		return handlers.Reply{}, err
	}
	return a.show(c, status, v)
}

// AddGroup makes a group.
func (a *Admin) AddGroup(c *handlers.Call) (handlers.Reply, error) {
	name, shown := line(c, "name", 255)
	if err := a.wholeOnly(c); err != nil {
		return handlers.Reply{}, err
	}
	if name == "" || !shown {
		return a.groupsPage(c, http.StatusUnprocessableEntity, site.WordsOf(c).Admin.GroupNameBad, name)
	}
	made, parent := int64(0), id(c.Field("parent"))
	_, err := a.api.Change(c, nil, "", nil, func(c *handlers.Call, tx *bucket.Tx) (handlers.Reply, error) {
		r, err := a.whole(c, tx)
		if err != nil {
			return handlers.Reply{}, err
		}
		if err := r.CheckGroup(parent); err != nil {
			return handlers.Reply{}, err
		}
		made, err = accounts.StoreGroup(tx, accounts.GroupEdit{Name: &name, ParentID: &parent})
		return handlers.Reply{}, err
	})
	if text, again := said(site.WordsOf(c), err); again {
		return a.groupsPage(c, http.StatusUnprocessableEntity, text, name)
	}
	if err != nil {
		return handlers.Reply{}, err
	}
	return site.Onward(groupAt(made) + "?done=group_added"), nil
}

// group is the group of the path when the person administers it.
func (a *Admin) group(c *handlers.Call, tx *bucket.Tx) (*record.Group, *handlers.AdminScope, error) {
	r, err := a.scope(c, tx)
	if err != nil {
		return nil, nil, err
	}
	if !r.Groups[c.ID("group_id")] {
		return nil, nil, record.ErrNotFound
	}
	g, err := bucket.Groups.Get(tx, c.ID("group_id"))
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrNotFound
	}
	return g, r, err
}

// Group is the page of one group, with its custom fields.
func (a *Admin) Group(c *handlers.Call) (handlers.Reply, error) {
	return a.groupPage(c, http.StatusOK, "", "")
}

// groupPage is the page with what is wrong with a form; do is which one it was.
func (a *Admin) groupPage(c *handlers.Call, status int, wrong, what string) (handlers.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		g, r, err := a.group(c, tx)
		if err != nil {
			return err
		}
		groups, err := names(tx)
		if err != nil {
			return err
		}
		fields, err := accounts.FieldsOf(tx, g.ID)
		if err != nil {
			return err
		}
		v = a.begin(c, r, groupsPath, g.Name)
		w := &v.Admin
		v.Up, v.Said = site.Link{Text: w.Groups, URL: groupsPath}, wrong
		v.Parts = []part{{Links: []site.Link{{Text: w.PeopleOfGroup, URL: peoplePath + "?group=" + strconv.FormatInt(g.ID, 10)}}}}
		if r.Whole {
			v.Parts = append(v.Parts, a.groupForms(v, r, g, groups))
		}
		v.Parts = append(v.Parts, a.fieldParts(c, v, g, fields, what)...)
		if r.Whole {
			remove := do(groupAt(g.ID), "remove", w.RemoveGroup)
			remove.Text = w.RemoveGroupText
			v.Parts = append(v.Parts, part{Heading: w.Remove, Forms: []action{remove}})
		}
		return nil
	})
	if err != nil {
		return handlers.Reply{}, err
	}
	return a.show(c, status, v)
}

func (a *Admin) groupForms(v *page, r *handlers.AdminScope, g *record.Group, groups map[int64]*record.Group) part {
	w := &v.Admin
	rest := map[int64]*record.Group{}
	for id, one := range groups {
		if !below(groups, one, g.ID) {
			rest[id] = one
		}
	}
	change := do(groupAt(g.ID), "change", w.Store)
	change.Controls = []site.Control{
		{Name: "name", Kind: "line", Label: w.GroupName, Value: g.Name, Most: 255},
		{Name: "parent", Kind: "select", Label: w.Below, Help: w.BelowHelp, Options: groupOptions(r, rest, g.ParentID, w.AtTop)},
		{Name: "criteria", Kind: "line", Label: w.Criteria, Help: w.CriteriaHelp, Value: g.AssociationCriteria, Most: 255},
		{Name: "review", Kind: "check", Label: w.AsksReview, Chosen: g.Review},
	}
	return part{Heading: w.NameAndPlace, Forms: []action{change}}
}

// below reports whether a group is one or stands below it.
func below(groups map[int64]*record.Group, g *record.Group, one int64) bool {
	for range groups { // a chain of parents is never longer than this
		if g == nil || g.ID == one {
			break
		}
		g = groups[g.ParentID]
	}
	return g != nil && g.ID == one
}

// fieldParts are the custom fields that the group defines, the form of the one that the address names, and that of a
// new one; what is a form that was refused, which is shown as it was written.
func (a *Admin) fieldParts(c *handlers.Call, v *page, g *record.Group, fields []*record.Field, what string) []part {
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
func fieldForm(w *site.AdminWords, g *record.Group, f *record.Field) action {
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
func writtenField(c *handlers.Call) (f record.Field, right bool) {
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
func (a *Admin) ChangeGroup(c *handlers.Call) (handlers.Reply, error) {
	what, at := c.Field("do"), groupAt(c.ID("group_id"))
	field, right := writtenField(c)
	_, err := a.api.Change(c, nil, "", nil, func(c *handlers.Call, tx *bucket.Tx) (handlers.Reply, error) {
		g, r, err := a.group(c, tx)
		if err != nil {
			return handlers.Reply{}, err
		}
		switch what {
		case "add_field", "change_field", "remove_field":
			if what != "remove_field" && !right {
				return handlers.Reply{}, errFieldBad
			}
			return handlers.Reply{}, a.changeField(c, tx, g, field, what)
		case "change", "remove":
			if !r.Whole {
				return handlers.Reply{}, record.ErrGroupNotAllowed
			}
		default:
			return handlers.Reply{}, record.Wrong("do", "is not known")
		}
		if what == "remove" {
			return handlers.Reply{}, accounts.RemoveGroup(tx, g.ID)
		}
		parent, review := id(c.Field("parent")), c.Field("review") != ""
		if err := r.CheckGroup(parent); err != nil {
			return handlers.Reply{}, err
		}
		name, shown := line(c, "name", 255)
		criteria, also := line(c, "criteria", 255)
		if name == "" || !shown || !also {
			return handlers.Reply{}, errNameBad
		}
		_, err = accounts.StoreGroup(tx, accounts.GroupEdit{ID: g.ID, Name: &name, ParentID: &parent, AssociationCriteria: &criteria, Review: &review})
		return handlers.Reply{}, err
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
		return handlers.Reply{}, err
	case what == "remove":
		at = groupsPath
	}
	return site.Onward(at + "?done=" + what), nil
}

var (
	errFieldBad = errors.New("the field cannot be read")
	errNameBad  = errors.New("the name cannot be taken")
)

func (a *Admin) changeField(c *handlers.Call, tx *bucket.Tx, g *record.Group, f record.Field, what string) error {
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
	was, err := bucket.Fields.Get(tx, id(c.Field("field")))
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

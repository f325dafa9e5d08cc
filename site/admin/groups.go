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
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
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
func (a *Admin) Groups(c *endpoint.Call) (endpoint.Reply, error) {
	return a.groupsPage(c, http.StatusOK, "", "")
}

func (a *Admin) groupsPage(c *endpoint.Call, status int, wrong, name string) (endpoint.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		var r *people.AdminScope
		var groups map[int64]*record.Group
		var err error
		if v, r, groups, err = a.beginWithGroups(c, tx, groupsPath, site.WordsOf(c).Admin.Groups); err != nil {
			return err
		}
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
		return endpoint.Reply{}, err
	}
	return a.show(c, status, v)
}

// AddGroup makes a group.
func (a *Admin) AddGroup(c *endpoint.Call) (endpoint.Reply, error) {
	name, shown := line(c, "name", 255)
	if err := a.wholeOnly(c); err != nil {
		return endpoint.Reply{}, err
	}
	if name == "" || !shown {
		return a.groupsPage(c, http.StatusUnprocessableEntity, site.WordsOf(c).Admin.GroupNameBad, name)
	}
	made, parent := int64(0), id(c.Field("parent"))
	_, err := a.api.Change(c, nil, "", nil, func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		r, err := a.whole(c, tx)
		if err != nil {
			return endpoint.Reply{}, err
		}
		if err := r.CheckGroup(parent); err != nil {
			return endpoint.Reply{}, err
		}
		made, err = accounts.StoreGroup(tx, accounts.GroupEdit{Name: &name, ParentID: &parent})
		return endpoint.Reply{}, err
	})
	if text, again := said(site.WordsOf(c), err); again {
		return a.groupsPage(c, http.StatusUnprocessableEntity, text, name)
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return site.Onward(groupAt(made) + "?done=group_added"), nil
}

// group is the group of the path when the person administers it.
func (a *Admin) group(c *endpoint.Call, tx *bucket.Tx) (*record.Group, *people.AdminScope, error) {
	r, err := a.scope(c, tx)
	if err != nil {
		return nil, nil, err
	}
	if !r.Groups[c.ID("group_id")] {
		return nil, nil, record.ErrNotFound
	}
	g, err := users.Groups.Get(tx, c.ID("group_id"))
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrNotFound
	}
	return g, r, err
}

// Group is the page of one group, with its custom fields.
func (a *Admin) Group(c *endpoint.Call) (endpoint.Reply, error) {
	return a.groupPage(c, http.StatusOK, "", "")
}

// groupPage is the page with what is wrong with a form; do is which one it was.
func (a *Admin) groupPage(c *endpoint.Call, status int, wrong, what string) (endpoint.Reply, error) {
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
		return endpoint.Reply{}, err
	}
	return a.show(c, status, v)
}

func (a *Admin) groupForms(v *page, r *people.AdminScope, g *record.Group, groups map[int64]*record.Group) part {
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

package admin

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/record"
	"alcove/site"
)

const (
	peoplePath = root + "/people"
	peopleEach = 50
	mostWords  = 200 // characters of a search
)

// People lists the accounts that the person administers.
func (a *Admin) People(c *endpoint.Call) (endpoint.Reply, error) {
	at, err := pageOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	f := accounts.Filter{Words: strings.TrimSpace(site.Asked(c, "name")), State: site.Asked(c, "state"), Group: id(site.Asked(c, "group"))}
	if len([]rune(f.Words)) > mostWords {
		return endpoint.Reply{}, record.Wrong("name", "is too long")
	}
	var v *page
	more := false
	err = a.api.DB.View(func(tx *bucket.Tx) error {
		var r *people.AdminScope
		var groups map[int64]*record.Group
		var err error
		if v, r, groups, err = a.beginWithGroups(c, tx, peoplePath, site.WordsOf(c).Admin.People); err != nil {
			return err
		}
		list, rest, err := accounts.List(tx, r.Institution, r.Includes, f, (at-1)*peopleEach, peopleEach)
		if err != nil {
			return err
		}
		more = rest
		t := a.peopleTable(v, tx, list, groups)
		v.Parts = []part{{Forms: []action{a.peopleSearch(v, r, groups, f)}, Links: []site.Link{{Text: v.Admin.Invite, URL: peoplePath + "/invite"}}}, {Table: t}}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	v.Page = at
	if at > 1 {
		v.Previous = peopleAt(f, at-1)
	}
	if more && at < mostPages {
		v.Next = peopleAt(f, at+1)
	}
	return a.show(c, http.StatusOK, v)
}

// peopleAt is the address of a page of the list.
func peopleAt(f accounts.Filter, at int) string {
	q := url.Values{}
	for name, value := range map[string]string{"name": f.Words, "state": f.State} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.Group != 0 {
		q.Set("group", strconv.FormatInt(f.Group, 10))
	}
	if at > 1 {
		q.Set("page", strconv.Itoa(at))
	}
	if len(q) == 0 {
		return peoplePath
	}
	return peoplePath + "?" + q.Encode()
}

func (a *Admin) peopleSearch(v *page, r *people.AdminScope, groups map[int64]*record.Group, f accounts.Filter) action {
	w := &v.Admin
	states := site.Control{Name: "state", Kind: "select", Label: w.State, Options: []site.Option{{Words: w.AnyState}}}
	for _, one := range []string{accounts.StateActive, accounts.StateDisabled, accounts.StateAdministrator} {
		states.Options = append(states.Options, site.Option{Value: one, Words: w.States[one], Chosen: one == f.State})
	}
	search := action{Action: peoplePath, Query: true, Named: w.People, Button: v.Words.Search, Controls: []site.Control{
		{Name: "name", Kind: "line", Input: "search", Label: w.NameOrMail, Value: f.Words, Most: mostWords}, states,
	}}
	if len(r.Groups) > 0 {
		search.Controls = append(search.Controls, site.Control{Name: "group", Kind: "select", Label: w.Group, Options: groupOptions(r, groups, f.Group, w.AnyGroup)})
	}
	return search
}

func (a *Admin) peopleTable(v *page, tx *bucket.Tx, list []*record.Account, groups map[int64]*record.Group) *table {
	w := &v.Admin
	t := &table{Caption: w.People, Head: []string{w.Name, w.Mail, w.Group, w.Kept}, None: w.NoPeople}
	for _, acc := range list {
		t.Rows = append(t.Rows, []cell{
			{Text: site.NameOf(acc), URL: personAt(acc.ID), State: accountState(w.States, acc, tx)},
			{Text: acc.Email}, {Text: groupName(groups, acc.GroupID), Label: w.Group}, {Text: v.Bytes(acc.Used()), Label: w.Kept},
		})
	}
	return t
}

// accountState is how an account is, blank for the usual.
func accountState(states map[string]string, acc *record.Account, tx *bucket.Tx) state {
	switch {
	case !acc.Active(tx.Latest()):
		return state{"draft", states[accounts.StateDisabled]}
	case acc.Admin:
		return state{"public", states[accounts.StateAdministrator]}
	}
	return state{}
}

func groupName(groups map[int64]*record.Group, id int64) string {
	if g := groups[id]; g != nil {
		return g.Name
	}
	return ""
}

func personAt(id int64) string { return fmt.Sprintf("%s/%d", peoplePath, id) }

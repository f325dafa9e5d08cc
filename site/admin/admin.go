// Package admin has the pages of the administration, for people who administer the institution or groups of it. Others
// are told that there is no such page. All that is done there stands in handlers and its rooms, as it does for the
// commands of operators.
//
//	admin.go     who may see what, and what the pages are made of
//	people.go    accounts: the list, one of them, what is done to it
//	invite.go    invitations, one or many
//	handover.go  what one account has goes to another
//	groups.go    the tree of groups, and custom fields
//	settings.go  licences, types of items, address ranges, the banner
//	health.go    how the repository is, and who keeps how much
//	dois.go      the DOIs that the registrar is still to be told of
//	audit.go     the audit trail
//	export.go    the table of all items
package admin

import (
	"embed"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/record"
	"alcove/site"
)

// Admin makes the pages.
type Admin struct {
	site *site.Site
	api  *handlers.API
}

// New are the pages over an API, in the frame of its other pages.
func New(api *handlers.API, pages *site.Site) *Admin { return &Admin{pages, api} }

//go:embed views
var files embed.FS

var views = site.NewViews(files)

// page is any page of the administration: parts below each other.
type page struct {
	*site.Frame
	site.Form
	Heading        string
	Up             site.Link
	Tabs           []site.Choice
	Lead           string
	Parts          []part
	Page           int
	Previous, Next string
}

// part is a section of a page, of which most have a few of these.
type part struct {
	ID, Heading, Text string
	Done              bool // it tells what was done, as a secret that is shown once
	Facts             []fact
	Tree              []node
	Table             *table
	Forms             []action
	Links             []site.Link
}

type fact struct {
	Name  string
	Cells []cell
}

type table struct {
	Caption string
	Head    []string
	Rows    [][]cell
	None    string // what is said where there are no rows
}

// cell is a text, with more or less of the rest.
type cell struct {
	Text, URL, Small string
	Label            string // of the column, where columns stand below each other
	Code             bool
	Day              site.Day
	State            state
	Form             *action
}

// state says in words, and by its look, how something is.
type state struct{ Kind, Words string }

type node struct {
	Text, URL, Small string
	Below            []node
}

// action is a form with one button.
type action struct {
	Folded, Heading, Text string
	Action                string
	Query                 bool // it asks, and changes nothing
	File                  bool // one of its controls takes a file
	Hidden                []hidden
	Controls              []site.Control
	Button                string
	Name, Value           string // of the button
	Named                 string // what the button says to those who do not see its row, and of a Query what is asked
	Second                bool
}

type hidden struct{ Name, Value string }

// do is a form without fields that does something.
func do(at, what, button string) action {
	return action{Action: at, Name: "do", Value: what, Button: button, Second: true}
}

const root = "/account/admin"

// scope is what the person administers. For all others the page does not exist.
func (a *Admin) scope(c *endpoint.Call, tx *bucket.Tx) (*people.AdminScope, error) {
	r, err := people.ScopeOf(c, tx)
	if errors.Is(err, record.ErrNotAdministrator) || err == nil && r.Institution != accounts.InstitutionID {
		return nil, record.ErrNotFound
	}
	return r, err
}

// whole is scope for pages of administrators of the institution.
func (a *Admin) whole(c *endpoint.Call, tx *bucket.Tx) (*people.AdminScope, error) {
	r, err := a.scope(c, tx)
	if err == nil && !r.Whole {
		return nil, record.ErrNotFound
	}
	return r, err
}

// wholeOnly is whole outside of a transaction.
func (a *Admin) wholeOnly(c *endpoint.Call) error {
	return a.api.DB.View(func(tx *bucket.Tx) error {
		_, err := a.whole(c, tx)
		return err
	})
}

// begin begins a page; at is the address of the tab that it belongs to.
func (a *Admin) begin(c *endpoint.Call, r *people.AdminScope, at, heading string) *page {
	f := a.site.Frame(c)
	w := &f.Admin
	v := &page{Frame: f, Heading: heading, Up: site.Link{Text: f.Accounts.BackToAccount, URL: "/account"}}
	add := func(path, words string) {
		v.Tabs = append(v.Tabs, site.Choice{Words: words, URL: path, Chosen: path == at})
	}
	if r.Whole {
		add(root, w.Health)
	}
	add(root+"/people", w.People)
	add(root+"/groups", w.Groups)
	add(root+"/storage", w.Storage)
	if r.Whole {
		add(doisPath, w.DOIs)
		add(root+"/settings", w.Settings)
		add(root+"/audit", w.Audit)
	}
	add(root+"/export", w.Export)
	if done := site.Asked(c, "done"); done != "" {
		v.Done = w.Done[done]
	}
	return v
}

// beginWithGroups reads what the person administers, with the groups by id, and begins a page.
func (a *Admin) beginWithGroups(c *endpoint.Call, tx *bucket.Tx, at, heading string) (*page, *people.AdminScope, map[int64]*record.Group, error) {
	r, err := a.scope(c, tx)
	if err != nil {
		return nil, nil, nil, err
	}
	groups, err := names(tx)
	return a.begin(c, r, at, heading), r, groups, err
}

// show is the reply with a page.
func (a *Admin) show(c *endpoint.Call, status int, v *page) (endpoint.Reply, error) {
	v.Frame.Title, v.Frame.Main = v.Heading+" – "+v.Admin.Title, v
	if v.Heading == v.Admin.Title {
		v.Frame.Title = v.Heading
	}
	if status >= http.StatusBadRequest {
		v.Done = ""
	}
	return a.site.Page(c, views, "page", status, v.Frame)
}

// said is what a refusal says to a person who has sent a form, and whether the form is shown again with it. Of what is
// not the person's to know nothing is said.
func said(w *site.Words, err error) (text string, again bool) {
	var full *accounts.NotEmpty
	switch {
	case err == nil:
		return "", false
	case errors.Is(err, record.ErrOwnAccount):
		return w.Admin.OwnAccount, true
	case errors.Is(err, record.ErrOutranked):
		return w.Admin.Outranked, true
	case errors.Is(err, accounts.ErrBelowItself):
		return w.Admin.BelowItself, true
	case errors.Is(err, accounts.ErrFieldNamed):
		return w.Admin.FieldNamed, true
	case errors.As(err, &full):
		return w.Admin.GroupFull, true
	}
	if refused := site.Refusal(err); refused != nil && refused.Class != record.NotFound && refused.Class != record.Unavailable {
		return refused.Message, true
	}
	return "", false
}

// mostPages bounds the pages of a list.
const mostPages = 10_000

// pageOf is the page of a list that is asked for.
func pageOf(c *endpoint.Call) (int, error) {
	asked := site.Asked(c, "page")
	if asked == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 1 || n > mostPages {
		return 0, record.ErrNotFound
	}
	return n, nil
}

// id is a number that a form or an address names, 0 where it is none.
func id(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return 0
	}
	return n
}

// line is what was written in a field of one line, and whether it may be: up to a number of characters that can be
// shown.
func line(c *endpoint.Call, name string, most int) (string, bool) {
	text := strings.TrimSpace(c.Field(name))
	return text, len([]rune(text)) <= most && !strings.ContainsFunc(text, site.Unprintable)
}

// names are the groups of an institution by id.
func names(tx *bucket.Tx) (map[int64]*record.Group, error) {
	all, err := accounts.GroupsOf(tx, accounts.InstitutionID)
	by := map[int64]*record.Group{}
	for _, g := range all {
		by[g.ID] = g
	}
	return by, err
}

// groupOptions are the groups of a scope for a list to choose from, in the order of their tree.
func groupOptions(r *people.AdminScope, by map[int64]*record.Group, chosen int64, none string) []site.Option {
	var list []site.Option
	if none != "" {
		list = append(list, site.Option{Value: "0", Words: none, Chosen: chosen == 0})
	}
	for _, p := range placed(by) {
		if r.Groups[p.group.ID] {
			list = append(list, site.Option{Value: strconv.FormatInt(p.group.ID, 10), Words: p.path, Chosen: p.group.ID == chosen})
		}
	}
	return list
}

package handlers

import (
	"iter"

	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/index"
)

// ownProjectFilter checks what is asked of the caller's projects, which under the profile of the
// public service have the orders of public ones.
func (c *Call) ownProjectFilter(body lists.ProjectSearch) (*lists.ProjectFilter, error) {
	if c.API.Settings.Figshare {
		return lists.NewProjectFilter(c.Query, body, "views")
	}
	return lists.NewProjectFilter(c.Query, body)
}

// ProjectList lists the projects of which the caller is a member.
func (a *API) ProjectList(c *Call, tx *bucket.Tx) (Reply, error) {
	f, err := c.ownProjectFilter(lists.ProjectSearch{})
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(lists.OwnProjects)
	if err != nil {
		return Reply{}, err
	}
	return c.projectPage(f, lists.PageOf(w, f.Projects(tx, c.Account.ID, nil)))
}

// ProjectSearch searches the projects of which the caller is a member.
func (a *API) ProjectSearch(c *Call, body *lists.ProjectSearch) (r Reply, err error) {
	f, err := c.ownProjectFilter(*body)
	if err != nil {
		return Reply{}, err
	}
	if err := c.noCursor(); err != nil {
		return Reply{}, err
	}
	w, err := body.Window(c.Query, lists.ProjectMatches)
	if err != nil {
		return Reply{}, err
	}
	found, err := c.searchOwn(f.SearchFor, index.OwnProjects(c.Account.ID))
	if err != nil {
		return Reply{}, err
	}
	var matches lists.IDSet
	if found != nil {
		defer closeMatches(found, &err)
		matches = found
	}
	err = a.DB.View(func(tx *bucket.Tx) error {
		r, err = c.projectPage(f, lists.PageOf(w, f.Projects(tx, c.Account.ID, matches)))
		return err
	})
	return r, err
}

// projectPage is a page of the caller's projects.
func (c *Call) projectPage(f *lists.ProjectFilter, page iter.Seq2[lists.Membership, error]) (Reply, error) {
	list, err := lists.Show(page, func(m lists.Membership) present.ProjectPrivate { return c.API.Settings.OwnProject(m.Project, m.Role) })
	if f.ByCount() { // views move without a change of anything that is dated
		return Reply{Body: list}, err
	}
	return Reply{Body: list, Modified: c.changed}, err
}

package handlers

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/index"
	"alcove/record"
)

// ProjectSearch is what a list or search of own projects asks for (specification 4.6):
// the query string of a list, the body of a search.
type ProjectSearch struct {
	Asked
	Storage *string `json:"storage"`
	Roles   *string `json:"roles"`
	Status  *int64  `json:"status"`
}

// Bounds of the lists of projects (decision 9).
var (
	publicProjects = bounds{5000, 1000, 10, errTooFar}
	projectLists   = bounds{5000, 1000, 10, errTooFar} // what is in a project
	ownProjects    = bounds{100, 1000, 10, errTooFar}
	projectSearch  = bounds{100, 100, 10, errTooFar}
)

// minOwnSearch is the least number of characters of search_for in own items
// (specification 8).
const minOwnSearch = 4

// projectFilter is a checked ProjectSearch.
type projectFilter struct {
	ProjectSearch
	order                         string // created_date, published_date, modified_date or views
	ascending                     bool
	roles                         []record.ProjectRole // empty for all
	publishedSince, modifiedSince time.Time
}

// projectFilter merges what the query says into a body and checks it. Orders are those of dates,
// and more that are named.
func (c *Call) projectFilter(s ProjectSearch, more ...string) (*projectFilter, error) {
	for name, to := range map[string]**string{
		"search_for": &s.SearchFor, "order": &s.Order, "order_direction": &s.OrderDirection, "storage": &s.Storage, "roles": &s.Roles,
		"published_since": &s.PublishedSince, "modified_since": &s.ModifiedSince,
	} {
		if v, ok := c.Query.find(name); ok && *to == nil {
			*to = &v
		}
	}
	for _, n := range []struct {
		name string
		to   **int64
	}{{"status", &s.Status}, {"institution", &s.Institution}, {"group", &s.Group}} {
		if *n.to != nil {
			continue
		}
		v, err := c.Query.integer(n.name)
		if err != nil {
			return nil, err
		}
		*n.to = v
	}
	f := &projectFilter{ProjectSearch: s, order: "created_date"}
	if f.Order != nil {
		if f.order = *f.Order; !slices.Contains(append(more, "created_date", "published_date", "modified_date"), f.order) {
			return nil, record.ErrBadOrder
		}
	}
	return f, f.check()
}

// ownProjectFilter is projectFilter of the caller's projects, which under the profile of the
// public service have the orders of public ones.
func (c *Call) ownProjectFilter(s ProjectSearch) (*projectFilter, error) {
	if c.API.Settings.Figshare {
		return c.projectFilter(s, "views")
	}
	return c.projectFilter(s)
}

// reply is a list in the order of the filter. Views move without a change of anything that is dated.
func (f *projectFilter) reply(c *Call, list []present.ProjectPrivate) Reply {
	if f.order == "views" {
		return Reply{Body: list}
	}
	return Reply{Body: list, Modified: c.changed}
}

func (f *projectFilter) check() error {
	if f.OrderDirection != nil {
		if f.ascending = *f.OrderDirection == "asc"; !f.ascending && *f.OrderDirection != "desc" {
			return record.Wrong("order_direction", "must be asc or desc")
		}
	}
	if f.Storage != nil && *f.Storage != "group" && *f.Storage != "individual" {
		return record.Wrong("storage", "must be group or individual")
	}
	if f.Status != nil && *f.Status != 0 && *f.Status != 1 {
		return record.Wrong("status", "must be 1 for public or 0 for private")
	}
	if f.Roles != nil {
		for _, name := range strings.Split(*f.Roles, ",") {
			role, ok := record.ProjectRoleByName(name)
			if !ok {
				return record.Wrong("roles", "must be a list of owner, collaborator and viewer with commas between")
			}
			f.roles = append(f.roles, role)
		}
	}
	for _, d := range []struct {
		name string
		text *string
		to   *time.Time
	}{{"published_since", f.PublishedSince, &f.publishedSince}, {"modified_since", f.ModifiedSince, &f.modifiedSince}} {
		if d.text == nil || *d.text == "" {
			continue
		}
		t, ok := since(*d.text)
		if !ok {
			return record.Wrong(d.name, "must be a date in the form YYYY-MM-DD")
		}
		*d.to = t
	}
	return nil
}

func (f *projectFilter) passes(p *record.Project) bool {
	published := time.Time{}
	if p.Published != nil {
		published = *p.Published
	}
	return (f.Storage == nil || p.Storage() == *f.Storage) && (f.Status == nil || (p.Published != nil) == (*f.Status == 1)) &&
		is(f.Institution, p.InstitutionID) && is(f.Group, p.GroupID) &&
		!published.Before(f.publishedSince) && !p.Modified.Before(f.modifiedSince)
}

// ProjectList lists the projects of which the caller is a member (specification 4.6).
func (a *API) ProjectList(c *Call, tx *bucket.Tx) (Reply, error) {
	f, err := c.ownProjectFilter(ProjectSearch{})
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(ownProjects)
	if err != nil {
		return Reply{}, err
	}
	list, err := a.findProjects(c, tx, f, w, nil)
	return f.reply(c, list), err
}

// ProjectSearch searches the projects of which the caller is a member (specification
// 4.6).
func (a *API) ProjectSearch(c *Call, body *ProjectSearch) (_ Reply, err error) {
	f, err := c.ownProjectFilter(*body)
	if err != nil {
		return Reply{}, err
	}
	if err := c.noCursor(); err != nil {
		return Reply{}, err
	}
	p, err := c.paging(body.Paging)
	if err != nil {
		return Reply{}, err
	}
	w, err := p.window(projectSearch)
	if err != nil {
		return Reply{}, err
	}
	var ids idSet
	if f.SearchFor != nil {
		words, refused := searched(*f.SearchFor, minOwnSearch)
		if refused != nil {
			return Reply{}, refused
		}
		var found *index.Matches
		if found, err = a.match(c.Context, index.OwnProjects(c.Account.ID), words); err != nil {
			return Reply{}, err
		}
		defer closeMatches(found, &err)
		ids = found
	}
	var list []present.ProjectPrivate
	err = a.DB.View(func(tx *bucket.Tx) error {
		list, err = a.findProjects(c, tx, f, w, ids)
		return err
	})
	return f.reply(c, list), err
}

// findProjects is a page of the caller's projects that pass the filter and, when ids is
// not nil, are among them.
func (a *API) findProjects(c *Call, tx *bucket.Tx, f *projectFilter, w window, ids idSet) ([]present.ProjectPrivate, error) {
	type mine struct {
		*record.Project
		role record.ProjectRole
	}
	walk := bucket.MembersByAccount.Descending // ids ascend with creation
	if f.ascending {
		walk = bucket.MembersByAccount.Ascending
	}
	found := sorter[mine]{f: f, w: w}
	for hit := range walk(tx, bucket.SortKey(c.Account.ID)) {
		role := record.ProjectRole(hit.Value[0])
		if len(f.roles) > 0 && !slices.Contains(f.roles, role) || ids != nil && !ids.Contains(hit.Key.A) {
			continue
		}
		p, err := bucket.Projects.Get(tx, hit.Key.A)
		if err != nil {
			return nil, err
		}
		if !f.passes(p) {
			continue
		}
		published := time.Time{}
		if p.Published != nil {
			published = *p.Published
		}
		views := int64(0)
		if f.order == "views" && p.Published != nil {
			public, _ := a.publicProjects.facts(tx, p.ID)
			views = public.Counts.Views
		}
		if found.add(mine{p, role}, published, p.Modified, views); found.full() {
			break
		}
	}
	list := []present.ProjectPrivate{}
	for _, m := range found.window() {
		list = append(list, a.Settings.OwnProject(m.Project, m.role))
	}
	return list, nil
}

// sorter gathers what a walk by creation meets and gives a page of it in the order that
// was asked for. By creation it stops when the page is whole; the other orders look at
// everything that one account, or one project, has.
type sorter[T any] struct {
	f     *projectFilter
	w     window
	items []T
	ranks []int64 // Unix seconds, or views
}

func (s *sorter[T]) add(item T, published, modified time.Time, views int64) {
	s.items = append(s.items, item)
	rank := modified.Unix()
	switch s.f.order {
	case "published_date":
		rank = published.Unix()
	case "views":
		rank = views
	}
	s.ranks = append(s.ranks, rank)
}

// full reports whether the walk has met enough.
func (s *sorter[T]) full() bool {
	return s.f.order == "created_date" && len(s.items) == s.w.skip+s.w.take
}

// window is the page. Items of the same rank stay as the walk met them.
func (s *sorter[T]) window() []T {
	order := make([]int, len(s.items))
	for i := range order {
		order[i] = i
	}
	if s.f.order != "created_date" {
		slices.SortStableFunc(order, func(x, y int) int {
			if s.f.ascending {
				return cmp.Compare(s.ranks[x], s.ranks[y])
			}
			return cmp.Compare(s.ranks[y], s.ranks[x])
		})
	}
	page := []T{}
	for i := s.w.skip; i < min(len(order), s.w.skip+s.w.take); i++ {
		page = append(page, s.items[order[i]])
	}
	return page
}

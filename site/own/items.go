package own

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
)

// mine is a list of what a person has: articles, collections or projects.
type mine struct {
	*site.Frame
	site.Form
	Heading    string
	Tabs       []site.Choice
	Path       string // of this list
	Asked      string // words of a search
	Rows       []mineRow
	None       string     // what is said where there are no rows
	NewTitle   site.Field // of what the form makes
	NewButton  string
	Groups     *site.Control // that a new project can be in, nil for none
	Many       bool          // several can be changed at once
	All        bool          // all rows are chosen
	ChooseAll  string        // address of the page with all rows chosen
	Used       string        // of the quota
	Uploads    string        // that are not complete, "" for none
	Page       int
	Previous   string
	Next       string
	Everything string // address of the list without the search, "" where there is none
}

type mineRow struct {
	ID       int64
	Title    template.HTML
	Plain    string
	URL      string
	Kind     string
	About    string // size and number of files, or of articles
	Used     string // views and downloads of what is public, "" for none
	States   []site.State
	Uploads  string
	Modified site.Day
}

// own are the lists by their path.
var own = []string{"/account/items", "/account/collections", "/account/projects"}

// maxMine is the last page of a list of own items that the API answers.
const maxMine = 100

// Items lists the articles of the person.
func (s *Pages) Items(c *endpoint.Call) (endpoint.Reply, error) {
	return s.minePage(c, own[0], http.StatusOK, "", "")
}

// MyCollections lists the collections of the person.
func (s *Pages) MyCollections(c *endpoint.Call) (endpoint.Reply, error) {
	return s.minePage(c, own[1], http.StatusOK, "", "")
}

// MyProjects lists the projects of which the person is a member.
func (s *Pages) MyProjects(c *endpoint.Call) (endpoint.Reply, error) {
	return s.minePage(c, own[2], http.StatusOK, "", "")
}

// NewItem makes a draft with a title, and leads to its form.
func (s *Pages) NewItem(c *endpoint.Call) (endpoint.Reply, error) {
	return newOf(s, c, own[0], s.api.ArticleCreate, "/account/articles/%d/edit", "")
}

// NewCollection makes a collection with a title, and leads to its form.
func (s *Pages) NewCollection(c *endpoint.Call) (endpoint.Reply, error) {
	return newOf(s, c, own[1], s.api.CollectionCreate, own[1]+"/%d/edit", "")
}

// NewProject makes a project with a title, in a group or in none, and leads to its page.
func (s *Pages) NewProject(c *endpoint.Call) (endpoint.Reply, error) {
	return newOf(s, c, own[2], s.api.ProjectCreate, own[2]+"/%d", c.Field("group"))
}

// newOf makes an item of a kind by the endpoint that makes it in the API.
func newOf[B any](s *Pages, c *endpoint.Call, path string, create func(*endpoint.Call, *bucket.Tx, *B) (endpoint.Reply, error), form, group string) (endpoint.Reply, error) {
	title := c.Field("title")
	body := map[string]any{"title": title}
	if path != own[2] { // who deposits is mostly an author, and can be taken out in the form
		body["authors"] = []any{map[string]any{"id": c.Person().PersonID}}
	}
	if group != "" {
		body["group_id"] = numeric(group)
	}
	r, err := s.api.Change(c, nil, "", nil, handlers.With(create, object(body)))
	if refused := site.Refusal(err); refused != nil && (refused.Class == record.Invalid || refused.Code == record.ErrProjectGroup.Code) {
		w := site.WordsOf(c)
		if refused.Code == record.ErrProjectGroup.Code || site.KeyOf(refused) == "group_id" {
			return s.minePage(c, path, http.StatusUnprocessableEntity, title, w.Refused(record.ErrProjectGroup))
		}
		return s.minePage(c, path, http.StatusUnprocessableEntity, title, w.Mine.TitleWrong)
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	id := int64(0)
	switch made := r.Body.(type) {
	case present.Created:
		id = made.EntityID
	case present.CreatedProject:
		id = made.EntityID
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: fmt.Sprintf(form, id)}, nil
}

// object is a body of the API.
func object[V any](keys map[string]V) []byte {
	b, err := json.Marshal(keys)
	if err != nil {
		panic(err) // there are texts, numbers and lists of them
	}
	return b
}

// minePage is a list as it is, with what is wrong with the title of a new item.
func (s *Pages) minePage(c *endpoint.Call, path string, status int, title, wrong string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w := &f.Mine
	page, err := pageOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	v := mine{Frame: f, Path: path, Heading: w.MyData, Asked: strings.TrimSpace(site.Asked(c, "q")), Page: page}
	for i, label := range []string{w.Items, w.Collections, w.Projects} {
		v.Tabs = append(v.Tabs, site.Choice{Words: label, URL: own[i], Chosen: own[i] == path})
	}
	labels := map[string][2]string{own[0]: {w.TitleOfItem, w.NewItem}, own[1]: {w.TitleOfCollection, w.NewCollection}, own[2]: {w.TitleOfProject, w.NewProject}}[path]
	v.NewTitle = site.Field{Name: "title", Type: "text", Complete: "off", Label: labels[0], Value: title, Most: 1000, Error: wrong}
	v.NewButton, v.Fields = labels[1], []site.Field{v.NewTitle}
	f.Title = w.MyData
	if status == http.StatusOK {
		switch {
		case site.Asked(c, "deleted") != "" && path == own[0]:
			v.Done = w.Deleted
		case site.Asked(c, "deleted") != "":
			v.Done = w.Gone
		case site.Asked(c, "left") != "":
			v.Done = f.OwnProject.Left
		}
	}
	if path == own[2] {
		if v.Groups, err = s.projectGroups(c, f); err != nil {
			return endpoint.Reply{}, err
		}
	}
	used, quota := s.api.Used(c)
	if v.Used = strings.Replace(w.UsedAll, "%s", f.Bytes(used), 1); quota > 0 {
		v.Used = fmt.Sprintf(w.UsedOf, f.Bytes(used), f.Bytes(quota))
	}
	switch err := s.mineRows(c, &v); {
	case site.Refusal(err) != nil && site.Refusal(err).Class == record.Invalid && v.Asked != "":
		v.None = w.SearchShort
	case err != nil:
		return endpoint.Reply{}, site.Unknown(err)
	case len(v.Rows) == 0 && v.Asked != "":
		v.None = w.NothingFound
	case len(v.Rows) == 0:
		v.None = map[string]string{own[0]: w.NoItems, own[1]: w.NoCollections, own[2]: w.NoProjects}[path]
	}
	at := func(n int) string {
		q := url.Values{}
		if v.Asked != "" {
			q.Set("q", v.Asked)
		}
		if n > 1 {
			q.Set("page", strconv.Itoa(n))
		}
		return strings.TrimSuffix(path+"?"+q.Encode(), "?")
	}
	if v.Asked != "" {
		v.Everything = path
	}
	if v.Many, v.All = path == own[0] && len(v.Rows) > 0, site.Asked(c, "all") != ""; v.Many {
		v.ChooseAll = at(page)
		if strings.Contains(v.ChooseAll, "?") {
			v.ChooseAll += "&all=1"
		} else {
			v.ChooseAll += "?all=1"
		}
	}
	if page > 1 {
		v.Previous = at(page - 1)
	}
	if len(v.Rows) == handlers.MineOnPage && page < maxMine {
		v.Next = at(page + 1)
	}
	f.Main = v
	return s.formPage(c, "items", status, f)
}

// projectGroups are the groups that a new project can be in, nil for none.
func (s *Pages) projectGroups(c *endpoint.Call, f *site.Frame) (*site.Control, error) {
	var list []present.Group
	err := s.api.DB.View(func(tx *bucket.Tx) (err error) {
		list, err = s.api.Groups(c.Unasked(), tx)
		return err
	})
	if site.Refusal(err) != nil || err == nil && len(list) == 0 { // an account may be of no institution
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	k := &site.Control{Name: "group", Kind: "select", Label: f.OwnProject.Group, Help: f.OwnProject.GroupHelp, Options: []site.Option{{Words: f.OwnProject.NoGroup}}}
	for _, g := range list {
		value := strconv.FormatInt(g.ID, 10)
		k.Options = append(k.Options, site.Option{Value: value, Words: g.Name, Chosen: value == c.Field("group")})
	}
	return k, nil
}

// pageOf is the number of the page that an address asks for.
func pageOf(c *endpoint.Call) (int, error) {
	asked := site.Asked(c, "page")
	if asked == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 1 || n > maxMine {
		return 0, record.ErrNotFound
	}
	return n, nil
}

func (s *Pages) mineRows(c *endpoint.Call, v *mine) error {
	w := &v.Frame.Mine
	if v.Path == own[2] {
		return s.projectRows(c, v)
	}
	kind := s.api.Articles
	if v.Path == own[1] {
		kind = s.api.Collections
	}
	list, err := kind.Mine(c, v.Asked, v.Page)
	if err != nil {
		return err
	}
	uploads := map[int64]int{}
	if v.Path == own[0] {
		if uploads, err = s.api.Uploading(c); err != nil {
			return err
		}
		all := 0
		for _, n := range uploads {
			all += n
		}
		if all > 0 {
			v.Uploads = v.Count(all, w.UploadOne, w.UploadMany)
		}
	}
	for _, m := range list {
		row := mineRow{ID: m.ID, Title: markup.Title(m.Title).HTML(), Plain: markup.Title(m.Title).String(), Modified: v.DayOf(m.Modified), States: statesOf(v.Words, &m.State)}
		if row.Plain == "" {
			row.Title, row.Plain = template.HTML(template.HTMLEscapeString(v.Untitled)), v.Untitled
		}
		if v.Path == own[0] {
			row.URL, row.Kind = fmt.Sprintf("/account/articles/%d/edit", m.ID), v.Types[m.Type]
			if m.Files > 0 {
				row.About = v.Count(m.Files, v.OneFile, v.ManyFiles) + ", " + v.Bytes(m.Size)
			}
			if n := uploads[m.ID]; n > 0 {
				row.Uploads = v.Count(n, w.UploadOne, w.UploadMany)
			}
		} else {
			row.URL, row.About = fmt.Sprintf("/account/collections/%d/edit", m.ID), v.Count(m.Articles, w.ArticleOne, w.ArticleMany)
		}
		if m.Public {
			row.Used = v.ViewsAndDownloads(m.Counts.Views, m.Counts.Downloads)
		}
		v.Rows = append(v.Rows, row)
	}
	return nil
}

// projectRows lists projects, as the API does.
func (s *Pages) projectRows(c *endpoint.Call, v *mine) error {
	asked := c.Asking(fmt.Sprintf("order=modified_date&page=%d&page_size=%d", v.Page, handlers.MineOnPage))
	list, err := s.api.MyProjects(asked, v.Asked)
	if err != nil {
		return err
	}
	for _, p := range list {
		row := mineRow{URL: fmt.Sprintf("%s/%d", own[2], p.ID), Title: markup.Title(site.Text(p.Title)).HTML(), Plain: markup.Title(site.Text(p.Title)).String(), Kind: v.Frame.Mine.Roles[p.Role], Modified: v.ReadDay(site.Text(p.ModifiedDate))}
		row.States = []site.State{{Kind: "draft", Words: v.Frame.Mine.Private}}
		if p.PublishedDate != nil {
			row.States = []site.State{{Kind: "public", Words: v.Frame.Mine.Public}}
		}
		v.Rows = append(v.Rows, row)
	}
	return nil
}

// statesOf says what a working copy is in, as badges.
func statesOf(w *site.Words, s *handlers.State) (list []site.State) {
	switch {
	case s.Public && s.Changed:
		list = append(list, site.State{Kind: "public", Words: w.Mine.Public}, site.State{Kind: "changed", Words: w.Mine.Changed})
	case s.Public:
		list = append(list, site.State{Kind: "public", Words: w.Mine.Public})
	case s.Withdrawn:
		list = append(list, site.State{Kind: "closed", Words: w.Mine.Withdrawn})
	case !s.Held:
		list = append(list, site.State{Kind: "draft", Words: w.Mine.Draft})
	}
	switch s.Review {
	case record.ReviewPending:
		list = append(list, site.State{Kind: "review", Words: w.Mine.Review})
	case record.ReviewRejected:
		list = append(list, site.State{Kind: "closed", Words: w.Mine.Returned})
	}
	if s.Held {
		list = append(list, site.State{Kind: "embargo", Words: w.Mine.Held})
	}
	if s.Embargo.Kind != record.NoEmbargo {
		until := ""
		if !s.Embargo.Until.IsZero() {
			until = s.Embargo.Until.UTC().Format("2006-01-02")
		}
		list = append(list, w.StateOf(s.Embargo.Permanent(), true, until))
	}
	return list
}

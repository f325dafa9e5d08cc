package own

import (
	"fmt"
	"html/template"
	"net/http"
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

// projectPage is what the pages of a project have in common: its members see them, each with what it may do.
type projectPage struct {
	*site.Frame
	site.Form
	ID         int64
	Heading    string
	Base       string // address below which its pages are
	Tag        string
	States     []site.State
	Role       string
	Owns, Adds bool // what the role lets do
	Invited    bool // by the mail address, and not accepted
	Tabs       []site.Choice
	PublicURL  string
	doc        present.ProjectCompletePrivate
	custom     []customRow // for the form alone
}

// projectOf begins a page of the project of the path. Another project is not found.
func (s *Pages) projectOf(c *endpoint.Call) (*projectPage, error) {
	var doc present.ProjectCompletePrivate
	var tag string
	var place handlers.Membership
	err := s.api.DB.View(func(tx *bucket.Tx) (err error) {
		doc, tag, place, err = s.api.ProjectDocument(c, tx)
		return err
	})
	if err != nil {
		return nil, site.Unknown(err)
	}
	f := s.site.Frame(c)
	w := &f.OwnProject
	v := &projectPage{
		Frame: f, ID: doc.ID, Heading: markup.Title(site.Text(doc.Title)).String(), Base: fmt.Sprintf("%s/%d", own[2], doc.ID), Tag: tag, Role: f.Mine.Roles[place.Role.String()],
		Owns: place.Role == record.ProjectOwner, Adds: place.Role >= record.ProjectCollaborator, Invited: place.Invited, doc: doc,
	}
	if v.Heading == "" {
		v.Heading = f.Untitled
	}
	f.Title = v.Heading
	v.States = []site.State{{Kind: "draft", Words: f.Mine.Private}}
	if doc.PublishedDate != nil {
		v.States, v.PublicURL = []site.State{{Kind: "public", Words: f.Mine.Public}}, s.site.Local(site.Text(doc.FigshareURL))
	}
	at := c.Address().Path
	for _, tab := range []site.Link{{Text: w.ItemsTab, URL: v.Base}, {Text: w.NotesTab, URL: v.Base + "/notes"}, {Text: w.MembersTab, URL: v.Base + "/members"}} {
		v.Tabs = append(v.Tabs, site.Choice{Words: tab.Text, URL: tab.URL, Chosen: tab.URL == strings.TrimRight(at, "/")})
	}
	if v.Owns {
		v.Tabs = append(v.Tabs, site.Choice{Words: w.EditTab, URL: v.Base + "/edit", Chosen: strings.HasSuffix(at, "/edit")})
	}
	if done, is := w.Dones[site.Asked(c, "done")]; is {
		v.Done = done
	}
	return v, nil
}

// public reports whether readers see the project.
func (v *projectPage) public() bool { return v.doc.PublishedDate != nil }

// done leads to a page that says what was done.
func done(at, name string) endpoint.Reply {
	return endpoint.Reply{Status: http.StatusSeeOther, Location: at + "?done=" + name}
}

// projectItems are the items of a project, and the project in words.
type projectItems struct {
	*projectPage
	About    template.HTML
	Facts    []fact
	Rows     []mineRow
	NewTitle site.Field
	Page     int
	Previous string
	Next     string
}

// OwnProject is the page of a project for its members: the items in it.
func (s *Pages) OwnProject(c *endpoint.Call) (endpoint.Reply, error) {
	return s.projectItems(c, http.StatusOK, "", "")
}

func (s *Pages) projectItems(c *endpoint.Call, status int, title, wrong string) (endpoint.Reply, error) {
	p, err := s.projectOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	page, err := pageOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	v := projectItems{projectPage: p, About: markup.Description(site.Text(p.doc.Description)).HTML(), Page: page}
	if funding := site.Text(p.doc.Funding); funding != "" {
		v.Facts = append(v.Facts, fact{p.Edit.FundingText, []string{markup.Title(funding).String()}})
	}
	var grants []string
	for _, g := range p.doc.FundingList {
		grants = append(grants, markup.Title(g.Title).String())
	}
	if len(grants) > 0 {
		v.Facts = append(v.Facts, fact{p.Edit.Grants, grants})
	}
	if p.doc.GroupID != nil && *p.doc.GroupID != 0 {
		name, err := s.groupName(c, *p.doc.GroupID)
		if err != nil {
			return endpoint.Reply{}, err
		}
		v.Facts = append(v.Facts, fact{p.Edit.Group, []string{name}})
	}
	v.NewTitle = site.Field{Name: "title", Type: "text", Complete: "off", Label: p.Mine.TitleOfItem, Value: title, Most: 1000, Error: wrong}
	v.Fields = []site.Field{v.NewTitle}
	var list []present.Article
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		r, err := s.api.ProjectArticles(c.Asking(fmt.Sprintf("order=modified_date&page=%d&page_size=%d", page, handlers.MineOnPage)), tx)
		list, _ = r.Body.([]present.Article)
		return err
	})
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	for _, a := range list {
		row := mineRow{Title: markup.Title(site.Text(a.Title)).HTML(), Plain: markup.Title(site.Text(a.Title)).String(), Kind: p.Types[a.DefinedType], Modified: p.ReadDay(site.Text(a.Modified)), URL: fmt.Sprintf("%s/articles/%d", p.Base, a.ID)}
		if row.Plain == "" {
			row.Title, row.Plain = template.HTML(template.HTMLEscapeString(p.Untitled)), p.Untitled
		}
		if row.States = []site.State{{Kind: "draft", Words: p.Mine.Draft}}; a.PublishedDate != nil {
			row.States = []site.State{{Kind: "public", Words: p.Mine.Public}}
		}
		v.Rows = append(v.Rows, row)
	}
	at := func(n int) string { return fmt.Sprintf("%s?page=%d", p.Base, n) }
	if page > 1 {
		v.Previous = at(page - 1)
	}
	if len(list) == handlers.MineOnPage && page < maxMine {
		v.Next = at(page + 1)
	}
	if status != http.StatusOK {
		v.Done = ""
	}
	p.Frame.Main = v
	return s.formPage(c, "ownproject", status, p.Frame)
}

// groupName is that of a group that the person knows, and otherwise its number.
func (s *Pages) groupName(c *endpoint.Call, id int64) (string, error) {
	var list []present.Group
	err := s.api.DB.View(func(tx *bucket.Tx) (err error) {
		list, err = s.api.Groups(c.Unasked(), tx)
		return err
	})
	if site.Refusal(err) != nil {
		err = nil
	}
	for _, g := range list {
		if g.ID == id {
			return g.Name, err
		}
	}
	return fmt.Sprintf(site.WordsOf(c).GroupNumber, strconv.FormatInt(id, 10)), err
}

// NewInProject makes a draft in a project, and leads to its form.
func (s *Pages) NewInProject(c *endpoint.Call) (endpoint.Reply, error) {
	title := c.Field("title")
	r, err := s.api.Change(c, nil, "", nil, worksIn, handlers.With(s.api.ProjectArticleCreate, object(map[string]any{"title": title})))
	if refused := site.Refusal(err); refused != nil && refused.Class == record.Invalid {
		return s.projectItems(c, http.StatusUnprocessableEntity, title, site.WordsOf(c).Mine.TitleWrong)
	}
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: fmt.Sprintf("/account/articles/%s/edit", r.Location[strings.LastIndexByte(r.Location, '/')+1:])}, nil
}

// worksIn and ownsIt are steps that refuse callers as the API does before it looks at a body.
func worksIn(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return endpoint.Reply{}, handlers.WorksInProject(c, tx)
}

func ownsIt(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return endpoint.Reply{}, handlers.OwnsProject(c, tx)
}

package own

import (
	"net/http"
	"net/url"
	"slices"
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

// bulk is the form that says what several items have in common from now on.
type bulk struct {
	*site.Frame
	site.Form
	Items    []intended
	Controls []site.Control
	Chosen   []site.Option // categories
	Found    []site.Option
	Sought   string
	None     string // what a search for categories says that found none
	Asked    string // words of a search for collections
	Several  bool   // there are collections
}

// wish is what the form says. A blank field leaves items as they are.
type wish struct {
	License, Group, Collection, Funding string
	Categories                          []string
	Tags, Without, Grants               []string
	Embargo, Until                      string
}

// wishNames are the fields of the form, which are kept on the way to the last page.
var wishNames = []string{"license", "group", "collection", "funding", "categories", "tags", "without", "grants", "embargo", "until"}

func readWish(c *endpoint.Call) *wish {
	value := func(name string) string { return strings.TrimSpace(unified(c.Field(name))) }
	return &wish{
		License: value("license"), Group: value("group"), Collection: value("collection"), Funding: value("funding"), Categories: c.Fields("categories"),
		Tags: lines(value("tags")), Without: lines(value("without")), Grants: lines(value("grants")), Embargo: value("embargo"), Until: value("until"),
	}
}

// wishMost is how many values a list of the form has, each of which is looked for in every item.
const wishMost = 200

// long reports whether a list has more.
func (w *wish) long() bool {
	return max(len(w.Categories), len(w.Tags), len(w.Without), len(w.Grants)) > wishMost
}

// of turns the draft of an item into the one that is wished for.
func (w *wish) of(d *draft) {
	if w.License != "" {
		d.License = w.License
	}
	if w.Group != "" {
		d.Group = w.Group
	}
	if w.Funding != "" {
		d.Funding = w.Funding
	}
	d.Categories, d.Grants = joinedLists(d.Categories, w.Categories), joinedLists(d.Grants, w.Grants)
	d.Tags = slices.DeleteFunc(slices.Clone(d.Tags), func(tag string) bool {
		return slices.ContainsFunc(w.Without, func(one string) bool { return strings.EqualFold(one, tag) })
	})
	d.Tags = joinedLists(d.Tags, w.Tags)
	if w.Embargo != "" {
		d.Embargo.Kind = strings.TrimPrefix(w.Embargo, "none")
		d.Embargo.Until = w.Until
	}
}

// joinedLists are the values of two lists, each once.
func joinedLists(a, b []string) []string {
	a = slices.Clone(a)
	for _, one := range b {
		if !slices.Contains(a, one) {
			a = append(a, one)
		}
	}
	return a
}

// chosenItems are the ids that a form or an address names, each once.
func chosenItems(list []string) (ids []int64) {
	for _, text := range list {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil && id > 0 && !slices.Contains(ids, id) && len(ids) <= bulkMost {
			ids = append(ids, id)
		}
	}
	return ids
}

// Bulk is the form that changes several own items.
func (s *Pages) Bulk(c *endpoint.Call) (endpoint.Reply, error) {
	at := c.Address()
	return s.bulkPage(c, http.StatusOK, chosenItems(at.Query()["item"]), "")
}

func (s *Pages) bulkPage(c *endpoint.Call, status int, ids []int64, said string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w := &f.Bulk
	p, err := s.batch(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	v := bulk{Frame: f, Sought: strings.TrimSpace(c.Field("sought")), Form: site.Form{Said: said}}
	f.Title = w.Title
	if len(ids) > bulkMost {
		ids, v.Said = nil, w.TooMany
	}
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		for _, id := range ids {
			one, err := p.intend(tx, id, func(*present.ArticlePrivate, *draft) []string { return nil })
			if err != nil {
				return err
			}
			if one.tag != "" {
				v.Items = append(v.Items, one)
			}
		}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	if v.Said == "" && len(v.Items) == 0 {
		v.Said = w.NoItems
	}
	is := readWish(c)
	if v.Controls, err = s.bulkControls(c, p, is); err != nil {
		return endpoint.Reply{}, err
	}
	v.Asked = strings.TrimSpace(c.Field("collections"))
	v.Several = slices.ContainsFunc(v.Controls, func(k site.Control) bool { return k.Name == "collection" })
	var e editing
	e.Frame = f
	e.categories(&draft{Categories: is.Categories}, v.Sought)
	v.Chosen, v.Found, v.None = e.Categories.Options, e.Found, e.Categories.Error
	f.Main = v
	return s.formPage(c, "bulk", status, f)
}

// bulkControls are the fields of the form, with what was written in them.
func (s *Pages) bulkControls(c *endpoint.Call, p *batch, is *wish) ([]site.Control, error) {
	w := &p.Bulk
	stays := site.Option{Words: w.Stays}
	licences := site.Control{Name: "license", Kind: "select", Label: p.License, Options: []site.Option{stays}}
	for _, l := range p.choices.licences {
		value := strconv.FormatInt(l.Value, 10)
		licences.Options = append(licences.Options, site.Option{Value: value, Words: l.Name, Chosen: value == is.License})
	}
	list := []site.Control{
		licences,
		{Name: "tags", Kind: "area", Rows: 3, Label: w.AddTags, Help: p.Edit.LineEach, Value: strings.Join(is.Tags, "\n")},
		{Name: "without", Kind: "area", Rows: 3, Label: w.RemoveTags, Help: p.Edit.LineEach, Value: strings.Join(is.Without, "\n")},
		{Name: "grants", Kind: "area", Rows: 3, Label: w.AddGrants, Help: p.Edit.GrantsHelp, Value: strings.Join(is.Grants, "\n")},
		{Name: "funding", Kind: "line", Most: 2000, Label: p.Edit.FundingText, Value: is.Funding},
	}
	if len(p.choices.groups) > 0 {
		groups := site.Control{Name: "group", Kind: "select", Label: p.Edit.Group, Help: p.Edit.GroupHelp, Options: []site.Option{stays}}
		for _, g := range p.choices.groups {
			value := strconv.FormatInt(g.ID, 10)
			groups.Options = append(groups.Options, site.Option{Value: value, Words: g.Name, Chosen: value == is.Group})
		}
		list = append(list, groups)
	}
	kinds := site.Control{Name: "embargo", Kind: "select", Label: p.Edit.Embargo, Options: []site.Option{stays}}
	for _, k := range []site.Option{{Value: "none", Words: p.Edit.EmbargoNone}, {Value: "file", Words: p.Edit.EmbargoFiles}, {Value: "article", Words: p.Edit.EmbargoAll}} {
		k.Chosen = k.Value == is.Embargo
		kinds.Options = append(kinds.Options, k)
	}
	list = append(list, kinds, site.Control{Name: "until", Kind: "line", Input: "date", Label: p.Edit.EmbargoDate, Help: p.Edit.EmbargoDateHelp, Value: is.Until})
	asked := strings.TrimSpace(c.Field("collections"))
	collections, err := s.api.Collections.Mine(c, asked, 1)
	wrong := ""
	if refused := site.Refusal(err); refused != nil && refused.Class == record.Invalid && asked != "" {
		wrong, err = p.Mine.SearchShort, nil
	} else if err == nil && asked != "" && len(collections) == 0 {
		wrong = p.Mine.NothingFound
	}
	if len(collections) > 0 || asked != "" {
		into := site.Control{Name: "collection", Kind: "select", Label: w.IntoCollection, Options: []site.Option{stays}, Error: wrong}
		if !slices.ContainsFunc(collections, func(one handlers.Mine) bool { return strconv.FormatInt(one.ID, 10) == is.Collection }) {
			chosen, failed := p.collection(is.Collection)
			if failed != nil && site.Refusal(failed) == nil {
				return nil, failed
			}
			if failed == nil && chosen != nil {
				into.Options = append(into.Options, site.Option{Value: is.Collection, Words: chosen.title, Chosen: true})
			}
		}
		for _, one := range collections {
			value := strconv.FormatInt(one.ID, 10)
			into.Options = append(into.Options, site.Option{Value: value, Words: markup.Title(one.Title).String(), Chosen: value == is.Collection})
		}
		list = append(list, into)
	}
	return list, err
}

// ChangeBulk shows what a form would change, and changes it once that is confirmed.
func (s *Pages) ChangeBulk(c *endpoint.Call) (endpoint.Reply, error) {
	ids, is, do := chosenItems(c.Fields("item")), readWish(c), c.Field("do")
	w := &site.WordsOf(c).Bulk
	switch {
	case is.long():
		return s.bulkPage(c, http.StatusUnprocessableEntity, ids, w.ListLong)
	case do == "find" || do == "back":
		return s.bulkPage(c, http.StatusOK, ids, "")
	case len(ids) == 0 || len(ids) > bulkMost:
		return s.bulkPage(c, http.StatusUnprocessableEntity, ids, "")
	}
	p, err := s.batch(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	into, err := p.collection(is.Collection)
	if site.Refusal(err) != nil {
		return s.bulkPage(c, http.StatusUnprocessableEntity, ids, p.Refused(err))
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	list := make([]intended, len(ids))
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		for i, id := range ids {
			one, err := p.intend(tx, id, func(_ *present.ArticlePrivate, d *draft) []string {
				is.of(d)
				return nil
			})
			if err != nil {
				return err
			}
			if into != nil && !into.has[id] && one.tag != "" {
				one.Changes = append(one.Changes, strings.Replace(w.JoinsCollection, "%s", into.title, 1))
				one.more = []endpoint.Step{into.add(s, id)}
			}
			list[i] = one
		}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	v := outcome{Back: site.Link{Text: w.BackToItems, URL: own[0]}}
	if do == "apply" {
		shown, err := url.ParseQuery(c.Field("shown"))
		if err != nil || len(shown) == 0 {
			return s.bulkPage(c, http.StatusUnprocessableEntity, ids, w.NotShown)
		}
		p.apply(list, shown)
		return s.outcomePage(c, v, list, true)
	}
	for _, id := range ids {
		v.Kept = append(v.Kept, carried{"item", strconv.FormatInt(id, 10)})
	}
	for _, name := range wishNames {
		for _, value := range c.Fields(name) {
			if value != "" {
				v.Kept = append(v.Kept, carried{name, value})
			}
		}
	}
	return s.outcomePage(c, v, list, false)
}

// joining is a collection that items are put into.
type joining struct {
	id    int64
	title string
	has   map[int64]bool
}

// collection is the own collection with an id, nil for "".
func (p *batch) collection(id string) (*joining, error) {
	if id == "" {
		return nil, nil
	}
	j := &joining{has: map[int64]bool{}}
	var err error
	if j.id, err = strconv.ParseInt(id, 10, 64); err != nil || j.id < 1 {
		return nil, record.ErrCollectionNotFound
	}
	c := p.c.WithID("id", j.id)
	err = p.s.api.DB.View(func(tx *bucket.Tx) error {
		doc, _, _, err := p.s.api.OwnCollectionDocument(c, tx)
		if err != nil {
			return err
		}
		j.title = markup.Title(site.Text(doc.Title)).String()
		r, err := p.s.api.CollectionArticles(c.Asking("page_size=1000"), tx)
		if err != nil {
			return err
		}
		var list []struct {
			ID int64 `json:"id"`
		}
		err = decode(r, &list)
		for _, a := range list {
			j.has[a.ID] = true
		}
		return err
	})
	return j, err
}

// add is the step that puts an item into the collection.
func (j *joining) add(s *Pages, item int64) endpoint.Step {
	add := handlers.With(s.api.CollectionArticlesAdd, object(map[string]any{"articles": []int64{item}}))
	return func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) { return add(c.WithID("id", j.id), tx) }
}

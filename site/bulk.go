package site

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// intended is a change of an own item among several: it is made as a whole or not at all.
type intended struct {
	ID      int64
	Line    int // of a table, 0 for none
	Title   string
	URL     string
	Changes []string // in words
	Refused []string // why it cannot be changed
	Done    bool
	tag     string
	change  map[string]any
	more    []handlers.Step // beside the change
}

// bulkMost is how many items are changed at once.
const bulkMost = 200

// batch works on several own items of a person.
type batch struct {
	*Words
	s       *Site
	c       *handlers.Call
	kind    *ownKind
	groups  map[string]string // names by id
	choices choices
}

func (s *Site) batch(c *handlers.Call) (*batch, error) {
	p := &batch{Words: byLanguage[chosenLanguage(c)], s: s, c: c, kind: s.ownKind(c), groups: map[string]string{}}
	err := s.api.DB.View(func(tx *bucket.Tx) (err error) {
		p.choices, err = s.choices(c, tx, nil)
		return err
	})
	for _, g := range p.choices.groups {
		p.groups[strconv.FormatInt(g.ID, 10)] = g.Name
	}
	return p, err
}

// intend finds out how an item changes: want turns its draft into the one that is wanted, or says what is wrong. The API
// is asked about each change.
func (p *batch) intend(tx *bucket.Tx, id int64, want func(*present.ArticlePrivate, *draft) (wrong []string)) (intended, error) {
	one := intended{ID: id}
	c := p.c.WithID("id", id)
	doc, tag, _, err := p.s.api.OwnDocument(c, tx)
	if refusal(err) != nil {
		one.Refused = []string{p.refused(err)}
		return one, nil
	}
	if err != nil {
		return one, err
	}
	one.tag, one.Title, one.URL = tag, plainTitle(text(doc.Title)), p.kind.form(id)
	if one.Title == "" {
		one.Title = p.Untitled
	}
	is, to := draftOf(&doc), draftOf(&doc)
	one.Refused = want(&doc, to)
	one.change = changed(to.keys(false), is.keys(false))
	for _, key := range slices.Sorted(maps.Keys(one.change)) {
		one.Changes = append(one.Changes, strings.NewReplacer("%field", p.Bulk.Keys[key], "%was", p.saying(is, key), "%is", p.saying(to, key)).Replace(p.Bulk.Becomes))
		if err := p.s.api.Try(c, tx, p.s.try(p.kind, key, one.change[key])); refusal(err) != nil {
			one.Refused = append(one.Refused, p.Bulk.Keys[key]+": "+p.refused(err))
		} else if err != nil {
			return one, err
		}
	}
	return one, nil
}

// saying is what a draft says of a key, in words.
func (p *batch) saying(d *draft, key string) string {
	said := d.says(key)
	switch key {
	case "group_id":
		if said = d.Group; p.groups[said] != "" {
			said = p.groups[said]
		}
	case "defined_type":
		for _, t := range catalogue.ItemTypes() {
			if t.Name == d.Type {
				said = p.Types[t.ID]
			}
		}
	case keyEmbargo:
		said = map[string]string{"": p.Edit.EmbargoNone, "file": p.Edit.EmbargoFiles, "article": p.Edit.EmbargoAll}[d.Embargo.Kind]
		if d.Embargo.Kind != "" && d.Embargo.Until != "" {
			said += " (" + p.day(d.Embargo.Until).Words + ")"
		}
	}
	if said == "" || said == "<nil>" {
		return p.Edit.Nothing
	}
	return short(said, mailedText)
}

// apply makes the changes that nothing speaks against, each in a transaction of its own, if the item is as it was
// shown. It says of each whether it was changed; after a fault of ours no more is tried.
func (p *batch) apply(list []intended, shown url.Values) {
	for i := range list {
		one := &list[i]
		switch {
		case len(one.Refused) > 0 || len(one.change) == 0 && len(one.more) == 0:
			continue
		case shown.Get(strconv.FormatInt(one.ID, 10)) != one.tag:
			one.Refused = []string{p.Edit.ChangedMeanwhile}
			continue
		}
		steps := append(p.s.steps(p.kind, one.change), one.more...)
		_, err := p.s.api.Change(p.c.WithID("id", one.ID), p.kind.state, one.tag, p.kind.toChange, steps...)
		switch {
		case err == nil:
			one.Done = true
		case errors.Is(err, record.ErrStale):
			one.Refused = []string{p.Edit.ChangedMeanwhile}
		case refusal(err) != nil:
			one.Refused = []string{p.refused(err)}
		default:
			p.s.api.Log.Error("cannot change one of several items", "article", one.ID, "error", err, "request", p.c.RequestID)
			for j := i; j < len(list); j++ {
				list[j].Refused = append(list[j].Refused, p.Bulk.Fault)
			}
			return
		}
	}
}

// shownTags are the entity tags of the items, for the page that asks.
func shownTags(list []intended) string {
	q := url.Values{}
	for _, one := range list {
		if len(one.Refused) == 0 && one.tag != "" {
			q.Set(strconv.FormatInt(one.ID, 10), one.tag)
		}
	}
	return q.Encode()
}

// outcome is the page with what several items become, or became.
type outcome struct {
	*frame
	form
	Heading, Text string
	Back          link
	Rows          []intended
	Changing      int // how many
	Notes         []string
	Action        string
	File          bool // the form has a file
	Kept          []carried
	Button        string // "" where nothing is left to do
	Over          bool   // it is done
}

// carried is what a form says on its way through a page.
type carried struct{ Name, Value string }

// outcomePage shows what is to be confirmed, or what came of it.
func (s *Site) outcomePage(c *handlers.Call, v outcome, list []intended, over bool) (handlers.Reply, error) {
	f := s.frame(c)
	w := &f.Bulk
	v.frame, v.Rows, v.Over, v.Action = f, list, over, c.Address().Path
	refused := 0
	for _, one := range list {
		switch {
		case len(one.Refused) > 0:
			refused++
		case over && one.Done, !over && (len(one.change) > 0 || len(one.more) > 0):
			v.Changing++
		}
	}
	switch {
	case over:
		v.Heading, v.Done = w.DoneTitle, f.Count(v.Changing, w.ChangedOne, w.ChangedMany)
	case v.Changing == 0:
		v.Heading, v.Text = w.PreviewTitle, w.NothingChanges
	default:
		v.Heading, v.Text, v.Button = w.PreviewTitle, w.PreviewText, f.Count(v.Changing, w.ApplyOne, w.ApplyMany)
		v.Kept = append(v.Kept, carried{"shown", shownTags(list)}, carried{"do", "apply"})
	}
	if refused > 0 {
		v.Said = f.Count(refused, w.RefusedOne, w.RefusedMany)
	}
	f.Title, f.Main = v.Heading, v
	return s.formPage(c, "outcome", http.StatusOK, f)
}

// bulk is the form that says what several items have in common from now on.
type bulk struct {
	*frame
	form
	Items    []intended
	Controls []control
	Chosen   []offered // categories
	Found    []offered
	Sought   string
	None     string // what a search for categories says that found none
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

func readWish(c *handlers.Call) *wish {
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
func (s *Site) Bulk(c *handlers.Call) (handlers.Reply, error) {
	at := c.Address()
	return s.bulkPage(c, http.StatusOK, chosenItems(at.Query()["item"]), "")
}

func (s *Site) bulkPage(c *handlers.Call, status int, ids []int64, said string) (handlers.Reply, error) {
	f := s.frame(c)
	w := &f.Bulk
	p, err := s.batch(c)
	if err != nil {
		return handlers.Reply{}, err
	}
	v := bulk{frame: f, Sought: strings.TrimSpace(c.Field("sought")), form: form{Said: said}}
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
		return handlers.Reply{}, err
	}
	if v.Said == "" && len(v.Items) == 0 {
		v.Said = w.NoItems
	}
	is := readWish(c)
	if v.Controls, err = s.bulkControls(c, p, is); err != nil {
		return handlers.Reply{}, err
	}
	var e editing
	e.frame = f
	e.categories(&draft{Categories: is.Categories}, v.Sought)
	v.Chosen, v.Found, v.None = e.Categories.Options, e.Found, e.Categories.Error
	f.Main = v
	return s.formPage(c, "bulk", status, f)
}

// bulkControls are the fields of the form, with what was written in them.
func (s *Site) bulkControls(c *handlers.Call, p *batch, is *wish) ([]control, error) {
	w := &p.Bulk
	stays := offered{Words: w.Stays}
	licences := control{Name: "license", Kind: "select", Label: p.License, Options: []offered{stays}}
	for _, l := range p.choices.licences {
		value := strconv.FormatInt(l.Value, 10)
		licences.Options = append(licences.Options, offered{Value: value, Words: l.Name, Chosen: value == is.License})
	}
	list := []control{
		licences,
		{Name: "tags", Kind: "area", Rows: 3, Label: w.AddTags, Help: p.Edit.LineEach, Value: strings.Join(is.Tags, "\n")},
		{Name: "without", Kind: "area", Rows: 3, Label: w.RemoveTags, Help: p.Edit.LineEach, Value: strings.Join(is.Without, "\n")},
		{Name: "grants", Kind: "area", Rows: 3, Label: w.AddGrants, Help: p.Edit.GrantsHelp, Value: strings.Join(is.Grants, "\n")},
		{Name: "funding", Kind: "line", Most: 2000, Label: p.Edit.FundingText, Value: is.Funding},
	}
	if len(p.choices.groups) > 0 {
		groups := control{Name: "group", Kind: "select", Label: p.Edit.Group, Help: p.Edit.GroupHelp, Options: []offered{stays}}
		for _, g := range p.choices.groups {
			value := strconv.FormatInt(g.ID, 10)
			groups.Options = append(groups.Options, offered{Value: value, Words: g.Name, Chosen: value == is.Group})
		}
		list = append(list, groups)
	}
	kinds := control{Name: "embargo", Kind: "select", Label: p.Edit.Embargo, Options: []offered{stays}}
	for _, k := range []offered{{Value: "none", Words: p.Edit.EmbargoNone}, {Value: "file", Words: p.Edit.EmbargoFiles}, {Value: "article", Words: p.Edit.EmbargoAll}} {
		k.Chosen = k.Value == is.Embargo
		kinds.Options = append(kinds.Options, k)
	}
	list = append(list, kinds, control{Name: "until", Kind: "line", Input: "date", Label: p.Edit.EmbargoDate, Help: p.Edit.EmbargoDateHelp, Value: is.Until})
	collections, err := s.api.Collections.Mine(c, "", 1)
	if len(collections) > 0 {
		into := control{Name: "collection", Kind: "select", Label: w.IntoCollection, Options: []offered{stays}}
		for _, one := range collections {
			value := strconv.FormatInt(one.ID, 10)
			into.Options = append(into.Options, offered{Value: value, Words: plainTitle(one.Title), Chosen: value == is.Collection})
		}
		list = append(list, into)
	}
	return list, err
}

// ChangeBulk shows what a form would change, and changes it once that is confirmed.
func (s *Site) ChangeBulk(c *handlers.Call) (handlers.Reply, error) {
	ids, is, do := chosenItems(c.Fields("item")), readWish(c), c.Field("do")
	w := &byLanguage[chosenLanguage(c)].Bulk
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
		return handlers.Reply{}, err
	}
	into, err := p.collection(is.Collection)
	if refusal(err) != nil {
		return s.bulkPage(c, http.StatusUnprocessableEntity, ids, p.refused(err))
	}
	if err != nil {
		return handlers.Reply{}, err
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
				one.more = []handlers.Step{into.add(s, id)}
			}
			list[i] = one
		}
		return nil
	})
	if err != nil {
		return handlers.Reply{}, err
	}
	v := outcome{Back: link{w.BackToItems, own[0]}}
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
		j.title = plainTitle(text(doc.Title))
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
func (j *joining) add(s *Site, item int64) handlers.Step {
	add := handlers.With(s.api.CollectionArticlesAdd, object(map[string]any{"articles": []int64{item}}))
	return func(c *handlers.Call, tx *bucket.Tx) (handlers.Reply, error) { return add(c.WithID("id", j.id), tx) }
}

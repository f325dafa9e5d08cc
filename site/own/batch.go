package own

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
	"alcove/record/markup"
	"alcove/site"
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
	more    []endpoint.Step // beside the change
}

// bulkMost is how many items are changed at once.
const bulkMost = 200

// saidMost is how much of what others wrote an outcome says, in characters.
const saidMost = 200

// batch works on several own items of a person.
type batch struct {
	*site.Words
	s       *Pages
	c       *endpoint.Call
	kind    *ownKind
	groups  map[string]string // names by id
	choices choices
	defined map[int64][]present.CustomField // by group
}

func (s *Pages) batch(c *endpoint.Call) (*batch, error) {
	p := &batch{Words: site.WordsOf(c), s: s, c: c, kind: s.ownKind(c), groups: map[string]string{}, defined: map[int64][]present.CustomField{}}
	err := s.api.DB.View(func(tx *bucket.Tx) (err error) {
		p.choices, err = s.choices(c, tx, nil)
		return err
	})
	for _, g := range p.choices.groups {
		p.groups[strconv.FormatInt(g.ID, 10)] = g.Name
	}
	return p, err
}

// fields adds those of its group to the custom fields that an item has.
func (p *batch) fields(tx *bucket.Tx, doc *present.ArticlePrivate) (err error) {
	if doc.GroupID == nil {
		return nil
	}
	defined, known := p.defined[*doc.GroupID]
	if !known {
		if defined, err = p.s.api.DefinedFields(tx, *doc.GroupID); err != nil {
			return err
		}
		p.defined[*doc.GroupID] = defined
	}
	doc.CustomFields = withFields(doc.CustomFields, defined)
	return nil
}

// intend finds out how an item changes: want turns its draft into the one that is wanted, or says what is wrong. The API
// is asked about each change.
func (p *batch) intend(tx *bucket.Tx, id int64, want func(*present.ArticlePrivate, *draft) (wrong []string)) (intended, error) {
	one := intended{ID: id}
	c := p.c.WithID("id", id)
	doc, tag, _, err := p.s.api.OwnDocument(c, tx)
	if site.Refusal(err) != nil {
		one.Refused = []string{p.Refused(err)}
		return one, nil
	}
	if err == nil {
		err = p.fields(tx, &doc)
	}
	if err != nil {
		return one, err
	}
	one.tag, one.Title, one.URL = tag, markup.Title(site.Text(doc.Title)).String(), p.kind.form(id)
	if one.Title == "" {
		one.Title = p.Untitled
	}
	is, to := draftOf(&doc), draftOf(&doc)
	one.Refused = want(&doc, to)
	one.change = changed(to.keys(false), is.keys(false))
	for _, key := range slices.Sorted(maps.Keys(one.change)) {
		one.Changes = append(one.Changes, strings.NewReplacer("%field", p.Bulk.Keys[key], "%was", p.saying(is, key), "%is", p.saying(to, key)).Replace(p.Bulk.Becomes))
		if err := p.s.api.Try(c, tx, p.s.try(p.kind, key, one.change[key])); site.Refusal(err) != nil {
			one.Refused = append(one.Refused, p.Bulk.Keys[key]+": "+p.Refused(err))
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
			said += " (" + p.ReadDay(d.Embargo.Until).Words + ")"
		}
	}
	if said == "" || said == "<nil>" {
		return p.Edit.Nothing
	}
	return site.Short(said, saidMost)
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
		case site.Refusal(err) != nil:
			one.Refused = []string{p.Refused(err)}
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
	*site.Frame
	site.Form
	Heading, Text string
	Back          site.Link
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
func (s *Pages) outcomePage(c *endpoint.Call, v outcome, list []intended, over bool) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w := &f.Bulk
	v.Frame, v.Rows, v.Over, v.Action = f, list, over, c.Address().Path
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

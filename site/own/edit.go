package own

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
	"alcove/record/markup"
	"alcove/site"
)

// editing is the form of an article.
type editing struct {
	*site.Frame
	site.Form
	ID                          int64
	Heading                     string
	Action, API, Path, List     string
	Article                     bool   // and no collection
	Tag, Made                   string // entity tag and sums of what the form was made of
	About, Sorts, Links, Custom []site.Control
	Terms, Held, Dates          []site.Control
	Authors                     []authorRow
	AuthorsError, AuthorsTheirs string
	Related                     []relatedRow
	RelatedError, RelatedTheirs string
	Relations, Identifiers      []string
	Categories                  site.Control
	Found                       []site.Option // categories that a search has found
	Sought                      string
	States                      []site.State
	Files                       string
	Lacking                     []lacking
	Advice                      []lacking
	PublicURL                   string
	Version                     int
	Next                        string // what the button to publish says
	DOI                         string
	Public                      bool
	Told, ToldOf                string // for the script: why the API refuses, as JSON by message and by field
}

// lacking is something to do before publishing, and where.
type lacking struct{ Words, URL string }

// articleForm is what the form of an article, or of a collection, is made of.
type articleForm struct {
	kind    *ownKind
	doc     present.ArticlePrivate
	tag     string
	state   handlers.State
	lacking []handlers.Lacking
	choices choices
}

// choices are what a form of an item offers.
type choices struct {
	licences []present.License
	groups   []present.Group
	embargo  []present.GroupEmbargoOption
	reviewed bool
	chosen   *record.Choices // of administrators
}

func (o *choices) offersType(id int64) bool { return o.chosen.OffersType(id) }

// withLicence are the licences that are offered, and the one that the item has.
func (o *choices) withLicence(value int64) []present.License {
	if slices.ContainsFunc(o.licences, func(l present.License) bool { return l.Value == value }) {
		return o.licences
	}
	if l, ok := catalogue.LicenseByValue(value); ok {
		return append(slices.Clone(o.licences), present.Licenses([]catalogue.License{l})...)
	}
	return o.licences
}

func (s *Pages) readArticle(c *endpoint.Call) (a articleForm, err error) {
	a.kind = s.ownKind(c)
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		if a.doc, a.tag, a.state, err = s.document(c, tx, a.kind); err != nil {
			return err
		}
		if a.lacking, err = a.kind.Lacking(c, tx); err != nil {
			return err
		}
		if a.choices, err = s.choices(c, tx, a.doc.GroupID); err != nil || a.doc.GroupID == nil {
			return err
		}
		defined, err := s.api.DefinedFields(tx, *a.doc.GroupID)
		a.doc.CustomFields = withFields(a.doc.CustomFields, defined)
		return err
	})
	return a, err
}

// withFields are the custom fields of an item, with those behind that are defined and have no value yet.
func withFields(has, defined []present.CustomField) []present.CustomField {
	for _, f := range defined {
		if !slices.ContainsFunc(has, func(h present.CustomField) bool { return h.Name == f.Name }) {
			has = append(has, f)
		}
	}
	return has
}

// draft is what the form shows that nothing was written in.
func (a *articleForm) draft() *draft {
	d := draftOf(&a.doc)
	d.collection = !a.kind.article
	return d
}

// decode reads an answer of the API that is encoded.
func decode(r endpoint.Reply, to any) error { return json.Unmarshal(r.Raw, to) }

func (s *Pages) choices(c *endpoint.Call, tx *bucket.Tx, group *int64) (o choices, err error) {
	inner := c.Unasked()
	o.chosen = s.api.Choices()
	r, err := s.api.LicensesOwn(inner, tx)
	if err == nil {
		err = decode(r, &o.licences)
	}
	if err != nil {
		return o, err
	}
	if o.groups, err = s.api.Groups(inner, tx); err != nil && site.Refusal(err) == nil { // an account may be of no institution
		return o, err
	}
	if r, err = s.api.EmbargoOptionList(inner, tx); err != nil && site.Refusal(err) == nil {
		return o, err
	}
	err = nil
	o.embargo, _ = r.Body.([]present.GroupEmbargoOption)
	if group != nil {
		o.reviewed, err = s.api.Reviewed(tx, *group)
	}
	return o, err
}

// Edit is the form of an article.
func (s *Pages) Edit(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := s.readArticle(c)
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	return s.editPage(c, http.StatusOK, &a, a.draft(), formState{})
}

// formState is what a form that comes back says beside what was written in it.
type formState struct {
	said    string
	wrong   map[string]error // by key
	both    []string         // keys that were changed elsewhere, too
	now     *draft           // what is saved, where both has keys
	sought  string           // of categories
	more    bool             // more empty rows
	made    string           // sums of what the form was made of, "" to make them
	written bool             // nothing of it was saved
}

// emptyRows are how many more authors and works a form without script has room for.
const emptyRows = 2

// editPage shows the form with a draft in it.
func (s *Pages) editPage(c *endpoint.Call, status int, a *articleForm, d *draft, back formState) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w, doc, admin := &f.Edit, &a.doc, c.Account.Admin
	v := &editing{
		Frame: f, ID: doc.ID, Heading: markup.Title(site.Text(doc.Title)).String(), Action: a.kind.form(doc.ID), Path: a.kind.path(doc.ID), API: "/v2" + a.kind.path(doc.ID), Article: a.kind.article, List: a.kind.list,
		Tag: a.tag, Made: back.made, States: statesOf(f.Words, &a.state), Public: a.state.Public, Version: doc.Version, DOI: site.Text(doc.DOI),
		Relations: record.Relations(), Identifiers: record.IdentifierTypes(),
	}
	if v.Heading == "" {
		v.Heading = f.Untitled
	}
	f.Title = v.Heading
	if v.Made == "" {
		v.Made = sums(a.draft().keys(admin))
	}
	if a.state.Public {
		v.PublicURL = s.site.Local(doc.URLPublicHTML)
	}
	v.Files = w.NoFiles
	if n := len(doc.Files); n > 0 {
		v.Files = f.Count(n, f.OneFile, f.ManyFiles) + ", " + f.Bytes(doc.Size)
	}
	v.Next = publishing(f.Words, doc, a.reviewed())
	v.lack(f.Words, a, d)
	v.controls(a, d, admin)
	v.rows(d, back.more)
	v.categories(d, back.sought)
	v.mistakes(f.Words, d, &back)
	v.Told, v.ToldOf = string(object(f.Refusals)), string(object(w.Wrong))
	v.Said = back.said
	if !back.written {
		v.Done = told(f.Words, c)
	}
	f.Module = site.Address("edit.js")
	f.Main = v
	return s.formPage(c, "edit", status, f)
}

// publishing says what the button to publish does.
func publishing(w *site.Words, doc *present.ArticlePrivate, reviewed bool) string {
	if reviewed {
		return w.Edit.HandIn
	}
	return strings.Replace(w.Edit.PublishVersion, "%d", strconv.Itoa(doc.Version+1), 1)
}

// told is what an address says has been done.
func told(w *site.Words, c *endpoint.Call) string {
	for _, said := range []struct{ name, words string }{
		{"saved", w.Edit.Saved}, {"published", w.Edit.PublishedNow}, {"waits", w.Edit.Waits}, {"reserved", w.Edit.Reserved}, {"withdrawn", w.Edit.WithdrawnNow}, {"made", w.Edit.LinkMade}, {"ended", w.Edit.LinkEnded},
	} {
		if site.Asked(c, said.name) != "" {
			return said.words
		}
	}
	return ""
}

// lack lists what is missing before publishing, and what would be good to have.
func (v *editing) lack(w *site.Words, a *articleForm, d *draft) {
	for _, l := range a.lacking {
		v.Lacking = append(v.Lacking, lackingOf(w, a.kind.path(v.ID), l, d))
	}
	for _, one := range []struct {
		missing bool
		words   string
		at      string
	}{
		{a.kind.article && len(a.doc.Files) == 0 && !d.MetadataOnly, w.Edit.AdviceFiles, v.Path + "/files"},
		{strings.TrimSpace(site.Text(a.doc.Description)) == "", w.Edit.AdviceDescription, "#description"},
		{len(a.doc.Categories) == 0, w.Edit.AdviceCategories, "#categories"},
		{len(a.doc.Tags) == 0, w.Edit.AdviceTags, "#tags"},
	} {
		if one.missing {
			v.Advice = append(v.Advice, lacking{one.words, one.at})
		}
	}
}

// lacking is a line of the list of what an article lacks.
func lackingOf(w *site.Words, path string, l handlers.Lacking, d *draft) lacking {
	edit := path + "/edit"
	switch l.What {
	case "authors":
		return lacking{w.Edit.LacksAuthors, edit + "#authors"}
	case "title":
		return lacking{w.Edit.LacksTitle, edit + "#title"}
	case "file":
		return lacking{strings.Replace(w.Edit.LacksFile, "%s", l.Name, 1), path + "/files"}
	case "custom":
		at := edit
		for i, f := range d.Custom {
			if f.Name == l.Name {
				at += fmt.Sprintf("#custom.%d", i)
				break
			}
		}
		return lacking{strings.Replace(w.Edit.LacksField, "%s", l.Name, 1), at}
	}
	return lacking{w.Refused(l.Refused), edit}
}

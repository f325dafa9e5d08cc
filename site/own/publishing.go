package own

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
)

// confirming is a page that asks before something is done that cannot be undone.
type confirming struct {
	*site.Frame
	site.Form
	Heading, Text string
	Item          string // its title
	Back          string
	Facts         []fact
	Lacking       []lacking
	Controls      []site.Control
	Tag           string
	Button        string // "" where it cannot be done
	Agreement     bool   // there is one to accept
	Action        string
}

type fact struct {
	Name   string
	Values []string
}

// confirmation begins a page that asks about an article.
func (s *Pages) confirmation(c *endpoint.Call, a *articleForm, heading, text, button string) *confirming {
	f := s.site.Frame(c)
	v := &confirming{Frame: f, Heading: heading, Text: text, Button: button, Tag: a.tag, Back: a.kind.form(a.doc.ID), Action: c.Address().Path, Item: markup.Title(titleOf(a)).String()}
	f.Title = heading
	return v
}

func titleOf(a *articleForm) string { return site.Text(a.doc.Title) }

func (s *Pages) confirmPage(c *endpoint.Call, status int, v *confirming) (endpoint.Reply, error) {
	v.Frame.Main = v
	return s.formPage(c, "confirm", status, v.Frame)
}

// changedMeanwhile reports whether an article is not as the page showed it that was confirmed.
func changedMeanwhile(c *endpoint.Call, a *articleForm) bool { return c.Field("tag") != a.tag }

// PublishPage says what will be public, and what is missing for that.
func (s *Pages) PublishPage(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := s.readArticle(c)
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	return s.publishPage(c, http.StatusOK, &a, "")
}

func (s *Pages) publishPage(c *endpoint.Call, status int, a *articleForm, said string) (endpoint.Reply, error) {
	words := site.WordsOf(c)
	w, doc := &words.Edit, &a.doc
	heading, text := strings.Replace(w.PublishTitle, "%d", strconv.Itoa(doc.Version+1), 1), w.PublishText
	if a.reviewed() {
		heading, text = w.HandInTitle, w.HandInText
	}
	v := s.confirmation(c, a, heading, text, publishing(words, doc, a.reviewed()))
	v.Said = said
	is := a.draft()
	for _, l := range a.lacking {
		v.Lacking = append(v.Lacking, lackingOf(words, a.kind.path(doc.ID), l, is))
	}
	if len(v.Lacking) > 0 {
		v.Button, v.Text = "", w.NotYet
	}
	var people []string
	for _, p := range doc.Authors {
		people = append(people, p.FullName)
	}
	doi := is.DOI
	if doi == "" {
		doi = w.NoDOIYet
	}
	files := w.NoFiles
	if n := len(doc.Files); n > 0 {
		files = words.Count(n, words.OneFile, words.ManyFiles) + ", " + words.Bytes(doc.Size)
	}
	held := w.NoEmbargo
	switch is.Embargo.Kind {
	case "article":
		held = strings.Replace(w.EmbargoKeeps, "%s", words.ReadDay(is.Embargo.Until).Words, 1)
	case "file":
		if held = w.EmbargoKeepsFiles; is.Embargo.Until != "" {
			held += " " + words.EmbargoUntilDay(is.Embargo.Until)
		}
	}
	v.Facts = []fact{
		{words.FieldTitle, []string{v.Item}}, {words.Authors, people}, {words.DOI, []string{doi}},
	}
	if a.kind.article {
		v.Facts = append(v.Facts, fact{words.License, []string{doc.License.Name}}, fact{words.Files, []string{files}}, fact{w.WillBe, []string{held}})
	}
	if a.state.Public && a.kind.article {
		changes, err := s.changesSince(c, a, words)
		if err != nil {
			return endpoint.Reply{}, err
		}
		v.Facts = append(v.Facts, fact{strings.Replace(w.Changes, "%d", strconv.Itoa(doc.Version), 1), changes})
	}
	if g := a.state.Agreement; g != nil {
		v.Facts = append(v.Facts, fact{w.Agreed, []string{words.Day(g.Accepted.UTC()) + ", SHA-256 " + g.SHA256}})
	}
	if names := unlikelyPersons(a); len(names) > 0 && v.Button != "" {
		k := site.Control{Name: namesConfirmed, Kind: "checks", Label: w.NamesAsk, Options: []site.Option{{Value: "1", Words: strings.Replace(w.NamesRight, "%s", strings.Join(names, "; "), 1)}}}
		if said == w.NamesMissing {
			k.Error, v.Said, v.Fields = said, "", []site.Field{{Name: k.Name, Error: said}}
		}
		v.Controls = append(v.Controls, k)
	}
	if sum := s.api.Agreement(site.LanguageOf(c)); sum != "" && v.Button != "" {
		k := site.Control{Name: "agreement", Kind: "checks", Label: words.OwnPages[endpoint.AgreementPage], Options: []site.Option{{Value: sum, Words: w.Agree}}}
		if said == w.AgreementMissing {
			k.Error, v.Said, v.Fields = said, "", []site.Field{{Name: k.Name, Error: said}}
		}
		v.Agreement, v.Controls = true, append(v.Controls, k)
	}
	return s.confirmPage(c, status, v)
}

// namesConfirmed is the control by which a person confirms the names of unlikelyPersons.
const namesConfirmed = "names"

// unlikelyPersons are the first names of the authors that were taken for persons by a guess and have a word of organisations.
func unlikelyPersons(a *articleForm) (names []string) {
	for i := range a.doc.Authors {
		if p := &a.doc.Authors[i]; p.IsGuessed && record.SoundsLikeOrganisation(p.FullName) {
			if names = append(names, p.FullName); len(names) == 10 {
				return append(names, "…")
			}
		}
	}
	return names
}

// reviewed reports whether publishing hands the item in for a review first.
func (a *articleForm) reviewed() bool { return a.choices.reviewed && a.kind.article }

// changesSince names what a working copy has otherwise than its latest public version.
func (s *Pages) changesSince(c *endpoint.Call, a *articleForm, w *site.Words) (list []string, err error) {
	doc, files, err := s.site.Previewed(c)
	if err != nil {
		return nil, err
	}
	err = s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		was, err := s.api.PublicVersionDocument(tx, a.doc.ID, a.doc.Version)
		if err != nil {
			return err
		}
		for _, field := range w.Differences(&was, &doc) {
			list = append(list, strings.Replace(w.FieldChanged, "%s", field, 1))
		}
		if len(list) == 0 {
			list = append(list, w.Edit.NoChanges)
		}
		for _, f := range files {
			if f.Added == 0 {
				list = append(list, strings.Replace(w.FileAdded, "%s", site.Joined(strings.Trim(f.Folder, "/"), f.Name), 1))
			}
			if len(list) > site.ListedChanges {
				return nil
			}
		}
		now := map[int64]bool{}
		for _, f := range doc.Files {
			now[f.ID] = true
		}
		for _, f := range was.Files {
			if !now[f.ID] && len(files) < s.api.Settings.FilesInDetail { // all of them are known
				list = append(list, strings.Replace(w.FileRemoved, "%s", f.Name, 1))
			}
		}
		return nil
	})
	return list, err
}

// Publish publishes an article, or hands it in for review.
func (s *Pages) Publish(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := s.readArticle(c)
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	words := &site.WordsOf(c).Edit
	if changedMeanwhile(c, &a) {
		return s.publishPage(c, site.StaleStatus(c), &a, words.ChangedMeanwhile)
	}
	if len(unlikelyPersons(&a)) > 0 && c.Field(namesConfirmed) == "" {
		return s.publishPage(c, http.StatusUnprocessableEntity, &a, words.NamesMissing)
	}
	steps := []endpoint.Step{a.kind.publish}
	if language := site.LanguageOf(c); s.api.Agreement(language) != "" {
		if c.Field("agreement") != s.api.Agreement(language) {
			return s.publishPage(c, http.StatusUnprocessableEntity, &a, words.AgreementMissing)
		}
		steps = []endpoint.Step{s.api.AgreementAccepted(language), a.kind.publish}
	}
	r, err := s.api.Change(c, a.kind.state, a.tag, a.kind.toPublish, steps...)
	switch refused := site.Refusal(err); {
	case errors.Is(err, record.ErrStale):
		if a, err = s.readArticle(c); err != nil {
			return endpoint.Reply{}, site.Unknown(err)
		}
		return s.publishPage(c, site.StaleStatus(c), &a, words.ChangedMeanwhile)
	case refused != nil && (refused.Class == record.Unreadable || refused.Class == record.Invalid || refused.Class == record.MissingStep):
		return s.publishPage(c, http.StatusUnprocessableEntity, &a, site.WordsOf(c).Refused(refused))
	case err != nil:
		return endpoint.Reply{}, err
	}
	at := a.kind.form(a.doc.ID) + "?published=1"
	if a.reviewed() || a.doc.IsEmbargoed && site.Text(a.doc.EmbargoType) == string(record.ArticleEmbargo) {
		at = a.kind.form(a.doc.ID) + "?waits=1"
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: at, Header: r.Header}, nil
}

// UnpublishPage asks for the reason of a withdrawal.
func (s *Pages) UnpublishPage(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := s.readArticle(c)
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	return s.unpublishPage(c, http.StatusOK, &a, "", "")
}

func (s *Pages) unpublishPage(c *endpoint.Call, status int, a *articleForm, wrong, said string) (endpoint.Reply, error) {
	w := &site.WordsOf(c).Edit
	v := s.confirmation(c, a, w.Unpublish, w.UnpublishText, w.Unpublish)
	v.Controls = []site.Control{
		{Name: "reason", Kind: "area", Rows: 2, Label: w.Reason, Help: w.ReasonHelp, Value: c.Field("reason"), Error: wrong},
		{Name: "public_reason", Kind: "area", Rows: 2, Label: w.PublicReason, Help: w.PublicReasonHelp, Value: c.Field("public_reason")},
	}
	if v.Said = said; wrong != "" {
		v.Fields = []site.Field{{Name: "reason", Error: wrong}}
	}
	if !a.state.Public && !a.state.Held {
		v.Button, v.Text, v.Controls = "", w.NotPublic, nil
	}
	return s.confirmPage(c, status, v)
}

// Unpublish withdraws the public versions of an article.
func (s *Pages) Unpublish(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := s.readArticle(c)
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	words := &site.WordsOf(c).Edit
	if changedMeanwhile(c, &a) {
		return s.unpublishPage(c, site.StaleStatus(c), &a, "", words.ChangedMeanwhile)
	}
	body := map[string]any{"reason": strings.TrimSpace(c.Field("reason"))}
	if public := strings.TrimSpace(c.Field("public_reason")); public != "" {
		body["public_reason"] = public
	}
	_, err = s.api.Change(c, a.kind.withdrawn, a.tag, a.kind.toWithdraw, a.kind.unpublish(object(body)))
	switch refused := site.Refusal(err); {
	case refused != nil && refused.Class == record.Invalid:
		return s.unpublishPage(c, http.StatusUnprocessableEntity, &a, words.ReasonWrong, "")
	case refused != nil && (refused.Class == record.Unreadable || refused.Class == record.Forbidden):
		return s.unpublishPage(c, http.StatusUnprocessableEntity, &a, "", site.WordsOf(c).Refused(refused))
	case err != nil:
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: a.kind.form(a.doc.ID) + "?withdrawn=1"}, nil
}

// DeletePage asks before a draft is deleted.
func (s *Pages) DeletePage(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := s.readArticle(c)
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	return s.deletePage(c, http.StatusOK, &a, "")
}

func (s *Pages) deletePage(c *endpoint.Call, status int, a *articleForm, said string) (endpoint.Reply, error) {
	w := &site.WordsOf(c).Edit
	v := s.confirmation(c, a, w.DeleteTitle, w.DeleteText, w.Delete)
	v.Said = said
	return s.confirmPage(c, status, v)
}

// Delete deletes a draft with its files.
func (s *Pages) Delete(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := s.readArticle(c)
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	if changedMeanwhile(c, &a) {
		return s.deletePage(c, site.StaleStatus(c), &a, site.WordsOf(c).Edit.ChangedMeanwhile)
	}
	if a.state.Public { // the API withdraws a public collection that is deleted, which this page does not say
		return s.deletePage(c, http.StatusUnprocessableEntity, &a, site.WordsOf(c).Edit.UnpublishFirst)
	}
	_, err = s.api.Change(c, a.kind.state, a.tag, a.kind.toRemove, a.kind.remove)
	switch refused := site.Refusal(err); {
	case refused != nil && (refused.Class == record.Forbidden || refused.Class == record.Conflict):
		return s.deletePage(c, http.StatusUnprocessableEntity, &a, site.WordsOf(c).Refused(refused))
	case err != nil:
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: a.kind.list + "?deleted=1"}, nil
}

// ReserveDOI reserves the DOI that an article will have.
func (s *Pages) ReserveDOI(c *endpoint.Call) (endpoint.Reply, error) {
	if _, err := s.api.Change(c, nil, "", nil, s.ownKind(c).DOIReserve); err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: s.ownKind(c).form(c.ID("id")) + "?reserved=1"}, nil
}

// Working leads from the address that the API calls url_private_html to the form.
func (s *Pages) Working(c *endpoint.Call) (endpoint.Reply, error) {
	if _, err := s.readArticle(c); err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: s.ownKind(c).form(c.ID("id"))}, nil
}

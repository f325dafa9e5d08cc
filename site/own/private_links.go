package own

import (
	"net/http"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
)

// privateLinks are those of an article, with the form that makes one.
type privateLinks struct {
	*site.Frame
	site.Form
	Back, Item, Action string
	List               []privateLink
	Controls           []site.Control
	Warned             []string // what an anonymous link may yet tell
}

type privateLink struct {
	ID, Address, State string
	Active, Anonymous  bool
}

// PrivateLinks lists the private links of an article.
func (s *Pages) PrivateLinks(c *endpoint.Call) (endpoint.Reply, error) {
	return s.linksPage(c, http.StatusOK, "", "", nil)
}

func (s *Pages) linksPage(c *endpoint.Call, status int, wrong, said string, warned []string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w, k := &f.Edit, s.ownKind(c)
	v := &privateLinks{Frame: f, Action: c.Address().Path, Back: k.form(c.ID("id")), Warned: warned}
	f.Title = w.Links
	err := s.api.DB.View(func(tx *bucket.Tx) error {
		doc, _, _, err := s.document(c, tx, k)
		if err != nil {
			return err
		}
		v.Item = markup.Title(site.Text(doc.Title)).String()
		r, err := k.LinksRead(c, tx)
		if err != nil {
			return err
		}
		list, _ := r.Body.([]any)
		for i := range list {
			l, article := list[len(list)-1-i].(present.PrivateLink) // the newest first
			if of, _ := list[len(list)-1-i].(present.CollectionLink); !article {
				l = of.PrivateLink
			}
			one := privateLink{ID: site.Text(l.ID), Active: l.IsActive, Anonymous: l.Anonymous, State: w.LinkOver}
			if l.IsActive {
				one.Address, one.State = site.Text(l.HTMLLocation), strings.Replace(w.LinkActive, "%s", f.ReadDay(site.Text(l.ExpiresDate)).Words, 1)
			}
			v.List = append(v.List, one)
		}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	v.Controls = []site.Control{
		{Name: "until", Kind: "line", Input: "date", Label: w.LinkUntil, Help: w.LinkUntilHelp, Value: c.Field("until"), Error: wrong},
		{Name: "anonymous", Kind: "check", Label: w.LinkAnonymous, Help: w.LinkAnonymousHelp, Chosen: c.Field("anonymous") != ""},
	}
	if v.Said = said; wrong != "" {
		v.Fields = []site.Field{{Name: "until", Error: wrong}}
	}
	switch {
	case warned != nil:
		v.Done = w.LinkMade
	case status == http.StatusOK:
		v.Done = told(f.Words, c)
	}
	f.Main = v
	return s.formPage(c, "links", status, f)
}

// ChangeLinks makes a private link, or ends one.
func (s *Pages) ChangeLinks(c *endpoint.Call) (endpoint.Reply, error) {
	at := c.Address().Path
	if id := c.Field("end"); id != "" {
		c.Named("link_id", id)
		if _, err := s.api.Change(c, nil, "", nil, s.ownKind(c).LinkDelete); err != nil {
			return endpoint.Reply{}, site.Unknown(err)
		}
		return endpoint.Reply{Status: http.StatusSeeOther, Location: at + "?ended=1"}, nil
	}
	body := map[string]any{}
	if until := strings.TrimSpace(c.Field("until")); until != "" {
		body["expires_date"] = until
	}
	if c.Field("anonymous") != "" {
		body["anonymous"] = true
	}
	r, err := s.api.Change(c, nil, "", nil, handlers.With(s.ownKind(c).LinkAdd, object(body)))
	words := &site.WordsOf(c).Edit
	switch refused := site.Refusal(err); {
	case refused != nil && refused.Class == record.Invalid && refused.Data["field"] == "expires_date":
		return s.linksPage(c, http.StatusUnprocessableEntity, words.LinkDateWrong, "", nil)
	case refused != nil && refused.Class == record.Invalid:
		return s.linksPage(c, http.StatusUnprocessableEntity, "", strings.Replace(words.LinkRefused, "%s", site.WordsOf(c).Refused(refused), 1), nil)
	case err != nil:
		return endpoint.Reply{}, site.Unknown(err)
	}
	if made, ok := r.Body.(present.NewLink); ok && len(made.Warnings) > 0 {
		return s.linksPage(c, http.StatusOK, "", "", made.Warnings)
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: at + "?made=1"}, nil
}

package own

import (
	"errors"
	"maps"
	"net/http"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/site"
)

// Save takes the form: all of it is stored, or nothing and the form comes back as it was written.
func (s *Pages) Save(c *endpoint.Call) (endpoint.Reply, error) {
	a, err := s.readArticle(c)
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	admin, is := c.Account.Admin, a.draft()
	d, words := readDraft(c, is), &site.WordsOf(c).Edit
	tag, made := c.Field("tag"), c.Field("made")
	back := formState{made: made, written: true}
	switch c.Field("do") {
	case "find":
		back.sought = strings.TrimSpace(c.Field("sought"))
		a.tag = tag
		return s.editPage(c, http.StatusOK, &a, d, back)
	case "rows":
		back.more, a.tag = true, tag
		return s.editPage(c, http.StatusOK, &a, d, back)
	}
	if tag != a.tag {
		back.both, back.now, back.said, back.made = d.merge(is, made, admin), is, words.Stale, ""
		if len(back.both) == 0 {
			back.said = words.Merged
		}
		return s.editPage(c, site.StaleStatus(c), &a, d, back)
	}
	change := changed(d.keys(admin), is.keys(admin))
	for _, key := range c.Fields("theirs") {
		delete(change, key)
	}
	if len(change) == 0 {
		return endpoint.Reply{Status: http.StatusSeeOther, Location: c.Address().Path + "?saved=1"}, nil
	}
	_, err = s.api.Change(c, a.kind.state, tag, a.kind.toChange, s.steps(a.kind, change)...)
	refused := site.Refusal(err)
	switch {
	case err == nil:
		return endpoint.Reply{Status: http.StatusSeeOther, Location: c.Address().Path + "?saved=1"}, nil
	case errors.Is(err, record.ErrStale): // between the reading above and the writing
		if a, err = s.readArticle(c); err != nil {
			return endpoint.Reply{}, site.Unknown(err)
		}
		is = a.draft()
		back.both, back.now, back.said, back.made = d.merge(is, made, admin), is, words.Stale, ""
		return s.editPage(c, http.StatusPreconditionFailed, &a, d, back)
	case refused == nil || refused.Class == record.NotFound || refused.Class == record.Unavailable || refused.Class == record.NoSpace:
		return endpoint.Reply{}, err
	}
	if back.wrong, err = s.wrong(c, a.kind, d, change); err != nil {
		return endpoint.Reply{}, err
	}
	if len(back.wrong) == 0 {
		back.said = site.WordsOf(c).Refused(refused)
	}
	return s.editPage(c, http.StatusUnprocessableEntity, &a, d, back)
}

// steps are the functions of the API that make a change.
func (s *Pages) steps(k *ownKind, change map[string]any) (steps []endpoint.Step) {
	body := maps.Clone(change)
	for _, key := range []string{keyAuthors, keyEmbargo, keyResource} {
		delete(body, key)
	}
	if len(body) > 0 {
		steps = append(steps, k.change(object(body)))
	}
	if of := change[keyAuthors]; of != nil {
		steps = append(steps, handlers.With(k.AuthorsReplace, object(of.(map[string]any))))
	}
	if of := change[keyResource]; of != nil {
		steps = append(steps, handlers.With(s.api.ResourceKeep, object(of.(map[string]any))))
	}
	if of := change[keyEmbargo]; of != nil {
		steps = append(steps, handlers.With(s.api.EmbargoUpdate, object(of.(map[string]any))))
	}
	return steps
}

// wrong asks the API about each key of a change by itself, and about each row, and says which it refuses.
func (s *Pages) wrong(c *endpoint.Call, k *ownKind, d *draft, change map[string]any) (map[string]error, error) {
	wrong := map[string]error{}
	w := site.WordsOf(c)
	said := func(err error, key string) string { // in German what the API says of a row is what the form says of all
		if w == site.WordsIn("en") {
			return err.Error()
		}
		return w.Edit.Wrong[key]
	}
	err := s.api.DB.View(func(tx *bucket.Tx) error {
		for key, value := range change {
			if err := s.api.Try(c, tx, s.try(k, key, value)); site.Refusal(err) != nil {
				wrong[key] = err
			} else if err != nil {
				return err
			}
		}
		for i := range d.Authors {
			if wrong[keyAuthors] == nil {
				break
			}
			row := map[string]any{"authors": []any{d.Authors[i].reference()}}
			if err := s.api.Try(c, tx, s.try(k, keyAuthors, row)); site.Refusal(err) != nil {
				d.Authors[i].Error = said(err, keyAuthors)
			}
		}
		for i := range d.Related {
			if wrong["related_materials"] == nil {
				break
			}
			if err := s.api.Try(c, tx, s.try(k, "related_materials", []any{d.Related[i].material()})); site.Refusal(err) != nil {
				d.Related[i].Error = said(err, "related_materials")
			}
		}
		return nil
	})
	return wrong, err
}

func (s *Pages) try(k *ownKind, key string, value any) endpoint.Step {
	switch key {
	case keyAuthors:
		return handlers.With(k.AuthorsTry, object(value.(map[string]any)))
	case keyResource:
		return handlers.With(s.api.ResourceTry, object(value.(map[string]any)))
	case keyEmbargo:
		return handlers.With(s.api.EmbargoTry, object(value.(map[string]any)))
	}
	return k.try(object(map[string]any{key: value}))
}

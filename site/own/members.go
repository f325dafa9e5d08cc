package own

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"sort"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
)

// members are the items of an own collection, with a search for more.
type members struct {
	*site.Frame
	site.Form
	Back, Item, Action string
	Tag                string
	List               []member
	Many               bool // more than are put in order here
	Sought             string
	Found              []member
}

type member struct {
	ID    int64
	Place int
	Title template.HTML
	Plain string
	About string
}

const (
	membersShown  = 200 // of a collection, which can be put in order
	membersAtOnce = 10  // that the API takes in a call
)

// Members lists the articles of a collection.
func (s *Pages) Members(c *endpoint.Call) (endpoint.Reply, error) {
	return s.membersPage(c, http.StatusOK, "")
}

func (s *Pages) membersPage(c *endpoint.Call, status int, said string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	k := s.ownKind(c)
	v := &members{Frame: f, Action: c.Address().Path, Back: k.form(c.ID("id")), Sought: strings.TrimSpace(site.Asked(c, "q"))}
	f.Title = f.Edit.Members
	in := map[int64]bool{}
	err := s.api.DB.View(func(tx *bucket.Tx) error {
		doc, tag, _, err := s.document(c, tx, k)
		if err != nil {
			return err
		}
		v.Item, v.Tag = markup.Title(site.Text(doc.Title)).String(), tag
		r, err := s.api.CollectionArticles(c.Asking("page_size="+strconv.Itoa(membersShown+1)), tx)
		if err != nil {
			return err
		}
		var list []struct {
			ID    int64   `json:"id"`
			Title *string `json:"title"`
			Type  int64   `json:"defined_type"`
		}
		if err := json.Unmarshal(r.Raw, &list); err != nil {
			return err
		}
		for i, a := range list {
			in[a.ID] = true
			v.List = append(v.List, member{a.ID, i + 1, markup.Title(site.Text(a.Title)).HTML(), markup.Title(site.Text(a.Title)).String(), f.Types[a.Type]})
		}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	if len(v.List) > membersShown {
		v.List, v.Many = v.List[:membersShown], true
	}
	if err := s.findMembers(c, v, in); err != nil {
		return endpoint.Reply{}, err
	}
	if v.Said = said; status == http.StatusOK {
		v.Done = told(f.Words, c)
	}
	f.Main = v
	return s.formPage(c, "members", status, f)
}

// findMembers offers own items, those that were changed last or that words match, and public ones that words match.
func (s *Pages) findMembers(c *endpoint.Call, v *members, in map[int64]bool) error {
	mine, err := s.api.Articles.Mine(c, v.Sought, 1)
	if site.Refusal(err) != nil {
		mine, err = nil, nil // too short a word
	}
	if err != nil {
		return err
	}
	for _, m := range mine {
		if !in[m.ID] {
			in[m.ID] = true
			v.Found = append(v.Found, member{ID: m.ID, Title: markup.Title(m.Title).HTML(), Plain: markup.Title(m.Title).String(), About: v.Types[m.Type]})
		}
	}
	if len([]rune(v.Sought)) < 3 {
		return nil
	}
	found, err := s.api.Find(c, site.ArticlesWith(v.Sought))
	if site.Refusal(err) != nil {
		return nil
	}
	if err != nil {
		return err
	}
	for _, item := range found.Items {
		if a := item.Article; a != nil && !in[a.ID] {
			in[a.ID] = true
			v.Found = append(v.Found, member{ID: a.ID, Title: markup.Title(site.Text(a.Title)).HTML(), Plain: markup.Title(site.Text(a.Title)).String(), About: v.Types[a.DefinedType] + ", " + v.Edit.MembersPublic})
		}
	}
	return nil
}

// ChangeMembers adds articles to a collection, takes them out, or puts them in order.
func (s *Pages) ChangeMembers(c *endpoint.Call) (endpoint.Reply, error) {
	k := s.ownKind(c)
	words := &site.WordsOf(c).Edit
	if c.Field("tag") == "" {
		return s.membersPage(c, http.StatusUnprocessableEntity, words.ChangedMeanwhile)
	}
	var steps []endpoint.Step
	switch {
	case c.Field("do") == "add":
		steps = s.inTens(c.Fields("add"), true)
	case c.Field("out") != "":
		steps = []endpoint.Step{s.api.WithoutMember(c.Field("out"))}
	default:
		ids := c.Fields("member")
		if len(ids) > membersShown {
			return s.membersPage(c, http.StatusUnprocessableEntity, words.MembersMany)
		}
		sort.SliceStable(ids, func(i, j int) bool { return place(c.Field("place."+ids[i]), i) < place(c.Field("place."+ids[j]), j) })
		steps = s.inTens(ids, false)
	}
	if len(steps) == 0 {
		return s.membersPage(c, http.StatusUnprocessableEntity, words.MembersWrong)
	}
	_, err := s.api.Change(c, k.state, c.Field("tag"), nil, steps...)
	switch refused := site.Refusal(err); {
	case errors.Is(err, record.ErrStale):
		return s.membersPage(c, http.StatusPreconditionFailed, words.ChangedMeanwhile)
	case refused != nil && (refused.Class == record.Invalid || refused.Class == record.Unreadable):
		return s.membersPage(c, http.StatusUnprocessableEntity, words.MembersWrong)
	case err != nil:
		return endpoint.Reply{}, site.Unknown(err)
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: fmt.Sprintf("%s/articles?saved=1", k.path(c.ID("id")))}, nil
}

// inTens are the steps that add ids to a collection, or make them all that it has: the API takes ten in a call.
func (s *Pages) inTens(ids []string, add bool) (steps []endpoint.Step) {
	for from := 0; from < len(ids) && from < membersShown; from += membersAtOnce {
		body := object(map[string]any{"articles": numbers(ids[from:min(from+membersAtOnce, len(ids))])})
		if from == 0 && !add {
			steps = append(steps, handlers.With(s.api.CollectionArticlesReplace, body))
		} else {
			steps = append(steps, handlers.With(s.api.CollectionArticlesAdd, body))
		}
	}
	return steps
}

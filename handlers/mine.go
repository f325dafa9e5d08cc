package handlers

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// The pages of a person show own items with their state, and make several changes of one at once. They
// read and write by the functions of the API.

// State is what a working copy is in.
type State struct {
	Public    bool
	Withdrawn bool                // its public versions were, and none followed
	Changed   bool                // since its latest public version
	Review    record.ReviewStatus // of the newest review, "" for none
	Held      bool                // a version waits for the end of its embargo
	Embargo   record.Embargo      // that is in force
	Agreement *record.Agreement   // with which it was published last, nil for none
}

// Mine is an own item in a list of its owner's pages.
type Mine struct {
	ID       int64
	Title    string
	Type     int64 // of an article, otherwise 0
	Modified time.Time
	Size     int64 // bytes of the files of an article
	Files    int
	Articles int // of a collection
	Counts   record.Counts
	State
}

// stateOf reads the state of an own item.
func stateOf(tx *bucket.Tx, item items.Item) (s State, err error) {
	w := item.Common()
	s = State{Public: w.Public(), Withdrawn: w.Withdrawn, Embargo: w.Embargo.At(tx.Clock()), Agreement: w.Agreement}
	s.Changed = s.Public && !saysLatest(tx, item)
	art, ok := item.(*record.Article)
	if !ok {
		return s, nil
	}
	s.Held = working.HeldVersions.Has(tx, art.ID)
	last, err := items.LastReview(tx, art.ID)
	if last != nil {
		s.Review = last.Status
	}
	return s, err
}

// saysLatest reports whether the latest public version of an item says what its working copy says. Dates do not
// tell: what waited for a review or the end of an embargo is published after later changes, and a program changes an
// item in the second in which it published it. A version that cannot be read says nothing.
func saysLatest(tx *bucket.Tx, item items.Item) bool {
	w := item.Common()
	key := bucket.Pair{A: w.ID, B: int64(w.Version)}
	switch item := item.(type) {
	case *record.Article:
		for range files.ToPublish.Ascending(tx, bucket.SortKey(w.ID)) {
			return false
		}
		v, err := published.ArticleVersions.Get(tx, key)
		return err == nil && slices.Equal(v.FileOrder, item.FileOrder) && w.Says(&v.Metadata, v.Authors, tx.Clock())
	case *record.Collection:
		v, err := published.CollectionVersions.Get(tx, key)
		return err == nil && sameArticles(tx, v.Articles, item.Articles) && w.Says(&v.Metadata, v.Authors, tx.Clock())
	}
	return false
}

// sameArticles reports whether a version of a collection has those of its articles that a version would have now. It
// looks only for those that it has not.
func sameArticles(tx *bucket.Tx, version, articles []int64) bool {
	for _, id := range articles {
		switch {
		case len(version) > 0 && version[0] == id:
			version = version[1:]
		case published.Articles.Has(tx, id):
			return false
		}
	}
	return len(version) == 0
}

// MineOnPage is how many own items a page lists.
const MineOnPage = 50

// Mine lists a page of the caller's items of the kind, the one that was changed last first; with words only
// those that they match.
func (k *ItemKind) Mine(c *endpoint.Call, words string, page int) (list []Mine, err error) {
	asked := c.Asking("order=modified_date&page_size=" + strconv.Itoa(MineOnPage) + "&page=" + strconv.Itoa(page))
	body, bounds := lists.OwnSearch{}, lists.OwnItems
	if words != "" {
		body.SearchFor, bounds = &words, lists.OwnSearches
	}
	q, err := k.query(asked, body, bounds, "modified_date")
	if err != nil {
		return nil, err
	}
	found, err := k.api.searchOwn(c, q.SearchFor, k.own.scope(c.Account.ID))
	if err != nil {
		return nil, err
	}
	if found != nil {
		defer closeMatches(found, &err)
		q.Matches = found
	}
	err = k.api.DB.View(func(tx *bucket.Tx) error {
		var shown []items.Item
		if _, err := q.Show(tx, func(item lists.Item) { shown = append(shown, item) }); err != nil {
			return err
		}
		for _, item := range shown {
			w := item.Common()
			m := Mine{ID: w.ID, Title: w.Title, Modified: w.Modified}
			var facts facts.Facts
			switch o := item.(type) {
			case *record.Article:
				m.Type, m.Size, m.Files = o.Type, o.Size, o.Files
				facts, _ = published.ArticleFacts.Facts(tx, w.ID)
			case *record.Collection:
				m.Articles = len(o.Articles)
				facts, _ = published.CollectionFacts.Facts(tx, w.ID)
			}
			m.Counts = facts.Counts
			if m.State, err = stateOf(tx, item); err != nil {
				return err
			}
			list = append(list, m)
		}
		return nil
	})
	return list, err
}

// MyProjects lists the projects of which the caller is a member, as its query says; with words only those that
// they match.
func (a *API) MyProjects(c *endpoint.Call, words string) ([]present.ProjectPrivate, error) {
	var r endpoint.Reply
	var err error
	if words == "" {
		err = a.DB.View(func(tx *bucket.Tx) error {
			r, err = a.ProjectList(c, tx)
			return err
		})
	} else {
		var body lists.ProjectSearch
		body.SearchFor = &words
		r, err = a.ProjectSearch(c, &body)
	}
	list, _ := r.Body.([]present.ProjectPrivate)
	return list, err
}

// uploadsLooked bounds how many unfinished uploads of all accounts are looked at for those of one.
const uploadsLooked = 1000

// Uploading counts the caller's uploads that are not complete, by article, among the newest of all.
func (a *API) Uploading(c *endpoint.Call) (by map[int64]int, err error) {
	by = map[int64]int{}
	err = a.DB.View(func(tx *bucket.Tx) error {
		looked := 0
		for hit := range files.Unfinished.Descending(tx, nil) {
			if looked++; looked > uploadsLooked {
				break
			}
			if owner := files.Owners.Of(tx, hit.Key); owner.Account == c.Account.ID {
				by[owner.In]++
			}
		}
		return nil
	})
	return by, err
}

// Used is how many bytes the caller keeps, and how many it may, 0 for no limit.
func (a *API) Used(c *endpoint.Call) (used, quota int64) {
	return c.Account.Used(), a.Items.Quota(c.Account)
}

// With is a step with a body, the JSON of an object.
func With[B any](h func(*endpoint.Call, *bucket.Tx, *B) (endpoint.Reply, error), object []byte) endpoint.Step {
	return func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		read, err := record.ReadBody(object, false)
		if err != nil {
			return endpoint.Reply{}, err
		}
		body := new(B)
		if _, err := read.Bind(body); err != nil {
			return endpoint.Reply{}, err
		}
		return h(c, tx, body)
	}
}

// WithoutMember is a step that takes an article out of an own collection.
func (a *API) WithoutMember(article string) endpoint.Step {
	return func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		inner := *c
		if err := inner.TakeID("article_id", article); err != nil {
			return endpoint.Reply{}, err
		}
		return a.CollectionArticleDelete(&inner, tx)
	}
}

// WithoutProjectMember is a step that takes a member out of a project, or withdraws an invitation.
func (a *API) WithoutProjectMember(user string) endpoint.Step {
	return func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		inner := *c
		if err := inner.TakeID("user_id", user); err != nil {
			return endpoint.Reply{}, err
		}
		return a.ProjectMemberDelete(&inner, tx)
	}
}

// Change makes several steps in one transaction, all of them or none. The answer of state must have the
// entity tag, "" for any (412). ahead, which may be nil, is what the endpoint of the API runs before its transaction.
func (a *API) Change(c *endpoint.Call, state endpoint.Step, tag string, ahead func(*endpoint.Call), steps ...endpoint.Step) (endpoint.Reply, error) {
	inner := *c
	inner.Header, inner.Warned, inner.State = http.Header{}, nil, state
	if tag != "" {
		inner.Header.Set("If-Match", tag)
	}
	if ahead != nil {
		ahead(&inner)
	}
	return inner.Write(func(c *endpoint.Call, tx *bucket.Tx) (last endpoint.Reply, err error) {
		var after []func()
		for _, step := range steps {
			if last, err = step(c, tx); err != nil {
				return endpoint.Reply{}, err
			}
			if last.After != nil {
				after = append(after, last.After)
			}
		}
		last.After = func() {
			for _, do := range after {
				do()
			}
		}
		return last, nil
	})
}

package handlers

import (
	"iter"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// Institution names the institution that runs the repository, as the configuration does.
type Institution struct {
	Name   string
	Domain string // may be empty
}

// InstitutionRead is the institution of the caller (specification 4.8).
func (a *API) InstitutionRead(c *Call, tx *bucket.Tx) (Reply, error) {
	if c.Account.InstitutionID != InstitutionID {
		return Reply{}, record.ErrNoInstitution
	}
	return Reply{Body: present.NewInstitution(InstitutionID, a.Institution.Name, a.Institution.Domain)}, nil
}

// InstitutionGroups lists the groups that the caller administers, assigned and inherited
// (specification 4.8).
func (a *API) InstitutionGroups(c *Call, tx *bucket.Tx) (Reply, error) {
	groups, err := groupsWith(tx, c.Account, record.RoleAdministrator)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.Groups(groups), Modified: c.changed}, nil
}

// ItemTypes lists all types of items.
func (a *API) ItemTypes(c *Call, tx *bucket.PublicTx) (Reply, error) {
	return Reply{Body: present.ItemTypes()}, nil
}

// The values of the status filter.
const (
	statusDraft = iota + 1
	statusPrivate
	statusPublic
)

// InstitutionArticles lists the articles of the institution or of the groups that the
// caller administers, whether they are public or not (specification 4.8).
func (a *API) InstitutionArticles(c *Call, tx *bucket.Tx) (Reply, error) {
	r, err := c.realm(tx)
	if err != nil {
		return Reply{}, err
	}
	f, err := c.institutionFilter()
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(publicItems)
	if err != nil {
		return Reply{}, err
	}
	list := []present.Article{}
	passed := 0
	for hit := range f.walk(tx, r.institution) {
		group := bucket.IndexedGroup(hit.Value)
		if !r.holds(group) || !is(f.group, group) {
			continue
		}
		art, err := bucket.Articles.Get(tx, hit.Key)
		if err != nil {
			return Reply{}, err
		}
		if !f.passes(art) {
			continue
		}
		if passed++; passed <= w.skip {
			continue
		}
		if list = append(list, a.Settings.OwnArticle(art)); len(list) == w.take {
			break
		}
	}
	return Reply{Body: list, Modified: c.changed}, nil
}

// institutionFilter is what a list of an institution's articles asks for (api-facts 4.5).
type institutionFilter struct {
	byModified, ascending         bool
	publishedSince, modifiedSince time.Time
	status, itemType, group       *int64
	resourceDOI                   *string
}

func (c *Call) institutionFilter() (f institutionFilter, err error) {
	switch order, ok := c.Query.find("order"); {
	case order == "modified_date":
		f.byModified = true
	case ok && order != "published_date":
		return f, record.ErrBadOrder
	}
	switch direction, ok := c.Query.find("order_direction"); {
	case direction == "asc":
		f.ascending = true
	case ok && direction != "desc":
		return f, record.Wrong("order_direction", "must be asc or desc")
	}
	for name, to := range map[string]*time.Time{"published_since": &f.publishedSince, "modified_since": &f.modifiedSince} {
		text, _ := c.Query.find(name)
		if text == "" {
			continue
		}
		var ok bool
		if *to, ok = since(text); !ok {
			return f, record.Wrong(name, "must be a date in the form YYYY-MM-DD")
		}
	}
	for name, to := range map[string]**int64{"status": &f.status, "item_type": &f.itemType, "group": &f.group} {
		if *to, err = c.Query.integer(name); err != nil {
			return f, err
		}
	}
	if f.status != nil && (*f.status < statusDraft || *f.status > statusPublic) {
		return f, record.Wrong("status", "must be 1 (draft), 2 (private) or 3 (public)")
	}
	if f.itemType != nil {
		if t, ok := catalogue.ItemTypeByID(*f.itemType); ok {
			f.itemType = &t.ID
		}
	}
	if doi, ok := c.Query.find("resource_doi"); ok {
		doi = record.BareDOI(doi)
		f.resourceDOI = &doi
	}
	return f, nil
}

func (f *institutionFilter) walk(tx *bucket.Tx, institution int64) iter.Seq[bucket.Hit[int64]] {
	index := bucket.ArticlesByPublished
	if f.byModified {
		index = bucket.ArticlesByModified
	}
	if f.ascending {
		return index.Ascending(tx, bucket.SortKey(institution))
	}
	return index.Descending(tx, bucket.SortKey(institution))
}

func (f *institutionFilter) passes(art *record.Article) bool {
	if !f.publishedSince.IsZero() && (art.Published == nil || art.Published.Before(f.publishedSince)) {
		return false
	}
	if art.Modified.Before(f.modifiedSince) || !is(f.itemType, art.Type) {
		return false
	}
	if f.resourceDOI != nil && record.BareDOI(art.ResourceDOI) != *f.resourceDOI {
		return false
	}
	if f.status == nil {
		return true
	}
	return map[string]int64{"draft": statusDraft, "private": statusPrivate, "public": statusPublic}[art.Status()] == *f.status
}

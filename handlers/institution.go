package handlers

import (
	"iter"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/handlers/accounts"
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
	if c.Account.InstitutionID != accounts.InstitutionID {
		return Reply{}, record.ErrNoInstitution
	}
	return Reply{Body: present.NewInstitution(accounts.InstitutionID, a.Institution.Name, a.Institution.Domain)}, nil
}

// InstitutionGroups lists the groups that the caller administers, assigned and inherited
// (specification 4.8).
func (a *API) InstitutionGroups(c *Call, tx *bucket.Tx) (Reply, error) {
	groups, err := accounts.GroupsWith(tx, c.Account, record.RoleAdministrator)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.Groups(groups), Modified: c.changed}, nil
}

// ItemTypes lists all types of items.
func (a *API) ItemTypes(c *Call) (Reply, error) {
	if group, err := c.Query.integer("group_id"); err != nil {
		return Reply{}, err
	} else if group != nil && *group < 0 {
		return Reply{}, record.Wrong("group_id", "must not be negative")
	}
	return itemTypes()
}

var itemTypes = constant(func() any { return present.ItemTypes() })

// InstitutionArticles lists the articles of the institution or of the groups that the
// caller administers, whether they are public or not (specification 4.8).
func (a *API) InstitutionArticles(c *Call, tx *bucket.Tx) (Reply, error) {
	r, err := c.adminScope(tx)
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
	for place := range f.places(tx, r) {
		if passed++; f.resourceDOI == nil && passed <= w.skip {
			continue
		}
		art, err := bucket.Articles.Get(tx, int64(place.id))
		if err != nil {
			return Reply{}, err
		}
		if f.resourceDOI != nil && record.BareDOI(art.ResourceDOI) != *f.resourceDOI { // only its number is the same
			passed--
			continue
		}
		if passed <= w.skip {
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
	if f.status != nil && (*f.status < bucket.StatusDraft || *f.status > bucket.StatusPublic) {
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

// places yields the articles of a admin scope that pass, in their order: by walking along it, or, when
// that meets too few, by way of the other one, as public lists do.
func (f *institutionFilter) places(tx *bucket.Tx, r *adminScope) iter.Seq[position] {
	order, since, over := walkOwn(bucket.ArticlesByPublished), f.publishedSince, publishedBefore(f.publishedSince)
	if f.byModified {
		order, since, over = walkOwn(bucket.ArticlesByModified), f.modifiedSince, modifiedBefore(f.modifiedSince)
	}
	institution := bucket.SortKey(r.institution)
	from := first(f.ascending)
	if f.ascending && !since.IsZero() {
		from.at = since.Unix()
	}
	var have bucket.WorkingFacts
	passes := func(hit bucket.Hit[int64]) (position, bool) {
		bucket.ReadWorkingFacts(&have, hit.Value)
		return position{f.rank(&have), uint64(hit.Key)}, r.includes(have.Group) && f.passes(&have)
	}
	others := f.candidateIndexes(tx, r, passes)
	return func(yield func(position) bool) {
		met := 0
		for hit := range order(tx, institution, key(institution, from), f.ascending) {
			if !f.ascending && over(hit.Value) {
				return
			}
			place, ok := passes(hit)
			switch {
			case ok && !yield(place):
				return
			case ok:
				met++
			case others.exceeded(met):
				slices.SortFunc(others.found, f.compare)
				for _, place := range others.found[met:] {
					if !yield(place) {
						return
					}
				}
				return
			}
		}
	}
}

// candidateIndexes are the other ways to the articles of a admin scope.
func (f *institutionFilter) candidateIndexes(tx *bucket.Tx, r *adminScope, passes func(bucket.Hit[int64]) (position, bool)) *candidateIndexes {
	others, institution := newCandidateIndexes(tx, passes), bucket.SortKey(r.institution)
	switch {
	case f.byModified && !f.publishedSince.IsZero():
		others.add(walkOwn(bucket.ArticlesByPublished), publishedBefore(f.publishedSince), institution)
	case !f.byModified && !f.modifiedSince.IsZero():
		others.add(walkOwn(bucket.ArticlesByModified), modifiedBefore(f.modifiedSince), institution)
	}
	if groups, ok := f.groups(r); ok {
		others.add(walkOwn(bucket.ArticlesByGroup), publishedBefore(f.publishedSince), groups...)
	}
	return others
}

// groups are the pieces of ArticlesByGroup that have all articles of a admin scope that can pass; ok is
// false where others can, too.
func (f *institutionFilter) groups(r *adminScope) (pieces [][]byte, ok bool) {
	switch {
	case f.group != nil && !r.includes(*f.group):
		return nil, true
	case f.group != nil:
		return [][]byte{bucket.SortKey(r.institution, *f.group)}, *f.group != 0
	case r.whole:
		return nil, false
	}
	for _, g := range r.groups {
		pieces = append(pieces, bucket.SortKey(r.institution, g.ID))
	}
	return pieces, true
}

// walkOwn makes an index of working copies one that is walked along.
func walkOwn(ix *bucket.Index[int64, record.Article]) scan {
	return func(tx bucket.Reader, prefix, from []byte, ascending bool) iter.Seq[bucket.Hit[int64]] {
		return ix.Walk(tx.(*bucket.Tx), prefix, from, ascending)
	}
}

// rank is what the order looks at, in Unix seconds.
func (f *institutionFilter) rank(have *bucket.WorkingFacts) int64 {
	switch {
	case f.byModified:
		return have.Modified.Unix()
	case have.Published.IsZero():
		return bucket.NoTime
	}
	return have.Published.Unix()
}

func (f *institutionFilter) compare(a, b position) int { return compare(a, b, f.ascending) }

func (f *institutionFilter) passes(have *bucket.WorkingFacts) bool {
	return !have.Published.Before(f.publishedSince) && !have.Modified.Before(f.modifiedSince) &&
		is(f.itemType, have.Type) && is(f.group, have.Group) && is(f.status, have.Status) &&
		(f.resourceDOI == nil || bucket.ResourceNumber(*f.resourceDOI) == have.Resource)
}

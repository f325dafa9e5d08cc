package lists

import (
	"iter"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/working"
	"alcove/record"
)

// Scope is a part of an institution: all of it, or some groups.
type Scope struct {
	Institution int64
	Whole       bool
	Groups      map[int64]bool // by id
}

// Includes reports whether items of a group of the institution are in the scope; 0 is no group.
func (s *Scope) Includes(group int64) bool { return s.Whole || s.Groups[group] }

// InstitutionQuery is what a list of an institution's articles asks for.
type InstitutionQuery struct {
	Window
	byModified, ascending         bool
	publishedSince, modifiedSince time.Time
	status, itemType, group       *int64
	resourceDOI                   *string
}

// NewInstitutionQuery checks what a query asks of the articles of an institution, but for its Window.
func NewInstitutionQuery(q Query) (*InstitutionQuery, error) {
	var asked Asked
	asked.texts(q)
	f := &InstitutionQuery{byModified: asked.Order != nil && *asked.Order == "modified_date"}
	if asked.Order != nil && !f.byModified && *asked.Order != "published_date" {
		return nil, record.ErrBadOrder
	}
	var err error
	if f.ascending, err = direction(asked.OrderDirection); err != nil {
		return nil, err
	}
	if err := asked.dates(&f.publishedSince, &f.modifiedSince); err != nil {
		return nil, err
	}
	for _, n := range [...]struct {
		name string
		to   **int64
	}{{"status", &f.status}, {"item_type", &f.itemType}, {"group", &f.group}} {
		if err := q.Number(n.name, n.to); err != nil {
			return nil, err
		}
	}
	if f.status != nil && (*f.status < facts.StatusDraft || *f.status > facts.StatusPublic) {
		return nil, record.Wrong("status", "must be 1 (draft), 2 (private) or 3 (public)")
	}
	f.itemType = currentType(f.itemType)
	if doi, ok := q.Find("resource_doi"); ok {
		doi = record.BareDOI(doi)
		f.resourceDOI = &doi
	}
	return f, nil
}

// Articles yields the articles of the page, out of those in a scope. Only for a resource DOI, of which
// the index has no more than a number, records are read that are not on the page.
func (f *InstitutionQuery) Articles(tx *bucket.Tx, s *Scope) iter.Seq2[*record.Article, error] {
	get := func(p Position) (*record.Article, error) { return working.Articles.Get(tx, int64(p.ID)) }
	if f.resourceDOI == nil {
		return Load(Page(f.Window, f.positions(tx, s)), get)
	}
	return PageOf(f.Window, Keep(Load(f.positions(tx, s), get), func(art *record.Article) bool {
		return record.BareDOI(art.ResourceDOI) == *f.resourceDOI
	}))
}

// positions yields the articles of a scope that pass by the index: by a scan of their order, or, when that
// passes by too much, from one of the candidate indexes, as public lists do.
func (f *InstitutionQuery) positions(tx *bucket.Tx, s *Scope) iter.Seq[Position] {
	order, since, over := own(working.ArticlesByPublished), f.publishedSince, publishedBefore(f.publishedSince)
	if f.byModified {
		order, since, over = own(working.ArticlesByModified), f.modifiedSince, modifiedBefore(f.modifiedSince)
	}
	institution := bucket.SortKey(s.Institution)
	from := first(f.ascending)
	if f.ascending && !since.IsZero() {
		from.At = since.Unix()
	}
	others := f.candidates(tx, s)
	var passes bool // the article that the scan is at
	scan := func(yield func(p Position) bool) {
		for hit := range order(tx, institution, key(institution, from), f.ascending) {
			if !f.ascending && over(hit.Value) {
				return
			}
			var p Position
			if p, passes = others.passes(hit); !yield(p) {
				return
			}
		}
	}
	return until(scan, func(Position) bool { return passes }, func(int) bool { return others.exceeded() }, func() iter.Seq[Position] {
		slices.SortFunc(others.found, f.compare)
		return slices.Values(others.found)
	})
}

// candidates are the other indexes of the articles of a scope.
func (f *InstitutionQuery) candidates(tx *bucket.Tx, s *Scope) *candidateIndexes {
	var have facts.WorkingFacts
	c := newCandidateIndexes(tx, func(hit bucket.Hit[int64]) (Position, bool) {
		facts.ReadWorkingFacts(&have, hit.Value)
		return Position{f.rank(&have), uint64(hit.Key)}, s.Includes(have.Group) && f.passes(&have)
	})
	institution := bucket.SortKey(s.Institution)
	switch {
	case f.byModified && !f.publishedSince.IsZero():
		c.add(own(working.ArticlesByPublished), publishedBefore(f.publishedSince), institution)
	case !f.byModified && !f.modifiedSince.IsZero():
		c.add(own(working.ArticlesByModified), modifiedBefore(f.modifiedSince), institution)
	}
	if groups, ok := f.groups(s); ok {
		c.add(own(working.ArticlesByGroup), publishedBefore(f.publishedSince), groups...)
	}
	return c
}

// groups are the prefixes of ArticlesByGroup below which all articles of a scope are that can pass; ok is
// false where others can, too.
func (f *InstitutionQuery) groups(s *Scope) (prefixes [][]byte, ok bool) {
	switch {
	case f.group != nil && !s.Includes(*f.group):
		return nil, true
	case f.group != nil:
		return [][]byte{bucket.SortKey(s.Institution, *f.group)}, *f.group != 0
	case s.Whole:
		return nil, false
	}
	for g := range s.Groups {
		prefixes = append(prefixes, bucket.SortKey(s.Institution, g))
	}
	return prefixes, true
}

// own is an index of working copies as an order.
func own(ix *bucket.Index[int64]) order {
	return func(tx bucket.Reader, prefix, from []byte, ascending bool) iter.Seq[bucket.Hit[int64]] {
		return ix.Walk(tx.(*bucket.Tx), prefix, from, ascending)
	}
}

// rank is what the order looks at, in Unix seconds.
func (f *InstitutionQuery) rank(have *facts.WorkingFacts) int64 {
	switch {
	case f.byModified:
		return have.Modified.Unix()
	case have.Published.IsZero():
		return facts.NoTime
	}
	return have.Published.Unix()
}

func (f *InstitutionQuery) compare(a, b Position) int { return compare(a, b, f.ascending) }

func (f *InstitutionQuery) passes(have *facts.WorkingFacts) bool {
	return !have.Published.Before(f.publishedSince) && !have.Modified.Before(f.modifiedSince) &&
		Is(f.itemType, have.Type) && Is(f.group, have.Group) && Is(f.status, have.Status) &&
		(f.resourceDOI == nil || facts.ResourceNumber(*f.resourceDOI) == have.Resource)
}

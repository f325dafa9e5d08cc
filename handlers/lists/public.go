package lists

import (
	"iter"
	"slices"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/published"
	"alcove/record"
)

// Public is how the public items of a kind are listed and searched: the ordered indexes along
// which they are scanned, and where their facts and documents are.
type Public struct {
	Kind    string
	Bounds  Bounds
	project *int64           // that all are in, nil for any
	orders  map[string]order // by name
	// prefixIndexes are of a part of the items by publication, the most selective first.
	prefixIndexes []prefixIndex
	facts         func(tx bucket.Reader, id int64) (facts.Facts, bool)
	identifiers   map[string]identifier // by the name of the filter; nil for items that have none
	doc           Document
}

// Document is the list form of a version of an item.
type Document func(bucket.Reader, bucket.Pair) (bucket.Doc, error)

// order yields the entries of an ordered index below a prefix, from a key on, in either direction.
type order func(tx bucket.Reader, prefix, from []byte, ascending bool) iter.Seq[bucket.Hit[int64]]

// prefixIndex is an index whose keys begin with a value of a filter, which is nil where the filter
// does not ask for one.
type prefixIndex struct {
	value func(*Filter) *int64
	order order
}

// identifier yields the public versions that have an identifier.
type identifier func(tx bucket.Reader, prefix []byte) iter.Seq[bucket.Hit[bucket.Pair]]

// Has reports whether the items can be listed in an order.
func (l *Public) Has(order string) bool { return l.orders[order] != nil }

func group(f *Filter) *int64 { return f.Group }

// Articles are the public articles.
func Articles(doc Document) *Public {
	return &Public{
		Kind: "articles", Bounds: PublicItems, doc: doc,
		orders: map[string]order{
			"published_date": published.ArticlesByPublished.Walk,
			"created_date":   published.ArticlesByPublished.Walk, // public items were made when they were published
			"modified_date":  published.ArticlesByModified.Walk,
			"views":          published.ArticlesByViews.Walk,
			"shares":         published.ArticlesByShares.Walk,
			"downloads":      published.ArticlesByDownloads.Walk,
			"cites":          published.ArticlesByCites.Walk,
		},
		prefixIndexes: []prefixIndex{
			{func(f *Filter) *int64 { return f.ProjectID }, published.ArticlesByProject.Walk},
			{group, published.ArticlesByGroup.Walk},
			{func(f *Filter) *int64 { return f.ItemType }, published.ArticlesByType.Walk},
		},
		facts: published.ArticleFacts.Facts,
		identifiers: map[string]identifier{
			"doi": published.VersionsByDOI.Ascending, "resource_doi": published.VersionsByResourceDOI.Ascending, "handle": published.VersionsByHandle.Ascending,
		},
	}
}

// Collections are the public collections.
func Collections(doc Document) *Public {
	return &Public{
		Kind: "collections", Bounds: PublicItems, doc: doc,
		orders: map[string]order{
			"published_date": published.CollectionsByPublished.Walk,
			"created_date":   published.CollectionsByPublished.Walk,
			"modified_date":  published.CollectionsByModified.Walk,
			"views":          published.CollectionsByViews.Walk,
			"shares":         published.CollectionsByShares.Walk,
			"cites":          published.CollectionsByCites.Walk,
		},
		prefixIndexes: []prefixIndex{{group, published.CollectionsByGroup.Walk}},
		facts:         published.CollectionFacts.Facts,
		identifiers: map[string]identifier{
			"doi": published.CollectionVersionsByDOI.Ascending, "resource_doi": published.CollectionVersionsByResourceDOI.Ascending, "handle": published.CollectionVersionsByHandle.Ascending,
		},
	}
}

// Projects are the public projects.
func Projects(doc Document) *Public {
	return &Public{
		Kind: "projects", Bounds: Others, doc: doc,
		orders: map[string]order{
			"published_date": published.ProjectsByPublished.Walk,
			"created_date":   published.ProjectsByPublished.Walk,
			"modified_date":  published.ProjectsByModified.Walk,
			"views":          published.ProjectsByViews.Walk,
		},
		prefixIndexes: []prefixIndex{{group, published.ProjectsByGroup.Walk}},
		facts:         published.ProjectFacts.Facts,
	}
}

// InProject is the list of those that are in a project.
func (l *Public) InProject(id int64) *Public {
	in := *l
	in.Bounds, in.project = Others, &id
	return &in
}

// PublicQuery is a checked list or search of public items.
type PublicQuery struct {
	*Filter
	*Public
	Window
	From Position
	// Matches are the items that the words of a search match, nil where there are no words.
	Matches IDSet
	sealer  Sealer
}

// IDSet is a set of ids that need not be known one by one.
type IDSet interface {
	Len() int // at most
	Contains(int64) bool
	IDs() []int64 // ascending
}

// Query checks what a request asks of the list.
func (l *Public) Query(r *Request, body ArticleSearch) (*PublicQuery, error) {
	f, err := newFilter(r.Query, body, "published_date", func(order string) bool { return l.orders[order] != nil })
	if err != nil {
		return nil, err
	}
	if l.project != nil {
		f.ProjectID = l.project
	}
	if l.identifiers == nil {
		r.warnOfTyped(body)
		for _, s := range [...]struct {
			key  string
			sent *string
		}{{"doi", body.DOI}, {"resource_doi", body.ResourceDOI}, {"handle", body.Handle}} {
			if s.sent != nil {
				r.Warn(s.key, "projects have none")
			}
		}
		f.ItemType, f.ProjectID, f.DOI, f.ResourceDOI, f.Handle = nil, nil, nil, nil, nil
	}
	q := &PublicQuery{Filter: f, Public: l, sealer: r.Sealer}
	q.Window, q.From, err = r.page(body.Paging, l.Bounds, q.seal, first(f.ascending))
	return q, err
}

// warnOfTyped warns a client that searches by item type or project where items have none.
func (r *Request) warnOfTyped(s ArticleSearch) {
	for _, f := range [...]struct {
		key  string
		sent *int64
	}{{"item_type", s.ItemType}, {"project_id", s.ProjectID}} {
		if f.sent != nil {
			r.Warn(f.key, "only articles have one")
		}
	}
}

func (q *PublicQuery) seal() Seal { return q.Filter.seal(q.sealer, q.Kind) }

// Cursor is the cursor of the page behind a position.
func (q *PublicQuery) Cursor(last Position) string { return q.seal().Cursor(last) }

// PublicProject is the project of an item when it is public, otherwise 0: an item can be public
// in a project that is not.
func PublicProject(tx bucket.Reader, project int64) int64 {
	if project == 0 {
		return 0
	}
	if _, public := published.ProjectFacts.Facts(tx, project); !public {
		return 0
	}
	return project
}

// Scattered reports whether the items that the filter asks for may lie far apart in every ordered
// index.
func (q *PublicQuery) Scattered() bool {
	if q.identifies() {
		return false
	}
	fields := 0
	for _, asked := range []*int64{q.ItemType, q.Institution, q.Group, q.ProjectID} {
		if asked != nil && *asked != 0 {
			fields++
		}
	}
	return fields > 1 || fields == 1 && q.prefixIndex() == nil
}

// identified are the items that have the identifiers that the filter asks for in their latest
// version, or, of a DOI that ends with a version, in that one; each once, ascending.
func (q *PublicQuery) identified(tx bucket.Reader) (ids []int64) {
	asked := map[string][]string{}
	if q.DOI != nil {
		asked["doi"] = []string{q.Filter.doi}
		if item, version := splitDOI(q.Filter.doi); version > 0 {
			asked["doi"] = append(asked["doi"], item)
		}
	}
	if q.ResourceDOI != nil {
		asked["resource_doi"] = []string{q.resourceDOI}
	}
	if q.Handle != nil {
		asked["handle"] = []string{record.BareHandle(*q.Handle)}
	}
	for name, texts := range asked {
		found := []int64{}
		for i, text := range texts {
			for hit := range q.identifiers[name](tx, bucket.SortKey(text)) {
				have, ok := q.facts(tx, hit.Key.A)
				if ok && (i == 0 && (have.Version == hit.Key.B || len(hit.Value) > 0) || i > 0 && q.Filter.doi == versioned(text, hit.Key.B)) {
					found = append(found, hit.Key.A)
				}
			}
		}
		slices.Sort(found)
		found = slices.Compact(found)
		if ids != nil {
			found = slices.DeleteFunc(found, func(id int64) bool { _, in := slices.BinarySearch(ids, id); return !in })
		}
		ids = found
	}
	return ids
}

package handlers

import (
	"cmp"
	"encoding/json"
	"iter"
	"math"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/index"
	"alcove/record"
)

// Pages are found by one search in public items of all kinds, which the API has one for each of.

// Facet is what found items can be told apart by.
type Facet = index.Facet

// FacetCount is how many of the items that were found have a value of a facet.
type FacetCount = index.Count

// The facets, whose values package index describes.
const (
	ByKind     = index.ByKind
	ByType     = index.ByType
	ByCategory = index.ByCategory
	ByYear     = index.ByYear
	ByLicense  = index.ByLicense
	ByGroup    = index.ByGroup
	ByTag      = index.ByTag
)

// Finding is a search in all public items.
type Finding struct {
	Words      string // in the language of searches, "" for any
	AsWritten  bool   // words that find nothing are not corrected
	Author     string // a name or an ORCID, "" for any
	Only       []Narrowing
	Order      string // of a list of articles, "" for relevance where there are words
	Ascending  bool
	Skip, Take int
	Facets     []Facet
	Category   int64 // around which categories are counted, 0 for the divisions
	Most       int   // values of a facet
}

// Narrowing is a value of a facet that items have to have.
type Narrowing struct {
	Facet Facet
	Value string
}

// Found is what a search has found.
type Found struct {
	Items  []FoundItem
	Total  int            // of items, on all pages; -1 where they were not counted
	Facets [][]FacetCount // of those that were asked for; nil where they were not counted
	// Missing are the words that nothing has, and Meant the search with the nearest words that something
	// has, "" for none. Corrected says that the items are those of Meant.
	Missing   []string
	Meant     string
	Corrected bool
	Marks     *Marks // of the words that were looked for
}

// Marks finds the words of a search in a text.
type Marks = index.Marks

// FoundItem is a public item. Exactly one of the documents is there.
type FoundItem struct {
	Article    *present.ArticleComplete
	Collection *present.CollectionComplete
	Project    *present.ProjectComplete
}

// Find searches public items of all kinds as the searches of the API do. A search without words works
// without the index, and counts nothing then.
func (a *API) Find(c *Call, f *Finding) (out *Found, err error) {
	query, counted, err := a.findQuery(f)
	if err != nil {
		return nil, err
	}
	out = &Found{Total: -1, Marks: query.Marks()}
	var found *index.Matches
	switch {
	case counted:
		found, err = a.match(c.Context, index.PublicItems, query)
	case a.reach(c.Context, index.PublicItems, suggestPatience) != nil: // a list need not wait for its counts
		err = index.ErrUnavailable
	default:
		found, err = a.Index.Match(c.Context, index.PublicItems, query)
	}
	if err != nil && counted {
		return nil, err
	}
	if err == nil && f.Words != "" {
		if out.Meant, out.Missing = index.Correct(found, f.Words); out.Meant != "" && !f.AsWritten && index.PlainWords(f.Words) {
			if err := found.Close(); err != nil {
				return nil, err
			}
			meant := *f
			meant.Words, meant.AsWritten = out.Meant, true
			other, err := a.Find(c, &meant)
			if err == nil {
				other.Missing, other.Meant, other.Corrected = out.Missing, out.Meant, true
			}
			return other, err
		}
	}
	if err == nil {
		defer closeMatches(found, &err)
		out.Total, out.Facets = found.Total(), index.Facets(found, f.Category, f.Most, f.Facets...)
	} else {
		found = nil
	}
	err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		hits := a.inOrder(c, tx, f, found, !counted)
		if f.Order == "" && f.Words != "" {
			hits = slices.Values(f.byRelevance(tx, found))
		}
		for hit := range hits {
			item, err := a.foundItem(tx, hit)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, item)
		}
		return nil
	})
	return out, err
}

// findQuery is what the index is asked, and whether it narrows the items to some.
func (a *API) findQuery(f *Finding) (q index.Query, narrow bool, err error) {
	q = index.Everything
	if f.Words != "" {
		words, err := searched(f.Words, minSearch)
		if err != nil {
			return q, false, err
		}
		q = words.OfProjects(a.knowsProject)
	}
	if f.Author != "" {
		q = q.And(index.By(f.Author))
	}
	for _, n := range f.Only {
		q = q.Only(n.Facet, n.Value)
	}
	return q, f.Words != "" || f.Author != "" || len(f.Only) > 0, nil
}

// place is an item of a kind in an order.
type place struct {
	kind int // in kinds
	lists.Entry
}

// inOrder yields the items of a page in an order by a field: the lists of all kinds, merged. Where the
// whole list is asked for, found is not asked about each item.
func (a *API) inOrder(c *Call, tx *bucket.PublicTx, f *Finding, found *index.Matches, whole bool) iter.Seq[place] {
	kinds := []struct {
		list  *lists.Public
		scope index.Scope
	}{{a.publicArticles, index.PublicArticles}, {a.publicCollections, index.PublicCollections}, {a.publicProjects, index.PublicProjects}}
	return func(yield func(place) bool) {
		var heads []*head
		for i, k := range kinds {
			q, err := k.list.Query(c.Unasked().listRequest(), f.body(k.list))
			if err != nil {
				continue // no such order
			}
			q.Window = lists.Window{Take: f.Skip + f.Take}
			if !whole {
				of := index.Of(found, k.scope)
				if of.Len() == 0 {
					continue
				}
				q.Matches = of
			}
			next, stop := iter.Pull(q.Entries(tx))
			defer stop()
			h := &head{kind: i, next: next, counted: k.list.Has(f.Order)}
			if h.advance() {
				heads = append(heads, h)
			}
		}
		for n := 0; len(heads) > 0 && n < f.Skip+f.Take; n++ {
			first := 0
			for i := range heads[1:] {
				order := cmp.Compare(heads[i+1].at, heads[first].at)
				if f.Ascending && order < 0 || !f.Ascending && order > 0 {
					first = i + 1
				}
			}
			h := heads[first]
			if n >= f.Skip && !yield(place{h.kind, h.entry}) {
				return
			}
			if !h.advance() {
				heads = append(heads[:first:first], heads[first+1:]...)
			}
		}
	}
}

const (
	// The best so many are ordered again by how new they are: the newest counts fresh more than the
	// oldest, half of it when it is freshHalf old.
	freshened = 200
	fresh     = 0.05
	freshHalf = 5 * 365 * 24 * time.Hour
)

// byRelevance are the items of a page in the order of relevance, newer ones a little before older ones.
func (f *Finding) byRelevance(tx *bucket.PublicTx, found *index.Matches) (page []place) {
	type scored struct {
		place
		score float64
	}
	var list []scored
	for i, hit := range index.Top(found, max(f.Skip+f.Take, freshened)) {
		at := placeOf(hit)
		have, public := [...]func(bucket.Reader, int64) (bucket.Facts, bool){
			bucket.PublicFacts.Facts, bucket.PublicCollectionFacts.Facts, bucket.PublicProjectFacts.Facts,
		}[at.kind](tx, hit.ID)
		if !public {
			continue // withdrawn since the index was asked
		}
		if i < freshened {
			age := max(0, tx.Now().Sub(have.Published))
			hit.Score *= 1 + fresh*math.Exp2(-float64(age)/float64(freshHalf))
		}
		list = append(list, scored{at, hit.Score})
	}
	slices.SortStableFunc(list[:min(len(list), freshened)], func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, s := range list[min(len(list), f.Skip):min(len(list), f.Skip+f.Take)] {
		page = append(page, s.place)
	}
	return page
}

// placeOf is where a match is read.
func placeOf(hit index.Ranked) place {
	kind := map[index.Kind]int{index.Article: 0, index.Collection: 1, index.Project: 2}[hit.Kind]
	return place{kind, lists.Entry{Position: lists.Position{ID: uint64(hit.ID)}}}
}

// head is the next item of a list.
type head struct {
	kind    int
	next    func() (*lists.Entry, bool)
	counted bool // the list has the order; another comes by publication, after all others
	entry   lists.Entry
	at      int64
}

func (h *head) advance() bool {
	e, ok := h.next()
	if !ok {
		return false
	}
	h.entry, h.at = *e, 0
	if h.counted {
		h.at = e.At
	}
	return true
}

// body asks a list for the order, or for the newest where it does not have it.
func (f *Finding) body(l *lists.Public) (body lists.ArticleSearch) {
	order, direction := f.Order, "desc"
	if !l.Has(order) {
		order = "published_date"
	}
	if f.Ascending {
		direction = "asc"
	}
	body.Order, body.OrderDirection = &order, &direction
	return body
}

// foundItem is what the API shows of an item.
func (a *API) foundItem(tx *bucket.PublicTx, p place) (item FoundItem, err error) {
	id := int64(p.ID)
	switch p.kind {
	case 0:
		doc, err := a.PublicDocument(tx, id)
		return FoundItem{Article: &doc}, err
	case 1:
		doc, err := a.PublicCollectionDocument(tx, id)
		return FoundItem{Collection: &doc}, err
	}
	project, err := bucket.PublicProjects.Get(tx, id)
	if err != nil {
		return item, err
	}
	doc := a.Settings.PublicProjectDetail(project)
	return FoundItem{Project: &doc}, nil
}

// PublicCollectionDocument is the latest public version of a collection as the API shows it.
func (a *API) PublicCollectionDocument(tx *bucket.PublicTx, id int64) (out present.CollectionComplete, err error) {
	head, ok := bucket.PublicCollectionFacts.Facts(tx, id)
	if !ok {
		return out, record.ErrCollectionNotFound
	}
	doc, err := a.Items.CollectionDocs.Full(tx, bucket.Pair{A: id, B: head.Version})
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(doc.Full, &out)
}

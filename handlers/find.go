package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"
	"unsafe"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
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

// Find searches public items of all kinds as the searches of the API do. A search without words works
// without the index, and counts nothing then. The answers of the index are kept until something changes, so
// that the next page of a search, and the first page of the site, do not count all items again.
func (a *API) Find(c *endpoint.Call, f *Finding) (out *Found, err error) {
	query, narrow, err := a.findQuery(f)
	if err != nil {
		return nil, err
	}
	sequence, key := a.DB.Sequence(), f.key() // before anything is read
	said, known := a.indexAnswers.Find(sequence, key)
	if known && (!narrow || f.corrected(said) || said.ranks(f)) {
		out, err = a.foundPage(c, f, query, said, nil)
	} else if matches, failed := a.matchPublic(c, query, narrow); failed == nil {
		if !known {
			said, err = a.ask(f, matches)
		}
		if err == nil {
			out, err = a.foundPage(c, f, query, said, matches)
		}
		if closeMatches(matches, &err); err == nil {
			a.indexAnswers.Keep(sequence, key, said, len(key)+said.size())
		}
	} else if narrow {
		return nil, failed
	} else {
		said = &indexAnswer{total: -1}
		out, err = a.foundPage(c, f, query, said, nil)
	}
	if err != nil || !f.corrected(said) {
		return out, err
	}
	meant := *f
	meant.Words, meant.AsWritten = said.meant, true
	if out, err = a.Find(c, &meant); err == nil {
		out.Missing, out.Meant, out.Corrected = said.missing, said.meant, true
	}
	return out, err
}

const indexAnswerBytes = 4 << 20 // of what is kept

// indexAnswer is what the index has said of a search.
type indexAnswer struct {
	total   int
	facets  [][]FacetCount
	missing []string
	meant   string
	best    []place // the first in the order of relevance, if that is the order
}

// ask asks the index for what a page tells beside its items.
func (a *API) ask(f *Finding, matches *index.Matches) (said *indexAnswer, err error) {
	said = &indexAnswer{}
	if f.Words != "" {
		said.meant, said.missing = index.Correct(matches, f.Words)
	}
	if !f.corrected(said) {
		said.total, said.facets = matches.Total(), index.Facets(matches, f.Category, f.Most, f.Facets...)
	}
	if !f.corrected(said) && f.ranked() {
		said.best, err = a.byRelevance(matches, max(f.Skip+f.Take, freshened))
	}
	return said, err
}

// key is everything that the index is asked, with the order.
func (f *Finding) key() string {
	k := *f
	k.Skip, k.Take = 0, 0
	return fmt.Sprintf("%#v", k)
}

// ranked reports whether the order is that of relevance.
func (f *Finding) ranked() bool { return f.Order == "" && f.Words != "" }

// corrected reports whether other words are looked for instead.
func (f *Finding) corrected(s *indexAnswer) bool {
	return s.meant != "" && !f.AsWritten && index.PlainWords(f.Words)
}

// ranks reports whether the best items are enough for a page.
func (s *indexAnswer) ranks(f *Finding) bool {
	return f.ranked() && (len(s.best) < freshened || f.Skip+f.Take <= len(s.best))
}

// size is about how many bytes s takes.
func (s *indexAnswer) size() int {
	n := 256 + len(s.best)*int(unsafe.Sizeof(place{}))
	for _, counts := range s.facets {
		for _, c := range counts {
			n += int(unsafe.Sizeof(c)) + len(c.Value)
		}
	}
	for _, word := range s.missing {
		n += len(word) + 16
	}
	return n
}

// matchPublic asks the index, which a list of everything does not wait for: it need not have its counts.
func (a *API) matchPublic(c *endpoint.Call, query index.Query, narrow bool) (*index.Matches, error) {
	if narrow {
		return a.match(c.Context, index.PublicItems, query)
	}
	if err := a.reach(c.Context, index.PublicItems, suggestPatience); err != nil {
		return nil, err
	}
	return a.Index.Match(c.Context, index.PublicItems, query)
}

// foundPage reads the items of a page. Without matches they are of the best that were kept, or of the
// whole list.
func (a *API) foundPage(c *endpoint.Call, f *Finding, query index.Query, said *indexAnswer, matches *index.Matches) (*Found, error) {
	out := &Found{Total: said.total, Facets: said.facets, Missing: said.missing, Meant: said.meant, Marks: query.Marks()}
	if f.corrected(said) {
		return out, nil
	}
	best := said.best
	if f.ranked() && !said.ranks(f) {
		more, err := a.byRelevance(matches, f.Skip+f.Take)
		if err != nil {
			return nil, err
		}
		best = more
	}
	err := a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		hits := a.inOrder(c, tx, f, matches, matches == nil)
		if f.ranked() {
			hits = slices.Values(best[min(len(best), f.Skip):min(len(best), f.Skip+f.Take)])
		}
		for hit := range hits {
			item, err := a.foundItem(tx, hit)
			if told := new(record.Error); errors.Is(err, bucket.ErrNotFound) || errors.As(err, &told) && told.Class == record.NotFound {
				continue // withdrawn since the index was asked
			}
			if err != nil {
				return err
			}
			out.Items = append(out.Items, item)
		}
		return nil
	})
	return out, err
}

// Holdings are how many files readers can get, and their bytes.
func (a *API) Holdings() (number, size int64, err error) {
	err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		number, size = files.PublicNumber.Sum(tx), files.PublicBytes.Sum(tx)
		return nil
	})
	return number, size, err
}

// GroupNames are the names of groups for everyone, as far as the operator shows them.
func (a *API) GroupNames(ids []int64) (map[int64]string, error) {
	names := map[int64]string{}
	if !a.Branding().Groups {
		return names, nil
	}
	err := a.DB.View(func(tx *bucket.Tx) error {
		for _, id := range ids {
			g, err := users.Groups.Get(tx, id)
			if err == nil {
				names[id] = g.Name
			} else if !errors.Is(err, bucket.ErrNotFound) {
				return err
			}
		}
		return nil
	})
	return names, err
}

// findQuery is what the index is asked, and whether it narrows the items to some.
func (a *API) findQuery(f *Finding) (q index.Query, narrow bool, err error) {
	q = index.Everything
	if f.Words != "" {
		words, err := searched(f.Words, lists.MinSearch)
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

// inOrder yields the items of a page in an order by a field: the lists of all kinds, merged. Where the
// whole list is asked for, found is not asked about each item.
func (a *API) inOrder(c *endpoint.Call, tx *bucket.PublicTx, f *Finding, found *index.Matches, whole bool) iter.Seq[place] {
	kinds := []struct {
		list  *lists.Public
		scope index.Scope
	}{{a.publicArticles, index.PublicArticles}, {a.publicCollections, index.PublicCollections}, {a.publicProjects, index.PublicProjects}}
	return func(yield func(place) bool) {
		var heads []*head
		for i, k := range kinds {
			q, err := k.list.Query(c.Unasked().ListRequest(), f.body(k.list))
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

// byRelevance are the best so many matches, newer ones a little before older ones.
func (a *API) byRelevance(matches *index.Matches, n int) (list []place, err error) {
	type scored struct {
		place
		score float64
	}
	var best []scored
	err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		for i, hit := range index.Top(matches, n) {
			at := placeOf(hit)
			have, public := [...]func(bucket.Reader, int64) (facts.Facts, bool){
				published.ArticleFacts.Facts, published.CollectionFacts.Facts, published.ProjectFacts.Facts,
			}[at.kind](tx, hit.ID)
			if !public {
				continue // withdrawn since the index was asked
			}
			if i < freshened {
				age := max(0, tx.Now().Sub(have.Published))
				hit.Score *= 1 + fresh*math.Exp2(-float64(age)/float64(freshHalf))
			}
			best = append(best, scored{at, hit.Score})
		}
		return nil
	})
	slices.SortStableFunc(best[:min(len(best), freshened)], func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, s := range best {
		list = append(list, s.place)
	}
	return list, err
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

package handlers

import (
	"iter"
	"time"

	"alcove/bucket"
	"alcove/index"
)

// listing is how the public items of a kind are listed and searched: the ordered indexes
// that they are walked in, and where their facts and documents are.
type listing struct {
	kind   string
	bounds bounds
	orders map[string]scan // by the name of the order
	// narrow are indexes of a part of the items by publication, the most selective first:
	// the part that a filter asks for, nil when it does not.
	prefixIndexes []prefixIndex
	facts         func(tx bucket.Reader, id int64) (bucket.Facts, bool)
	named         map[string]identifierScan                            // by the name of the filter; none for kinds that have no identifiers
	doc           func(bucket.Reader, bucket.Pair) (bucket.Doc, error) // its list form
}

// along walks an order: the entries below a prefix, from a key on, in either direction.
type scan func(tx bucket.Reader, prefix, from []byte, ascending bool) iter.Seq[bucket.Hit[int64]]

// prefixIndex is an index whose keys begin with what a filter asks for.
type prefixIndex struct {
	value func(*filter) *int64
	scan  scan
}

// identifierScan are the public versions that have an identifier.
type identifierScan func(tx bucket.Reader, prefix []byte) iter.Seq[bucket.Hit[bucket.Pair]]

func (a *API) articleListing() listing {
	return listing{
		kind: "articles", bounds: publicItems,
		orders: map[string]scan{
			"published_date": bucket.PublicByPublished.Walk,
			"created_date":   bucket.PublicByPublished.Walk, // what is public was made when it was published
			"modified_date":  bucket.PublicByModified.Walk,
			"views":          bucket.PublicByViews.Walk,
			"shares":         bucket.PublicByShares.Walk,
			"downloads":      bucket.PublicByDownloads.Walk,
			"cites":          bucket.PublicByCites.Walk,
		},
		prefixIndexes: []prefixIndex{
			{func(f *filter) *int64 { return f.ProjectID }, bucket.PublicByProject.Walk},
			{func(f *filter) *int64 { return f.Group }, bucket.PublicByGroup.Walk},
			{func(f *filter) *int64 { return f.ItemType }, bucket.PublicByType.Walk},
		},
		facts: bucket.PublicFacts.Facts,
		named: map[string]identifierScan{
			"doi": bucket.VersionsByDOI.Ascending, "resource_doi": bucket.VersionsByResourceDOI.Ascending, "handle": bucket.VersionsByHandle.Ascending,
		},
		doc: a.Items.ArticleDocs.List,
	}
}

func (a *API) collectionListing() listing {
	return listing{
		kind: "collections", bounds: publicItems,
		orders: map[string]scan{
			"published_date": bucket.PublicCollectionsByPublished.Walk,
			"created_date":   bucket.PublicCollectionsByPublished.Walk,
			"modified_date":  bucket.PublicCollectionsByModified.Walk,
			"views":          bucket.PublicCollectionsByViews.Walk,
			"shares":         bucket.PublicCollectionsByShares.Walk,
			"cites":          bucket.PublicCollectionsByCites.Walk,
		},
		prefixIndexes: []prefixIndex{{func(f *filter) *int64 { return f.Group }, bucket.PublicCollectionsByGroup.Walk}},
		facts:         bucket.PublicCollectionFacts.Facts,
		named: map[string]identifierScan{
			"doi": bucket.CollectionVersionsByDOI.Ascending, "resource_doi": bucket.CollectionVersionsByResourceDOI.Ascending, "handle": bucket.CollectionVersionsByHandle.Ascending,
		},
		doc: a.Items.CollectionDocs.List,
	}
}

// entry is an item in an order. A sequence may use the same one again.
type entry struct {
	position
	facts bucket.Facts
}

// page puts the items on a sheet that pass the filter and, when ids is not nil, are among
// them, and tells the place behind the last one. A page costs what its items cost,
// wherever it is: the walk starts at from, and what a walk would seek too long is sorted.
func (l *listing) page(tx bucket.Reader, f *filter, w window, from position, ids idSet, out *listWriter) (position, error) {
	known := l.identified(tx, f)
	if known == nil && ids == nil {
		others := l.candidateIndexes(tx, f)
		last, done, err := l.collect(tx, f, w, from, nil, others, l.walk(tx, f, from), out)
		if done || err != nil {
			return last, err
		}
		out.clear()
		for _, p := range others.found {
			known = append(known, int64(p.id))
		}
	} else if known == nil {
		last, done, err := l.collect(tx, f, w, from, ids, newScanBudget(w, ids), l.walk(tx, f, from), out)
		if done || err != nil {
			return last, err
		}
		out.clear()
		known = ids.IDs()
	}
	last, _, err := l.collect(tx, f, w, from, ids, (*scanBudget)(nil), l.sorted(tx, f, from, known), out)
	return last, err
}

// budget is told of items that a walk has walked past, after it has met so many. It reports whether
// there is a cheaper way to what is sought.
type budget interface{ exceeded(met int) bool }

// collect takes a page out of entries in their order. done is false when s knows a cheaper way.
func (l *listing) collect(tx bucket.Reader, f *filter, w window, from position, ids idSet, s budget, entries iter.Seq[*entry], out *listWriter) (last position, done bool, err error) {
	last = from
	passed := 0
	for e := range entries {
		if f.over(&e.facts) {
			break
		}
		if !f.passes(&e.facts) || ids != nil && !ids.Contains(int64(e.id)) {
			if s.exceeded(passed) {
				return from, false, nil
			}
			continue
		}
		if passed++; passed <= w.skip {
			continue
		}
		doc, err := l.document(tx, e)
		if err != nil {
			return from, true, err
		}
		if f.project {
			out.addOfProject(doc, publicPlace(tx, e.facts.Project))
		} else {
			out.add(doc)
		}
		if last = e.position; out.n == w.take {
			break
		}
	}
	return last, true, nil
}

// document is the list form of an item that a walk has come to.
func (l *listing) document(tx bucket.Reader, e *entry) (bucket.Doc, error) {
	return l.doc(tx, bucket.Pair{A: int64(e.id), B: e.facts.Version})
}

// publicList answers a GET list of public items.
func (c *Call) publicList(l *listing) (r Reply, err error) {
	q, err := c.parseListQuery(l, ArticleSearch{})
	if err != nil {
		return Reply{}, err
	}
	if q.asksPrivateProject() {
		return q.nothing(), nil
	}
	err = c.API.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		r, err = q.answer(tx, nil)
		return err
	})
	return r, err
}

// publicPart answers a GET list of a part of the public items, which the address names.
func (c *Call) publicPart(tx bucket.Reader, l *listing, restrict func(*ArticleSearch)) (Reply, error) {
	q, err := c.parseListQuery(l, ArticleSearch{}, restrict)
	if err != nil {
		return Reply{}, err
	}
	return q.answer(tx, nil)
}

// publicSearch answers a search in public items: the words of search_for through the
// index, everything else and the order as the list does.
func (c *Call) publicSearch(l *listing, body *ArticleSearch, project bool, scope index.Scope) (r Reply, err error) {
	q, err := c.parseListQuery(l, *body)
	if err != nil {
		return Reply{}, err
	}
	q.project = project
	if q.asksPrivateProject() {
		if q.SearchFor != nil { // what is wrong with it is said first
			if _, err := searched(*q.SearchFor, minSearch); err != nil {
				return Reply{}, err
			}
		}
		return q.nothing(), nil
	}
	found, err := q.find(scope)
	if err != nil {
		return Reply{}, err
	}
	var ids idSet
	if found != nil {
		defer closeMatches(found, &err)
		ids = found
	}
	err = c.API.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		r, err = q.answer(tx, ids)
		return err
	})
	return r, err
}

// listQuery is a checked list or search of public items.
type listQuery struct {
	*filter
	*listing
	window
	call *Call
	from position
}

// asked checks what a request asks of a listing. narrowed say what the address asks.
func (c *Call) parseListQuery(l *listing, body ArticleSearch, restrict ...func(*ArticleSearch)) (*listQuery, error) {
	f, err := c.articleFilter(body, func(order string) bool { return l.orders[order] != nil })
	if err != nil {
		return nil, err
	}
	for _, n := range restrict {
		n(&f.ArticleSearch)
	}
	if l.named == nil {
		c.warnOfTyped(body)
		for _, s := range [...]struct {
			key  string
			sent *string
		}{{"doi", body.DOI}, {"resource_doi", body.ResourceDOI}, {"handle", body.Handle}} {
			if s.sent != nil {
				c.warn(s.key, "projects have none")
			}
		}
		f.ItemType, f.ProjectID, f.DOI, f.ResourceDOI, f.Handle = nil, nil, nil, nil, nil
	}
	q := &listQuery{filter: f, listing: l, call: c, from: first(f.ascending)}
	p, err := c.paging(body.Paging)
	if err != nil {
		return nil, err
	}
	if c.Header.Get(cursorHeader) != "" { // to name the query costs more than most of them
		if q.from, err = c.from(p, c.API.seal(l.kind, f), q.from); err != nil {
			return nil, err
		}
	}
	q.window, err = p.window(l.bounds)
	return q, err
}

// answer is a page with the cursor of the next one.
func (q *listQuery) answer(tx bucket.Reader, ids idSet) (Reply, error) {
	out := q.listWriter()
	last, err := q.page(tx, q.filter, q.window, q.from, ids, out)
	if err != nil {
		return Reply{}, err
	}
	return q.reply(out, last), nil
}

// publicPlace is the project of an item when readers know of it, otherwise 0. An item can be
// public in a project that is not.
func publicPlace(tx bucket.Reader, project int64) int64 {
	if project == 0 {
		return 0
	}
	if _, public := bucket.PublicProjectFacts.Facts(tx, project); !public {
		return 0
	}
	return project
}

// knowsProject reports whether readers know of a project.
func (q *listQuery) knowsProject(id int64) (known bool) {
	err := q.call.API.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		known = publicPlace(tx, id) != 0
		return nil
	})
	return known && err == nil
}

// asksPrivateProject reports whether a question asks for what is in a project that readers do
// not know of. It is the same to them whether there is one.
func (q *listQuery) asksPrivateProject() bool {
	return q.ProjectID != nil && !q.knowsProject(*q.ProjectID)
}

// nothing is the page of a question that finds nothing.
func (q *listQuery) nothing() Reply {
	return q.reply(newListWriter(getBuffer(), 0), q.from)
}

// reply is a page that ends at a position.
func (q *listQuery) reply(out *listWriter, last position) Reply {
	text, tag := out.end()
	q.call.buffer = text
	r := Reply{Raw: text, Tag: tag, Modified: q.call.changed, Cursor: last.cursor(q.call.API.seal(q.kind, q.filter))}
	if q.byCount() {
		r.Modified = time.Time{} // counts move without a change of anything that is dated
	}
	return r
}

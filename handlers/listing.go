package handlers

import (
	"iter"
	"strconv"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// listing is how the public items of a kind are listed and searched: the one ordered
// index that they are walked in, and what filters look at.
type listing struct {
	up, down func(bucket.Reader, []byte) iter.Seq[bucket.Hit[int64]] // by publication
	facts    func(tx bucket.Reader, key bucket.Pair, deep bool) (facts, error)
	doc      func(bucket.Reader, bucket.Pair) ([]byte, error)
}

// facts are what a filter can ask of a public item. The identifiers are read only when
// they are asked for (deep).
type facts struct {
	institution, group, kind, project int64
	published, modified               time.Time
	version                           int
	doi, resourceDOI, handle          string
}

func (a *API) articleListing() listing {
	return listing{
		up: bucket.PublicByPublished.Ascending, down: bucket.PublicByPublished.Descending,
		doc: a.articleDocs().list,
		facts: func(tx bucket.Reader, key bucket.Pair, deep bool) (facts, error) {
			h, err := bucket.PublicArticles.Get(tx, key.A)
			if err != nil {
				return facts{}, err
			}
			f := facts{
				institution: h.InstitutionID, group: h.GroupID, kind: h.Type, project: h.ProjectID,
				published: h.Published, modified: h.Modified, version: h.Latest,
			}
			if deep {
				v, err := bucket.ArticleVersions.Get(tx, key)
				if err != nil {
					return facts{}, err
				}
				f.identify(&v.Metadata)
			}
			return f, nil
		},
	}
}

func (a *API) collectionListing() listing {
	return listing{
		up: bucket.PublicCollectionsByPublished.Ascending, down: bucket.PublicCollectionsByPublished.Descending,
		doc: a.collectionDocs().list,
		facts: func(tx bucket.Reader, key bucket.Pair, deep bool) (facts, error) {
			h, err := bucket.PublicCollections.Get(tx, key.A)
			if err != nil {
				return facts{}, err
			}
			f := facts{
				institution: h.InstitutionID, group: h.GroupID, published: h.Published, modified: h.Modified, version: h.Latest,
			}
			if deep {
				v, err := bucket.CollectionVersions.Get(tx, key)
				if err != nil {
					return facts{}, err
				}
				f.identify(&v.Metadata)
			}
			return f, nil
		},
	}
}

func (f *facts) identify(m *record.Metadata) {
	f.doi, f.resourceDOI, f.handle = m.DOI, m.ResourceDOI, m.Handle
}

// page collects a page of items that pass the filter and, when ids is not nil, are
// among them.
func (l listing) page(tx bucket.Reader, f *filter, w window, ids idSet) ([][]byte, error) {
	walk := l.down
	if f.ascending {
		walk = l.up
	}
	docs, passed, met := [][]byte{}, 0, 0
	for hit := range walk(tx, nil) {
		if ids != nil {
			if met == ids.Len() {
				break
			}
			if !ids.Contains(hit.Key) {
				continue
			}
			met++
		}
		key := bucket.Pair{A: hit.Key, B: bucket.IndexedVersion(hit.Value)}
		have := facts{}
		if f.asks || f.project {
			var err error
			if have, err = l.facts(tx, key, f.deep); err != nil {
				return nil, err
			}
		}
		if !f.passes(have) {
			continue
		}
		if passed++; passed <= w.skip {
			continue
		}
		doc, err := l.doc(tx, key)
		if err != nil {
			return nil, err
		}
		if f.project {
			doc = withProject(doc, have.project)
		}
		if docs = append(docs, doc); len(docs) == w.take {
			break
		}
	}
	return docs, nil
}

// withProject puts the project of an article before its other fields (api-facts 3.2).
func withProject(doc []byte, project int64) []byte {
	text := "null"
	if project != 0 {
		text = strconv.FormatInt(project, 10)
	}
	return append([]byte(`{"project_id": `+text+`, `), doc[1:]...)
}

// passes reports whether an item passes the filter.
func (f *filter) passes(have facts) bool {
	if !f.asks {
		return true
	}
	doi := bareDOI(have.doi)
	return is(f.Institution, have.institution) && is(f.Group, have.group) && is(f.ItemType, have.kind) && is(f.ProjectID, have.project) &&
		!have.published.Before(f.publishedSince) && !have.modified.Before(f.modifiedSince) &&
		(f.DOI == nil || doi == f.doi || doi+".v"+strconv.Itoa(have.version) == f.doi) &&
		(f.ResourceDOI == nil || bareDOI(have.resourceDOI) == f.resourceDOI) && (f.Handle == nil || have.handle == *f.Handle)
}

func is(want *int64, have int64) bool { return want == nil || *want == have }

// publicList answers a GET list of public items.
func (c *Call) publicList(tx bucket.Reader, l listing) (Reply, error) {
	f, err := c.articleFilter(ArticleSearch{})
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(publicItems)
	if err != nil {
		return Reply{}, err
	}
	docs, err := l.page(tx, f, w, nil)
	return Reply{Raw: present.Joined(docs), Modified: c.changed}, err
}

// publicSearch answers a search in public items: the words of search_for through the
// index, everything else and the order as the list does.
func (c *Call) publicSearch(l listing, body *ArticleSearch, project bool, match func(string) (idSet, error)) (Reply, error) {
	f, err := c.articleFilter(*body)
	if err != nil {
		return Reply{}, err
	}
	f.project = project
	p, err := c.paging(body.Paging)
	if err != nil {
		return Reply{}, err
	}
	w, err := p.window(publicItems)
	if err != nil {
		return Reply{}, err
	}
	var ids idSet
	if f.SearchFor != nil {
		if ids, err = match(*f.SearchFor); err != nil {
			return Reply{}, err
		}
	}
	var docs [][]byte
	err = c.API.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		docs, err = l.page(tx, f, w, ids)
		return err
	})
	return Reply{Raw: present.Joined(docs), Modified: c.changed}, err
}

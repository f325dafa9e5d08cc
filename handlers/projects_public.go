package handlers

import (
	"errors"
	"iter"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/index"
	"alcove/record"
)

// projectListing is how public projects are listed. Their short form is small and has no
// versions, so it is rendered when it is read.
func (a *API) projectListing() listing {
	return listing{
		up: bucket.ProjectsByPublished.Ascending, down: bucket.ProjectsByPublished.Descending,
		facts: func(tx bucket.Reader, key bucket.Pair, _ bool) (facts, error) {
			p, err := bucket.PublicProjects.Get(tx, key.A)
			if err != nil {
				return facts{}, err
			}
			return facts{institution: p.InstitutionID, group: p.GroupID, published: p.Published, modified: p.Modified}, nil
		},
		doc: func(tx bucket.Reader, key bucket.Pair) ([]byte, error) {
			p, err := bucket.PublicProjects.Get(tx, key.A)
			if err != nil {
				return nil, err
			}
			return present.Encode(a.Settings.PublicProject(p))
		},
	}
}

// publicProjectFilter is the filter of public projects: of what articles have it takes
// institution, group, dates, order and direction.
func (c *Call) publicProjectFilter(body ArticleSearch) (*filter, error) {
	f, err := c.articleFilter(body)
	if err != nil {
		return nil, err
	}
	f.ItemType, f.ProjectID, f.DOI, f.ResourceDOI, f.Handle, f.deep = nil, nil, nil, nil, nil, false
	return f, nil
}

// PublicProjectList lists public projects (specification 4.6).
func (a *API) PublicProjectList(c *Call, tx *bucket.PublicTx) (Reply, error) {
	f, err := c.publicProjectFilter(ArticleSearch{})
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(publicProjects)
	if err != nil {
		return Reply{}, err
	}
	docs, err := a.projectListing().page(tx, f, w, nil)
	return Reply{Raw: present.Joined(docs), Modified: c.changed}, err
}

// PublicProjectSearch searches public projects (specification 4.6).
func (a *API) PublicProjectSearch(c *Call, body *ArticleSearch) (Reply, error) {
	f, err := c.publicProjectFilter(*body)
	if err != nil {
		return Reply{}, err
	}
	p, err := c.paging(body.Paging)
	if err != nil {
		return Reply{}, err
	}
	w, err := p.window(publicProjects)
	if err != nil {
		return Reply{}, err
	}
	var ids idSet
	if f.SearchFor != nil {
		if ids, err = a.match(c.Context, index.PublicProjects, *f.SearchFor, minSearch); err != nil {
			return Reply{}, err
		}
	}
	var docs [][]byte
	err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		docs, err = a.projectListing().page(tx, f, w, ids)
		return err
	})
	return Reply{Raw: present.Joined(docs), Modified: c.changed}, err
}

// publicProject is the public project of the path.
func (c *Call) publicProject(tx bucket.Reader) (*record.PublicProject, error) {
	p, err := bucket.PublicProjects.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrProjectNotFound
	}
	return p, err
}

// PublicProjectRead is a public project in full (specification 4.6).
func (a *API) PublicProjectRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	p, err := c.publicProject(tx)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.PublicProjectDetail(p), Modified: p.Modified}, nil
}

// PublicProjectArticles lists the public articles of a public project (specification
// 4.6).
func (a *API) PublicProjectArticles(c *Call, tx *bucket.PublicTx) (Reply, error) {
	p, err := c.publicProject(tx)
	if err != nil {
		return Reply{}, err
	}
	f, err := c.articleFilter(ArticleSearch{})
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(publicProjects)
	if err != nil {
		return Reply{}, err
	}
	inside := func(walk func(bucket.Reader, []byte) iter.Seq[bucket.Hit[int64]]) func(bucket.Reader, []byte) iter.Seq[bucket.Hit[int64]] {
		return func(tx bucket.Reader, _ []byte) iter.Seq[bucket.Hit[int64]] { return walk(tx, bucket.SortKey(p.ID)) }
	}
	l := a.articleListing()
	l.up, l.down = inside(bucket.PublicByProject.Ascending), inside(bucket.PublicByProject.Descending)
	docs, err := l.page(tx, f, w, nil)
	return Reply{Raw: present.Joined(docs), Modified: c.changed}, err
}

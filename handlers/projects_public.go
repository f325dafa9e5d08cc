package handlers

import (
	"errors"

	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/index"
	"alcove/record"
)

// projectDoc is the short form of a public project. It is small and has no versions, so it is
// rendered when it is read.
func (a *API) projectDoc(tx bucket.Reader, key bucket.Pair) (bucket.Doc, error) {
	p, err := bucket.PublicProjects.Get(tx, key.A)
	if err != nil {
		return bucket.Doc{}, err
	}
	text, err := present.Encode(a.Settings.PublicProject(p))
	return bucket.Doc{List: text, ListSum: bucket.SumOf(text)}, err
}

// PublicProjectList lists public projects.
func (a *API) PublicProjectList(c *Call) (Reply, error) {
	return c.publicList(a.publicProjects)
}

// PublicProjectSearch searches public projects.
func (a *API) PublicProjectSearch(c *Call, body *lists.ArticleSearch) (Reply, error) {
	return c.publicSearch(a.publicProjects, body, false, index.PublicProjects)
}

// publicProject is the public project of the path.
func (c *Call) publicProject(tx bucket.Reader) (*record.PublicProject, error) {
	p, err := bucket.PublicProjects.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrProjectNotFound
	}
	return p, err
}

// PublicProjectRead is a public project in full.
func (a *API) PublicProjectRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	p, err := c.publicProject(tx)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.PublicProjectDetail(p), Modified: p.Modified, Count: view(bucket.KindProject, p.ID)}, nil
}

// PublicProjectArticles lists the public articles of a public project.
func (a *API) PublicProjectArticles(c *Call, tx *bucket.PublicTx) (Reply, error) {
	p, err := c.publicProject(tx)
	if err != nil {
		return Reply{}, err
	}
	q, err := a.publicArticles.InProject(p.ID).Query(c.listRequest(), lists.ArticleSearch{})
	if err != nil {
		return Reply{}, err
	}
	return c.listPage(tx, q, false)
}

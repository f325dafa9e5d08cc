package handlers

import (
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// ProjectArticles lists the working copies in a project (specification 4.6), the newest
// first. It can be ordered and filtered as lists of articles can.
func (a *API) ProjectArticles(c *Call, tx *bucket.Tx) (Reply, error) {
	p, _, err := c.project(tx, record.ProjectViewer)
	if err != nil {
		return Reply{}, err
	}
	f, err := c.projectFilter(ProjectSearch{})
	if err != nil {
		return Reply{}, err
	}
	kind, err := c.Query.integer("item_type")
	if err != nil {
		return Reply{}, err
	}
	if kind != nil { // withdrawn types count as what they became
		if t, ok := catalogue.ItemTypeByID(*kind); ok {
			kind = &t.ID
		}
	}
	w, err := c.page(projectLists)
	if err != nil {
		return Reply{}, err
	}
	walk := bucket.ArticlesByProject.Descending
	if f.ascending {
		walk = bucket.ArticlesByProject.Ascending
	}
	found := sorter[*record.Article]{f: f, w: w}
	for hit := range walk(tx, bucket.SortKey(p.ID)) {
		art, err := bucket.Articles.Get(tx, hit.Key)
		if err != nil {
			return Reply{}, err
		}
		published := time.Time{}
		if art.Published != nil {
			published = *art.Published
		}
		if !is(kind, art.Type) || published.Before(f.publishedSince) || art.Modified.Before(f.modifiedSince) {
			continue
		}
		if found.add(art, published, art.Modified, 0); found.full() {
			break
		}
	}
	list := []present.Article{}
	for _, art := range found.window() {
		list = append(list, a.Settings.ProjectArticle(art))
	}
	return Reply{Body: list, Modified: c.changed}, nil
}

// ProjectArticleCreate makes a draft of the caller's in a project (specification 4.6).
func (a *API) ProjectArticleCreate(c *Call, tx *bucket.Tx, body *record.ProjectArticleBody) (Reply, error) {
	p, m, err := c.project(tx, record.ProjectCollaborator)
	if err != nil {
		return Reply{}, err
	}
	art, err := a.Articles.Create(&c.Caller, tx, (*record.ArticleBody)(body), p.ID)
	if err != nil {
		return Reply{}, err
	}
	if err := c.showUp(tx, p, m); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/projects/%d/articles/%d", p.ID, art.ID)
	return Reply{Status: 201, Location: at, Body: present.NewUpdated(at, c.Warned)}, nil
}

// ProjectArticleRead is an article of a project in full, as all its members read it.
func (a *API) ProjectArticleRead(c *Call, tx *bucket.Tx) (Reply, error) {
	art, _, err := c.projectArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	authors, files, modified, err := a.shown(tx, art)
	if err != nil {
		return Reply{}, err
	}
	c.hideUploads(files)
	detail := a.Settings.ProjectArticleDetail(art, authors, files)
	if detail.CurationStatus, modified, err = curation(tx, art.ID, modified); err != nil {
		return Reply{}, err
	}
	return Reply{Body: detail, Modified: modified}, nil
}

// hideUploads takes the upload tokens off files of others: who holds one can write.
func (c *Call) hideUploads(files []*record.File) {
	for _, f := range files {
		if f.AccountID != c.Account.ID {
			f.Token = ""
		}
	}
}

// ProjectArticleDelete deletes a draft in a project with its files; a published article
// stays (decision 16).
func (a *API) ProjectArticleDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.changeableArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	return a.deleteArticle(tx, art)
}

// ProjectFiles lists the files of an article in a project (specification 4.6).
func (a *API) ProjectFiles(c *Call, tx *bucket.Tx) (Reply, error) {
	art, _, err := c.projectArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	return a.workingFileList(c, tx, art, c.hideUploads)
}

// ProjectFileRead is a file of an article in a project (specification 4.6).
func (a *API) ProjectFileRead(c *Call, tx *bucket.Tx) (Reply, error) {
	_, f, err := c.projectFile(tx)
	if err != nil {
		return Reply{}, err
	}
	c.hideUploads([]*record.File{f})
	return Reply{Body: a.Settings.PrivateFile(f), Modified: f.Modified}, nil
}

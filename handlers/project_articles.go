package handlers

import (
	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// ProjectArticles lists the working copies in a project, the newest
// first. It can be ordered and filtered as lists of articles can.
func (a *API) ProjectArticles(c *Call, tx *bucket.Tx) (Reply, error) {
	p, _, err := c.project(tx, record.ProjectViewer)
	if err != nil {
		return Reply{}, err
	}
	f, err := lists.NewProjectFilter(c.Query, lists.ProjectSearch{})
	if err != nil {
		return Reply{}, err
	}
	itemType, err := c.Query.Integer("item_type")
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(lists.Others)
	if err != nil {
		return Reply{}, err
	}
	list, err := lists.Show(lists.PageOf(w, f.Articles(tx, p.ID, itemType)), a.Settings.ProjectArticle)
	return Reply{Body: list, Modified: c.changed}, err
}

// ProjectArticleCreate makes a draft of the caller's in a project.
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
	c.hideUploads(files...)
	detail := a.Settings.ProjectArticleDetail(art, authors, files, a.Items.Leads(tx, art.DOI))
	if detail.CurationStatus, modified, err = curation(tx, art.ID, modified); err != nil {
		return Reply{}, err
	}
	return Reply{Body: detail, Modified: modified}, nil
}

// hideUploads takes the upload tokens off files of others: its holder can write.
func (c *Call) hideUploads(files ...*record.File) {
	for _, f := range files {
		if f.AccountID != c.Account.ID {
			f.Token = ""
		}
	}
}

// ProjectArticleDelete deletes a draft in a project with its files; a published article
// stays.
func (a *API) ProjectArticleDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.changeableArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	return a.deleteArticle(tx, art)
}

// ProjectFiles lists the files of an article in a project.
func (a *API) ProjectFiles(c *Call, tx *bucket.Tx) (Reply, error) {
	art, _, err := c.projectArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	return workingFiles(c, tx, art, false, func(f *record.File) present.PrivateFile {
		c.hideUploads(f)
		return a.Settings.PrivateFile(f)
	})
}

// ProjectFileRead is a file of an article in a project.
func (a *API) ProjectFileRead(c *Call, tx *bucket.Tx) (Reply, error) {
	_, f, err := c.projectFile(tx)
	if err != nil {
		return Reply{}, err
	}
	c.hideUploads(f)
	return Reply{Body: a.Settings.PrivateFile(f), Modified: f.Modified}, nil
}

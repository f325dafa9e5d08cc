package handlers

import (
	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// ProjectArticles lists the working copies in a project, the newest
// first. It can be ordered and filtered as lists of articles can.
func (a *API) ProjectArticles(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	p, _, err := c.OpenProject(tx, record.ProjectViewer)
	if err != nil {
		return endpoint.Reply{}, err
	}
	f, err := lists.NewProjectFilter(c.Query, lists.ProjectSearch{})
	if err != nil {
		return endpoint.Reply{}, err
	}
	itemType, err := c.Query.Integer("item_type")
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, err := c.Page(lists.Others)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list, err := lists.Show(lists.PageOf(w, f.Articles(tx, p.ID, itemType)), a.Settings.ProjectArticle)
	return endpoint.Reply{Body: list, Modified: c.Changed}, err
}

// ProjectArticleCreate makes a draft of the caller's in a project.
func (a *API) ProjectArticleCreate(c *endpoint.Call, tx *bucket.Tx, body *record.ProjectArticleBody) (endpoint.Reply, error) {
	p, m, err := c.OpenProject(tx, record.ProjectCollaborator)
	if err != nil {
		return endpoint.Reply{}, err
	}
	art, err := a.Articles.Create(&c.Caller, tx, (*record.ArticleBody)(body), p.ID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := c.ShowUp(tx, p, m); err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/account/projects/%d/articles/%d", p.ID, art.ID)
	return endpoint.Reply{Status: 201, Location: at, Body: present.NewUpdated(at, c.Warned)}, nil
}

// ProjectArticleRead is an article of a project in full, as all its members read it.
func (a *API) ProjectArticleRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, _, err := c.ProjectArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	authors, files, modified, err := a.shown(tx, art)
	if err != nil {
		return endpoint.Reply{}, err
	}
	hideOthersUploads(c, files...)
	hideUploads(c.Scope(), files...)
	detail := a.Settings.ProjectArticleDetail(art, authors, files, a.Items.Leads(tx, art.DOI))
	if detail.CurationStatus, modified, err = curation(tx, art.ID, modified); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: detail, Modified: modified}, nil
}

// hideOthersUploads blanks the upload tokens of files of others, because a token lets its holder write.
func hideOthersUploads(c *endpoint.Call, files ...*record.File) {
	for _, f := range files {
		if f.AccountID != c.Account.ID {
			f.Token = ""
		}
	}
}

// ProjectArticleDelete deletes a draft in a project with its files; a published article
// stays.
func (a *API) ProjectArticleDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, err := c.ChangeableArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.deleteArticle(tx, art)
}

// ProjectFiles lists the files of an article in a project.
func (a *API) ProjectFiles(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, _, err := c.ProjectArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return workingFiles(c, tx, art, false, func(f *record.File) present.PrivateFile {
		hideOthersUploads(c, f)
		return a.privateFile(c, f)
	})
}

// ProjectFileRead is a file of an article in a project.
func (a *API) ProjectFileRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	_, f, err := c.ProjectFile(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	hideOthersUploads(c, f)
	return endpoint.Reply{Body: a.privateFile(c, f), Modified: f.Modified}, nil
}

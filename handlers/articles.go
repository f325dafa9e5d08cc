package handlers

import (
	"time"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// ArticleList lists the caller's articles, the newest first.
func (a *API) ArticleList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return a.Articles.list(c, tx, func(o items.Item) any { return a.Settings.OwnArticle(o.(*record.Article)) })
}

// ArticleCreate makes a draft.
func (a *API) ArticleCreate(c *endpoint.Call, tx *bucket.Tx, body *record.ArticleBody) (endpoint.Reply, error) {
	return a.Articles.create(c, tx, body)
}

// ArticleRead is the caller's article in full, or what a private link shows
// of another's: the keys of the public detail, with the files that are whole.
func (a *API) ArticleRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if c.ByLink(&art.Working) {
		r, err := a.linkedDetail(tx, art)
		if doc, ok := r.Body.(present.ArticleComplete); ok && c.Anonymous {
			r.Body = doc.Anonymous()
		}
		return r, err
	}
	return a.ownDetail(tx, art, c.Scope())
}

func (a *API) linkedDetail(tx *bucket.Tx, art *record.Article) (endpoint.Reply, error) {
	authors, err := items.People(tx, art.Authors)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := items.Define(tx, &art.Metadata); err != nil {
		return endpoint.Reply{}, err
	}
	files, err := lists.FirstFiles(tx, art, a.Settings.FilesInDetail, true)
	modified := art.Modified
	shown := []*record.PublicFile{}
	for _, f := range files {
		if shown = append(shown, f.Public(f.Created)); f.Modified.After(modified) {
			modified = f.Modified
		}
	}
	return endpoint.Reply{Body: a.Settings.LinkedDetail(art, authors, shown, a.Items.Leads(tx, art.DOI)), Modified: modified}, err
}

func (a *API) ownDetail(tx *bucket.Tx, art *record.Article, scope record.Scope) (endpoint.Reply, error) {
	authors, files, modified, err := a.shown(tx, art)
	if err != nil {
		return endpoint.Reply{}, err
	}
	hideUploads(scope, files...)
	detail := a.Settings.OwnDetail(art, authors, files, a.Items.Leads(tx, art.DOI))
	if detail.CurationStatus, modified, err = curation(tx, art.ID, modified); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: detail, Modified: modified}, nil
}

// shown is what the detail of a working copy shows besides its own record, and when any
// of it last changed: an integrity check changes a file and not the article.
func (a *API) shown(tx *bucket.Tx, art *record.Article) (authors []record.Person, files []*record.File, modified time.Time, err error) {
	if authors, err = items.People(tx, art.Authors); err != nil {
		return nil, nil, modified, err
	}
	if err := items.Define(tx, &art.Metadata); err != nil {
		return nil, nil, modified, err
	}
	files, err = lists.FirstFiles(tx, art, a.Settings.FilesInDetail, false)
	modified = art.Modified
	for _, f := range files {
		if f.Modified.After(modified) {
			modified = f.Modified
		}
	}
	return authors, files, modified, err
}

// ArticleReplace is the update by PUT: the title is required, what is not sent stays.
func (a *API) ArticleReplace(c *endpoint.Call, tx *bucket.Tx, body *record.ArticleBody) (endpoint.Reply, error) {
	return a.updateArticle(c, tx, body, true)
}

// ArticleChange is the update by PATCH.
func (a *API) ArticleChange(c *endpoint.Call, tx *bucket.Tx, body *record.ArticleBody) (endpoint.Reply, error) {
	return a.updateArticle(c, tx, body, false)
}

func (a *API) updateArticle(c *endpoint.Call, tx *bucket.Tx, body *record.ArticleBody, titled bool) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if titled {
		if err := body.RequireTitle(); err != nil {
			return endpoint.Reply{}, err
		}
	}
	return a.Articles.update(c, tx, art, body)
}

// ArticleDelete removes a working copy that is not public, with its files.
func (a *API) ArticleDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.deleteArticle(tx, art)
}

// deleteArticle removes a working copy, and what was uploaded for it.
func (a *API) deleteArticle(tx *bucket.Tx, art *record.Article) (endpoint.Reply, error) {
	gone, err := a.Items.DeleteArticle(tx, art)
	return endpoint.Reply{Status: 204, After: func() { a.Jobs.DropStaged(gone...) }}, err
}

// VersionRead is a public version of an own article, as readers get it.
func (a *API) VersionRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	v, err := c.OwnVersion(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	doc, err := a.Items.ArticleDocs.Full(tx, items.VersionKey(v))
	if err != nil {
		return endpoint.Reply{}, err
	}
	r := fullForm(c, doc)
	r.Modified = v.Modified
	return r, err
}

// VersionReplace changes the metadata of a public version by PUT: the title is required,
// what is not sent stays. Neither its files nor the
// working copy change.
func (a *API) VersionReplace(c *endpoint.Call, tx *bucket.Tx, body *record.VersionBody) (endpoint.Reply, error) {
	return a.updateVersion(c, tx, body, true)
}

// VersionChange is VersionReplace by PATCH.
func (a *API) VersionChange(c *endpoint.Call, tx *bucket.Tx, body *record.VersionBody) (endpoint.Reply, error) {
	return a.updateVersion(c, tx, body, false)
}

func (a *API) updateVersion(c *endpoint.Call, tx *bucket.Tx, body *record.VersionBody, titled bool) (endpoint.Reply, error) {
	v, err := c.OwnVersion(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := mayCorrect(c, tx, v); err != nil {
		return endpoint.Reply{}, err
	}
	if titled && !body.OnlyNotes() {
		if err := body.RequireTitle(); err != nil {
			return endpoint.Reply{}, err
		}
	}
	if err := a.Items.Correct(&c.Caller, tx, v, body, func() error { return mayCorrect(c, tx, v) }); err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/versions/%d", v.ArticleID, v.Version)
	return endpoint.Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.Warned)}, nil
}

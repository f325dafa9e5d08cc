package handlers

import (
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// ArticleList lists the caller's articles, the newest first (specification 4.3).
func (a *API) ArticleList(c *Call, tx *bucket.Tx) (Reply, error) {
	c.buffer = append(getBuffer(), '[') // given back when the call ends, however it does
	q, last, err := a.Articles.list(c, tx, func(id int64, _ owned) error {
		form, err := a.ownForm(tx, id)
		if len(c.buffer) > 1 {
			c.buffer = append(c.buffer, ", "...)
		}
		c.buffer = append(c.buffer, form...)
		return err
	})
	if err != nil {
		return Reply{}, err
	}
	c.buffer = append(c.buffer, ']')
	return q.reply(Reply{Raw: c.buffer}, last), nil
}

// ArticleCreate makes a draft (specification 4.3).
func (a *API) ArticleCreate(c *Call, tx *bucket.Tx, body *record.ArticleBody) (Reply, error) {
	art, err := a.newArticle(c, tx, body, 0)
	if err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d", art.ID)
	return Reply{Status: 201, Location: at, Body: present.NewCreated(art.ID, at, c.warned)}, nil
}

// newArticle stores a draft of the caller's, in a project or in none (0).
func (a *API) newArticle(c *Call, tx *bucket.Tx, body *record.ArticleBody, project int64) (*record.Article, error) {
	item, err := a.Articles.draft(c, tx, body)
	if err != nil {
		return nil, err
	}
	art := item.(*record.Article)
	art.ProjectID = project
	if err := a.Articles.number(c, tx, &art.Working, body.Authors); err != nil {
		return nil, err
	}
	return art, bucket.Articles.PutDeferred(tx, art.ID, art)
}

// applyArticle writes a body to a working copy.
func (c *Call) applyArticle(tx *bucket.Tx, art *record.Article, body *record.ArticleBody) error {
	if err := c.describeArticle(tx, art, body); err != nil {
		return err
	}
	return c.credit(tx, &art.Working, body.Authors)
}

// describeArticle writes a body to a working copy, but for its authors, which it looks
// up. It stores nothing.
func (c *Call) describeArticle(tx *bucket.Tx, art *record.Article, body *record.ArticleBody) error {
	if field, needed := body.NeedsRights(); needed && !c.Account.Admin && !c.loads {
		return record.Refused("FieldNotAllowed", "Only administrators may set "+field)
	}
	if err := body.Within(c.API.Limits.Lists, &art.Metadata); err != nil {
		return err
	}
	if err := body.Check(); err != nil {
		return err
	}
	if body.MetadataOnly != nil && *body.MetadataOnly && art.Files > 0 {
		return record.Wrong("is_metadata_record", "cannot be true while the article has files")
	}
	if err := c.API.Articles.sort(c, tx, &art.Working, body.Authors, body.Categories, &body.Extras); err != nil {
		return err
	}
	had := art.Identifiers()
	materials := art.MaterialCount()
	body.Apply(&art.Metadata)
	if err := art.Fits(c.API.Limits.Lists, materials); err != nil {
		return err
	}
	if body.CustomFields != nil || body.CustomFieldsList != nil {
		if err := c.checkFields(tx, &art.Metadata); err != nil {
			return err
		}
	}
	return c.API.Articles.free(c, tx, art.ID, had, &art.Metadata)
}

// ArticleRead is the caller's article in full (specification 4.3), or what a private link shows
// of another's: the keys of the public detail, with the files that are whole.
func (a *API) ArticleRead(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	if c.byLink(&art.Working) {
		return a.linkedDetail(tx, art)
	}
	return a.ownDetail(tx, art)
}

func (a *API) linkedDetail(tx *bucket.Tx, art *record.Article) (Reply, error) {
	authors, err := people(tx, art.Authors)
	if err != nil {
		return Reply{}, err
	}
	if err := define(tx, &art.Metadata); err != nil {
		return Reply{}, err
	}
	files, err := wholeFiles(tx, art.ID, 0, window{0, a.Settings.FilesInDetail})
	modified := art.Modified
	shown := []*record.PublicFile{}
	for _, f := range files {
		if shown = append(shown, f.Public(f.Created)); f.Modified.After(modified) {
			modified = f.Modified
		}
	}
	return Reply{Body: a.Settings.LinkedDetail(art, authors, shown), Modified: modified}, err
}

func (a *API) ownDetail(tx *bucket.Tx, art *record.Article) (Reply, error) {
	authors, files, modified, err := a.shown(tx, art)
	if err != nil {
		return Reply{}, err
	}
	detail := a.Settings.OwnDetail(art, authors, files)
	if detail.CurationStatus, modified, err = curation(tx, art.ID, modified); err != nil {
		return Reply{}, err
	}
	return Reply{Body: detail, Modified: modified}, nil
}

// shown is what the detail of a working copy shows besides its own record, and when any
// of it last changed: an integrity check changes a file and not the article.
func (a *API) shown(tx *bucket.Tx, art *record.Article) (authors []record.Person, files []*record.File, modified time.Time, err error) {
	if authors, err = people(tx, art.Authors); err != nil {
		return nil, nil, modified, err
	}
	if err := define(tx, &art.Metadata); err != nil {
		return nil, nil, modified, err
	}
	files, err = workingFiles(tx, art.ID, 0, window{0, a.Settings.FilesInDetail})
	modified = art.Modified
	for _, f := range files {
		if f.Modified.After(modified) {
			modified = f.Modified
		}
	}
	return authors, files, modified, err
}

// ArticleReplace is the update by PUT: the title is required, what is not sent stays
// (decision 12).
func (a *API) ArticleReplace(c *Call, tx *bucket.Tx, body *record.ArticleBody) (Reply, error) {
	return a.updateArticle(c, tx, body, true)
}

// ArticleChange is the update by PATCH.
func (a *API) ArticleChange(c *Call, tx *bucket.Tx, body *record.ArticleBody) (Reply, error) {
	return a.updateArticle(c, tx, body, false)
}

func (a *API) updateArticle(c *Call, tx *bucket.Tx, body *record.ArticleBody, titled bool) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	if titled {
		if err := body.RequireTitle(); err != nil {
			return Reply{}, err
		}
	}
	if err := c.applyArticle(tx, art, body); err != nil {
		return Reply{}, err
	}
	art.Saved = true
	if err := a.weigh(tx, &art.Working); err != nil {
		return Reply{}, err
	}
	if err := putArticle(tx, art); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d", art.ID)
	return Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.warned)}, nil
}

// putArticle stores a working copy that was changed now.
func putArticle(tx *bucket.Tx, art *record.Article) error {
	art.Modified = tx.Now()
	return bucket.Articles.Put(tx, art.ID, art)
}

// ArticleDelete removes a working copy that is not public, with its files.
func (a *API) ArticleDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	return a.deleteDraft(tx, art)
}

// deleteDraft removes a working copy that is not public, with everything of it. What
// was published once and withdrawn leaves its tombstone.
func (a *API) deleteDraft(tx *bucket.Tx, art *record.Article) (Reply, error) {
	if art.Public() {
		return Reply{}, record.ErrDeletePublic
	}
	if err := dropReviews(tx, art.ID); err != nil {
		return Reply{}, err
	}
	if err := deleteEmbargoed(tx, art.ID); err != nil {
		return Reply{}, err
	}
	files, err := workingFiles(tx, art.ID, 0, window{0, art.Files})
	if err != nil {
		return Reply{}, err
	}
	if err := removeFiles(tx, files...); err != nil {
		return Reply{}, err
	}
	if err := dropWithdrawn(tx, art.ID); err != nil {
		return Reply{}, err
	}
	if err := a.Articles.dropLinks(tx, art.ID); err != nil {
		return Reply{}, err
	}
	if err := bucket.DropCounts(tx, bucket.Pair{A: bucket.KindArticle, B: art.ID}); err != nil {
		return Reply{}, err
	}
	if err := a.unweigh(tx, &art.Working); err != nil {
		return Reply{}, err
	}
	if err := bucket.Articles.Delete(tx, art.ID); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204, After: func() { a.dropStaged(files...) }}, nil
}

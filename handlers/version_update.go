package handlers

import (
	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// VersionRead is a public version of an own article, as readers get it.
func (a *API) VersionRead(c *Call, tx *bucket.Tx) (Reply, error) {
	v, err := c.ownVersion(tx)
	if err != nil {
		return Reply{}, err
	}
	r, err := a.articleDocs.full(c, tx, versionKey(v))
	r.Modified = v.Modified
	return r, err
}

// VersionReplace changes the metadata of a public version by PUT: the title is required,
// what is not sent stays (specification 4.3, decision 12). Neither its files nor the
// working copy change (decision 14).
func (a *API) VersionReplace(c *Call, tx *bucket.Tx, body *record.VersionBody) (Reply, error) {
	return a.updateVersion(c, tx, body, true)
}

// VersionChange is VersionReplace by PATCH.
func (a *API) VersionChange(c *Call, tx *bucket.Tx, body *record.VersionBody) (Reply, error) {
	return a.updateVersion(c, tx, body, false)
}

func (a *API) updateVersion(c *Call, tx *bucket.Tx, body *record.VersionBody, titled bool) (Reply, error) {
	v, err := c.ownVersion(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := c.mayCorrect(tx, v); err != nil {
		return Reply{}, err
	}
	if titled && !body.OnlyNotes() {
		if err := body.RequireTitle(); err != nil {
			return Reply{}, err
		}
	}
	if body.Authors != nil && len(*body.Authors) == 0 {
		return Reply{}, record.ErrMissingAuthors
	}
	if err := body.CheckNotes(); err != nil {
		return Reply{}, err
	}
	weight := v.Weight(len(v.Authors))
	draft := &record.Article{Working: record.Working{ID: v.ArticleID, Metadata: v.Metadata}, Files: v.Files}
	if err := c.applyArticle(tx, draft, &body.ArticleBody); err != nil {
		return Reply{}, err
	}
	v.Metadata = draft.Metadata
	if err := c.mayCorrect(tx, v); err != nil { // in the group that it comes into
		return Reply{}, err
	}
	body.ApplyNotes(v)
	if err := a.refreshFields(tx, v, &body.ArticleBody); err != nil {
		return Reply{}, err
	}
	before := v.Authors
	if body.Authors != nil {
		if v.Authors, err = people(tx, draft.Authors); err != nil {
			return Reply{}, err
		}
		if err := makePublic(tx, v.Authors); err != nil {
			return Reply{}, err
		}
	}
	if is := v.Weight(len(v.Authors)); is != weight {
		art, err := bucket.Articles.Get(tx, v.ArticleID)
		if err != nil {
			return Reply{}, err
		}
		if err := a.weighVersion(tx, &art.Working, is, weight); err != nil {
			return Reply{}, err
		}
		if err := bucket.Articles.Put(tx, art.ID, art); err != nil {
			return Reply{}, err
		}
	}
	if err := a.putVersion(tx, v); err != nil {
		return Reply{}, err
	}
	if err := unname(tx, before); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/versions/%d", v.ArticleID, v.Version)
	return Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.warned)}, nil
}

// putVersion stores a public version that was changed now, with its documents, and what
// lists and searches know of it when it is the latest.
func (a *API) putVersion(tx *bucket.Tx, v *record.ArticleVersion) error {
	v.Modified = tx.Now()
	if err := bucket.ArticleVersions.Put(tx, versionKey(v), v); err != nil {
		return err
	}
	head, err := bucket.PublicArticles.Get(tx, v.ArticleID)
	if err != nil {
		return err
	}
	if head.Latest == v.Version {
		head.Type, head.GroupID, head.Modified = v.Type, v.GroupID, v.Modified
		head.DownloadDisabled = v.DownloadDisabled
		if err := bucket.PublicArticles.Put(tx, v.ArticleID, head); err != nil {
			return err
		}
		if err := bucket.Cite(tx, bucket.Pair{A: bucket.KindArticle, B: v.ArticleID}, v.DOI, v.Cited()); err != nil {
			return err
		}
	}
	return a.articleDocs.store(tx, v)
}

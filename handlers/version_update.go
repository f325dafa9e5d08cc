package handlers

import (
	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/record"
)

// VersionRead is a public version of an own article, as readers get it.
func (a *API) VersionRead(c *Call, tx *bucket.Tx) (Reply, error) {
	v, err := c.ownVersion(tx)
	if err != nil {
		return Reply{}, err
	}
	r, err := c.fullForm(a.Items.ArticleDocs.Full(tx, items.VersionKey(v)))
	r.Modified = v.Modified
	return r, err
}

// VersionReplace changes the metadata of a public version by PUT: the title is required,
// what is not sent stays. Neither its files nor the
// working copy change.
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
	if err := a.Items.Correct(&c.Caller, tx, v, body, func() error { return c.mayCorrect(tx, v) }); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/versions/%d", v.ArticleID, v.Version)
	return Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.Warned)}, nil
}

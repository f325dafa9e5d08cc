package handlers

import (
	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/record"
)

// EmbargoRead is the embargo of an own article's working copy.
func (a *API) EmbargoRead(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.Embargo(&art.Embargo), Modified: art.Modified}, nil
}

// EmbargoUpdate sets, changes or lifts the embargo of an own article.
func (a *API) EmbargoUpdate(c *Call, tx *bucket.Tx, body *record.EmbargoBody) (Reply, error) {
	return a.updateEmbargo(c, tx, "embargo", body.Check, func(e record.Embargo) (record.Embargo, error) {
		before := e.Options
		e, err := body.Apply(e, tx.Clock())
		if err == nil {
			err = items.NameRanges(tx, &e, before)
		}
		return e, err
	})
}

// EmbargoDelete lifts the embargo of an own article. Without one it changes nothing.
func (a *API) EmbargoDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	return a.liftEmbargo(c, tx, func(e *record.Embargo) bool { return e.Kind != record.NoEmbargo })
}

// ConfidentialityRead is the deprecated confidentiality of an own article: whether its
// files are under a permanent embargo.
func (a *API) ConfidentialityRead(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.Confidentiality(&art.Embargo), Modified: art.Modified}, nil
}

// ConfidentialityUpdate puts the files of an own article under a permanent embargo.
func (a *API) ConfidentialityUpdate(c *Call, tx *bucket.Tx, body *record.ConfidentialityBody) (Reply, error) {
	return a.updateEmbargo(c, tx, "confidentiality", body.Check, body.Apply)
}

// ConfidentialityDelete lifts a permanent embargo on files and leaves any other alone.
func (a *API) ConfidentialityDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	return a.liftEmbargo(c, tx, (*record.Embargo).Permanent)
}

func (a *API) updateEmbargo(c *Call, tx *bucket.Tx, what string, check func() error, apply func(record.Embargo) (record.Embargo, error)) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := check(); err != nil {
		return Reply{}, err
	}
	e, err := apply(art.Embargo.At(tx.Clock()))
	if err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/%s", art.ID, what)
	r := Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.Warned), After: a.wakeRelease}
	return r, a.Items.SetEmbargo(tx, art, e)
}

func (a *API) liftEmbargo(c *Call, tx *bucket.Tx, lifts func(*record.Embargo) bool) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil || !lifts(&art.Embargo) {
		return Reply{Status: 204}, err
	}
	return Reply{Status: 204}, a.Items.SetEmbargo(tx, art, record.Embargo{})
}

// PublicEmbargoRead is the embargo of a public version.
func (a *API) PublicEmbargoRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	v, err := c.publicVersion(tx, record.ErrEntityVersion)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.Embargo(&v.Embargo), Modified: v.Modified}, nil
}

// PublicConfidentialityRead is the deprecated confidentiality of a public version.
func (a *API) PublicConfidentialityRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	v, err := c.publicVersion(tx, record.ErrNoVersion)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.Confidentiality(&v.Embargo), Modified: v.Modified}, nil
}

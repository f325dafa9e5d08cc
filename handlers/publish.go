package handlers

import (
	"alcove/bucket"
	"alcove/handlers/present"
)

// ArticlePublish makes a new public version of an own article.
func (a *API) ArticlePublish(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	waits, err := a.Items.Publish(tx, art)
	if err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/articles/%d", art.ID)
	c.Warned = append(c.Warned, waits.Warnings()...)
	return Reply{Status: 201, Location: at, Body: present.NewUpdated(at, c.Warned), After: a.wakeRelease}, nil
}

// CollectionPublish makes a new public version. It has those of its articles that are public at this
// moment.
func (a *API) CollectionPublish(c *Call, tx *bucket.Tx) (Reply, error) {
	col, err := c.ownCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	if _, err := a.Items.Publish(tx, col); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/collections/%d", col.ID)
	return Reply{Status: 201, Location: at, Body: present.Location{Location: at}}, nil
}

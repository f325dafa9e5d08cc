package handlers

import (
	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
)

// ArticlePublish makes a new public version of an own article.
func (a *API) ArticlePublish(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := a.Agreed(tx, &art.Working); err != nil {
		return endpoint.Reply{}, err
	}
	waits, err := a.Items.Publish(tx, art)
	if err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/articles/%d", art.ID)
	c.Warned = append(c.Warned, waits.Warnings()...)
	return endpoint.Reply{Status: 201, Location: at, Body: present.NewUpdated(at, c.Warned), After: a.Jobs.EndEmbargoesSoon}, nil
}

// CollectionPublish makes a new public version. It has those of its articles that are public at this
// moment.
func (a *API) CollectionPublish(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	col, err := c.OwnCollection(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := a.Agreed(tx, &col.Working); err != nil {
		return endpoint.Reply{}, err
	}
	if _, err := a.Items.Publish(tx, col); err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/collections/%d", col.ID)
	return endpoint.Reply{Status: 201, Location: at, Body: present.Location{Location: at}}, nil
}

// DOIReserve tells the DOI that an own item has, or will have once it is public. It stays the same from the first call on.
func (k *ItemKind) DOIReserve(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	doi, err := k.reserve(c, tx, func(w *record.Working) *string { return &w.DOI }, k.DOIPrefix)
	return endpoint.Reply{Body: present.DOI{DOI: doi}}, err
}

// HandleReserve is DOIReserve for the handle; items have one only when it was reserved.
func (k *ItemKind) HandleReserve(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	handles := func(*bucket.Tx, *record.Working) (string, error) { return k.api.Limits.HandlePrefix, nil }
	handle, err := k.reserve(c, tx, func(w *record.Working) *string { return &w.Handle }, handles)
	return endpoint.Reply{Body: present.Handle{Handle: handle}}, err
}

func (k *ItemKind) reserve(c *endpoint.Call, tx *bucket.Tx, of func(*record.Working) *string, under func(*bucket.Tx, *record.Working) (string, error)) (string, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return "", err
	}
	w := item.Common()
	name := of(w)
	if *name != "" {
		return *name, nil
	}
	prefix, err := under(tx, w)
	if err != nil {
		return "", err
	}
	*name = k.Identifier(tx, prefix, w.ID)
	return *name, k.Put(tx, item)
}

// ResourceWrite says which publication an own item belongs to.
func (k *ItemKind) ResourceWrite(c *endpoint.Call, tx *bucket.Tx, body *record.ResourceBody) (endpoint.Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	w := item.Common()
	body.Apply(&w.Metadata)
	at := k.address(w)
	return endpoint.Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.Warned)}, k.Put(tx, item)
}

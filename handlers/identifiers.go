package handlers

import (
	"strconv"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// identifier is the DOI or handle that an item gets under a prefix. Articles and
// collections are numbered apart, so collections have a c in front of the id.
func (k *Kind) identifier(prefix string, id int64) string {
	return prefix + "." + k.mark + strconv.FormatInt(id, 10)
}

// DOIReserve tells the DOI that an own item has, or will have once it is public
// (specification 4.3 and 4.7). It stays the same from the first call on.
func (k *Kind) DOIReserve(c *Call, tx *bucket.Tx) (Reply, error) {
	doi, err := k.reserve(c, tx, func(w *record.Working) *string { return &w.DOI }, k.api.Limits.DOIPrefix)
	return Reply{Body: present.DOI{DOI: doi}}, err
}

// HandleReserve is DOIReserve for the handle; items have one only when it was reserved.
func (k *Kind) HandleReserve(c *Call, tx *bucket.Tx) (Reply, error) {
	handle, err := k.reserve(c, tx, func(w *record.Working) *string { return &w.Handle }, k.api.Limits.HandlePrefix)
	return Reply{Body: present.Handle{Handle: handle}}, err
}

func (k *Kind) reserve(c *Call, tx *bucket.Tx, of func(*record.Working) *string, prefix string) (string, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return "", err
	}
	w := item.Common()
	name := of(w)
	if *name != "" {
		return *name, nil
	}
	*name = k.identifier(prefix, w.ID)
	return *name, k.put(tx, item)
}

// ResourceWrite says which publication an own item belongs to (specification 4.3).
func (k *Kind) ResourceWrite(c *Call, tx *bucket.Tx, body *record.ResourceBody) (Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	w := item.Common()
	body.Apply(&w.Metadata)
	at := k.api.Settings.API("/account/%s/%d", k.path, w.ID)
	return Reply{Status: 205, Location: at, Body: present.Location{Location: at}}, k.put(tx, item)
}

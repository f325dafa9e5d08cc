package handlers

import (
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// identifier is the DOI or handle that an item gets under a prefix. Articles and
// collections are numbered apart, so collections have a c in front of the id. Where
// another item has that identifier, which an operator can have brought, a number follows.
func (k *ItemKind) identifier(tx *bucket.Tx, prefix string, id int64) string {
	name := prefix + "." + k.mark + strconv.FormatInt(id, 10)
	for n := 1; ; n++ {
		given := name
		if n > 1 {
			given += "-" + strconv.Itoa(n)
		}
		if !bucket.GivenElsewhere(tx, strings.ToLower(given), k.item(id)) {
			return given
		}
	}
}

// item is the item of the kind with an id, 0 for one that has none yet.
func (k *ItemKind) item(id int64) bucket.Pair {
	if k.mark == "" {
		return bucket.Pair{A: bucket.KindArticle, B: id}
	}
	return bucket.Pair{A: bucket.KindCollection, B: id}
}

// free refuses the DOI and the handle that an item was given now where another item has them,
// in any form, or where this server numbers another item with them, sooner or later. had
// are the identifiers that the item has anyway.
func (k *ItemKind) free(c *Call, tx *bucket.Tx, id int64, had []string, m *record.Metadata) error {
	for _, name := range m.Identifiers() {
		if slices.Contains(had, name) {
			continue
		}
		field := identifierField(m, name)
		for hit := range bucket.WithdrawnByIdentifier.Ascending(tx, bucket.SortKey(name)) {
			if k.item(id) != (bucket.Pair{A: bucket.KindArticle, B: hit.Key.A}) {
				return record.Wrong(field, "belongs to an item that was withdrawn")
			}
		}
		for hit := range bucket.WithdrawnCollectionsByIdentifier.Ascending(tx, bucket.SortKey(name)) {
			if k.item(id) != (bucket.Pair{A: bucket.KindCollection, B: hit.Key.A}) {
				return record.Wrong(field, "belongs to an item that was withdrawn")
			}
		}
		taken, err := bucket.IdentifiedElsewhere(tx, name, k.item(id))
		if err != nil {
			return err
		}
		if taken {
			return record.Wrong(field, "belongs to another item")
		}
		if !c.loads && k.numbers(name, id) {
			return record.Wrong(field, "is one that this server gives to another item")
		}
	}
	return nil
}

func identifierField(m *record.Metadata, name string) string {
	if name == record.ItemDOI(m.DOI) {
		return "doi"
	}
	return "handle"
}

// unique refuses to publish an item for the first time with an identifier that is public
// elsewhere: items that an earlier program has stored can share one.
func (k *ItemKind) unique(tx *bucket.Tx, w *record.Working) error {
	if w.Public() {
		return nil
	}
	for _, name := range w.Identifiers() {
		if bucket.PublishedElsewhere(tx, name, k.item(w.ID)) {
			return record.Wrong(identifierField(&w.Metadata, name), "belongs to another item that is public")
		}
	}
	return nil
}

// numbers reports whether an identifier is one of those that the server gives by id, and not
// to this item.
func (k *ItemKind) numbers(name string, id int64) bool {
	for _, prefix := range []string{k.api.Limits.DOIPrefix, k.api.Limits.HandlePrefix} {
		number, ok := strings.CutPrefix(name, strings.ToLower(prefix)+".")
		if !ok {
			continue
		}
		mark := ""
		if rest, ok := strings.CutPrefix(number, "c."); ok {
			mark, number = "c.", rest
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err == nil && n > 0 && strconv.FormatInt(n, 10) == number && (mark != k.mark || n != id) {
			return true
		}
	}
	return false
}

// DOIReserve tells the DOI that an own item has, or will have once it is public
// (specification 4.3 and 4.7). It stays the same from the first call on.
func (k *ItemKind) DOIReserve(c *Call, tx *bucket.Tx) (Reply, error) {
	doi, err := k.reserve(c, tx, func(w *record.Working) *string { return &w.DOI }, k.api.Limits.DOIPrefix)
	return Reply{Body: present.DOI{DOI: doi}}, err
}

// HandleReserve is DOIReserve for the handle; items have one only when it was reserved.
func (k *ItemKind) HandleReserve(c *Call, tx *bucket.Tx) (Reply, error) {
	handle, err := k.reserve(c, tx, func(w *record.Working) *string { return &w.Handle }, k.api.Limits.HandlePrefix)
	return Reply{Body: present.Handle{Handle: handle}}, err
}

func (k *ItemKind) reserve(c *Call, tx *bucket.Tx, of func(*record.Working) *string, prefix string) (string, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return "", err
	}
	w := item.Common()
	name := of(w)
	if *name != "" {
		return *name, nil
	}
	*name = k.identifier(tx, prefix, w.ID)
	return *name, k.put(tx, item)
}

// ResourceWrite says which publication an own item belongs to (specification 4.3).
func (k *ItemKind) ResourceWrite(c *Call, tx *bucket.Tx, body *record.ResourceBody) (Reply, error) {
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
	return Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.warned)}, k.put(tx, item)
}

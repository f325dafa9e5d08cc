package mirrors

import (
	"errors"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/record"
)

// unmirrored are filters and orders of lists that those of mirrors do not have: a list that passed over them would be a
// wrong answer.
var unmirrored = []string{
	"search_for", "order", "order_direction", "institution", "group", "published_since", "modified_since", "resource_doi", "item_type", "doi", "handle", "project_id",
}

// mirrorPage is the window of a list.
func mirrorPage(c *endpoint.Call, b lists.Bounds) (lists.Window, error) {
	for _, name := range unmirrored {
		if _, sent := c.Query.Find(name); sent {
			return lists.Window{}, record.Wrong(name, "is not taken by a list of what is mirrored")
		}
	}
	return c.Page(b)
}

// MirroredList lists the items of a repository that are public here, the newest first. One of which nothing is mirrored is
// not found.
func (a *Mirrors) MirroredList(kind string) func(*endpoint.Call, *bucket.PublicTx) (endpoint.Reply, error) {
	return func(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
		mirrored := false
		for _, err := range exchange.MirroredItems.All(tx, []byte(mirrorHost(c)+"/")) {
			if err != nil {
				return endpoint.Reply{}, err
			}
			mirrored = true
			break
		}
		if !mirrored {
			return endpoint.Reply{}, record.ErrNotFound
		}
		return a.mirroredList(c, tx, func(yield func(string) bool) {
			for hit := range exchange.MirroredByPublished.Descending(tx, bucket.SortKey(mirrorHost(c), kind)) {
				if !yield(hit.Key) {
					return
				}
			}
		})
	}
}

// MirroredMembers lists the articles of a collection that are public here.
func (a *Mirrors) MirroredMembers(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	m, err := a.findMirrored(tx, exchange.MirrorKey(mirrorHost(c), mirroredCollections, c.ID("id")), record.ErrCollectionNotFound)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.mirroredList(c, tx, func(yield func(string) bool) {
		for _, id := range m.Members {
			if !yield(exchange.MirrorKey(m.Host, mirroredArticles, id)) {
				return
			}
		}
	})
}

// summaryKeys are the keys of an item that lists show.
var summaryKeys = map[string][]string{
	mirroredArticles: {
		"id", "title", "doi", "handle", "url", "url_public_html", "url_public_api", "url_private_html", "url_private_api", "published_date", "modified_date",
		"created_date", "thumb", "defined_type", "defined_type_name", "group_id", "resource_title", "resource_doi", "timeline",
	},
	mirroredCollections: {"id", "title", "doi", "handle", "url", "published_date", "timeline"},
}

// mirroredList shows the items with some keys that are public here, in the window of the call.
func (a *Mirrors) mirroredList(c *endpoint.Call, tx *bucket.PublicTx, keys func(yield func(string) bool)) (endpoint.Reply, error) {
	w, err := mirrorPage(c, lists.PublicItems)
	if err != nil {
		return endpoint.Reply{}, err
	}
	public := func(yield func(*mirrored, error) bool) {
		for key := range keys {
			m, err := a.findMirrored(tx, key, errHidden)
			if !errors.Is(err, errHidden) && !yield(m, err) {
				return
			}
		}
	}
	list := []map[string]any{}
	for m, err := range lists.PageOf(w, public) {
		if err != nil {
			return endpoint.Reply{}, err
		}
		v, err := exchange.MirroredVersions.Get(tx, exchange.MirrorVersionKey(m.key(), m.latest))
		if err != nil {
			return endpoint.Reply{}, err
		}
		var doc map[string]any
		if err := m.read(v.Document, &doc); err != nil {
			return endpoint.Reply{}, err
		}
		short := map[string]any{}
		for _, k := range summaryKeys[m.Kind] {
			if v, ok := doc[k]; ok {
				short[k] = v
			}
		}
		list = append(list, short)
	}
	return endpoint.Reply{Body: list}, nil
}

var errHidden = errors.New("it is not public here")

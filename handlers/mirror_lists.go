package handlers

import (
	"errors"

	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/record"
)

// unmirrored are filters and orders of lists that those of mirrors do not have: a list that passed over them would be a
// wrong answer.
var unmirrored = []string{
	"search_for", "order", "order_direction", "institution", "group", "published_since", "modified_since", "resource_doi", "item_type", "doi", "handle", "project_id",
}

// mirrorPage is the window of a list.
func (c *Call) mirrorPage(b lists.Bounds) (lists.Window, error) {
	for _, name := range unmirrored {
		if _, sent := c.Query.Find(name); sent {
			return lists.Window{}, record.Wrong(name, "is not taken by a list of what is mirrored")
		}
	}
	return c.page(b)
}

// MirroredList lists the items of a repository that are public here, the newest first. One of which nothing is mirrored is
// not found.
func (a *API) MirroredList(kind string) func(*Call, *bucket.PublicTx) (Reply, error) {
	return func(c *Call, tx *bucket.PublicTx) (Reply, error) {
		mirrored := false
		for _, err := range bucket.MirroredItems.All(tx, []byte(c.mirrorHost()+"/")) {
			if err != nil {
				return Reply{}, err
			}
			mirrored = true
			break
		}
		if !mirrored {
			return Reply{}, record.ErrNotFound
		}
		return a.mirroredList(c, tx, func(yield func(string) bool) {
			for hit := range bucket.MirroredByPublished.Descending(tx, bucket.SortKey(c.mirrorHost(), kind)) {
				if !yield(hit.Key) {
					return
				}
			}
		})
	}
}

// MirroredMembers lists the articles of a collection that are public here.
func (a *API) MirroredMembers(c *Call, tx *bucket.PublicTx) (Reply, error) {
	m, err := a.findMirrored(tx, bucket.MirrorKey(c.mirrorHost(), mirroredCollections, c.ID("id")), record.ErrCollectionNotFound)
	if err != nil {
		return Reply{}, err
	}
	return a.mirroredList(c, tx, func(yield func(string) bool) {
		for _, id := range m.Members {
			if !yield(bucket.MirrorKey(m.Host, mirroredArticles, id)) {
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
func (a *API) mirroredList(c *Call, tx *bucket.PublicTx, keys func(yield func(string) bool)) (Reply, error) {
	w, err := c.mirrorPage(lists.PublicItems)
	if err != nil {
		return Reply{}, err
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
			return Reply{}, err
		}
		v, err := bucket.MirroredVersions.Get(tx, bucket.MirrorVersionKey(m.key(), m.latest))
		if err != nil {
			return Reply{}, err
		}
		var doc map[string]any
		if err := m.read(v.Document, &doc); err != nil {
			return Reply{}, err
		}
		short := map[string]any{}
		for _, k := range summaryKeys[m.Kind] {
			if v, ok := doc[k]; ok {
				short[k] = v
			}
		}
		list = append(list, short)
	}
	return Reply{Body: list}, nil
}

var errHidden = errors.New("it is not public here")

package handlers

import (
	"encoding/json"
	"fmt"

	"alcove/bucket"
	"alcove/formats"
	"alcove/handlers/described"
	"alcove/handlers/present"
)

// DescribeDOI is what a registrar is told of a public version of an item, a kind and an id, and the address of its page;
// for version 0 of the item as a whole, with what its latest version says. It is a doi.Describe.
func (a *API) DescribeDOI(tx *bucket.Tx, kind, id int64, version int) (metadata map[string]any, address string, err error) {
	whole := version == 0
	var doc present.ArticleComplete
	name := "article"
	if kind == bucket.KindCollection {
		name = "collection"
		var from present.CollectionComplete
		head, err := bucket.PublicCollections.Get(tx, id)
		if err != nil {
			return nil, "", err
		}
		if whole {
			version = head.Latest
		}
		stored, err := a.Items.CollectionDocs.Full(tx, bucket.Pair{A: id, B: int64(version)})
		if err == nil {
			err = json.Unmarshal(stored.Full, &from)
		}
		if err != nil {
			return nil, "", err
		}
		doc = described.Collection(a.Settings, &from)
	} else {
		head, err := bucket.PublicArticles.Get(tx, id)
		if err != nil {
			return nil, "", err
		}
		if whole {
			version = head.Latest
		}
		stored, err := a.Items.ArticleDocs.Full(tx, bucket.Pair{A: id, B: int64(version)})
		if err == nil {
			err = json.Unmarshal(stored.Full, &doc)
		}
		if err != nil {
			return nil, "", err
		}
	}
	if address = doc.URLPublicHTML; !whole {
		address = fmt.Sprintf("%s/%d", address, version)
	}
	it := described.Item(a.Settings, name, &doc, address, func(string) bool { return true })
	if err := a.relate(tx, &it, kind, id, whole); err != nil {
		return nil, "", err
	}
	datacite, _ := formats.ByName("datacite-json")
	if err := json.Unmarshal([]byte(datacite.Write(it)), &metadata); err != nil {
		return nil, "", err
	}
	delete(metadata, "doi")
	delete(metadata, "url")
	return metadata, address, nil
}

// goneDOI is what the registrar has instead of the metadata of a withdrawn item whose title must not be read any more. It
// is a doi.Gone.
func goneDOI(tx *bucket.Tx, kind, id int64) (map[string]any, error) {
	table := bucket.Tombstones
	if kind == bucket.KindCollection {
		table = bucket.CollectionTombstones
	}
	t, err := lastTombstone(tx, table, id)
	if err != nil || t == nil || !t.HideTitle {
		return nil, err
	}
	none := []any{}
	return map[string]any{
		"titles": []any{map[string]any{"title": formats.Unavailable}}, "creators": []any{map[string]any{"name": formats.Unavailable}},
		"descriptions": none, "subjects": none, "contributors": none, "relatedIdentifiers": none, "alternateIdentifiers": none, "fundingReferences": none,
	}, nil
}

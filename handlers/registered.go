package handlers

import (
	"encoding/json"
	"errors"
	"fmt"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/withdrawn"
	"alcove/formats"
	"alcove/handlers/described"
	"alcove/handlers/present"
	"alcove/record"
)

// DescribeDOI is what a registrar is told of a public version of an item, a kind and an id, and the address of its page;
// for version 0 of the item as a whole, with what its latest version says. It is a doi.Describe.
func (a *API) DescribeDOI(tx *bucket.Tx, kind, id int64, version int) (metadata map[string]any, address string, err error) {
	whole := version == 0
	var doc present.ArticleComplete
	name := "article"
	if kind == record.KindCollection {
		name = "collection"
		var from present.CollectionComplete
		head, err := published.Collections.Get(tx, id)
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
		head, err := published.Articles.Get(tx, id)
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
	table := withdrawn.Tombstones
	if kind == record.KindCollection {
		table = withdrawn.CollectionTombstones
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

// Bounds of what a registrar is told of the relations of a DOI: each is a record that is read.
const (
	versionsMost = 100 // versions of an item, the newest
	partsMost    = 500 // members of a collection, the first
)

// relate adds to the description of a version, or of an item as a whole, what it consists of: the DOIs of the versions of
// the whole, and of the public members of a collection. The DOI of the whole is no version of itself.
func (a *API) relate(tx *bucket.Tx, it *formats.Item, kind, id int64, whole bool) error {
	m, articles, err := versionMetadata(tx, kind, id, it.Version)
	if err != nil {
		return err
	}
	if it.ConceptDOI = m.DOI; whole {
		it.DOI = m.DOI
		versions, err := versionDOIs(tx, kind, id, it.Version)
		if err != nil {
			return err
		}
		it.Related = append(it.Related, related(versions, "HasVersion")...)
	}
	parts, err := memberDOIs(tx, articles)
	it.Related = append(it.Related, related(parts, "HasPart")...)
	return err
}

func related(dois []string, relation string) (list []formats.Related) {
	for _, doi := range dois {
		list = append(list, formats.Related{Identifier: record.BareDOI(doi), Type: "DOI", Relation: relation})
	}
	return list
}

// versionMetadata is that of a public version of an item, with the members of a collection.
func versionMetadata(tx *bucket.Tx, kind, id int64, version int) (*record.Metadata, []int64, error) {
	key := bucket.Pair{A: id, B: int64(version)}
	if kind == record.KindCollection {
		v, err := published.CollectionVersions.Get(tx, key)
		if err != nil {
			return nil, nil, err
		}
		return &v.Metadata, v.Articles, nil
	}
	v, err := published.ArticleVersions.Get(tx, key)
	if err != nil {
		return nil, nil, err
	}
	return &v.Metadata, nil, nil
}

// versionDOIs are the DOIs of the newest public versions of an item that have one of their own.
func versionDOIs(tx *bucket.Tx, kind, id int64, latest int) (list []string, err error) {
	for n := latest; n > 0 && len(list) < versionsMost; n-- {
		m, _, err := versionMetadata(tx, kind, id, n)
		if errors.Is(err, bucket.ErrNotFound) {
			continue // the number was never given to a version that is public
		}
		if err != nil {
			return nil, err
		}
		if doi := m.PublicDOI(n); record.BareDOI(doi) != record.BareDOI(m.DOI) {
			list = append(list, doi)
		}
	}
	return list, nil
}

// memberDOIs are the DOIs of the first members of a collection that are public.
func memberDOIs(tx *bucket.Tx, articles []int64) (list []string, err error) {
	for _, id := range articles {
		if len(list) == partsMost {
			break
		}
		facts, public := published.ArticleFacts.Facts(tx, id)
		if !public {
			continue
		}
		m, _, err := versionMetadata(tx, record.KindArticle, id, int(facts.Version))
		if err != nil {
			return nil, err
		}
		if m.DOI != "" && !record.ForTests(m.DOI) {
			list = append(list, m.DOI)
		}
	}
	return list, nil
}

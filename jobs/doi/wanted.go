package doi

import (
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// want is a DOI and the state that it is to have, "" for none.
type want struct{ doi, state string }

// versionTables and itemTables are where what a DOI leads to is stored: versions by id and number, and the rest of items.
var (
	versionTables = map[string]int64{
		"article_versions": bucket.KindArticle, "withdrawn_versions": bucket.KindArticle,
		"collection_versions": bucket.KindCollection, "withdrawn_collections": bucket.KindCollection,
	}
	itemTables = map[string]int64{
		"articles": bucket.KindArticle, "public_articles": bucket.KindArticle, "tombstones": bucket.KindArticle,
		"collections": bucket.KindCollection, "public_collections": bucket.KindCollection, "collection_tombstones": bucket.KindCollection,
	}
)

// wantOfVersion is the DOI of a version, where it has one of its own.
func wantOfVersion(tx *bucket.Tx, kind, item int64, version int) (want, error) {
	key := bucket.Pair{A: item, B: int64(version)}
	of := func(m *record.Metadata, state string) want {
		if record.BareDOI(m.PublicDOI(version)) == record.BareDOI(m.DOI) {
			return want{} // it has that of the item
		}
		return want{m.PublicDOI(version), state}
	}
	if kind == bucket.KindArticle {
		if v, err := found(bucket.ArticleVersions.Get(tx, key)); v != nil || err != nil {
			return ofVersion(v, err, func() want { return of(&v.Metadata, record.DOIFindable) })
		}
		v, err := found(bucket.WithdrawnVersions.Get(tx, key))
		return ofVersion(v, err, func() want { return of(&v.Metadata, record.DOIHidden) })
	}
	if v, err := found(bucket.CollectionVersions.Get(tx, key)); v != nil || err != nil {
		return ofVersion(v, err, func() want { return of(&v.Metadata, record.DOIFindable) })
	}
	v, err := found(bucket.WithdrawnCollections.Get(tx, key))
	return ofVersion(v, err, func() want { return of(&v.Metadata, record.DOIHidden) })
}

func ofVersion[V any](v *V, err error, of func() want) (want, error) {
	if v == nil || err != nil {
		return want{}, err
	}
	return of(), nil
}

// found is a record, nil for one that is not there.
func found[R any](r *R, err error) (*R, error) {
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	return r, err
}

// wantOfItem is the DOI of an item as a whole: that of its latest public version; the one that it had when it was
// withdrawn; or one that is reserved, which is a draft. Of an item that waits for the end of an embargo on the whole, or
// for a review, nothing is public yet.
func wantOfItem(tx *bucket.Tx, kind, item int64) (want, error) {
	if kind == bucket.KindArticle {
		return itemOf(tx, item, bucket.Articles, func(a *record.Article) *record.Working { return &a.Working }, bucket.Tombstones, func() (*record.Metadata, error) {
			head, err := found(bucket.PublicArticles.Get(tx, item))
			if head == nil || err != nil {
				return nil, err
			}
			v, err := bucket.ArticleVersions.Get(tx, bucket.Pair{A: item, B: int64(head.Latest)})
			if err != nil {
				return nil, err
			}
			return &v.Metadata, nil
		})
	}
	return itemOf(tx, item, bucket.Collections, func(c *record.Collection) *record.Working { return &c.Working }, bucket.CollectionTombstones, func() (*record.Metadata, error) {
		head, err := found(bucket.PublicCollections.Get(tx, item))
		if head == nil || err != nil {
			return nil, err
		}
		v, err := bucket.CollectionVersions.Get(tx, bucket.Pair{A: item, B: int64(head.Latest)})
		if err != nil {
			return nil, err
		}
		return &v.Metadata, nil
	})
}

func itemOf[R any](tx *bucket.Tx, item int64, own *bucket.Table[int64, R], working func(*R) *record.Working, tombstones *bucket.Table[bucket.Pair, record.Tombstone], latest func() (*record.Metadata, error)) (want, error) {
	m, err := latest()
	if err != nil {
		return want{}, err
	}
	if m != nil {
		return want{m.DOI, record.DOIFindable}, nil
	}
	doi := ""
	for row, err := range tombstones.All(tx, bucket.Prefix(item)) {
		if err != nil {
			return want{}, err
		}
		doi = row.Record.DOI
	}
	if doi != "" {
		return want{doi, record.DOIHidden}, nil
	}
	r, err := found(own.Get(tx, item))
	if r == nil || err != nil {
		return want{}, err
	}
	return want{working(r).DOI, record.DOIDraft}, nil
}

// note stores what the registrar is to know of an item and of those of its versions that changed. The DOI of the item
// comes behind those of its versions.
func (s *Service) note(tx *bucket.Tx, kind, item int64, versions []int) error {
	slices.Sort(versions)
	fresh := false // a DOI of a version is new
	for _, v := range slices.Compact(versions) {
		w, err := wantOfVersion(tx, kind, item, v)
		if err != nil {
			return err
		}
		made, err := s.put(tx, kind, item, v, w, true, false)
		if fresh = fresh || made; err != nil {
			return err
		}
	}
	w, err := wantOfItem(tx, kind, item)
	if err == nil {
		_, err = s.put(tx, kind, item, 0, w, len(versions) > 0, fresh)
	}
	return err
}

// put stores the registration of a version, or under 0 of the item, and retires others that it had. changed is whether
// what is public of it may be another; behind gives it the last place in the order. It reports whether it is new.
func (s *Service) put(tx *bucket.Tx, kind, item int64, version int, w want, changed, behind bool) (made bool, err error) {
	id, known := int64(0), false
	wanted := w.doi != "" && s.ours(w.doi)
	if wanted {
		id, known = bucket.RegistrationsByDOI.First(tx, bucket.SortKey(record.BareDOI(w.doi)))
	}
	var others []int64
	for hit := range bucket.RegistrationsByItem.Ascending(tx, bucket.SortKey(kind, item, int64(version))) {
		if hit.Key != id {
			others = append(others, hit.Key)
		}
	}
	for _, other := range others {
		if err := retire(tx, other); err != nil {
			return false, err
		}
	}
	if !wanted || !known && w.state == record.DOIHidden { // what was withdrawn before the registrar knew it stays unknown
		return false, nil
	}
	r := &record.Registration{DOI: w.doi}
	if known {
		if r, err = bucket.Registrations.Get(tx, id); err != nil {
			return false, err
		}
	}
	changed = changed && w.state != record.DOIDraft
	if known && !changed && !behind && r.Wanted == w.state && r.Kind == kind && r.Item == item && r.Version == version {
		return false, nil
	}
	if behind && known {
		if err := bucket.Registrations.Delete(tx, id); err != nil {
			return false, err
		}
	}
	if behind || !known {
		if id, err = bucket.Registrations.NextID(tx); err != nil {
			return false, err
		}
	}
	r.Kind, r.Item, r.Version, r.Wanted = kind, item, version, w.state
	r.Changed, r.Turn = r.Changed || changed, r.Turn+1
	return !known, bucket.Registrations.Put(tx, id, r)
}

// retire has the registrar told that an item has a DOI no longer: a draft goes, what was registered is hidden.
func retire(tx *bucket.Tx, id int64) error {
	r, err := bucket.Registrations.Get(tx, id)
	if err != nil {
		return err
	}
	if !r.Begun {
		return bucket.Registrations.Delete(tx, id)
	}
	wanted := ""
	if r.Registered() {
		wanted = record.DOIHidden
	}
	if r.Wanted == wanted {
		return nil
	}
	r.Wanted, r.Changed, r.Turn = wanted, true, r.Turn+1
	return bucket.Registrations.Put(tx, id, r)
}

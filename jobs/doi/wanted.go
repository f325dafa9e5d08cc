package doi

import (
	"errors"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/record"
)

// want is a DOI and the state that it is to have, "" for none.
type want struct{ doi, state string }

// versionTables and itemTables are where what a DOI leads to is stored: versions by id and number, and the rest of items.
var (
	versionTables = map[string]int64{"article_versions": record.KindArticle, "collection_versions": record.KindCollection}
	itemTables    = map[string]int64{
		"articles": record.KindArticle, "public_articles": record.KindArticle, "tombstones": record.KindArticle,
		"collections": record.KindCollection, "public_collections": record.KindCollection, "collection_tombstones": record.KindCollection,
	}
)

// wantOfVersion is the DOI of a public version, where it has one of its own.
func wantOfVersion(tx *bucket.Tx, kind, item int64, version int) (want, error) {
	m, err := metadataOf(tx, kind, item, version)
	if m == nil || err != nil || m.Origin != "" || record.BareDOI(m.PublicDOI(version)) == record.BareDOI(m.DOI) {
		return want{}, err
	}
	return want{m.PublicDOI(version), record.DOIFindable}, nil
}

// wantOfItem is the DOI of an item as a whole: that of its latest public version, or one that is reserved, which is a
// draft as long as no version was public. Of an item that waits for the end of an embargo on the whole, or for a review,
// nothing is public yet.
func wantOfItem(tx *bucket.Tx, kind, item int64) (want, error) {
	facts, public := published.ArticleFacts.Facts(tx, item)
	if kind == record.KindCollection {
		facts, public = published.CollectionFacts.Facts(tx, item)
	}
	if public {
		m, err := metadataOf(tx, kind, item, int(facts.Version))
		if m == nil || err != nil || m.Origin != "" {
			return want{}, err
		}
		return want{m.DOI, record.DOIFindable}, nil
	}
	var own *record.Working
	if kind == record.KindArticle {
		a, err := found(working.Articles.Get(tx, item))
		if a == nil || err != nil {
			return want{}, err
		}
		own = &a.Working
	} else {
		c, err := found(working.Collections.Get(tx, item))
		if c == nil || err != nil {
			return want{}, err
		}
		own = &c.Working
	}
	if own.EverPublic() || own.Origin != "" {
		return want{}, nil
	}
	return want{own.DOI, record.DOIDraft}, nil
}

// metadataOf is that of a public version, nil for none.
func metadataOf(tx *bucket.Tx, kind, item int64, version int) (*record.Metadata, error) {
	key := bucket.Pair{A: item, B: int64(version)}
	if kind == record.KindArticle {
		v, err := found(published.ArticleVersions.Get(tx, key))
		if v == nil || err != nil {
			return nil, err
		}
		return &v.Metadata, nil
	}
	v, err := found(published.CollectionVersions.Get(tx, key))
	if v == nil || err != nil {
		return nil, err
	}
	return &v.Metadata, nil
}

// found is a record, nil for one that is not there.
func found[R any](r *R, err error) (*R, error) {
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	return r, err
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
	wanted := w.doi != "" && s.ours(tx, w.doi)
	if wanted {
		id, known = exchange.RegistrationsByDOI.First(tx, bucket.SortKey(record.BareDOI(w.doi)))
	}
	var others []int64
	for hit := range exchange.RegistrationsByItem.Ascending(tx, bucket.SortKey(kind, item, int64(version))) {
		if hit.Key != id {
			others = append(others, hit.Key)
		}
	}
	for _, other := range others {
		if err := retire(tx, other); err != nil {
			return false, err
		}
	}
	if !wanted {
		return false, nil
	}
	r := &record.Registration{DOI: w.doi}
	if known {
		if r, err = exchange.Registrations.Get(tx, id); err != nil {
			return false, err
		}
	}
	changed = changed && w.state != record.DOIDraft
	if known && !changed && !behind && r.Wanted == w.state && r.Kind == kind && r.Item == item && r.Version == version {
		return false, nil
	}
	if behind && known {
		if err := exchange.Registrations.Delete(tx, id); err != nil {
			return false, err
		}
	}
	if behind || !known {
		if id, err = exchange.Registrations.NextID(tx); err != nil {
			return false, err
		}
	}
	r.Kind, r.Item, r.Version, r.Wanted = kind, item, version, w.state
	r.Changed, r.Turn = r.Changed || changed, r.Turn+1
	return !known, exchange.Registrations.Put(tx, id, r)
}

// ours reports whether the registrar takes a DOI from us: by its prefix, or because the DOI, or that of its item, is
// registered already. A prefix that leaves the configuration hides no DOI.
func (s *Service) ours(tx *bucket.Tx, doi string) bool {
	for _, name := range []string{record.BareDOI(doi), record.ItemDOI(doi)} {
		if _, known := exchange.RegistrationsByDOI.First(tx, bucket.SortKey(name)); known {
			return true
		}
	}
	return slices.ContainsFunc(s.Prefixes, func(prefix string) bool {
		return strings.HasPrefix(record.BareDOI(doi), strings.ToLower(prefix))
	})
}

// retire has the registrar told that an item has a DOI no longer, as it was withdrawn: one that was registered is hidden,
// a draft goes.
func retire(tx *bucket.Tx, id int64) error {
	r, err := exchange.Registrations.Get(tx, id)
	if err != nil {
		return err
	}
	if !r.Begun {
		return exchange.Registrations.Delete(tx, id)
	}
	wanted := record.DOIHidden
	if r.Wanted == "" || r.Wanted == record.DOIDraft {
		wanted = ""
	}
	if r.Wanted == wanted {
		return nil
	}
	r.Wanted, r.Changed, r.Turn = wanted, true, r.Turn+1
	return exchange.Registrations.Put(tx, id, r)
}

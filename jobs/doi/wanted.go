package doi

import (
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// want is a DOI as its item has it now.
type want struct {
	doi     string
	version int
	state   string
}

// wants are the DOIs of an item in the order in which the registrar is told: those of versions before that of the item.
// One that is reserved is a draft, as long as no version was public. Of an item whose versions wait for the end of an
// embargo on the whole, or for a review, nothing is public yet.
func (s *Service) wants(tx *bucket.Tx, kind, item int64) (list []want, err error) {
	add := func(m *record.Metadata, version int, state string) {
		list = append(list, want{m.PublicDOI(version), version, state}, want{m.DOI, 0, state})
	}
	var reserved *record.Working
	switch kind {
	case bucket.KindArticle:
		if err = versionsOf(tx, &bucket.ArticleVersions.Table, item, func(v *record.ArticleVersion) { add(&v.Metadata, v.Version, record.DOIFindable) }); err != nil {
			return nil, err
		}
		if err = versionsOf(tx, bucket.WithdrawnVersions, item, func(v *record.ArticleVersion) { add(&v.Metadata, v.Version, record.DOIHidden) }); err != nil {
			return nil, err
		}
		art, err := bucket.Articles.Get(tx, item)
		if err == nil {
			reserved = &art.Working
		} else if !errors.Is(err, bucket.ErrNotFound) {
			return nil, err
		}
	case bucket.KindCollection:
		if err = versionsOf(tx, &bucket.CollectionVersions.Table, item, func(v *record.CollectionVersion) { add(&v.Metadata, v.Version, record.DOIFindable) }); err != nil {
			return nil, err
		}
		if err = versionsOf(tx, bucket.WithdrawnCollections, item, func(v *record.CollectionVersion) { add(&v.Metadata, v.Version, record.DOIHidden) }); err != nil {
			return nil, err
		}
		col, err := bucket.Collections.Get(tx, item)
		if err == nil {
			reserved = &col.Working
		} else if !errors.Is(err, bucket.ErrNotFound) {
			return nil, err
		}
	}
	if len(list) == 0 && reserved != nil {
		list = append(list, want{reserved.DOI, 0, record.DOIDraft})
	}
	// Each DOI once, as the best that is said of it: a version that is public again is so, and the item is as long as one is.
	slices.SortStableFunc(list, func(a, b want) int { return rank(b.state) - rank(a.state) })
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(w want) bool {
		name := record.BareDOI(w.doi)
		gone := w.doi == "" || seen[name] || !s.ours(w.doi)
		seen[name] = true
		return gone
	})
	slices.SortStableFunc(list, func(a, b want) int { return order(a) - order(b) })
	return list, nil
}

func rank(state string) int {
	return map[string]int{record.DOIDraft: 0, record.DOIHidden: 1, record.DOIFindable: 2}[state]
}

// order is that of versions, with the item at the end.
func order(w want) int {
	if w.version == 0 {
		return 1 << 30
	}
	return w.version
}

func versionsOf[V any](tx *bucket.Tx, table *bucket.Table[bucket.Pair, V], item int64, each func(*V)) error {
	for row, err := range table.All(tx, bucket.Prefix(item)) {
		if err != nil {
			return err
		}
		each(row.Record)
	}
	return nil
}

// note stores what the registrar is to know of an item now. Nothing is sent of what is as it was.
func (s *Service) note(tx *bucket.Tx, kind, item int64) error {
	wanted, err := s.wants(tx, kind, item)
	if err != nil {
		return err
	}
	had := map[string]int64{}
	for hit := range bucket.RegistrationsByItem.Ascending(tx, bucket.SortKey(kind, item)) {
		r, err := bucket.Registrations.Get(tx, hit.Key)
		if err != nil {
			return err
		}
		had[record.BareDOI(r.DOI)] = hit.Key
	}
	fresh := false // a DOI is new
	for _, w := range wanted {
		name := record.BareDOI(w.doi)
		id, known := had[name]
		delete(had, name)
		r := &record.Registration{DOI: w.doi, Kind: kind, Item: item, Version: w.version}
		if known {
			if r, err = bucket.Registrations.Get(tx, id); err != nil {
				return err
			}
		} else {
			if w.state == record.DOIHidden {
				continue // it was withdrawn before the registrar knew it
			}
			fresh = true
		}
		if !known || fresh && w.version == 0 { // the DOI of the item comes behind those of its versions
			if known {
				if err := bucket.Registrations.Delete(tx, id); err != nil {
					return err
				}
			}
			if id, err = bucket.Registrations.NextID(tx); err != nil {
				return err
			}
		}
		r.Wanted, r.Version, r.Turn = w.state, w.version, r.Turn+1
		r.Changed = r.Changed || w.state != record.DOIDraft
		if err := bucket.Registrations.Put(tx, id, r); err != nil {
			return err
		}
	}
	for _, id := range had { // that the item has no longer
		r, err := bucket.Registrations.Get(tx, id)
		if err != nil {
			return err
		}
		r.Turn++
		switch {
		case !r.Begun:
			err = bucket.Registrations.Delete(tx, id)
		case r.Registered():
			r.Wanted = record.DOIHidden
			err = bucket.Registrations.Put(tx, id, r)
		default:
			r.Wanted, r.Changed = "", true
			err = bucket.Registrations.Put(tx, id, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

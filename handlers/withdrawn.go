package handlers

import (
	"errors"
	"strconv"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// Withdrawn is what stays known of an item that was public and is not any more.
type Withdrawn struct {
	Title     string // "" where an administrator has hidden it
	Authors   []string
	DOI       string
	Published time.Time
	At        time.Time // it was withdrawn
	Reason    string    // "" where it is not public
}

// Withdrawn tells of an item, a kind and an id, that was withdrawn, and nil of one that never was
// public, or is.
func (a *API) Withdrawn(kind, id int64) (w *Withdrawn, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		var t *record.Tombstone
		var m *record.Metadata
		var authors []record.Person
		at := bucket.Pair{A: id}
		switch kind {
		case bucket.KindArticle:
			if t, err = lastTombstone(tx, bucket.Tombstones, id); t == nil || bucket.PublicArticles.Has(tx, id) {
				return err
			}
			at.B = int64(t.Version)
			v, err := bucket.WithdrawnVersions.Get(tx, at)
			if err != nil {
				return err
			}
			m, authors, w = &v.Metadata, v.Authors, &Withdrawn{Published: v.Published}
		case bucket.KindCollection:
			if t, err = lastTombstone(tx, bucket.CollectionTombstones, id); t == nil || bucket.PublicCollections.Has(tx, id) {
				return err
			}
			at.B = int64(t.Version)
			v, err := bucket.WithdrawnCollections.Get(tx, at)
			if err != nil {
				return err
			}
			m, authors, w = &v.Metadata, v.Authors, &Withdrawn{Published: v.Published}
		case bucket.KindProject:
			if t, err = lastTombstone(tx, bucket.ProjectTombstones, id); t == nil || bucket.PublicProjects.Has(tx, id) {
				return err
			}
			at.B = int64(t.Version)
			p, err := bucket.WithdrawnProjects.Get(tx, at)
			if err != nil {
				return err
			}
			m, w = &record.Metadata{Title: p.Title}, &Withdrawn{Published: p.Published}
		}
		w.Title, w.DOI, w.At = m.Title, t.DOI, t.At
		for _, p := range authors {
			w.Authors = append(w.Authors, p.FullName)
		}
		return nil
	})
	if errors.Is(err, bucket.ErrNotFound) {
		err = nil // an item withdrawn by an earlier program
	}
	return w, err
}

// lastTombstone is that of the latest withdrawal of an item, nil for none.
func lastTombstone(tx *bucket.Tx, table *bucket.Table[bucket.Pair, record.Tombstone], id int64) (last *record.Tombstone, err error) {
	for t, err := range table.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return nil, err
		}
		last = t.Record
	}
	return last, nil
}

// WithdrawnPath is the path of the page of a withdrawn item that has a DOI, "" for none.
func (a *API) WithdrawnPath(doi string) (path string, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		for _, name := range []string{record.BareDOI(doi), record.ItemDOI(doi)} {
			for hit := range bucket.WithdrawnByIdentifier.Ascending(tx, bucket.SortKey(name)) {
				path = "/articles/" + strconv.FormatInt(hit.Key.A, 10)
				return nil
			}
			for hit := range bucket.WithdrawnCollectionsByIdentifier.Ascending(tx, bucket.SortKey(name)) {
				path = "/collections/" + strconv.FormatInt(hit.Key.A, 10)
				return nil
			}
		}
		return nil
	})
	return path, err
}

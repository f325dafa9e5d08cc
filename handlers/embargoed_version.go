package handlers

import (
	"errors"

	"alcove/bucket"
	"alcove/record"
)

// A publication that an embargo on the whole article holds back is one private record
// and a mark on the files that it adds or removes. A file that it has is kept when the
// working copy drops it, as if a public version had it.

// storeEmbargoed keeps a frozen version until the embargo of its article ends, in the place of the
// one that was held before. changed are the files that it adds or removes.
func (a *API) storeEmbargoed(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion, changed []*record.File) error {
	v.Published, v.Modified = tx.Now(), tx.Now() // until it appears: when it was held
	var gone []*record.File
	for _, f := range changed {
		switch {
		case f.Added == 0 && f.Dropped: // only what was held before had it
			gone = append(gone, f)
		case !f.Held:
			f.Held = true
			if err := bucket.Files.PutDeferred(tx, f.ID, f); err != nil {
				return err
			}
		}
	}
	if err := deleteFiles(tx, gone...); err != nil {
		return err
	}
	if err := bucket.HeldVersions.Put(tx, art.ID, v); err != nil {
		return err
	}
	return putArticle(tx, art)
}

// publishEmbargoed makes a held version public now.
func (a *API) publishEmbargoed(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion) error {
	changed, err := indexedFiles(tx, bucket.FilesHeld, art.ID)
	if err != nil {
		return err
	}
	if err := bucket.HeldVersions.Delete(tx, art.ID); err != nil {
		return err
	}
	// Where the article belongs now counts, not where it did then; but a group that asks for
	// reviews takes only what it has reviewed.
	asks, err := asksForReview(tx, art.GroupID)
	if err != nil {
		return err
	}
	v.InstitutionID, v.ProjectID = art.InstitutionID, art.ProjectID
	if !asks {
		v.GroupID = art.GroupID
	}
	return a.appear(tx, art, v, changed)
}

// dropHeld forgets the held version of an article, and the files that only it has.
func deleteEmbargoed(tx *bucket.Tx, article int64) error {
	err := bucket.HeldVersions.Delete(tx, article)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	held, err := indexedFiles(tx, bucket.FilesHeld, article)
	if err != nil {
		return err
	}
	for _, f := range held {
		f.Held = false
	}
	return releaseFiles(tx, held)
}

// releaseFiles stores files that a publication does not wait for any more. Those that were
// never public, and that nothing else waits for or has, go.
func releaseFiles(tx *bucket.Tx, files []*record.File) error {
	var gone []*record.File
	for _, f := range files {
		if f.Added == 0 && f.Dropped && !f.Held && f.Submitted == record.NotSubmitted {
			gone = append(gone, f)
		} else if err := bucket.Files.PutDeferred(tx, f.ID, f); err != nil {
			return err
		}
	}
	return deleteFiles(tx, gone...)
}

// indexedFiles loads the files of an article that an index has.
func indexedFiles(tx *bucket.Tx, in *bucket.Index[int64, record.File], article int64) ([]*record.File, error) {
	var list []*record.File
	for hit := range in.Ascending(tx, bucket.SortKey(article)) {
		f, err := bucket.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// putPublished stores a file that a public version adds or removes, and what readers
// know of it as soon as one of its versions shows its files.
func putPublished(tx *bucket.Tx, f *record.File) error {
	if err := bucket.Files.PutDeferred(tx, f.ID, f); err != nil || f.Hidden {
		return err
	}
	shown := tx.Now()
	if bucket.PublicFiles.Has(tx, f.ID) {
		old, err := bucket.PublicFiles.Get(tx, f.ID)
		if err != nil {
			return err
		}
		shown = old.Published
	}
	return bucket.PublicFiles.PutDeferred(tx, f.ID, f.Public(shown))
}

// showFiles makes the files of a public version public that were in no version that
// shows its files, unless this one does not either.
func showFiles(tx *bucket.Tx, v *record.ArticleVersion) error {
	if v.HidesFiles() {
		return nil
	}
	hidden, err := indexedFiles(tx, bucket.FilesHidden, v.ArticleID)
	if err != nil {
		return err
	}
	for _, f := range hidden {
		if !f.In(v.Version) {
			continue
		}
		f.Hidden = false
		if err := putPublished(tx, f); err != nil {
			return err
		}
	}
	return nil
}

package items

import (
	"errors"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
)

// A publication that an embargo on the whole article holds back is one private record
// and a mark on the files that it adds or removes. A file that it has is kept when the
// working copy drops it, as if a public version had it.

// SetEmbargo gives a working copy another embargo, or none, and stores it. A version that is held
// follows it: it waits on under another embargo on the whole article, and appears now
// under any other or none. Public versions keep theirs until the next publication.
func (s *Service) SetEmbargo(tx *bucket.Tx, art *record.Article, e record.Embargo) error {
	art.Embargo = e
	if err := followEmbargo(tx, art); err != nil {
		return err
	}
	held, err := working.HeldVersions.Get(tx, art.ID)
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		return PutArticle(tx, art)
	case err != nil:
		return err
	case e.Kind != record.ArticleEmbargo:
		held.Embargo = e
		return s.publishEmbargoed(tx, art, held)
	}
	held.Embargo = e
	return hold(tx, art, held)
}

// hold stores the version that the embargo of an article holds back.
func hold(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion) error {
	if err := working.HeldVersions.Put(tx, art.ID, v); err != nil {
		return err
	}
	return PutArticle(tx, art)
}

// endDue ends the embargo of a working copy that is due: what was held until now comes first.
func (s *Service) endDue(tx *bucket.Tx, art *record.Article) error {
	if !art.Embargo.Due(tx.Clock()) {
		return nil
	}
	return s.SetEmbargo(tx, art, record.Embargo{})
}

// storeEmbargoed keeps a frozen version until the embargo of its article ends, in the place of the
// one that was held before. changed are the files that it adds or removes.
func (s *Service) storeEmbargoed(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion, changed []*record.File) error {
	v.Published, v.Modified = tx.Now(), tx.Now() // until it appears: when it was held
	var gone []*record.File
	for _, f := range changed {
		switch {
		case f.Added == 0 && f.Dropped: // only what was held before had it
			gone = append(gone, f)
		case !f.Held:
			f.Held = true
			if err := files.Files.PutDeferred(tx, f.ID, f); err != nil {
				return err
			}
		}
	}
	if err := deleteFiles(tx, gone...); err != nil {
		return err
	}
	return hold(tx, art, v)
}

// publishEmbargoed makes a held version public now.
func (s *Service) publishEmbargoed(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion) error {
	changed, err := indexedFiles(tx, files.Held, art.ID)
	if err != nil {
		return err
	}
	if err := working.HeldVersions.Delete(tx, art.ID); err != nil {
		return err
	}
	// Where the article belongs now counts, not where it did then; but a group that asks for
	// reviews takes only what it has reviewed.
	asks, err := AsksForReview(tx, art.GroupID)
	if err != nil {
		return err
	}
	v.InstitutionID, v.ProjectID = art.InstitutionID, art.ProjectID
	if !asks {
		v.GroupID = art.GroupID
	}
	return s.publishNow(tx, art, v, changed)
}

// deleteEmbargoed forgets the held version of an article, and the files that only it has.
func deleteEmbargoed(tx *bucket.Tx, article int64) error {
	err := working.HeldVersions.Delete(tx, article)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	held, err := indexedFiles(tx, files.Held, article)
	if err != nil {
		return err
	}
	for _, f := range held {
		f.Held = false
	}
	return releaseFiles(tx, held)
}

// NameRanges gives the options of an embargo the names of their ranges. An option of a
// range that there is not is refused, unless the embargo had it before.
func NameRanges(tx *bucket.Tx, e *record.Embargo, before []record.EmbargoOption) error {
	for i := range e.Options {
		o := &e.Options[i]
		if o.AddressRange() == 0 {
			continue
		}
		r, err := users.AddressRanges.Get(tx, o.AddressRange())
		if errors.Is(err, bucket.ErrNotFound) {
			for _, old := range before {
				if old.ID == o.ID {
					o.Range = old.Range
				}
			}
			if o.Range == "" {
				return record.ErrNoOption
			}
			continue
		}
		if err != nil {
			return err
		}
		o.Range = r.Name
	}
	return nil
}

// EndEmbargo ends the embargo of a working copy when it is due, which releases what was
// held for it.
func (s *Service) EndEmbargo(tx *bucket.Tx, id int64) error {
	art, err := working.Articles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil || !art.Embargo.Due(tx.Clock()) {
		return err
	}
	told, err := latestDue(tx, id) // when that one opens
	if err != nil {
		return err
	}
	if err := s.endDue(tx, art); err != nil || told {
		return err
	}
	return s.notifyEmbargo(tx, id, art.AccountID)
}

// OpenVersion ends the embargo on the files of a public version when it is due.
func (s *Service) OpenVersion(tx *bucket.Tx, key bucket.Pair) error {
	v, err := published.ArticleVersions.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && !v.Embargo.Due(tx.Clock()) {
		return nil
	}
	if err != nil {
		return err
	}
	v.Embargo = record.Embargo{}
	if !published.Articles.Has(tx, v.ArticleID) { // withdrawn: nothing of it is shown
		return published.ArticleVersions.Put(tx, key, v)
	}
	if err := showFiles(tx, v); err != nil {
		return err
	}
	if err := s.PutVersion(tx, v); err != nil {
		return err
	}
	head, err := published.Articles.Get(tx, v.ArticleID)
	if err != nil || head.Latest != v.Version {
		return err
	}
	return s.notifyEmbargo(tx, v.ArticleID, working.ArticleOwners.Of(tx, v.ArticleID).Account)
}

// AddressRanges are those that embargoes can let in.
func AddressRanges(tx *bucket.Tx) ([]*record.AddressRange, error) {
	ranges := []*record.AddressRange{}
	for row, err := range users.AddressRanges.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, row.Record)
	}
	return ranges, nil
}

package items

import (
	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/files"
	"alcove/bucket/working"
	"alcove/record"
)

// DeleteArticle removes a working copy that is not public, with everything of it, and tells the
// files whose staged bytes are of no use any more. An item that was published once and withdrawn leaves its
// tombstone.
func (s *Service) DeleteArticle(tx *bucket.Tx, art *record.Article) ([]*record.File, error) {
	if art.Public() {
		return nil, record.ErrDeletePublic
	}
	if err := dropReviews(tx, art.ID); err != nil {
		return nil, err
	}
	if err := deleteEmbargoed(tx, art.ID); err != nil {
		return nil, err
	}
	files, err := indexedFiles(tx, files.ByArticle, art.ID)
	if err != nil {
		return nil, err
	}
	if err := removeFiles(tx, files...); err != nil {
		return nil, err
	}
	if err := dropWithdrawn(tx, art.ID); err != nil {
		return nil, err
	}
	if err := s.Articles.dropParts(tx, &art.Working); err != nil {
		return nil, err
	}
	return files, working.Articles.Delete(tx, art.ID)
}

// DeleteCollection removes a collection, whose articles stay, in the name of an account. Whatever is
// public of it is withdrawn.
func (s *Service) DeleteCollection(tx *bucket.Tx, col *record.Collection, by int64) error {
	if col.Public() {
		if err := s.WithdrawCollection(tx, col, by, record.Withdrawal{}); err != nil {
			return err
		}
	}
	if err := s.Collections.dropParts(tx, &col.Working); err != nil {
		return err
	}
	return working.Collections.Delete(tx, col.ID)
}

// dropParts removes what belongs to an item that is deleted: its private links, its counts, and what
// it counts against the quota.
func (k *Kind) dropParts(tx *bucket.Tx, w *record.Working) error {
	links, err := k.Links(tx, w.ID)
	if err != nil {
		return err
	}
	for _, l := range links {
		if err := working.PrivateLinks.Delete(tx, l.Token); err != nil {
			return err
		}
	}
	if err := counting.DropCounts(tx, k.Item(w.ID)); err != nil {
		return err
	}
	return k.service.reweigh(tx, w, 0, 0)
}

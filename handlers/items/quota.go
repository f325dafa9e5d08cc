package items

import (
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"
)

// Quota is how many bytes an account may keep, 0 for no limit.
func (s *Service) Quota(account *record.Account) int64 {
	if account.Quota > 0 {
		return account.Quota
	}
	return s.Room().AccountQuota
}

// Fits refuses bytes that are more than the quota of an account leaves.
func (s *Service) Fits(account *record.Account, bytes int64, refusal *record.Error) error {
	q := s.Quota(account)
	if left := q - account.Used(); q > 0 && bytes > 0 && bytes > left {
		return refusal.With("quota", q).With("available", max(0, left))
	}
	return nil
}

// weigh counts the metadata of a working copy against the quota of its owner.
func (s *Service) weigh(tx *bucket.Tx, w *record.Working) error {
	return s.reweigh(tx, w, w.Weight(len(w.Authors)), w.VersionsWeight)
}

// weighVersion counts that of a public version in the place of another, whose weight was was.
func (s *Service) weighVersion(tx *bucket.Tx, w *record.Working, is, was int64) error {
	return s.reweigh(tx, w, w.CopyWeight, max(0, w.VersionsWeight+is-was))
}

func (s *Service) reweigh(tx *bucket.Tx, w *record.Working, copy, versions int64) error {
	more := copy + versions - w.CopyWeight - w.VersionsWeight
	w.CopyWeight, w.VersionsWeight = copy, versions
	if more == 0 {
		return nil
	}
	account, err := users.Accounts.Get(tx, w.AccountID)
	if err != nil {
		return err
	}
	if err := s.Fits(account, more, record.ErrMetadataQuota); err != nil {
		return err
	}
	account.UsedMetadata = max(0, account.UsedMetadata+more)
	return users.Accounts.Put(tx, account.ID, account)
}

package handlers

import (
	"alcove/bucket"
	"alcove/record"
)

// quota is how many bytes an account may keep, 0 for no limit.
func (a *API) quota(account *record.Account) int64 {
	if account.Quota > 0 {
		return account.Quota
	}
	return a.Limits.AccountQuota
}

// fits refuses bytes that are more than the quota of an account leaves.
func (a *API) fits(account *record.Account, bytes int64, refusal *record.Error) error {
	q := a.quota(account)
	if left := q - account.Used(); q > 0 && bytes > 0 && bytes > left {
		return refusal.With("quota", q).With("available", max(0, left))
	}
	return nil
}

// weigh counts the metadata of a working copy against the quota of its owner.
func (a *API) weigh(tx *bucket.Tx, w *record.Working) error {
	return a.reweigh(tx, w, w.Weight(len(w.Authors)), w.VersionsWeight)
}

// weighVersion counts that of a public version in the place of another, whose weight was was.
func (a *API) weighVersion(tx *bucket.Tx, w *record.Working, is, was int64) error {
	return a.reweigh(tx, w, w.CopyWeight, max(0, w.VersionsWeight+is-was))
}

// unweigh gives back what an item counts that is removed.
func (a *API) unweigh(tx *bucket.Tx, w *record.Working) error { return a.reweigh(tx, w, 0, 0) }

func (a *API) reweigh(tx *bucket.Tx, w *record.Working, copy, versions int64) error {
	more := copy + versions - w.CopyWeight - w.VersionsWeight
	w.CopyWeight, w.VersionsWeight = copy, versions
	if more == 0 {
		return nil
	}
	account, err := bucket.Accounts.Get(tx, w.AccountID)
	if err != nil {
		return err
	}
	if err := a.fits(account, more, record.ErrMetadataQuota); err != nil {
		return err
	}
	account.UsedMetadata = max(0, account.UsedMetadata+more)
	return bucket.Accounts.Put(tx, account.ID, account)
}

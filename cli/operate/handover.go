package operate

import (
	"context"
	"errors"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/items"
	"alcove/record"
)

// HandOver asks to give what an account has to another one; with Merge the account ends then.
type HandOver struct {
	From  string `json:"from"` // e-mail address or id
	To    string `json:"to"`
	Merge bool   `json:"merge"`
	Dry   bool   `json:"dry_run"` // only count
}

// HandOverAll does it, item by item, and returns what there was. Broken off, it goes on where it was.
func HandOverAll(ctx context.Context, db *bucket.DB, h HandOver) (o items.Owned, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		from, _, err := h.accounts(tx)
		if err == nil {
			o = items.OwnedBy(tx, from.ID)
		}
		return err
	})
	for more := !h.Dry; more && err == nil; {
		err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
			from, to, err := h.accounts(tx)
			if err != nil {
				return err
			}
			if more, err = items.HandOver(tx, from, to); more || err != nil || !h.Merge {
				return err
			}
			return accounts.Merge(tx, from, to)
		})
	}
	return o, err
}

func (h *HandOver) accounts(tx *bucket.Tx) (from, to *record.Account, err error) {
	if from, err = accounts.Find(tx, h.From); err != nil {
		return nil, nil, err
	}
	if to, err = accounts.Find(tx, h.To); err != nil {
		return nil, nil, err
	}
	switch {
	case from.ID == to.ID:
		return nil, nil, errors.New("cannot hand over to the same account")
	case !to.Active(tx.Latest()):
		return nil, nil, errors.New("cannot hand over to an account that is disabled or has ended")
	}
	return from, to, nil
}

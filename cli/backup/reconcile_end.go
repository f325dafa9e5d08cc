package backup

import (
	"context"
	"errors"
	"fmt"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/cli/operate"
	"alcove/handlers/items"
	"alcove/record"
)

// endUploads adds a step for each file whose bytes did not come to their place: they are in no backup.
func (y *reconciler) endUploads(stored func(sha string) bool) error {
	return y.db.View(func(tx *bucket.Tx) error {
		open := append(bucket.Keys(files.Unfinished.Ascending(tx, nil)), bucket.Keys(files.Checking.Ascending(tx, nil))...)
		for _, id := range open {
			y.steps = append(y.steps, reconcileStep{"files", fmt.Sprint(id), func(tx *bucket.Tx) (string, error) {
				f, err := files.Files.Get(tx, id)
				if errors.Is(err, bucket.ErrNotFound) || err == nil && f.Status == record.FileMoving && stored(f.SHA256) {
					return "", nil
				}
				if err != nil {
					return "", err
				}
				f.Status, f.Failure, f.MD5, f.SHA256, f.CRC32 = record.FileFailed, uploadEnded, "", "", 0
				f.Modified = tx.Now()
				if err := items.ClearParts(tx, f.ID); err != nil {
					return "", err
				}
				return uploadEnded, files.Files.Put(tx, f.ID, f)
			}})
		}
		return nil
	})
}

// endSessions signs everyone out, ends one-time links and what applications were given, and drops mails that waited: which
// of them ended after the snapshot is in no log. The registrar of DOIs may know more than the snapshot, and is asked first.
func (y *reconciler) endSessions(ctx context.Context) error {
	return y.db.UpdateBy(bucket.Frees(ctx), operate.Operator, func(tx *bucket.Tx) error {
		state, err := exchange.Registrar(tx)
		if err != nil {
			return err
		}
		state.Compare = true
		return errors.Join(exchange.PutRegistrar(tx, state), deleteAll(tx, users.Sessions), deleteAll(tx, users.OneTimeLinks), deleteAll(tx, exchange.Outbox), deleteAll(tx, users.Challenges), deleteAll(tx, users.Authorizations), endGiven(tx))
	})
}

// endGiven ends the access tokens of applications.
func endGiven(tx *bucket.Tx) error {
	var keys []string
	for row, err := range users.Tokens.All(tx, nil) {
		if err != nil {
			return err
		}
		if !row.Record.Personal() {
			keys = append(keys, row.Key)
		}
	}
	for _, key := range keys {
		if err := users.Tokens.Delete(tx, key); err != nil {
			return err
		}
	}
	return nil
}

func deleteAll[K, R any](tx *bucket.Tx, t *bucket.Table[K, R]) error {
	var keys []K
	for row, err := range t.All(tx, nil) {
		if err != nil {
			return err
		}
		keys = append(keys, row.Key)
	}
	for _, key := range keys {
		if err := t.Delete(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// revokeAll adds a step for each token and private link.
func (y *reconciler) revokeAll() error {
	return y.db.View(func(tx *bucket.Tx) error {
		for row, err := range users.Tokens.All(tx, nil) {
			if err != nil {
				return err
			}
			y.steps = append(y.steps, reconcileStep{"tokens", row.Key[:min(auth.TokenID, len(row.Key))], func(tx *bucket.Tx) (string, error) {
				if !users.Tokens.Has(tx, row.Key) {
					return "", nil
				}
				return revokedNow, users.Tokens.Delete(tx, row.Key)
			}})
		}
		for row, err := range working.PrivateLinks.All(tx, nil) {
			if err != nil {
				return err
			}
			y.steps = append(y.steps, reconcileStep{"private_links", row.Key[:min(linkID, len(row.Key))], func(tx *bucket.Tx) (string, error) {
				l, err := working.PrivateLinks.Get(tx, row.Key)
				if errors.Is(err, bucket.ErrNotFound) || err == nil && l.Disabled {
					return "", nil
				}
				if err != nil {
					return "", err
				}
				l.Disabled, l.Modified = true, tx.Now()
				return revokedNow, working.PrivateLinks.Put(tx, row.Key, l)
			}})
		}
		return nil
	})
}

// listValid lists the tokens and private links that open something.
func (y *reconciler) listValid() error {
	note := func(c Credential) {
		if y.out.ValidAll++; len(y.out.Valid) < maxReconciled {
			y.out.Valid = append(y.out.Valid, c)
		}
	}
	return y.db.View(func(tx *bucket.Tx) error {
		now := tx.Now()
		for row, err := range users.Tokens.All(tx, nil) {
			if err != nil {
				return err
			}
			t := row.Record
			acc, err := users.Accounts.Get(tx, t.AccountID)
			if err != nil {
				return err
			}
			if !acc.Active(now) || !t.Expires.IsZero() && !now.Before(t.Expires) {
				continue
			}
			c := Credential{Kind: "tokens", ID: row.Key[:min(auth.TokenID, len(row.Key))], Of: acc.Email, Name: t.Name, Created: t.Created}
			if !t.Expires.IsZero() {
				c.Expires = &t.Expires
			}
			note(c)
		}
		for row, err := range working.PrivateLinks.All(tx, nil) {
			if err != nil {
				return err
			}
			if l := row.Record; l.Active(now) {
				note(Credential{Kind: "private_links", ID: row.Key[:min(linkID, len(row.Key))], Of: fmt.Sprint(l.Kind, "/", l.ItemID), Created: l.Created, Expires: &l.Expires})
			}
		}
		return nil
	})
}

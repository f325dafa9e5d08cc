package operate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/files"
	"alcove/handlers/accounts"
	"alcove/record"
)

// MirrorEdit says which items of other repositories are to be kept fresh, or no more.
type MirrorEdit struct {
	Addresses      []string `json:"addresses"`
	Account        string   `json:"account"` // e-mail address or id: whose items they become
	CACert         string   `json:"cacert"`
	AcceptWarnings bool     `json:"accept_warnings"`
	Led            []string `json:"led"` // the addresses to which DOIs have led
	Remove         bool     `json:"remove"`
}

// maxMirrors is how many mirrors there can be.
const maxMirrors = 10_000

// ChangeMirrors adds mirrors, changes how they are read, or takes them out. Items of those are no longer shown with the
// ids of their origin; they stay here.
func ChangeMirrors(ctx context.Context, db *bucket.DB, e MirrorEdit) error {
	return db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		for _, address := range e.Addresses {
			if e.Remove {
				err := RemoveMirror(tx, address)
				if errors.Is(err, bucket.ErrNotFound) {
					err = fmt.Errorf("%q is not mirrored; alcove mirror list has what is", address)
				}
				if err != nil {
					return err
				}
				continue
			}
			account, err := accounts.Find(tx, e.Account)
			if err != nil {
				return err
			}
			was, err := exchange.Mirrors.Get(tx, address)
			if err != nil && !errors.Is(err, bucket.ErrNotFound) {
				return err
			}
			if was != nil && was.Account != account.ID {
				return fmt.Errorf("%s is mirrored already, for the account %d", address, was.Account)
			}
			m := &record.Mirror{
				Address: address, Account: account.ID, CACert: e.CACert, AcceptWarnings: e.AcceptWarnings, Led: slices.Contains(e.Led, address),
			}
			if was != nil {
				m.Read = was.Read
			}
			if err := exchange.Mirrors.Put(tx, address, m); err != nil {
				return err
			}
		}
		n := 0
		for _, err := range exchange.Mirrors.All(tx, nil) {
			if n++; err != nil {
				return err
			}
		}
		if n > maxMirrors && !e.Remove {
			return fmt.Errorf("there can be at most %d mirrors", maxMirrors)
		}
		return nil
	})
}

// RemoveMirror deletes the mirror of an address, or is ErrNotFound.
func RemoveMirror(tx *bucket.Tx, address string) error {
	if err := exchange.Mirrors.Delete(tx, address); err != nil {
		return err
	}
	return dropMirrored(tx, address, nil)
}

// ListMirrors are all mirrors, by their addresses.
func ListMirrors(db *bucket.DB) ([]record.Mirror, error) {
	list := []record.Mirror{}
	err := db.View(func(tx *bucket.Tx) error {
		for row, err := range exchange.Mirrors.All(tx, nil) {
			if err != nil {
				return err
			}
			list = append(list, *row.Record)
		}
		return nil
	})
	return list, err
}

// MirroredNow is what another repository shows of an item now.
type MirroredNow struct {
	record.Mirrored
	Editions map[int64]record.MirroredVersion // by their numbers
	Files    map[int64]record.MirroredFile    // by their ids there
}

// Key is that of the item in exchange.MirroredItems.
func (m *MirroredNow) Key() string { return exchange.MirrorKey(m.Host, m.Kind, m.ID) }

// StoreMirrored stores what a mirror has brought, as far as it is not stored already.
func StoreMirrored(ctx context.Context, db *bucket.DB, address string, m MirroredNow) error {
	return db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		if !exchange.Mirrors.Has(tx, address) {
			return nil // it was removed meanwhile
		}
		key := m.Key()
		was, err := exchange.MirroredItems.Get(tx, key)
		if err != nil && !errors.Is(err, bucket.ErrNotFound) {
			return err
		}
		if m.By = []string{address}; was != nil {
			m.By = was.By
			if !slices.Contains(m.By, address) {
				m.By = append(m.By, address)
			}
		}
		for number, v := range m.Editions {
			if err := putChanged(tx, &exchange.MirroredVersions.Table, exchange.MirrorVersionKey(key, number), &v); err != nil {
				return err
			}
		}
		for id, f := range m.Files {
			if err := putChanged(tx, &exchange.MirroredFiles.Table, exchange.MirrorKey(m.Host, "files", id), &f); err != nil {
				return err
			}
		}
		return putChanged(tx, &exchange.MirroredItems.Table, key, &m.Mirrored)
	})
}

// putChanged stores a record where it is another than what is stored.
func putChanged[R any](tx *bucket.Tx, t *bucket.Table[string, R], key string, r *R) error {
	was, err := t.Get(tx, key)
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	if was != nil {
		one, err1 := json.Marshal(was)
		other, err2 := json.Marshal(r)
		if err := errors.Join(err1, err2); err != nil || bytes.Equal(one, other) {
			return err
		}
	}
	return t.Put(tx, key, r)
}

// Look is how a look at a mirror went.
type Look struct {
	Brought map[string]bool // keys of what it has brought
	Failed  error
	Gone    bool // the repository says that there is no such item any more
}

// NoteLook notes how a look at a mirror went. Items that the mirror has brought before and not now are shown no more, unless
// the look failed otherwise than by telling that the item is gone.
func NoteLook(ctx context.Context, db *bucket.DB, address string, l Look) error {
	return db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		m, err := exchange.Mirrors.Get(tx, address)
		if errors.Is(err, bucket.ErrNotFound) {
			return nil // it was removed meanwhile
		}
		if err != nil {
			return err
		}
		was := m.Read
		m.Tried, m.Failure = tx.Clock(), ""
		if m.Read = m.Tried; l.Failed != nil {
			m.Read, m.Failure = was, l.Failed.Error()
		}
		if err := exchange.Mirrors.Put(tx, address, m); err != nil || l.Failed != nil && !l.Gone {
			return err
		}
		return dropMirrored(tx, address, l.Brought)
	})
}

// dropMirrored has a mirror bring no more than what is in keep, and takes out what no mirror brings.
func dropMirrored(tx *bucket.Tx, address string, keep map[string]bool) error {
	for _, key := range bucket.Keys(exchange.MirroredByMirror.Ascending(tx, bucket.SortKey(address))) {
		if keep[key] {
			continue
		}
		m, err := exchange.MirroredItems.Get(tx, key)
		if err != nil {
			return err
		}
		if m.By = slices.DeleteFunc(m.By, func(by string) bool { return by == address }); len(m.By) > 0 {
			err = exchange.MirroredItems.Put(tx, key, m)
		} else {
			err = forgetMirrored(tx, key, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ForgetFile deletes what is mirrored of the article that a file is in: names and sums of its files are among it.
func ForgetFile(tx *bucket.Tx, id int64) error {
	f, err := files.Files.Get(tx, id)
	if err != nil {
		return Absent(err)
	}
	var list []bucket.Row[string, record.Mirrored]
	for row, err := range exchange.MirroredItems.All(tx, nil) {
		if err != nil {
			return err
		}
		if row.Record.Kind == "articles" && row.Record.Item == f.ArticleID {
			list = append(list, row)
		}
	}
	for _, row := range list {
		if err := forgetMirrored(tx, row.Key, row.Record); err != nil {
			return err
		}
	}
	return nil
}

// forgetMirrored deletes what is known of an item, its versions and files.
func forgetMirrored(tx *bucket.Tx, key string, m *record.Mirrored) error {
	files := map[int64]bool{}
	var versions []string
	for row, err := range exchange.MirroredVersions.All(tx, []byte(key+"/")) {
		if err != nil {
			return err
		}
		versions = append(versions, row.Key)
		for _, id := range row.Record.Files {
			files[id] = true
		}
	}
	for _, v := range versions {
		if err := exchange.MirroredVersions.Delete(tx, v); err != nil {
			return err
		}
	}
	for id := range files {
		if err := Absent(exchange.MirroredFiles.Delete(tx, exchange.MirrorKey(m.Host, "files", id))); err != nil {
			return err
		}
	}
	return exchange.MirroredItems.Delete(tx, key)
}

// Absent is the error of a deletion but for ErrNotFound: what is not there is deleted.
func Absent(err error) error {
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	return err
}

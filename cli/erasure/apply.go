package erasure

import (
	"context"
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
	"alcove/cli/operate"
	"alcove/handlers/items"
	"alcove/record"
)

// whyErased is what a tombstone says.
var whyErased = record.Withdrawal{Reason: "erased by the operator"}

// eraseBatch is how many records one commit takes away.
const eraseBatch = 50

// Erase notes an erasure. From then on it is done, here and in each copy that is restored, whatever is killed meanwhile.
func Erase(ctx context.Context, db *bucket.DB, q Query) (e *record.Erasure, err error) {
	err = db.UpdateBy(bucket.Frees(ctx), operate.Operator, func(tx *bucket.Tx) error {
		t, err := traces(tx, q)
		if err != nil {
			return err
		}
		if t.Refused != "" {
			return errors.New(t.Refused)
		}
		e = &t.plan
		if e.ID, err = withdrawn.Erasures.NextID(tx); err != nil {
			return err
		}
		e.Begun = tx.Now()
		for _, id := range e.Accounts() {
			if err := shut(tx, id); err != nil {
				return err
			}
		}
		return withdrawn.Erasures.Put(tx, e.ID, e)
	})
	return e, err
}

// Erasures are all that were noted, those that are not done first if only these are asked for.
func Erasures(db *bucket.DB, open bool) (list []*record.Erasure, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		for row, err := range withdrawn.Erasures.All(tx, nil) {
			if err != nil {
				return err
			}
			if !open || row.Record.Done.IsZero() {
				list = append(list, row.Record)
			}
		}
		return nil
	})
	return list, err
}

// Records takes away what the records have, and adds to the erasure the bytes of drafts that only this store has. It may be
// run again, wherever it was when it ended.
func Records(ctx context.Context, db *bucket.DB, e *record.Erasure) error {
	service := items.New(items.Service{DB: db})
	do := func(list []wipe) error {
		for some := range slices.Chunk(list, eraseBatch) {
			err := db.UpdateBy(bucket.Frees(ctx), operate.Operator, func(tx *bucket.Tx) error {
				for _, one := range some {
					if err := one(tx); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	if e.Kind == record.EraseFile {
		var list []wipe
		for _, id := range e.Files {
			list = append(list, func(tx *bucket.Tx) error {
				if err := operate.ForgetFile(tx, id); err != nil { // while the file tells its article
					return err
				}
				return service.EraseFile(tx, id, whyErased)
			})
		}
		return do(list)
	}
	for _, id := range e.Accounts() {
		if err := do([]wipe{func(tx *bucket.Tx) error { return shut(tx, id) }}); err != nil {
			return err
		}
	}
	for _, id := range e.Accounts() {
		list, err := eraseSteps(db, service, e, id)
		if err != nil {
			return err
		}
		if err := do(list); err != nil {
			return err
		}
	}
	return nil
}

// eraseSteps are what is to be done for one account of a person.
func eraseSteps(db *bucket.DB, service *items.Service, e *record.Erasure, account int64) (list []wipe, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		list = nil
		p, err := whoIs(tx, account)
		if err != nil || p == nil {
			return err
		}
		p.erasure = e
		if err := p.each(tx, func(_ string, some []wipe) error {
			list = append(list, some...)
			return nil
		}); err != nil {
			return err
		}
		articles, _, err := p.articles(tx)
		if err != nil {
			return err
		}
		collections, _, err := p.collections(tx)
		if err != nil {
			return err
		}
		var first []wipe // names go behind the drafts that have them
		for _, id := range articles {
			if err := takeBytes(tx, e, id); err != nil {
				return err
			}
			first = append(first, func(tx *bucket.Tx) error {
				art, err := working.Articles.Get(tx, id)
				if err == nil {
					_, err = service.DeleteArticle(tx, art)
				}
				return operate.Absent(err)
			})
		}
		for _, id := range collections {
			first = append(first, func(tx *bucket.Tx) error {
				col, err := working.Collections.Get(tx, id)
				if err == nil {
					err = service.DeleteCollection(tx, col, account)
				}
				return operate.Absent(err)
			})
		}
		list = append(append(first, list...), func(tx *bucket.Tx) error { return blank(tx, account) })
		return nil
	})
	return list, err
}

// takeBytes adds the bytes of the files of a draft to those that go.
func takeBytes(tx *bucket.Tx, e *record.Erasure, article int64) error {
	for hit := range files.ByArticle.Ascending(tx, bucket.SortKey(article)) {
		f, err := files.Files.Get(tx, hit.Key)
		if err != nil {
			return err
		}
		if f.SHA256 != "" {
			e.Blobs = append(e.Blobs, f.SHA256)
		}
		if f.Token != "" {
			e.Staged = append(e.Staged, f.Token)
		}
	}
	slices.Sort(e.Blobs)
	e.Blobs = slices.Compact(e.Blobs)
	return nil
}

// Note notes that an erasure is swept, or that nothing of it is left to do.
func Note(ctx context.Context, db *bucket.DB, id int64, done bool) error {
	return db.UpdateBy(bucket.Frees(ctx), operate.Operator, func(tx *bucket.Tx) error {
		e, err := withdrawn.Erasures.Get(tx, id)
		if err != nil {
			return err
		}
		if e.Swept.IsZero() {
			e.Swept = tx.Now()
		}
		if done {
			e.Done = tx.Now()
		}
		return withdrawn.Erasures.Put(tx, id, e)
	})
}

// Unnamed are those bytes of an erasure that no record names.
func Unnamed(db *bucket.DB, e *record.Erasure) (list []string, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		for _, sha := range e.Blobs {
			if _, named := files.ByBlob.First(tx, bucket.SortKey(sha)); !named {
				list = append(list, sha)
			}
		}
		return nil
	})
	return list, err
}

// Again applies erasures to a store that is of before them, and returns what it has applied. Bytes are the caller's.
func Again(ctx context.Context, db *bucket.DB, list []*record.Erasure) (applied []record.Erasure, err error) {
	done := map[int64]bool{}
	for _, e := range list {
		if done[e.ID] {
			continue
		}
		done[e.ID] = true
		if err := Records(ctx, db, e); err != nil {
			return nil, err
		}
		err := db.UpdateBy(bucket.Frees(ctx), operate.Operator, func(tx *bucket.Tx) error {
			e.Swept, e.Done = tx.Now(), tx.Now() // when the restore comes to its end
			return withdrawn.Erasures.Put(tx, e.ID, e)
		})
		if err != nil {
			return nil, err
		}
		applied = append(applied, *e)
	}
	return applied, nil
}

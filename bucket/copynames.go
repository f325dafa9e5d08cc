package bucket

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"alcove/record"
)

// maxUnindexed bounds how many blobs Blobs finds that no index has: all of them are kept in
// memory. Each is a sign of damage.
const maxUnindexed = 1_000_000

// unindexed are the blobs that records name though the index of blobs does not have them, in
// the order of their digests. Records that cannot be read are passed over.
func unindexed(ctx context.Context, tx *Tx) ([]BlobName, error) {
	found := map[string]BlobName{}
	note := func(file int64, sha string, size int64) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if sha == "" {
			return nil
		}
		if _, there := FilesByBlob.First(tx, SortKey(sha)); there {
			return nil
		}
		n := found[sha]
		n.SHA256, n.Size, n.Finished = sha, size, true
		if len(n.Files) < maxUses && !slices.Contains(n.Files, file) {
			n.Files = append(n.Files, file)
		}
		if found[sha] = n; len(found) > maxUnindexed {
			return errors.New("cannot tell which files belong to the copy: too many are in no index")
		}
		return nil
	}
	err := errors.Join(
		eachReadable(tx, Files, func(f *record.File) error { return note(f.ID, f.SHA256, f.Size) }),
		eachReadable(tx, &PublicFiles.Table, func(f *record.PublicFile) error { return note(f.ID, f.SHA256, f.Size) }),
		eachReadable(tx, WithdrawnFiles, func(f *record.PublicFile) error { return note(f.ID, f.SHA256, f.Size) }),
	)
	if err != nil {
		return nil, err
	}
	list := make([]BlobName, 0, len(found))
	for _, n := range found {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b BlobName) int { return strings.Compare(a.SHA256, b.SHA256) })
	return list, nil
}

// eachReadable calls fn for the records of a table that are whole.
func eachReadable[K, R any](tx *Tx, t *Table[K, R], fn func(*R) error) error {
	if tx.kv.Bucket(t.bucketName()) == nil {
		return fmt.Errorf("cannot use the copy of the database: it has no %s; another version of the program has made it", t.name)
	}
	for k, v := range tx.bucket(t.bucketName()).Ascend(nil) {
		r, err := t.decode(k, v)
		if err != nil {
			continue
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// ForgetParts forgets which parts of uploads have arrived: their bytes are in no backup, so all
// of them must be sent again. The change log does not have them.
func (db *DB) ForgetParts(ctx context.Context) error {
	for {
		var keys []Pair
		err := db.View(func(tx *Tx) error {
			for row, err := range Parts.All(tx, nil) {
				if err != nil {
					return err
				}
				if keys = append(keys, row.Key); len(keys) == 1000 {
					break
				}
			}
			return nil
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		err = db.Update(ctx, 0, func(tx *Tx) error {
			for _, k := range keys {
				if err := Parts.Delete(tx, k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("cannot forget the parts of uploads: %w", err)
		}
	}
}

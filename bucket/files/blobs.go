package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/withdrawn"
	"alcove/record"
)

// BlobUse is a blob and who names it.
type BlobUse struct {
	SHA256 string
	Files  []int64 // the first of them
	Uses   int     // how many there are
}

// maxUses is how many files a BlobUse names at most.
const maxUses = 100

// BlobsAfter lists about n blobs that files name, in the order of their digests, after one.
func BlobsAfter(tx *bucket.Tx, after string, n int) []BlobUse {
	var list []BlobUse
	from := []byte(nil)
	if after != "" {
		from = append([]byte(after), 1) // behind the zero byte that ends a sort key
	}
	for hit := range ByBlob.Walk(tx, nil, from, true) {
		sha := string(bytes.TrimSuffix(hit.Sort, []byte{0}))
		if len(list) == 0 || list[len(list)-1].SHA256 != sha {
			if len(list) == n {
				break
			}
			list = append(list, BlobUse{SHA256: sha})
		}
		use := &list[len(list)-1]
		if use.Uses++; len(use.Files) < maxUses {
			use.Files = append(use.Files, hit.Key)
		}
	}
	return list
}

// BlobName is a blob that the records of a copy name.
type BlobName struct {
	SHA256   string
	Size     int64   // bytes as recorded, -1 when no record tells
	Files    []int64 // the first of those that have it
	Finished bool    // false while its bytes may be under way: they came to no client yet
}

// blobsAtOnce is how many blobs are looked up together.
const blobsAtOnce = 256

// Blobs calls fn for every blob that a record of the copy names, in the order of their digests.
// Names stand in an index; what published and withdrawn files name is looked up there, and added
// where it is not found.
func Blobs(ctx context.Context, c *bucket.Copy, fn func(BlobName) error) error {
	return c.View(func(tx *bucket.Tx) error {
		extra, err := unindexed(ctx, tx)
		if err != nil {
			return err
		}
		for after := ""; ; {
			uses := BlobsAfter(tx, after, blobsAtOnce)
			for _, use := range uses {
				for len(extra) > 0 && extra[0].SHA256 < use.SHA256 {
					if err := fn(extra[0]); err != nil {
						return err
					}
					extra = extra[1:]
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := fn(nameOf(tx, use)); err != nil {
					return err
				}
			}
			if len(uses) == 0 {
				break
			}
			after = uses[len(uses)-1].SHA256
		}
		for _, name := range extra {
			if err := fn(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// nameOf tells what the files say that have a blob. Only if all of them were read and none is
// finished its bytes may be under way.
func nameOf(tx *bucket.Tx, use BlobUse) BlobName {
	n := BlobName{SHA256: use.SHA256, Size: -1, Files: use.Files, Finished: use.Uses > len(use.Files)}
	for _, id := range use.Files {
		f, err := Files.Get(tx, id)
		if err != nil {
			n.Finished = true // perhaps it was
			continue
		}
		n.Size = f.Size
		n.Finished = n.Finished || f.Status != record.FileMoving
	}
	return n
}

// maxUnindexed bounds how many blobs Blobs finds that no index has: all of them are kept in
// memory. Each is a sign of damage.
const maxUnindexed = 1_000_000

// unindexed are the blobs that records name though the index of blobs does not have them, in
// the order of their digests. Records that cannot be read are passed over.
func unindexed(ctx context.Context, tx *bucket.Tx) ([]BlobName, error) {
	found := map[string]BlobName{}
	note := func(file int64, sha string, size int64) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if sha == "" {
			return nil
		}
		if _, there := ByBlob.First(tx, bucket.SortKey(sha)); there {
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
		Files.EachReadable(tx, func(f *record.File) error { return note(f.ID, f.SHA256, f.Size) }),
		PublicFiles.EachReadable(tx, func(f *record.PublicFile) error { return note(f.ID, f.SHA256, f.Size) }),
		withdrawn.Files.EachReadable(tx, func(f *record.PublicFile) error { return note(f.ID, f.SHA256, f.Size) }),
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

// ForgetParts forgets which parts of uploads have arrived: their bytes are in no backup, so all
// of them must be sent again. The change log does not have them.
func ForgetParts(ctx context.Context, db *bucket.DB) error {
	for {
		var keys []bucket.Pair
		err := db.View(func(tx *bucket.Tx) error {
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
		err = db.Update(ctx, 0, func(tx *bucket.Tx) error {
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

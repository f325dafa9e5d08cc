package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"alcove/bucket/kv"
)

// verifyBatch is how many records are looked at in one transaction: one that reads for long
// keeps the file from reusing pages.
const verifyBatch = 1000

// Verify reads every record, every entry of the change log and every rendered document, and
// calls report for each whose checksum is wrong. It returns how many it has read. Records that
// come or go meanwhile may be met or not. pace is called with the number of bytes that were
// read, outside of transactions.
func (db *DB) Verify(ctx context.Context, pace func(int), report func(*DamagedError)) (read int64, err error) {
	var names []string
	err = kv.View(db.kv, func(tx kv.Tx) error {
		names = slices.DeleteFunc(tx.Buckets(), func(name string) bool {
			return !strings.HasPrefix(name, "r:") && !strings.HasPrefix(name, "d:") && name != logBucket
		})
		return nil
	})
	for _, name := range names {
		for from := []byte{}; err == nil && from != nil; {
			if ctx.Err() != nil {
				return read, context.Cause(ctx)
			}
			var n, size int
			n, size, from, err = db.verifyFrom(name, from, report)
			read += int64(n)
			pace(size)
		}
	}
	if err != nil {
		return read, fmt.Errorf("cannot verify the store: %w", err)
	}
	return read, nil
}

// verifyFrom looks at the next records of a bucket and returns where to go on, nil at its end.
func (db *DB) verifyFrom(name string, from []byte, report func(*DamagedError)) (n, size int, next []byte, err error) {
	err = kv.View(db.kv, func(tx kv.Tx) error {
		b := tx.Bucket(name)
		if b == nil {
			return nil
		}
		for k, v := range b.Ascend(from) {
			if n == verifyBatch {
				next = bytes.Clone(k)
				return nil
			}
			n, size = n+1, size+len(k)+len(v)
			var damaged *DamagedError
			if err := sealed(name, k, v); errors.As(err, &damaged) {
				report(damaged)
			}
		}
		return nil
	})
	return n, size, next, err
}

// sealed checks what a bucket has under a key by itself.
func sealed(name string, k, v []byte) error {
	if kind, ok := strings.CutPrefix(name, "d:"); ok {
		if len(v) > 0 && v[0] != docsFormat {
			return nil // rendered by another program, and rendered again when it is read
		}
		_, err := (&Docs{name: kind}).read(k, v, true)
		return err
	}
	_, err := open(name, k, v)
	return err
}

// Finding is what a walk through the pages says of the same.
func (e *DamagedError) Finding() Finding {
	kind := OfRecord
	if strings.HasPrefix(e.Bucket, "d:") {
		kind = OfDocument
	}
	return Finding{Of: kind, Page: -1, Bucket: e.Bucket, Key: e.Key, Reason: e.Reason}
}

// Table is the name of the table, without what marks its kind.
func (e *DamagedError) Table() string {
	_, name, ok := strings.Cut(e.Bucket, ":")
	if !ok {
		return e.Bucket
	}
	return name
}

// BlobUse is a blob and who names it.
type BlobUse struct {
	SHA256 string
	Files  []int64 // the first of them
	Uses   int     // how many there are
}

// maxUses is how many files a BlobUse names at most.
const maxUses = 100

// BlobsAfter lists about n blobs that files name, in the order of their digests, after one.
func BlobsAfter(tx *Tx, after string, n int) []BlobUse {
	var list []BlobUse
	from := []byte(nil)
	if after != "" {
		from = append([]byte(after), 1) // behind the zero byte that ends a sort key
	}
	for hit := range FilesByBlob.ascendingFrom(tx, nil, from) {
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

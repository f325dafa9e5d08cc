package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

// verifyBatch is how many records are looked at in one transaction: one that reads for long
// keeps the file from reusing pages.
const verifyBatch = 1000

// Verify reads every record, every entry of the change log and every rendered document, and
// calls report for each whose checksum is wrong. It returns how many it has read. Records that
// come or go meanwhile may be met or not. pace is called with the number of bytes that were
// read, outside of transactions.
func (db *DB) Verify(ctx context.Context, pace func(int), report func(*damage.Error)) (read int64, err error) {
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
func (db *DB) verifyFrom(name string, from []byte, report func(*damage.Error)) (n, size int, next []byte, err error) {
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
			var damaged *damage.Error
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
	if strings.HasPrefix(name, "d:") {
		if len(v) > 0 && v[0] != docsFormat {
			return nil // rendered by another program, and rendered again when it is read
		}
		_, err := (&Docs{bucket: name}).read(k, v, true)
		return err
	}
	_, err := open(name, k, v)
	return err
}

// fewEntries is up to how many entries a record is decoded for each of them. Those of a record
// with more, such as an article with thousands of authors, are remembered.
const fewEntries = 8

// maxEntryCache is about how many entries of such records are remembered at a time: 8 bytes each.
const maxEntryCache = 1 << 20

// entryCache has the keys of the entries of records that have many, so that each of these is
// decoded once and not for each entry.
type entryCache struct {
	seed        maphash.Seed
	part, parts uint64 // of all records, by their keys
	of          map[string]entryHashes
}

// entryHashes are of the keys of the entries of one record, as long as it is stored with this
// envelope.
type entryHashes struct {
	envelope string
	keys     map[uint64]bool
}

func (m *entryCache) mine(key []byte) bool {
	return m.parts == 1 || maphash.Bytes(m.seed, key)%m.parts == m.part
}

// checkIndex looks for the records of all entries of an index. It goes through the index as often
// as it takes to remember few entries at a time, and decodes a record with many of them once.
func (t *AnyTable) checkIndex(a *tableCheck, ix *index) error {
	parts, seed := uint64(1+a.many[ix.bucketName()]/maxEntryCache), maphash.MakeSeed()
	for part := range parts {
		m := &entryCache{seed: seed, part: part, parts: parts, of: map[string]entryHashes{}}
		if err := a.each(ix.bucketName(), func(tx *Tx, k, v []byte) error {
			if !entryWhole(ix.seed, k, v) {
				return nil // told by the walk
			}
			if key := k[len(k)-int(v[0]):]; m.mine(key) {
				t.checkEntry(a, ix, tx, m, k, key)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// checkEntry looks whether the record of an entry has it.
func (t *AnyTable) checkEntry(a *tableCheck, ix *index, tx *Tx, m *entryCache, k, key []byte) {
	stored := tx.bucket(t.bucketName()).Get(key)
	if stored == nil {
		a.found(damage.OfIndex, ix.bucketName(), k, "it is an entry of record %s, which is not there", damage.KeyText(t.name, key))
		return
	}
	head := stored[:min(envelopeHead, len(stored))]
	if h, ok := m.of[string(key)]; ok && h.envelope == string(head) {
		if !h.keys[maphash.Bytes(m.seed, k)] {
			a.found(damage.OfIndex, ix.bucketName(), k, "it is an entry that record %s does not have", damage.KeyText(t.name, key))
		}
		return
	}
	r, err := t.decode(key, stored)
	if err != nil {
		return // told by the walk
	}
	entries, err := ix.places(tx, key, r)
	if err != nil {
		return
	}
	if len(entries) > fewEntries {
		keys := make(map[uint64]bool, len(entries))
		for _, e := range entries {
			keys[maphash.Bytes(m.seed, join(e.Sort, key))] = true
		}
		m.of[string(key)] = entryHashes{string(head), keys}
	}
	for _, e := range entries {
		if bytes.Equal(join(e.Sort, key), k) {
			return
		}
	}
	a.found(damage.OfIndex, ix.bucketName(), k, "it is an entry that record %s does not have", damage.KeyText(t.name, key))
}

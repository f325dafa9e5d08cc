package bucket

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"alcove/bucket/changelog"
	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

// Repair puts a record right, of a bucket of records, that is damaged, lost or another one than
// the change log says was stored last. It tries the one bit whose flip would explain it, and then
// each source; only what has the SHA-256 that the log notes is stored. It tells where that came
// from, nothing when the record was right already. Tables that are not in the log have no such
// hash: ErrBeyondRepair.
//
// Its cost grows with the number of changes since the record was stored, of which it reads a few at
// a time.
func (db *DB) Repair(ctx context.Context, bucket string, key []byte, sources ...damage.Source) (where string, err error) {
	defer db.faulted(&err)
	table, logged := loggedTable(bucket)
	if !logged {
		return "", damage.ErrBeyondRepair
	}
	r := repaired{bucket: bucket, key: key, was: db.raw(bucket, key), right: key, end: db.Sequence()}
	k, v := repairBit(key, r.was, func(k, v []byte) bool { _, err := open(bucket, k, v); return err == nil })
	if k != nil {
		r.right = k
	}
	last, err := db.lastStored(ctx, table, r.right, r.end)
	if err != nil {
		return "", err
	}
	right := func(payload []byte) bool { return payloadHash(payload) == last.Record }
	if payload, err := open(bucket, key, r.was); err == nil && right(payload) {
		return "", nil
	}
	if k != nil && right(v[envelopeHead:]) {
		r.payload = v[envelopeHead:]
		return "the bit that flipped", db.putRight(ctx, r)
	}
	if !bytes.Equal(r.right, key) {
		return "", damage.ErrBeyondRepair
	}
	if r.payload, where, err = ask(ctx, sources, table, key, right); err != nil {
		return "", err
	}
	return where, db.putRight(ctx, r)
}

// ask asks one source after another.
func ask(ctx context.Context, sources []damage.Source, table string, key []byte, right func([]byte) bool) (payload []byte, where string, err error) {
	for _, source := range sources {
		if source == nil {
			continue
		}
		payload, where, err = source(ctx, table, key, right)
		if err == nil && right(payload) {
			return payload, where, nil
		}
		if err != nil && !errors.Is(err, damage.ErrBeyondRepair) {
			return nil, "", err
		}
	}
	return nil, "", damage.ErrBeyondRepair
}

// loggedTable is the name of the table of a bucket of records that the change log follows.
func loggedTable(bucket string) (name string, ok bool) {
	name, records := strings.CutPrefix(bucket, "r:")
	if t := tableNamed(name); records && t != nil {
		return name, t.Logged()
	}
	return "", false
}

// raw is what a bucket has under a key, nil for nothing.
func (db *DB) raw(bucket string, key []byte) (v []byte) {
	_ = db.View(func(tx *Tx) error { // an error is that of a page which cannot be read
		v = bytes.Clone(tx.bucket(bucket).Get(key))
		return nil
	})
	return v
}

// lastStored is the last entry of the change log, up to one, about a record that is there. An
// entry on the way that cannot be read may be it, so that nothing is known then.
func (db *DB) lastStored(ctx context.Context, table string, key []byte, end uint64) (last changelog.Change, err error) {
	for from := end; from > 0; {
		if ctx.Err() != nil {
			return last, context.Cause(ctx)
		}
		found := false
		err := db.View(func(tx *Tx) error {
			n := 0
			for k, v := range tx.kv.Bucket(logBucket).Descend(intKeys.enc(int64(from + 1))) {
				if len(k) != 8 || binary.BigEndian.Uint64(k) != from { // one of its entries is lost
					return damage.ErrBeyondRepair
				}
				change, err := decodeChange(k, v)
				if err != nil {
					return fmt.Errorf("%w: %w", damage.ErrBeyondRepair, err)
				}
				if found = change.Table == table && bytes.Equal(change.Key, key); found {
					last = change
					return nil
				}
				if n, from = n+1, from-1; n == auditBatch || from == 0 {
					return nil
				}
			}
			return damage.ErrBeyondRepair // what comes before is lost
		})
		if err != nil {
			return last, err
		}
		if found {
			break
		}
	}
	if last.Sequence == 0 || last.Op == changelog.Deleted {
		return last, damage.ErrBeyondRepair
	}
	return last, nil
}

// repaired is a record that is about to be stored as it was.
type repaired struct {
	bucket  string
	key     []byte // under which it lies
	was     []byte // that is there, nil for nothing
	right   []byte // the key, as it was
	payload []byte
	end     uint64 // up to where the log was read
}

// putRight stores a record as it was, unless something has changed meanwhile. Its entries of
// indexes were made of it before it was damaged. The change log notes it like any other write, so
// that the search index reads it again.
func (db *DB) putRight(ctx context.Context, r repaired) error {
	return db.Update(ctx, 0, func(tx *Tx) error {
		b := tx.bucket(r.bucket)
		if !bytes.Equal(b.Get(r.key), r.was) {
			return nil
		}
		table, _ := loggedTable(r.bucket)
		for c, err := range tx.Changes(r.end) {
			if err != nil {
				return err
			}
			if c.Table == table && bytes.Equal(c.Key, r.right) {
				return nil
			}
		}
		tx.touch()
		if !bytes.Equal(r.key, r.right) {
			if err := b.Delete(r.key); err != nil {
				return fmt.Errorf("cannot repair a record of %s: %w", table, err)
			}
		}
		if err := b.Put(r.right, encodeEnvelope(r.bucket, r.right, r.payload)); err != nil {
			return fmt.Errorf("cannot repair a record of %s: %w", table, err)
		}
		return tx.note(table, r.right, changelog.Changed, r.payload)
	})
}

// Record is the JSON of a record of the copy, if right says that it is the one; otherwise it fails with
// ErrBeyondRepair.
func (c *Copy) Record(table string, key []byte, right func(payload []byte) bool) (payload []byte, err error) {
	defer survive(&err)()
	err = kv.View(c.kv, func(tx kv.Tx) error {
		b := tx.Bucket("r:" + table)
		if b == nil {
			return damage.ErrBeyondRepair
		}
		found, err := open("r:"+table, key, b.Get(key))
		if err != nil || !right(found) {
			return damage.ErrBeyondRepair
		}
		payload = bytes.Clone(found)
		return nil
	})
	return payload, err
}

// Repairable reports whether damage is that of a record which the change log follows, or of a
// document, which its record can say again.
func Repairable(e *damage.Error) bool {
	_, logged := loggedTable(e.Bucket)
	return logged || slices.ContainsFunc(schema.Documents, func(d *Docs) bool { return d.Has(e) })
}

// Has reports whether damage is that of one of the documents.
func (d *Docs) Has(e *damage.Error) bool { return e.Bucket == d.bucketName() && len(e.Key) == 16 }

// Payload is the JSON of a record as it is stored.
func Payload(r any) ([]byte, error) {
	sealed, err := envelope(r)
	if err != nil {
		return nil, err
	}
	return sealed[envelopeHead:], nil
}

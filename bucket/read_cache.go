package bucket

import (
	"context"
	"crypto/sha256"
)

// readCache are the records that a write transaction has read or stored. The writer of a record
// has mostly read it before: then what it was need not be read again to take its index
// entries away.
type readCache map[recordRef]cachedRecord

// cachedRecord is a record as it is stored.
type cachedRecord struct {
	entries [][]IndexEntry // in each index of the table
	record  any            // the record itself, of a flat table; otherwise nil
}

// recordRef is where a record stands.
type recordRef struct{ bucket, key string }

// maxReadCache bounds how many records a transaction remembers.
const maxReadCache = 2000

// cacheable reports whether the entries of a table depend on nothing but the record.
func (t *AnyTable) cacheable() bool {
	for _, ix := range t.indexes {
		if ix.entries == nil {
			return false
		}
	}
	return len(t.indexes) > 0
}

// cacheRead notes a record that is stored under a key.
func (t *AnyTable) cacheRead(tx *Tx, key []byte, r any, entries [][]IndexEntry) {
	if tx.readCache == nil || len(tx.readCache) >= maxReadCache {
		tx.readCache = readCache{}
	}
	is := cachedRecord{entries: entries}
	if t.flat {
		is.record = t.clone(r)
	}
	tx.readCache[recordRef{t.name, string(key)}] = is
}

// cachedRead gives a copy of a record that is known as a whole, or nil.
func (t *AnyTable) cachedRead(tx *Tx, key []byte) any {
	if !t.flat || tx.readCache == nil {
		return nil
	}
	r := tx.readCache[recordRef{t.name, string(key)}].record
	if r == nil {
		return nil
	}
	return t.clone(r)
}

// entriesOf are the entries of a record in each index of the table.
func (t *AnyTable) entriesOf(r any) [][]IndexEntry {
	entries := make([][]IndexEntry, len(t.indexes))
	for i, ix := range t.indexes {
		entries[i] = ix.entries(r)
	}
	return entries
}

// Ahead are records that were read before a transaction that is to write them began: the writer,
// for which all others wait, then need not decode them. A transaction takes one only while it is
// stored as it was read.
type Ahead struct{ records map[recordRef]readAhead }

type readAhead struct {
	sum    [sha256.Size]byte // of what was stored
	record any
}

type aheadKey struct{}

// With gives what was read ahead to the writes of a context.
func (a *Ahead) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, aheadKey{}, a)
}

func (t *AnyTable) readAhead(tx *Tx, a *Ahead, k []byte) (any, error) {
	if !t.flat {
		panic("records of " + t.name + " cannot be copied")
	}
	v := tx.bucket(t.bucketName()).Get(k)
	if v == nil {
		return nil, t.missing(tx, k)
	}
	r, err := t.decode(k, v)
	if err != nil {
		return nil, err
	}
	if a.records == nil {
		a.records = map[recordRef]readAhead{}
	}
	a.records[recordRef{t.name, string(k)}] = readAhead{sha256.Sum256(v), t.clone(r)}
	return r, nil
}

// decodePrefetched is decode of a record that may have been read ahead.
func (t *AnyTable) decodePrefetched(tx *Tx, k, v []byte) (any, error) {
	if t.flat && v != nil && tx.op != nil {
		if a, ok := tx.op.ctx.Value(aheadKey{}).(*Ahead); ok {
			if was, ok := a.records[recordRef{t.name, string(k)}]; ok && was.sum == sha256.Sum256(v) {
				return t.clone(was.record), nil
			}
		}
	}
	if v != nil && tx.writable && tx.db != nil {
		tx.db.decoded.Add(1)
	}
	return t.decode(k, v)
}

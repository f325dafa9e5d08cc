package bucket

import (
	"context"
	"crypto/sha256"
)

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

// ReadAhead is Get before a transaction that is to write the record, of a table whose records hold
// no slice, map or pointer.
func (t *Table[K, R]) ReadAhead(tx *Tx, a *Ahead, key K) (*R, error) {
	if !t.flat {
		panic("records of " + t.name + " cannot be copied")
	}
	k := t.codec.enc(key)
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
	a.records[recordRef{t.name, string(k)}] = readAhead{sha256.Sum256(v), *r}
	return r, nil
}

// decodePrefetched is decode of a record that may have been read ahead.
func (t *Table[K, R]) decodePrefetched(tx *Tx, k, v []byte) (*R, error) {
	if t.flat && v != nil && tx.op != nil {
		if a, ok := tx.op.ctx.Value(aheadKey{}).(*Ahead); ok {
			if was, ok := a.records[recordRef{t.name, string(k)}]; ok && was.sum == sha256.Sum256(v) {
				r := was.record.(R)
				return &r, nil
			}
		}
	}
	if v != nil && tx.writable && tx.db != nil {
		tx.db.decoded.Add(1)
	}
	return t.decode(k, v)
}

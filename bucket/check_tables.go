package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"alcove/bucket/damage"
)

// auditBatch is how many records or entries are looked at in one transaction: one that reads
// for long keeps the file from reusing pages.
const auditBatch = 500

// checkBytes are after how many bytes a batch ends, too: some records are large.
const checkBytes = 4 << 20

// tableCheck compares what the store keeps with the records that it was made from. Buckets that
// cannot be read are left out: that they are hurt was told by the walk through the pages.
type tableCheck struct {
	db             *DB
	ctx            context.Context
	pace           func(n int)
	report         func(damage.Finding)
	damagedBuckets map[string]bool
	many           map[string]int // entries of the records with many, by the bucket of the index
}

// Tables are all tables, in the order in which CheckTable is to be called.
func Tables() []*AnyTable { return slices.Clone(schema.tables) }

// CheckTable compares all index entries and totals of a table with its records, in both
// directions, and looks for the records that these name. hurt are the buckets that
// WalkPages could not read. It ends early with its context.
func (db *DB) CheckTable(ctx context.Context, name string, damagedBuckets map[string]bool, pace func(int), report func(damage.Finding)) (err error) {
	defer db.faulted(&err)
	a := &tableCheck{db, ctx, pace, report, damagedBuckets, map[string]int{}}
	if t := tableNamed(name); t != nil && !damagedBuckets[""] && !damagedBuckets[t.bucketName()] {
		return t.tableCheck(a)
	}
	return nil
}

func (a *tableCheck) found(kind, bucket string, key []byte, reason string, args ...any) {
	a.report(damage.Finding{Of: kind, Bucket: bucket, Key: bytes.Clone(key), Page: -1, Reason: fmt.Sprintf(reason, args...)})
}

// each calls fn for every key of a bucket, a batch in a transaction. A key that comes or goes
// meanwhile may be met or not.
func (a *tableCheck) each(bucket string, fn func(tx *Tx, k, v []byte) error) error {
	for from := []byte{}; from != nil; {
		if a.ctx.Err() != nil {
			return context.Cause(a.ctx)
		}
		next, read := []byte(nil), 0
		err := a.db.View(func(tx *Tx) error {
			n := 0
			for k, v := range tx.bucket(bucket).Ascend(from) {
				if n++; n > auditBatch || read > checkBytes {
					next = bytes.Clone(k)
					return nil
				}
				read += len(k) + len(v)
				if err := fn(tx, k, v); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		from = next
		a.pace(read)
	}
	return nil
}

// tableCheck compares a table with its indexes and with what it names.
func (t *AnyTable) tableCheck(a *tableCheck) error {
	err := a.each(t.bucketName(), func(tx *Tx, k, v []byte) error {
		r, err := t.decode(k, v)
		if err != nil {
			return nil // told by the walk
		}
		schema.References(r, &Names{a, tx, t.name, k})
		for _, ix := range t.indexes {
			if ix.sum != nil || a.damagedBuckets[ix.bucketName()] {
				continue
			}
			if err := t.checkRecord(a, ix, tx, k, r); err != nil {
				return err
			}
		}
		return nil
	})
	for _, ix := range t.indexes {
		switch {
		case err != nil:
		case a.damagedBuckets[ix.bucketName()]:
		case ix.sum != nil:
			err = t.checkTotal(a, ix)
		default:
			err = t.checkIndex(a, ix)
		}
	}
	return err
}

// checkRecord looks for the entries of a record.
func (t *AnyTable) checkRecord(a *tableCheck, ix *index, tx *Tx, key []byte, r any) error {
	entries, err := ix.places(tx, key, r)
	var damaged *damage.Error
	if errors.As(err, &damaged) {
		return nil // of its counts, told by the walk
	}
	if len(entries) > fewEntries {
		a.many[ix.bucketName()] += len(entries)
	}
	b := tx.bucket(ix.bucketName())
	for _, e := range entries {
		k := join(e.Sort, key)
		switch v := b.Get(k); {
		case v == nil:
			a.found(damage.OfIndex, ix.bucketName(), k, "the entry of record %s is missing", damage.KeyText(t.name, key))
		case entryWhole(ix.seed, k, v) && !bytes.Equal(v, ix.sealed(k, len(key), e.Value)):
			a.found(damage.OfIndex, ix.bucketName(), k, "the entry of record %s says something else than the record", damage.KeyText(t.name, key))
		}
	}
	return err
}

// checkTotal adds up again, in one transaction.
func (t *AnyTable) checkTotal(a *tableCheck, ix *index) error {
	return a.db.View(func(tx *Tx) error {
		sum, damaged := int64(0), false
		for k, v := range tx.bucket(t.bucketName()).Ascend(nil) {
			r, err := t.decode(k, v)
			if damaged = damaged || err != nil; err == nil {
				sum += ix.sum(r)
			}
			if a.ctx.Err() != nil {
				return a.ctx.Err()
			}
		}
		if v := tx.bucket(ix.bucketName()).Get(totalKey); damaged || v != nil && !entryWhole(ix.seed, totalKey, v) {
			return nil // told by the walk
		}
		if have := (Total{ix}).Sum(tx); have != sum {
			a.found(damage.OfIndex, ix.bucketName(), totalKey, "it is %d and should be %d", have, sum)
		}
		return nil
	})
}

// CheckLog compares the last entry of the change log about each record with the record: one
// that is lost, that was exchanged for an older one, or that was never stored, is found. A record that
// changes meanwhile is looked at again at the end. It goes through the log as often as it
// takes to remember few records at a time.
func (db *DB) CheckLog(ctx context.Context, damagedBuckets map[string]bool, pace func(int), report func(damage.Finding)) (err error) {
	defer db.faulted(&err)
	a := &tableCheck{db, ctx, pace, report, damagedBuckets, map[string]int{}}
	if damagedBuckets[""] || damagedBuckets[logBucket] {
		return nil
	}
	end := db.Sequence()
	parts := uint64(1)
	for parts*maxLogCache < end {
		parts *= 2
	}
	for part := range parts {
		l := &lastOf{a: a, part: part, parts: parts, of: map[recordRef][32]byte{}, suspects: map[recordRef]lastChange{}}
		if err := l.compare(); err != nil {
			return err
		}
	}
	return nil
}

// maxLogCache is about how many records CheckLog remembers at a time.
const maxLogCache = 200_000

// lastOf is what the log says last about a part of all records.
type lastOf struct {
	a           *tableCheck
	part, parts uint64
	of          map[recordRef][32]byte // hash of the record, zero of one that was deleted
	end         uint64                 // up to where the log was read
	suspects    map[recordRef]lastChange
}

func (l *lastOf) mine(key []byte) bool {
	return l.parts == 1 || uint64(seedOf(string(key)))%l.parts == l.part
}

// follow reads the log from where it was read to.
func (l *lastOf) follow(tx *Tx, most int) (more bool, err error) {
	read := 0
	for c, err := range tx.Changes(l.end) {
		if err != nil {
			var damaged *damage.Error
			if errors.As(err, &damaged) && len(damaged.Key) == 8 {
				return false, nil // told by the walk; what follows would say nothing of what is lost here
			}
			return false, err
		}
		if l.end = c.Sequence; l.mine(c.Key) {
			l.of[recordRef{"r:" + c.Table, string(c.Key)}] = c.Record
		}
		if read++; read == most {
			return true, nil
		}
	}
	return false, nil
}

func (l *lastOf) compare() error {
	for more := true; more; {
		if l.a.ctx.Err() != nil {
			return context.Cause(l.a.ctx)
		}
		before := l.end
		err := l.a.db.View(func(tx *Tx) (err error) {
			more, err = l.follow(tx, auditBatch)
			return err
		})
		if err != nil {
			return err
		}
		l.a.pace(int(l.end-before) * 200)
	}
	if l.end < l.a.db.Sequence() && l.broken() {
		return nil
	}
	known := map[string]bool{}
	for _, t := range schema.tables {
		if known[t.bucketName()] = t.Logged(); !t.Logged() || l.a.damagedBuckets[t.bucketName()] {
			continue
		}
		if err := l.records(t.bucketName()); err != nil {
			return err
		}
	}
	for at, sum := range l.of {
		if sum == ([32]byte{}) || !known[at.bucket] || l.a.damagedBuckets[at.bucket] {
			continue
		}
		l.suspect(at)
	}
	return l.recheck()
}

// broken reports whether the log cannot be read to its end.
func (l *lastOf) broken() bool {
	bad := false
	err := l.a.db.View(func(tx *Tx) error {
		for _, err := range tx.Changes(l.end) {
			bad = err != nil
			break
		}
		return nil
	})
	return bad || err != nil
}

// records compares the records of a bucket with what the log says, and forgets them.
func (l *lastOf) records(bucket string) error {
	return l.a.each(bucket, func(_ *Tx, k, v []byte) error {
		if !l.mine(k) {
			return nil
		}
		at := recordRef{bucket, string(k)}
		sum, ok := l.of[at]
		delete(l.of, at)
		payload, err := open(bucket, k, v)
		if err != nil || ok && sum == payloadHash(payload) {
			return nil
		}
		l.suspect(at)
		return nil
	})
}

// suspect notes a record that was not as the log said.
func (l *lastOf) suspect(at recordRef) {
	if len(l.suspects) < mostSuspects {
		l.suspects[at] = lastChange{}
	}
}

// mostSuspects bounds how many records are looked at again for a part of all.
const mostSuspects = 10_000

// lastChange is what the log says last of a record.
type lastChange struct {
	known bool
	sum   [32]byte // zero when it was deleted
}

// recheck looks at the suspects again together with what the log says now, in one transaction.
func (l *lastOf) recheck() error {
	if len(l.suspects) == 0 {
		return nil
	}
	return l.a.db.View(func(tx *Tx) error {
		for c, err := range tx.Changes(0) {
			if err != nil {
				return nil // told by the walk
			}
			at := recordRef{"r:" + c.Table, string(c.Key)}
			if _, asked := l.suspects[at]; asked {
				l.suspects[at] = lastChange{true, c.Record}
			}
		}
		for at, last := range l.suspects {
			l.verdict(tx, at, last)
		}
		return nil
	})
}

func (l *lastOf) verdict(tx *Tx, at recordRef, last lastChange) {
	found := func(reason string) { l.a.found(damage.OfLog, at.bucket, []byte(at.key), "%s", reason) }
	deleted := last.sum == [32]byte{}
	v := tx.bucket(at.bucket).Get([]byte(at.key))
	payload, err := open(at.bucket, []byte(at.key), v)
	switch {
	case v == nil && (!last.known || deleted):
	case v == nil:
		found("it is lost: the change log has it, and nothing says that it was deleted")
	case err != nil: // told by the walk
	case !last.known:
		found("the change log does not know it")
	case deleted:
		found("the change log says that it was deleted")
	case last.sum != payloadHash(payload):
		found("it is another one than the change log says was stored last")
	}
}

// Names takes what a record names, of which a check tells what is not there.
type Names struct {
	check *tableCheck
	Tx    *Tx
	Table string // that of the record
	Key   []byte // of the record
}

// Bytes is told a key as it is stored.
func (n *Names) Bytes(what string, in *AnyTable, key []byte) {
	if !n.check.damagedBuckets[in.bucketName()] && n.Tx.bucket(in.bucketName()).Get(key) == nil {
		n.Found("%s %s is not there", what, damage.KeyText(in.Name(), key))
	}
}

// ID is told an id, 0 for none.
func (n *Names) ID(what string, in *AnyTable, id int64) {
	if id != 0 {
		n.Bytes(what, in, intKeys.enc(id))
	}
}

// Pair is told the key of a record that belongs to another.
func (n *Names) Pair(what string, in *AnyTable, a, b int64) {
	n.Bytes(what, in, pairKeys.enc(Pair{a, b}))
}

// Found tells something else that is not as it should be.
func (n *Names) Found(reason string, args ...any) {
	n.check.found(damage.OfReference, "r:"+n.Table, n.Key, reason, args...)
}

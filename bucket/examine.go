package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"alcove/bucket/bolt"
	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

// examinedFirst is up to how many bytes Open goes through the pages of a file before it is used, which
// takes some 30 ms; a larger one is gone through while it is used. It is no time, so that it does not depend
// on a busy machine which damage keeps a file from being opened.
const examinedFirst = 32 << 20

// lookOn goes through the pages of a file that was too large for Open. A page that is not as
// it should be ends the store, as it would have kept it from being opened. It ends with Close,
// and when too much is written meanwhile.
func (db *DB) lookOn() {
	defer close(db.looked)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() { // ends with this function or with Close
		select {
		case <-db.closing:
			cancel(nil)
		case <-ctx.Done():
		}
	}()
	var first error
	_, err := db.file.Walk(ctx, bolt.Walk{Most: db.mostPinned, Report: func(d bolt.Damage) {
		if first == nil {
			first = fmt.Errorf("cannot go on: %s: %w%s", d, damage.ErrUnusable, restore)
			cancel(nil)
		}
	}})
	err = cmp.Or(first, err)
	if errors.Is(err, damage.ErrUnusable) {
		db.fatal(err)
	}
}

// WalkPages goes through all pages of the file as the last commit left them, from the disk
// where the system allows it, and tells every page, and every record, document and entry,
// that is not as it was written, and the buckets that cannot be read. pace is called with the
// number of bytes before they are read. Until it returns, no page that it may read is used
// again, so the file grows by what is written meanwhile: it no longer waits for pace when some
// has been written, and ends with ErrMuchWritten when it is too much.
func (db *DB) WalkPages(ctx context.Context, pace func(int), report func(damage.Finding)) (damagedBuckets map[string]bool, records int64, err error) {
	if db.file == nil {
		return db.walkBuckets(report)
	}
	s := newChecksumWalk(report)
	damagedBuckets, err = db.file.Walk(ctx, bolt.Walk{Thorough: true, Most: db.mostPinned, Pace: pace, Visit: s.visit, Report: func(d bolt.Damage) {
		report(damage.Finding{Of: damage.OfPage, Bucket: d.Bucket, Key: d.Key, Page: d.Page, Reason: d.Reason})
	}})
	if err == nil {
		s.end(damagedBuckets)
	}
	return damagedBuckets, s.read, err
}

// walkBuckets is WalkPages of an engine that has no pages.
func (db *DB) walkBuckets(report func(damage.Finding)) (damagedBuckets map[string]bool, records int64, err error) {
	damagedBuckets = map[string]bool{}
	s := newChecksumWalk(report)
	err = kv.View(db.kv, func(tx kv.Tx) error {
		for _, name := range tx.Buckets() {
			b := tx.Bucket(name)
			s.bucket(name, b.Sequence())
			for k, v := range b.Ascend(nil) {
				s.visit(name, k, v)
			}
		}
		return nil
	})
	s.end(damagedBuckets)
	return damagedBuckets, s.read, err
}

// FileSize is how many bytes the file of the database has, 0 where it is not in a file.
func (db *DB) FileSize() int64 {
	if db.file == nil {
		return 0
	}
	return db.file.Size()
}

// Logged reports whether the change log has what happens to its records.
func (t *AnyTable) Logged() bool { return !t.quiet }

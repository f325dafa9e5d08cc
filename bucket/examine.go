package bucket

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"alcove/bucket/bolt"
	"alcove/bucket/kv"
)

// Errors of a file that is damaged, and of a walk through its pages that was given up.
var (
	ErrUnusable    = bolt.ErrUnusable
	ErrMuchWritten = bolt.ErrMuchWritten
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
			first = fmt.Errorf("cannot go on: %s: %w%s", d, ErrUnusable, restore)
			cancel(nil)
		}
	}})
	err = cmp.Or(first, err)
	if errors.Is(err, ErrUnusable) {
		db.fatal(err)
	}
}

// Kinds of findings.
const (
	OfPage      = "page"      // the file itself: a page, the free list, a meta
	OfRecord    = "record"    // a record of a table, or an entry of the change log
	OfDocument  = "document"  // a stored document
	OfIndex     = "index"     // an entry of an index, a total
	OfSetting   = "setting"   // what the store notes about itself
	OfLog       = "log"       // the chain of the change log, and what it says of records
	OfReference = "reference" // a record that names another which is not there
)

// Finding is something in the store that is not as it should be.
type Finding struct {
	Of     string
	Bucket string // blank for none
	Key    []byte
	Page   int64 // of the file, -1 where it is not about one
	Reason string
}

func (f Finding) String() string {
	text := ""
	if f.Page >= 0 {
		text = fmt.Sprintf("page %d", f.Page)
	}
	if f.Bucket != "" {
		if text != "" {
			text += " "
		}
		text += "of " + f.Bucket
	}
	return text + ": " + f.Reason
}

// WalkPages goes through all pages of the file as the last commit left them, from the disk
// where the system allows it, and tells every page, and every record, document and entry,
// that is not as it was written, and the buckets that cannot be read. pace is called with the
// number of bytes before they are read. Until it returns, no page that it may read is used
// again, so the file grows by what is written meanwhile: it no longer waits for pace when some
// has been written, and ends with ErrMuchWritten when it is too much.
func (db *DB) WalkPages(ctx context.Context, pace func(int), report func(Finding)) (damagedBuckets map[string]bool, records int64, err error) {
	if db.file == nil {
		return db.walkBuckets(report)
	}
	s := newChecksumWalk(report)
	damagedBuckets, err = db.file.Walk(ctx, bolt.Walk{Thorough: true, Most: db.mostPinned, Pace: pace, Visit: s.visit, Report: func(d bolt.Damage) {
		report(Finding{Of: OfPage, Bucket: d.Bucket, Key: d.Key, Page: d.Page, Reason: d.Reason})
	}})
	if err == nil {
		s.end(damagedBuckets)
	}
	return damagedBuckets, s.read, err
}

// walkBuckets is WalkPages of an engine that has no pages.
func (db *DB) walkBuckets(report func(Finding)) (damagedBuckets map[string]bool, records int64, err error) {
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

// Table is the name of the table, the index or the documents, without what marks its kind.
func (f Finding) Table() string {
	if _, name, ok := strings.Cut(f.Bucket, ":"); ok {
		return name
	}
	return f.Bucket
}

// KeyText is the key as people know it, blank for none. One that opens something, as the
// token of an upload, or is a mail address, is told by the beginning of its SHA-256 only.
func (f Finding) KeyText() string {
	switch {
	case len(f.Key) == 0:
		return ""
	case f.Of == OfIndex && (f.Bucket == FilesByToken.bucketName() || strings.HasSuffix(f.Bucket, ".email") || strings.HasPrefix(f.Bucket, "i:"+PrivateLinks.name+".")):
		sum := payloadHash(f.Key)
		return fmt.Sprintf("sha256-%x", sum[:8])
	}
	text := KeyText(f.Table(), f.Key)
	if strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Sprintf("%x", f.Key)
	}
	return text
}

// KeyText is a key of a table as people know it: an id, the ids of an owner and of what
// belongs to it, a name, or hex digits. The key of a private link opens what it leads to,
// so only the beginning of its SHA-256 is told.
func KeyText(table string, key []byte) string {
	switch {
	case table == PrivateLinks.name:
		sum := sha256.Sum256(key)
		return fmt.Sprintf("sha256-%x", sum[:8])
	case len(key) == 8:
		return fmt.Sprint(int64(binary.BigEndian.Uint64(key)))
	case len(key) == 16:
		return fmt.Sprintf("%d/%d", int64(binary.BigEndian.Uint64(key)), int64(binary.BigEndian.Uint64(key[8:])))
	case utf8.Valid(key):
		return string(key)
	}
	return fmt.Sprintf("%x", key)
}

// KeyText is the key of the record as people know it.
func (e *DamagedError) KeyText() string { return KeyText(e.Table(), e.Key) }

// HasTable reports whether there is a table of a name whose changes the log has.
func HasTable(name string) bool {
	for _, t := range tables {
		if t.logged() && t.bucketName() == "r:"+name {
			return true
		}
	}
	return false
}

func (t *Table[K, R]) logged() bool { return !t.quiet }

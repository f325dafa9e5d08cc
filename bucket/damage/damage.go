// Package damage is how it is told what is wrong in a store.
package damage

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Errors of a store that is damaged.
var (
	// ErrUnusable says that a page of a database file is not as it should be.
	ErrUnusable = errors.New("a page of the database is damaged; alcove check --data DIR tells what, " +
		"and alcove check --repair --data DIR, without a server, saves what can be saved")
	// ErrMuchWritten says that a walk through the pages of the file was given up.
	ErrMuchWritten = errors.New("cannot go through the pages of the database while so much is written")
	// ErrBeyondRepair says that nothing has the bytes of a damaged record: nothing whose SHA-256 is
	// the one that the change log notes.
	ErrBeyondRepair = errors.New("cannot repair the record: nothing has it as the change log says that it was stored")
)

// Secret reports whether the keys of a table or an index, by its bucket, open something or are mail addresses, so that
// none is told. The package of the tables sets it.
var Secret = func(bucket string) bool { return false }

// Error names a stored record whose checksum or form is wrong.
type Error struct {
	Bucket string
	Key    []byte
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("cannot read record %s of %s: %s", e.KeyText(), e.Bucket, e.Reason)
}

// Finding is what a walk through the pages says of the same.
func (e *Error) Finding() Finding {
	kind := OfRecord
	if strings.HasPrefix(e.Bucket, "d:") {
		kind = OfDocument
	}
	return Finding{Of: kind, Page: -1, Bucket: e.Bucket, Key: e.Key, Reason: e.Reason}
}

// Table is the name of the table, without what marks its kind.
func (e *Error) Table() string {
	_, name, ok := strings.Cut(e.Bucket, ":")
	if !ok {
		return e.Bucket
	}
	return name
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
	case f.Of == OfIndex && Secret(f.Bucket):
		sum := sha256.Sum256(f.Key)
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
	case Secret("r:" + table):
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
func (e *Error) KeyText() string { return KeyText(e.Table(), e.Key) }

// Source looks for the JSON of a record somewhere, until right says that it is the one. It
// tells where it was found, and fails with ErrBeyondRepair where it was not.
type Source func(ctx context.Context, table string, key []byte, right func(payload []byte) bool) (payload []byte, where string, err error)

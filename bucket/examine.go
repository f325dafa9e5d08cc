package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"go.etcd.io/bbolt"

	"alcove/bucket/kv"
)

// ErrUnusable says that a page of a database file is not as it should be.
var ErrUnusable = errors.New("a page of the database is damaged; alcove check --data DIR tells what, " +
	"and alcove check --repair --data DIR, without a server, saves what can be saved")

// openPatience is how long Open goes through the pages of a file; with a larger one it goes
// on while the file is used.
const openPatience = 150 * time.Millisecond

// examine goes through the pages of a file that is open and that nobody uses yet, before
// anybody believes them. all is false when there was no time for that.
func examine(path string, patience time.Duration) (all bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("cannot read the database: %w", err)
	}
	defer f.Close()
	h, err := readHeads(f)
	if err != nil {
		return false, fmt.Errorf("cannot read the database: %w", err)
	}
	m, ok := h.newest()
	if !ok {
		return false, errNoMeta
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var first *Finding
	err = walkFile(ctx, f, m, nil, nil, func(f Finding) {
		if first == nil {
			first = &f
			cancel()
		}
	})
	if first != nil {
		return false, fmt.Errorf("cannot open the database %s: %s: %w%s", path, first, ErrUnusable, restore)
	}
	return err == nil, nil
}

// walkFile goes through the pages of a file as of a meta. It fails only when its context ends.
func walkFile(ctx context.Context, from io.ReaderAt, m commitMeta, pace func(int), visit visitor, report func(Finding)) error {
	if pace == nil {
		pace = func(int) {}
	}
	s := &structure{
		file: &pageFile{from: from, size: m.pageSize, pages: m.pages, pace: pace},
		ctx:  ctx, report: report, visit: visit,
	}
	return s.walk(m)
}

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
	err := db.pinned(func(_ *heads, m commitMeta) error {
		f, err := os.Open(db.file.Path())
		if err != nil {
			return err
		}
		defer f.Close()
		var first error
		err = walkFile(ctx, f, m, db.hurried(func(int) {}, cancel), nil, func(f Finding) {
			if first == nil {
				first = fmt.Errorf("cannot go on: %s: %w%s", f, ErrUnusable, restore)
				cancel(nil)
			}
		})
		if first != nil {
			return first
		}
		return err
	})
	if errors.Is(err, ErrUnusable) {
		db.fatal(err)
	}
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
	f, err := openDirect(db.file.Path())
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read the database: %w", err)
	}
	defer f.Close()
	damagedBuckets = map[string]bool{}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	pace = db.hurried(pace, giveUp)
	err = db.pinned(func(h *heads, m commitMeta) error {
		for i, wrong := range h.wrong {
			if wrong != "" {
				report(Finding{Of: OfPage, Page: int64(i), Reason: "it leads to a commit, and " + wrong})
			} else if oddHead(h.raw[i], uint64(i)) {
				report(Finding{Of: OfPage, Page: int64(i), Reason: "it leads to a commit, and its head is wrong"})
			}
		}
		s := newChecksumWalk(report)
		w := &structure{file: &pageFile{from: f, size: m.pageSize, pages: m.pages, pace: pace}, ctx: ctx, report: report, visit: s.visit}
		err := w.walk(m)
		if err == nil {
			s.end(w.damagedBuckets)
		}
		damagedBuckets, records = w.damagedBuckets, s.read
		return err
	})
	return damagedBuckets, records, err
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

// ErrMuchWritten says that a walk through the pages of the file was given up.
var ErrMuchWritten = errors.New("cannot go through the pages of the database while so much is written")

// mostPinned is how many pages may be waiting for a walk to end. They make the file larger, and
// bbolt writes the list of all free pages in every commit: with 4,096, which is 16 MiB of pages,
// that takes a fraction of a millisecond, and with a million some 70 milliseconds.
const mostPinned = 1 << 12

// hurried is the pace of a walk through pages that stay as they are until it ends.
func (db *DB) hurried(pace func(int), giveUp context.CancelCauseFunc) func(int) {
	read, late := 0, false
	return func(n int) {
		if read += n; read >= 256<<10 {
			read = 0
			waiting := db.file.Stats().PendingPageN
			if late = waiting > db.mostPinned/4; waiting > db.mostPinned {
				giveUp(ErrMuchWritten)
			}
		}
		if !late {
			pace(n)
		}
	}
}

// pinned calls fn with the metas of the file while the pages of the newest of them stay as
// they are.
func (db *DB) pinned(fn func(*heads, commitMeta) error) error {
	f, err := os.Open(db.file.Path())
	if err != nil {
		return fmt.Errorf("cannot read the database: %w", err)
	}
	defer f.Close()
	const looks = 100 // between two of them others may have committed more than once
	for range looks {
		found := false
		err := db.file.View(func(tx *bbolt.Tx) error {
			h, err := readHeads(f)
			if err != nil {
				return fmt.Errorf("cannot read the database: %w", err)
			}
			for i, m := range h.meta {
				if h.wrong[i] == "" && m.commit == uint64(tx.ID()) {
					found = true
					return fn(h, m)
				}
			}
			return nil
		})
		if err != nil || found {
			return err
		}
	}
	return fmt.Errorf("cannot read the database: %w", errNoMeta)
}

// FileSize is how many bytes the file of the database has, 0 where it is not in a file.
func (db *DB) FileSize() int64 {
	if db.file == nil {
		return 0
	}
	info, err := os.Stat(db.file.Path())
	if err != nil {
		return 0
	}
	return info.Size()
}

// Table is the name of the table, the index or the documents, without what marks its kind.
func (f Finding) Table() string {
	if _, name, ok := strings.Cut(f.Bucket, ":"); ok {
		return name
	}
	return f.Bucket
}

// KeyText is the key as people know it, blank for none. What would let somebody in, as the
// token of an upload, is told by the beginning of its SHA-256 only.
func (f Finding) KeyText() string {
	switch {
	case len(f.Key) == 0:
		return ""
	case f.Of == OfIndex && (f.Bucket == FilesByToken.bucketName() || strings.HasPrefix(f.Bucket, "i:"+PrivateLinks.name+".")):
		sum := payloadHash(f.Key)
		return fmt.Sprintf("sha256-%x", sum[:8])
	}
	text := KeyText(f.Table(), f.Key)
	if strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Sprintf("%x", f.Key)
	}
	return text
}

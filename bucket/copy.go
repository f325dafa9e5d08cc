package bucket

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"alcove/bucket/bolt"
	"alcove/bucket/changelog"
	"alcove/bucket/compaction"
	"alcove/bucket/damage"
	"alcove/bucket/identity"
	"alcove/bucket/kv"
)

// positionOf is where the log ends in a transaction.
func positionOf(tx kv.Tx) changelog.Head {
	log := tx.Bucket(logBucket)
	p := changelog.Head{Sequence: log.Sequence()}
	if k, v := kv.First(log.Descend(nil)); k != nil {
		p.Hash = changelog.Hash(k, v)
	}
	return p
}

// CopyTo writes the database to w as one commit left it, while others go on writing. The pages
// are read from the file, not through the map, a MiB at a time. Until it returns, no page that
// the copy has is used again, so the file grows by what is written meanwhile.
func (db *DB) CopyTo(ctx context.Context, w io.Writer) (p changelog.Head, err error) {
	if db.file == nil {
		return p, errors.New("cannot copy the database: it is not in a file")
	}
	err = kv.View(db.kv, func(tx kv.Tx) error {
		p = positionOf(tx)
		return db.file.CopyTo(ctx, tx, w)
	})
	if err != nil {
		return p, fmt.Errorf("cannot copy the database: %w", err)
	}
	return p, nil
}

// Copy is a copy of a database, open for reading only. Its methods turn damage in the middle
// of a page, which would end the program, into errors.
type Copy struct {
	kv   *bolt.Store
	view *DB
}

// OpenCopy opens a copy that open opens with the given flags.
func OpenCopy(open func(flag int) (*os.File, error)) (c *Copy, err error) {
	defer survive(&err)()
	s, err := bolt.OpenCopy(open)
	if err != nil {
		return nil, err
	}
	err = kv.View(s, func(tx kv.Tx) error {
		err := checkFormat(tx.Bucket(metaBucket))
		if err == nil && tx.Bucket(logBucket) == nil {
			err = errors.New("it has no change log")
		}
		if err != nil {
			return fmt.Errorf("cannot use the copy of the database: %w", err)
		}
		return nil
	})
	if err != nil {
		s.Close()
		return nil, err
	}
	return &Copy{kv: s, view: &DB{kv: s, file: s, clock: time.Now}}, nil
}

// survive makes errors of panics and of faults in the map of a file.
func survive(err *error) func() {
	was := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(was)
		if p := recover(); p != nil {
			*err = fmt.Errorf("cannot read the copy of the database: %v", p)
		}
	}
}

// Close closes the copy.
func (c *Copy) Close() error { return c.kv.Close() }

// changelog.Head is where the change log of the copy ends.
func (c *Copy) Position() (p changelog.Head, err error) {
	defer survive(&err)()
	err = kv.View(c.kv, func(tx kv.Tx) error {
		p = positionOf(tx)
		return nil
	})
	return p, err
}

// repositoryName is the id of a store whose program kept none: it tells nothing of the secret.
func repositoryName(secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("the name of a repository in its backups"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Verify reads every record of the copy and the chain of its change log, and calls report for
// each record that is damaged; the chain is broken where the error is ErrChain.
func (c *Copy) Verify(ctx context.Context, report func(*damage.Error)) (read int64, err error) {
	defer survive(&err)()
	damagedLog := false
	read, err = c.view.Verify(ctx, func(int) {}, func(d *damage.Error) {
		damagedLog = damagedLog || d.Bucket == logBucket
		report(d)
	})
	if err != nil || damagedLog { // then the chain is broken there, and that is told
		return read, err
	}
	return read, c.view.View((*Tx).CheckChain)
}

// Compact writes the database of a data directory again, without its free pages and with what is
// left in order. It fails with ErrInUse when another process holds it, with ErrUnusable when
// anything in it is damaged, and with ErrNoSpace when the disk has too little room for both
// files. Then, and whenever it is interrupted, the old file is there as it was, unless it is one
// of an older program, which is prepared first, as by Open.
func Compact(ctx context.Context, dir string, o compaction.Options) (r compaction.Result, err error) {
	if err := identity.Admit(dir); err != nil {
		return r, err
	}
	path, err := filepath.EvalSymlinks(filepath.Join(dir, FileName)) // a link to it stays one
	if err != nil {
		return r, fmt.Errorf("cannot compact the database: %w", err)
	}
	b, err := bolt.Open(path, plantNoSync)
	if err != nil {
		return r, err
	}
	defer b.Close()
	if _, err := bolt.Examine(path, examinedFirst); err != nil {
		return r, err
	}
	if err := (&DB{kv: b, clock: time.Now}).prepareGuarded(dir, ""); err != nil {
		return r, err
	}
	o.Check = checkContents
	return b.Compact(ctx, o)
}

// checkContents sees all that stands in a file, and says what of it is damaged or missing.
func checkContents() (see func(bucket string, k, v []byte), end func() error) {
	var damaged *damage.Finding
	s := newChecksumWalk(func(f damage.Finding) {
		if damaged == nil {
			damaged = &f
		}
	})
	return s.visit, func() error {
		if damaged == nil {
			s.end(map[string]bool{})
		}
		if damaged == nil {
			return nil
		}
		return found{*damaged}
	}
}

// found is what is damaged in a file, as an error.
type found struct{ damage.Finding }

func (f found) Error() string {
	if f.Key != nil {
		return fmt.Sprintf("%s %s of %s: %s", f.Of, f.KeyText(), f.Table(), f.Reason)
	}
	return f.Finding.String()
}

// largeFile is the size from which on a file is worth a look: the lists of free pages of smaller
// ones cost a commit less than half a millisecond.
const largeFile = 64 << 20

// Free is how many bytes of the file are in pages that nothing uses, and how many it has.
func (db *DB) Free() (free, size int64) {
	if db.file == nil {
		return 0, 0
	}
	return db.file.Free(), db.FileSize()
}

// WorthCompacting reports whether more than half of a large file is free.
func (db *DB) WorthCompacting() bool {
	free, size := db.Free()
	return size >= largeFile && free > size/2
}

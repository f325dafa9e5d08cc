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
	"runtime/debug"
	"time"

	"alcove/bucket/bolt"
	"alcove/bucket/kv"
	"alcove/record"
)

// Unfinished is the name of a file in a data directory whose restore has not come to its end.
// Open refuses such a directory: what is there is not all of it.
const Unfinished = "restore.unfinished"

// ErrUnfinished says that a data directory is the beginning of a restore.
var ErrUnfinished = errors.New("a restore into this data directory did not come to its end; run alcove restore again")

// Position is a place in the change log: everything up to it happened, nothing behind it.
type Position struct {
	Sequence uint64
	Head     [32]byte // hash of the entry with that sequence, zero when there is none
}

// positionOf is where the log ends in a transaction.
func positionOf(tx kv.Tx) Position {
	log := tx.Bucket(logBucket)
	p := Position{Sequence: log.Sequence()}
	if k, v := kv.First(log.Descend(nil)); k != nil {
		p.Head = entryHash(k, v)
	}
	return p
}

// CopyTo writes the database to w as one commit left it, while others go on writing. The pages
// are read from the file, not through the map, a MiB at a time. Until it returns, no page that
// the copy has is used again, so the file grows by what is written meanwhile.
func (db *DB) CopyTo(ctx context.Context, w io.Writer) (p Position, err error) {
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

// Position is where the change log of the copy ends.
func (c *Copy) Position() (p Position, err error) {
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
func (c *Copy) Verify(ctx context.Context, report func(*DamagedError)) (read int64, err error) {
	defer survive(&err)()
	damagedLog := false
	read, err = c.view.Verify(ctx, func(int) {}, func(d *DamagedError) {
		damagedLog = damagedLog || d.Bucket == logBucket
		report(d)
	})
	if err != nil || damagedLog { // then the chain is broken there, and that is told
		return read, err
	}
	return read, c.view.View(CheckChain)
}

// BlobName is a blob that the records of a copy name.
type BlobName struct {
	SHA256   string
	Size     int64   // bytes as recorded, -1 when no record tells
	Files    []int64 // the first of those that have it
	Finished bool    // false while its bytes may be under way: they came to no client yet
}

// blobsAtOnce is how many blobs are looked up together.
const blobsAtOnce = 256

// Blobs calls fn for every blob that a record of the copy names, in the order of their digests.
// Names stand in an index; what published and withdrawn files name is looked up there, and added
// where it is not found.
func (c *Copy) Blobs(ctx context.Context, fn func(BlobName) error) (err error) {
	defer survive(&err)()
	return c.view.View(func(tx *Tx) error {
		extra, err := unindexed(ctx, tx)
		if err != nil {
			return err
		}
		for after := ""; ; {
			uses := BlobsAfter(tx, after, blobsAtOnce)
			for _, use := range uses {
				for len(extra) > 0 && extra[0].SHA256 < use.SHA256 {
					if err := fn(extra[0]); err != nil {
						return err
					}
					extra = extra[1:]
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := fn(nameOf(tx, use)); err != nil {
					return err
				}
			}
			if len(uses) == 0 {
				break
			}
			after = uses[len(uses)-1].SHA256
		}
		for _, name := range extra {
			if err := fn(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// nameOf tells what the files say that have a blob. Only if all of them were read and none is
// finished its bytes may be under way.
func nameOf(tx *Tx, use BlobUse) BlobName {
	n := BlobName{SHA256: use.SHA256, Size: -1, Files: use.Files, Finished: use.Uses > len(use.Files)}
	for _, id := range use.Files {
		f, err := Files.Get(tx, id)
		if err != nil {
			n.Finished = true // perhaps it was
			continue
		}
		n.Size = f.Size
		n.Finished = n.Finished || f.Status != record.FileMoving
	}
	return n
}

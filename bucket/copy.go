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
	"slices"
	"strings"
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

// maxUnindexed bounds how many blobs Blobs finds that no index has: all of them are kept in
// memory. Each is a sign of damage.
const maxUnindexed = 1_000_000

// unindexed are the blobs that records name though the index of blobs does not have them, in
// the order of their digests. Records that cannot be read are passed over.
func unindexed(ctx context.Context, tx *Tx) ([]BlobName, error) {
	found := map[string]BlobName{}
	note := func(file int64, sha string, size int64) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if sha == "" {
			return nil
		}
		if _, there := FilesByBlob.First(tx, SortKey(sha)); there {
			return nil
		}
		n := found[sha]
		n.SHA256, n.Size, n.Finished = sha, size, true
		if len(n.Files) < maxUses && !slices.Contains(n.Files, file) {
			n.Files = append(n.Files, file)
		}
		if found[sha] = n; len(found) > maxUnindexed {
			return errors.New("cannot tell which files belong to the copy: too many are in no index")
		}
		return nil
	}
	err := errors.Join(
		eachReadable(tx, Files, func(f *record.File) error { return note(f.ID, f.SHA256, f.Size) }),
		eachReadable(tx, &PublicFiles.Table, func(f *record.PublicFile) error { return note(f.ID, f.SHA256, f.Size) }),
		eachReadable(tx, WithdrawnFiles, func(f *record.PublicFile) error { return note(f.ID, f.SHA256, f.Size) }),
	)
	if err != nil {
		return nil, err
	}
	list := make([]BlobName, 0, len(found))
	for _, n := range found {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b BlobName) int { return strings.Compare(a.SHA256, b.SHA256) })
	return list, nil
}

// eachReadable calls fn for the records of a table that are whole.
func eachReadable[K, R any](tx *Tx, t *Table[K, R], fn func(*R) error) error {
	if tx.kv.Bucket(t.bucketName()) == nil {
		return fmt.Errorf("cannot use the copy of the database: it has no %s; another version of the program has made it", t.name)
	}
	for k, v := range tx.bucket(t.bucketName()).Ascend(nil) {
		r, err := t.decode(k, v)
		if err != nil {
			continue
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// ForgetParts forgets which parts of uploads have arrived: their bytes are in no backup, so all
// of them must be sent again. The change log does not have them.
func (db *DB) ForgetParts(ctx context.Context) error {
	for {
		var keys []Pair
		err := db.View(func(tx *Tx) error {
			for row, err := range Parts.All(tx, nil) {
				if err != nil {
					return err
				}
				if keys = append(keys, row.Key); len(keys) == 1000 {
					break
				}
			}
			return nil
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		err = db.Update(ctx, 0, func(tx *Tx) error {
			for _, k := range keys {
				if err := Parts.Delete(tx, k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("cannot forget the parts of uploads: %w", err)
		}
	}
}

// The types of Compact; see bolt.Compaction.
type (
	Compaction = bolt.Compaction
	Compacted  = bolt.Compacted
)

// Stages of Compact, in their order. Until the last one has begun it can be interrupted.
const (
	StageLook    = bolt.StageLook
	StageCopy    = bolt.StageCopy
	StageCompare = bolt.StageCompare
	StageReplace = bolt.StageReplace
)

// Compact writes the database of a data directory again, without its free pages and with what is
// left in order. It fails with ErrInUse when another process holds it, with ErrUnusable when
// anything in it is damaged, and with ErrNoSpace when the disk has too little room for both
// files. Then, and whenever it is interrupted, the old file is there as it was, unless it is one
// of an older program, which is prepared first, as by Open.
func Compact(ctx context.Context, dir string, o Compaction) (r Compacted, err error) {
	if err := Admit(dir); err != nil {
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
func checkContents() (bolt.Visitor, func() error) {
	var damaged *Finding
	s := newChecksumWalk(func(f Finding) {
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
type found struct{ Finding }

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

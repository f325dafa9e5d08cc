package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"alcove/bucket/compaction"
	"alcove/bucket/damage"
	"alcove/bucket/kv"
	"go.etcd.io/bbolt"
)

// bbolt never gives pages back: a file that has grown stays as it is, and the list of its free
// pages is written with every commit. Compact makes a file again that has none,
//
//	DIR/.new-db-compact   beside the old one, whose lock it holds meanwhile
//
// which takes the old one's name once it is on the disk and was compared with it. Whatever an
// interrupted run leaves there is removed by the next one and by Open; it is never read.
const halfName = ".new-db-compact"

// Compact writes a file again that is open and that no other goroutine uses, without its free pages and
// with what is left in order. It fails with damage.ErrUnusable when anything in it is damaged, and with
// kv.ErrNoSpace when the disk has too little room for both files. Then, and whenever it is
// interrupted, the old file is there as it was.
func (s *Store) Compact(ctx context.Context, o compaction.Options) (compaction.Result, error) {
	if err := RemoveLeft(s.Path()); err != nil {
		return compaction.Result{}, err
	}
	c := &compacting{ctx: ctx, Options: o, path: s.Path(), old: s, file: s.File}
	err := c.run()
	return c.Result, err
}

// half is where the new file of a database is made: beside it, wherever a link leads.
func half(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Join(filepath.Dir(path), halfName)
}

// RepairPrefix is what the name of a file begins with that a repair is making, beside the database.
const RepairPrefix = ".new-db-mended-"

// RemoveLeft removes what an interrupted compaction or repair has left. The caller holds the lock on the
// database.
func RemoveLeft(path string) error {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	left := []string{half(path)}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), RepairPrefix) {
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	for _, name := range left {
		if gone := os.Remove(name); !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	if err != nil {
		return fmt.Errorf("cannot remove what an interrupted command has left: %w", err)
	}
	return nil
}

var errInterrupted = errors.New("interrupted; the database is as it was")

// compaction is a database that is being written again.
type compacting struct {
	compaction.Options
	compaction.Result
	ctx  context.Context
	path string
	old  *Store
	file *os.File // of the old one
}

func (c *compacting) run() (err error) {
	h, err := readHeads(c.file)
	if err != nil {
		return fmt.Errorf("cannot read the database: %w", err)
	}
	m, ok := h.newest()
	if !ok {
		return fmt.Errorf("cannot compact the database %s: %w%s", c.path, errNoMeta, Restore)
	}
	info, err := c.file.Stat()
	if err != nil {
		return fmt.Errorf("cannot look at the database: %w", err)
	}
	c.Before, c.Free = info.Size(), int64(c.old.Stats().FreePageN)*m.pageSize
	inUse := int64(m.pages)*m.pageSize - c.Free
	if err := c.checkSpace(inUse); err != nil {
		return err
	}
	was, err := c.contents(compaction.StageLook, c.file, m, inUse)
	if err != nil {
		return c.unusable(err)
	}
	c.Entries = was.keys
	defer func() {
		if err != nil {
			os.Remove(half(c.path))
		}
	}()
	n, err := c.begin(info)
	if err != nil {
		return err
	}
	defer n.db.Close()
	if err := c.fill(n, m, inUse); err != nil {
		return err
	}
	if err := c.compare(n, was); err != nil {
		return err
	}
	return c.replace()
}

// checkSpace fails when the disk has not enough of it for a file of so many bytes in use. A leaf or two
// may be less full than before, and the list of free pages is one again.
func (c *compacting) checkSpace(inUse int64) error {
	need := inUse + inUse/8 + PreallocStep
	s, err := DiskSpace(c.file)
	switch {
	case err != nil:
		return fmt.Errorf("cannot tell what is free on the disk: %w", err)
	case s.ReadOnly:
		return fmt.Errorf("cannot compact the database: %w", kv.ErrReadOnly)
	case s.Free-c.Floor < need:
		return fmt.Errorf("cannot compact the database: beside the old file the new one needs up to %d MiB, and %d MiB stay free (disk_floor), but only %d MiB are free: %w",
			mib(need), mib(c.Floor), s.Free>>20, kv.ErrNoSpace)
	}
	return nil
}

// mib is a number of bytes in MiB, rounded up.
func mib(n int64) int64 { return (n + 1<<20 - 1) >> 20 }

// through goes through a file, and fails at the first page that is not as it should be.
func (c *compacting) through(ctx context.Context, stage string, from io.ReaderAt, m commitMeta, all int64, visit Visitor) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var first error
	done := int64(0)
	c.note(stage, 0, all)
	pace := func(n int) {
		if done += int64(n); (done-int64(n))>>19 != done>>19 {
			c.note(stage, min(done, all), all)
		}
	}
	err := walkFile(ctx, from, m, pace, visit, func(d Damage) {
		if first == nil {
			first = damaged{errors.New(d.String())}
			stop(first)
		}
	})
	if first == nil && c.ctx.Err() != nil {
		return errInterrupted
	}
	return cmp.Or(first, err)
}

func (c *compacting) note(stage string, done, all int64) {
	if c.Note != nil {
		c.Note(stage, done, all)
	}
}

// contents goes through a file and gives what it holds, which must be whole.
func (c *compacting) contents(stage string, from io.ReaderAt, m commitMeta, all int64) (*contents, error) {
	s := &contents{buckets: map[string]*bucketSum{}}
	see, end := c.Check()
	err := c.through(c.ctx, stage, from, m, all, func(bucket string, k, v []byte) {
		see(bucket, k, v)
		s.visit(bucket, k, v)
	})
	if err != nil {
		return nil, err
	}
	if err := end(); err != nil {
		return nil, damaged{err}
	}
	return s, nil
}

// damaged is an error that says what is damaged in a file.
type damaged struct{ error }

func (d damaged) Unwrap() error { return d.error }

// unusable says what to do when it is the old file that is damaged.
func (c *compacting) unusable(err error) error {
	if errors.As(err, new(damaged)) {
		return fmt.Errorf("cannot compact the database %s: %w: %w%s", c.path, err, damage.ErrUnusable, Restore)
	}
	return err
}

// begin makes the new file, with the mode and the owner of the old one.
func (c *compacting) begin(old os.FileInfo) (n *filling, err error) {
	n = &filling{}
	o := &bbolt.Options{Timeout: time.Second, FreelistType: bbolt.FreelistMapType, NoSync: true, NoGrowSync: true}
	o.OpenFile = func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
		n.file, err = os.OpenFile(name, flag|os.O_CREATE|os.O_EXCL, mode)
		return n.file, err
	}
	if runtime.GOOS != "windows" { // there the file would grow to this size at once
		o.InitialMmapSize = mapSize(c.path)
	}
	n.db, err = bbolt.Open(half(c.path), 0o600, o)
	if err != nil {
		return nil, fmt.Errorf("cannot make the new database: %w", err)
	}
	if err = n.file.Chmod(old.Mode().Perm()); err == nil {
		err = sameOwner(n.file, old)
	}
	if err != nil {
		n.db.Close()
		return nil, fmt.Errorf("cannot give the new database the owner and mode of the old one: %w", err)
	}
	return n, nil
}

// fill copies all that is in the old file, and sees to it that it is on the disk.
func (c *compacting) fill(n *filling, m commitMeta, inUse int64) error {
	ctx, stop := context.WithCancelCause(c.ctx)
	defer stop(nil)
	err := Guarded(func() error {
		err := c.through(ctx, compaction.StageCopy, c.file, m, inUse, func(bucket string, k, v []byte) {
			if n.visit(bucket, k, v); n.err != nil {
				stop(n.err)
			}
		})
		if err = cmp.Or(n.err, err); err != nil {
			return err
		}
		return n.commit()
	})
	if err != nil {
		n.drop()
		if NoSpace(err) {
			err = fmt.Errorf("%w (%w)", kv.ErrNoSpace, err)
		}
		return c.unusable(fmt.Errorf("cannot fill the new database: %w", err))
	}
	if err := n.file.Sync(); err != nil {
		return fmt.Errorf("cannot sync the new database: %w", err)
	}
	return nil
}

// compare reads the new file, from the disk where the system allows it, as Open and a check do, and
// fails unless it is whole and has what the old one has.
func (c *compacting) compare(n *filling, was *contents) error {
	wrong := func(why error) error { return fmt.Errorf("cannot trust the new database: %w; the old one stays", why) }
	if err := inspect(half(c.path)); err != nil {
		return wrong(err)
	}
	f, err := openDirect(half(c.path))
	if err != nil {
		return wrong(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return wrong(err)
	}
	c.After = info.Size()
	h, err := readHeads(n.file)
	if err != nil {
		return wrong(err)
	}
	m, ok := h.newest()
	if !ok {
		return wrong(errNoMeta)
	}
	is, err := c.contents(compaction.StageCompare, f, m, c.After)
	if err != nil {
		return wrong(err)
	}
	if why := was.differ(is); why != "" {
		return wrong(errors.New(why))
	}
	return nil
}

// replace gives the new file the name of the old one. Both are locked until the directory is
// on the disk, too: a file whose name may not last must not be written.
func (c *compacting) replace() error {
	c.note(compaction.StageReplace, 0, 1)
	if c.ctx.Err() != nil {
		return errInterrupted
	}
	if err := os.Rename(half(c.path), c.path); err != nil {
		return fmt.Errorf("cannot put the new database in its place: %w", err)
	}
	err := SyncDir(filepath.Dir(c.path))
	c.note(compaction.StageReplace, 1, 1)
	return err
}

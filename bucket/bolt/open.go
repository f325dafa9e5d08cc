package bolt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"alcove/bucket/kv"
	"alcove/bucket/lock"
	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Restore says what to do about a file that cannot be used.
const Restore = "; restore it from a backup with alcove restore"

var errEmpty = errors.New("the file is empty")

// Open opens a file that is whole as far as one can tell without reading all of it. It fails with
// lock.ErrInUse when another process has it. bbolt panics when its list of free pages is damaged.
func Open(path string, noSync bool) (s *Store, err error) {
	var file *os.File
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	unusable := func(why error) error { return fmt.Errorf("cannot open the database %s: %w%s", path, why, Restore) }
	defer func() {
		if p := recover(); p != nil {
			why := inspect(path)
			if why == nil {
				why = fmt.Errorf("its list of free pages is damaged (%v)", p)
			}
			file.Close()
			err = unusable(why)
		}
	}()
	o := &bbolt.Options{Timeout: 200 * time.Millisecond, FreelistType: bbolt.FreelistMapType, NoSync: noSync}
	o.OpenFile = func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
		file, err = os.OpenFile(name, flag, mode)
		return file, err
	}
	if runtime.GOOS != "windows" { // there the file would grow to this size at once
		o.InitialMmapSize = mapSize(path)
	}
	if info, err := os.Stat(path); err == nil && info.Size() == 0 { // bbolt would make a new one of it
		return nil, unusable(errEmpty)
	}
	b, err := bbolt.Open(path, 0o600, o)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, lock.ErrInUse
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return nil, unusable(fmt.Errorf("it is not one of Alcove's, or both of its first pages are damaged (%w)", err))
	case err != nil:
		return nil, fmt.Errorf("cannot open the database %s: %w", path, err)
	}
	if replaced(path, file) { // while its lock was waited for, see Compact
		b.Close()
		return Open(path, noSync)
	}
	if err := inspect(path); err != nil { // only now: the lock keeps other writers out
		b.Close()
		return nil, unusable(err)
	}
	return &Store{DB: b, File: file}, nil
}

// mapSize is how many bytes of address space the map of a database takes: while a transaction
// that reads for long is open, as that of a backup, the map cannot grow, and writers wait.
func mapSize(path string) int {
	size := int64(0)
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	if math.MaxInt == math.MaxInt32 {
		return 1 << 30
	}
	return int(max(1<<30, 2*size))
}

// OpenToRead opens a file as it is, for reading only.
func OpenToRead(path string) (s *Store, err error) {
	if err := inspect(path); errors.Is(err, errEmpty) { // bbolt would make a database of it
		return nil, fmt.Errorf("cannot open the database %s: %w%s", path, err, Restore)
	}
	err = Guarded(func() (err error) {
		b, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: 200 * time.Millisecond})
		s = &Store{DB: b}
		return err
	})
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, lock.ErrInUse
	case err != nil:
		return nil, fmt.Errorf("cannot open the database %s: %w%s", path, err, Restore)
	}
	return s, nil
}

// OpenCopy opens a copy, for reading only, that open opens with the given flags.
func OpenCopy(open func(flag int) (*os.File, error)) (*Store, error) {
	b, err := bbolt.Open("copy", 0o600, &bbolt.Options{
		ReadOnly: true, Timeout: time.Second,
		OpenFile: func(_ string, flag int, _ os.FileMode) (*os.File, error) { return open(flag) },
	})
	if err != nil {
		return nil, fmt.Errorf("cannot open the copy of the database: %w", err)
	}
	return &Store{DB: b}, nil
}

// Make makes a file whose commits are not synced.
func Make(path string) (*Store, error) {
	b, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return nil, err
	}
	return &Store{DB: b}, nil
}

// Create makes a database with what fill stores under a temporary name in dir, and gives it its own
// name only when it is whole and on the disk, so that a crash in the first start leaves nothing.
func Create(dir, path string, fill func(kv.Tx) error) error {
	tmp, err := os.CreateTemp(dir, ".new-db-*")
	if err != nil {
		return fmt.Errorf("cannot create the database: %w", err)
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	b, err := bbolt.Open(tmp.Name(), 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		return fmt.Errorf("cannot create the database: %w", err)
	}
	err = kv.Update(&Store{DB: b}, fill)
	if err == nil {
		err = b.Sync()
	}
	if cerr := b.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("cannot create the database: %w", err)
	}
	// A link fails where a name exists, so two first starts cannot replace each other's file.
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, os.ErrExist) {
		if err := os.Rename(tmp.Name(), path); err != nil {
			return fmt.Errorf("cannot create the database: %w", err)
		}
	}
	return SyncDir(dir)
}

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("cannot open %s: %w", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && runtime.GOOS != "windows" {
		return fmt.Errorf("cannot sync %s: %w", dir, err)
	}
	return nil
}

// Guarded makes an error of whatever bbolt does when it meets a damaged page.
func Guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errStructure, p)
		}
	}()
	return fn()
}

// inspect looks at a file that no process writes to, and tells what is wrong with its first two
// pages, which say in turn where the last transaction stands. When one of them is damaged bbolt goes
// on from the other without a word, and the last commit is lost if the damaged one was newer, which
// cannot be told.
func inspect(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return errEmpty
	}
	h, err := readHeads(f)
	if err != nil {
		return err
	}
	switch {
	case h.wrong[0] != "" && h.wrong[1] != "":
		return errors.New("it is not one of Alcove's, or both of its first pages are damaged")
	case h.wrong[0] != "":
		return errors.New("its first page is damaged, so that its last commit may be missing")
	case h.wrong[1] != "":
		return errors.New("its second page is damaged, so that its last commit may be missing")
	}
	if least := int64(max(h.meta[0].pages, h.meta[1].pages)) * h.meta[0].pageSize; info.Size() < least {
		return fmt.Errorf("the file is cut off: it has %d bytes of %d", info.Size(), least)
	}
	return nil
}

// replaced reports whether the name of an open file leads to another one by now.
func replaced(path string, f *os.File) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && !os.SameFile(is, there)
}

// Damaged is a file that may be damaged anywhere, locked and opened to be read page by page.
type Damaged struct {
	Told string // what is wrong with the pages that lead to all others, blank for nothing
	file *os.File
	meta commitMeta
}

// OpenDamaged opens such a file. It fails with lock.ErrInUse when another process has it.
func OpenDamaged(path string) (d *Damaged, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := lock.Take(f); err != nil {
		return nil, err
	}
	if replaced(path, f) {
		return nil, lock.ErrInUse
	}
	h, err := readHeads(f)
	if err != nil {
		return nil, err
	}
	m, why, ok := h.best()
	if !ok {
		return nil, fmt.Errorf("cannot read %s: %w%s", path, errNoMeta, Restore)
	}
	return &Damaged{Told: why, file: f, meta: m}, nil
}

// Walk tells visit all that can be read. It fails only when its context ends.
func (d *Damaged) Walk(ctx context.Context, visit Visitor, report func(Damage)) error {
	return walkFile(ctx, d.file, d.meta, nil, visit, report)
}

// Close gives the lock back.
func (d *Damaged) Close() error { return d.file.Close() }

// best is the meta of the newest commit, put right when one bit of it flipped.
func (h *heads) best() (m commitMeta, told string, ok bool) {
	m, ok = h.newest()
	for i, wrong := range h.wrong {
		if wrong == "" {
			continue
		}
		_, repaired, can := repairMeta(h.raw[i], uint64(i))
		switch {
		case can && (!ok || repaired.commit > m.commit):
			m, told, ok = repaired, fmt.Sprintf("page %d leads to the last commit; the bit of it that flipped was put right", i), true
		case !can && ok:
			told = fmt.Sprintf("page %d cannot be read (%s); if it led to the last commit, that commit is lost", i, wrong)
		}
	}
	return m, told, ok
}

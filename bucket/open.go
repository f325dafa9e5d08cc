package bucket

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"alcove/bucket/bolt"
	"alcove/bucket/kv"
)

// restore says what to do about a database that cannot be used.
const restore = "; restore it from a backup with alcove restore"

// openBolt opens a file that is whole as far as one can tell without reading all of it. bbolt
// panics when its list of free pages is damaged.
func openBolt(path string) (s *bolt.Store, err error) {
	var file *os.File
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	unusable := func(why error) error { return fmt.Errorf("cannot open the database %s: %w%s", path, why, restore) }
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
	o := &bbolt.Options{Timeout: 200 * time.Millisecond, FreelistType: bbolt.FreelistMapType, NoSync: plantNoSync}
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
		return nil, ErrInUse
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		return nil, unusable(fmt.Errorf("it is not one of Alcove's, or both of its first pages are damaged (%w)", err))
	case err != nil:
		return nil, fmt.Errorf("cannot open the database %s: %w", path, err)
	}
	if replaced(path, file) { // while its lock was waited for, see Compact
		b.Close()
		return openBolt(path)
	}
	if err := inspect(path); err != nil { // only now: the lock keeps other writers out
		b.Close()
		return nil, unusable(err)
	}
	s = bolt.Of(b)
	s.File = file
	return s, nil
}

// mapSize is how many bytes of address space the map of a database takes: while a transaction
// that reads for long is open, as that of a backup, the map cannot grow, and who writes waits.
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

// create makes an empty database under a temporary name and gives it its own name only
// when it is whole and on the disk, so that a crash in the first start leaves nothing.
func create(dir, path string) error {
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
	err = kv.Update(bolt.Of(b), putFormat)
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
	return syncDir(dir)
}

func syncDir(dir string) error {
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

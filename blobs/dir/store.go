// Package dir keeps blobs in a directory: bytes that never change, each sequence once, named by its
// SHA-256 digest.
//
// On disk, below the data directory DIR:
//
//	DIR/blobs/         0700
//	    2c/            0700, the first two hex digits of the digest; made when first needed
//	        f24dba…    0600, the other 62 digits; the bytes, nothing else
//	    tmp/           0700, what Put is writing; emptied by Open
//	    damaged/       0700, a note 2cf24dba… (JSON) of each blob that was found damaged, and
//	                   2cf24dba….TIME, damaged bytes in whose place whole ones came since
//	DIR/sums/2c/f24…   0600, the CRC-32 of each MiB of a blob of more than one; derived, see Keep
//
// A file appears at its final name only by rename, after its bytes were synced under another name,
// so whatever has a digest for a name is whole. A new blob counts once its directory is synced too:
// Adopt and Put return after that, and only then may a record point at it. Removing goes the other
// way round: first the record, then, much later, the blob. A crash leaves at worst a blob
// that no record names.
//
// Everything is reached through one os.Root on DIR, so no name leads out of it. The package knows
// nothing of records, and one process at a time may have DIR open: the opener of the store holds
// the lock of the data directory.
package dir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"alcove/blobs"
	"alcove/latency"
)

const (
	top   = "blobs"
	temp  = top + "/tmp"
	probe = "probe"
)

var _ blobs.Store = (*Store)(nil)

// Store is the blobs of one data directory. Its methods may be called from many goroutines.
type Store struct {
	root      *os.Root
	shards    [256]shard
	damaged   damages
	checked   checked
	openFiles openFiles
	measuring chan struct{} // holds one while a blob is read to make its marks
	freeing   sync.WaitGroup
	held      leases
	now       func() time.Time
	syncs     latency.Histogram
}

// Clock makes the store date blobs by a clock, that by which its sweeper decides: the machine's may
// be set meanwhile. It is called before anything is stored.
func (s *Store) Clock(now func() time.Time) { s.now = now }

// shard guards one of the 256 directories: Adopt, Put and Remove of its blobs take turns.
type shard struct {
	sync.Mutex
	dir     atomic.Pointer[os.Root] // open once a blob was read there, for reading
	durable bool                    // the directory exists and DIR/blobs was synced after that, in this process
	filled  bool                    // Fill has put names there that are not synced
}

// Open opens the store of the data directory dir, and makes and syncs dir and dir/blobs when they
// are missing (the parent of dir must exist). It refuses when dir, dir/blobs or dir/blobs/tmp is
// something other than a directory; a symbolic link inside dir counts as something else. It empties
// dir/blobs/tmp, but scans nothing besides, so it costs the same with any number of blobs.
func Open(dir string) (*Store, error) {
	switch err := os.Mkdir(dir, 0o700); {
	case err == nil:
		if err := syncParent(dir); err != nil {
			return nil, fmt.Errorf("cannot create data directory %s: %w", dir, err)
		}
	case !errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("cannot create data directory: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open data directory: %w", err)
	}
	s := &Store{root: root, measuring: make(chan struct{}, 1), now: time.Now}
	if err := errors.Join(s.makeDir(top), s.makeDir(temp), s.emptyTemp(), s.loadDamages()); err != nil {
		root.Close()
		return nil, fmt.Errorf("cannot open blobs of %s: %w", dir, err)
	}
	return s, nil
}

// View opens the store of a data directory to read blobs beside a process that has it open. It makes
// and removes nothing.
func View(dir string) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open data directory: %w", err)
	}
	return &Store{root: root, measuring: make(chan struct{}, 1), now: time.Now}, nil
}

// Close lets go of the data directory. Files that Open returned stay readable.
func (s *Store) Close() error {
	s.freeing.Wait()
	s.openFiles.dropAll()
	s.closeShards()
	return s.root.Close()
}

// Stage makes DIR/name, one level below the data directory, a place to adopt files from, and
// returns a root confined to it that the caller closes. It proves by renaming a probe that files
// there can be moved into the store without copying, and fails when DIR/name is on another file
// system (a mount point): that must come out at start, not when the first upload completes.
func (s *Store) Stage(name string) (*os.Root, error) {
	if err := s.makeDir(name); err != nil {
		return nil, fmt.Errorf("cannot prepare %s: %w", name, err)
	}
	f, err := s.root.OpenFile(name+"/"+probe, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write in %s: %w", name, err)
	}
	f.Close()
	err = s.root.Rename(name+"/"+probe, temp+"/"+probe)
	if err != nil {
		s.root.Remove(name + "/" + probe)
		return nil, fmt.Errorf("cannot move files from %s to %s: %w", name, top, sameFileSystem(err))
	}
	if err := s.root.Remove(temp + "/" + probe); err != nil {
		return nil, fmt.Errorf("cannot prepare %s: %w", name, err)
	}
	return s.root.OpenRoot(name)
}

// sameFileSystem explains a rename that was refused because it would have crossed file systems.
func sameFileSystem(err error) error {
	if errors.Is(err, syscall.EXDEV) {
		return fmt.Errorf("both must be on the file system of the data directory itself; "+
			"mount that one instead of a directory inside it: %w", err)
	}
	return err
}

// makeDir makes one directory below DIR when it is missing and syncs the directory it is in.
func (s *Store) makeDir(name string) error {
	err := s.root.Mkdir(name, 0o700)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := s.root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", name)
	}
	return s.SyncDir(filepath.Dir(name))
}

// emptyTemp removes what a process that ended while in Put or Stage left behind.
func (s *Store) emptyTemp() error {
	d, err := s.root.Open(temp)
	if err != nil {
		return err
	}
	names, err := d.Readdirnames(-1)
	d.Close()
	for _, name := range names {
		err = errors.Join(err, s.root.Remove(temp+"/"+name))
	}
	return err
}

// SyncDir makes the names in a directory below DIR durable.
func (s *Store) SyncDir(name string) error {
	d, err := s.root.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	if plantNoDirSync {
		return nil
	}
	defer s.syncs.Since(time.Now())
	return syncDir(d)
}

// Syncs is how long it took to make the names of new files durable.
func (s *Store) Syncs() *latency.Histogram { return &s.syncs }

// syncDir makes the names in an open directory durable. Windows does not flush directories: NTFS
// keeps names in a journal of its own.
func syncDir(d *os.File) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return d.Sync()
}

// syncParent makes the name of dir durable in the directory it is in.
func syncParent(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(abs))
	if err != nil {
		return err
	}
	defer d.Close()
	return syncDir(d)
}

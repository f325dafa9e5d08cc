package dir

import (
	"alcove/blobs"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// Open returns the blob for reading, from its first byte, and its size on disk in bytes. The caller
// closes it and compares the size with the one it recorded: a file of another size was truncated or
// extended by something else. A blob that is not there gives an error that is fs.ErrNotExist; a
// symbolic link (never followed), a directory or anything else irregular gives one that is
// ErrDamaged. The bytes are not checked; Sum does that.
func (s *Store) Open(ref blobs.Ref) (r blobs.Reader, size int64, err error) {
	f, size, err := s.file(ref)
	if err != nil {
		return nil, 0, err
	}
	return f, size, nil
}

func (s *Store) file(ref blobs.Ref) (f *os.File, size int64, err error) {
	for range maxLooks {
		if f, size, err = s.open(ref); !errors.Is(err, errExchanged) {
			break // otherwise perhaps by Adopt, which puts the same bytes there
		}
	}
	return f, size, err
}

// maxLooks is how often a blob is opened that is another file at each look.
const maxLooks = 10

var errExchanged = fmt.Errorf("it was exchanged between two looks, perhaps for a link: %w", blobs.ErrDamaged)

func (s *Store) open(ref blobs.Ref) (*os.File, int64, error) {
	before, err := s.lstat(ref)
	if err != nil {
		return nil, 0, err
	}
	f, err := inShard(s, ref, (*os.Root).Open)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot open blob: %w", err)
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(before, opened) {
		err = errExchanged
	}
	if err != nil {
		f.Close()
		return nil, 0, fmt.Errorf("cannot open blob %s: %w", ref, err)
	}
	return f, opened.Size(), nil
}

// Stat tells a blob's size and age without opening it. Its errors are those of Open.
func (s *Store) Stat(ref blobs.Ref) (blobs.Info, error) {
	info, err := s.lstat(ref)
	if err != nil {
		return blobs.Info{}, err
	}
	return blobs.Info{Size: info.Size(), Modified: info.ModTime()}, nil
}

func (s *Store) lstat(ref blobs.Ref) (fs.FileInfo, error) {
	info, err := inShard(s, ref, (*os.Root).Lstat)
	if err != nil {
		return nil, fmt.Errorf("cannot find blob %s: %w", ref, bare(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("cannot read blob %s: not a regular file: %w", ref, blobs.ErrDamaged)
	}
	return info, nil
}

// Unchanged reports whether a blob is still as Walk met it. One that is stored after that has a
// later time than that of the call.
func (s *Store) Unchanged(e blobs.Entry) (bool, error) {
	sh := &s.shards[e.Ref[0]]
	sh.Lock()
	defer sh.Unlock()
	info, err := s.root.Lstat(pathOf(e.Ref))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("cannot look at blob %s: %w", e.Ref, bare(err))
	}
	return info.Size() == e.Size && info.ModTime().Equal(e.Modified), nil
}

// Erase deletes the blob, and what was put aside of it when it was damaged, and syncs the directories: an operator wants
// its bytes gone, and no record names them. Nothing else may use the store.
func (s *Store) Erase(ref blobs.Ref) error {
	if _, err := s.Remove(ref, time.Unix(1<<40, 0)); err != nil {
		return err
	}
	dir, err := s.root.Open(damagedTop)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot look at damaged blobs: %w", bare(err))
	}
	names, err := dir.Readdirnames(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return fmt.Errorf("cannot look at damaged blobs: %w", bare(err))
	}
	for _, name := range names {
		if strings.HasPrefix(name, ref.String()) {
			if err := s.root.Remove(damagedTop + "/" + name); err != nil {
				return fmt.Errorf("cannot remove a damaged blob: %w", bare(err))
			}
		}
	}
	return s.SyncDir(damagedTop)
}

// Remove deletes the blob if it was last adopted or put before the given time, and syncs the
// directory. It reports whether it deleted something; a blob that is not there is no error.
//
// Only a sweeper calls it, for blobs that no record names, with the time when it first saw that,
// further back than any upload takes from Adopt to its record: the same bytes may be arriving again
// at this moment. Adopt renews the time, and the two take turns. A blob that may be in use since
// before that time (see Lease) stays.
func (s *Store) Remove(ref blobs.Ref, before time.Time) (bool, error) {
	sh := &s.shards[ref[0]]
	sh.Lock()
	defer sh.Unlock()
	info, err := s.root.Lstat(pathOf(ref))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("cannot remove blob: %w", err)
	case info.IsDir():
		return false, fmt.Errorf("cannot remove blob %s: a directory is in its place: %w", ref, blobs.ErrDamaged)
	case !info.ModTime().Before(before), s.held.since(before):
		return false, nil
	}
	if err := s.root.Remove(pathOf(ref)); err != nil {
		return false, fmt.Errorf("cannot remove blob: %w", err)
	}
	s.forgetRead(ref)
	if err := errors.Join(s.forgetMarks(ref), s.ClearDamaged(ref), s.SyncDir(path.Dir(pathOf(ref)))); err != nil {
		return true, fmt.Errorf("cannot remove blob %s durably: %w", ref, err)
	}
	return true, nil
}

package bolt

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"go.etcd.io/bbolt"

	"alcove/bucket/kv"
)

// A commit that meets a full disk has an unknown outcome, and the store would have to stop.
// So it never meets one: the file has room ahead of what is in it, taken from the disk before
// (Linux; ext4, xfs and others that write in place), and a commit that needs more than this
// preallocation is refused by bbolt before it writes a byte. Ordinary writes end when the disk has less
// than a floor left; what gives space back goes on until the room is used up.

const (
	// PreallocStep is how many bytes are taken ahead at first.
	PreallocStep = 4 << 20
	preallocMost = 256 << 20 // and at most, once a commit needed so much
)

// Space is what a file system says of itself.
type Space struct {
	Free     int64 // bytes that this process may still take
	ReadOnly bool
}

// Preallocation is the space that the file may use. It belongs to who writes.
type Preallocation struct {
	File  *os.File
	Floor int64 // bytes of the disk that ordinary writes leave free
	Look  func(*os.File) (Space, error)
	Take  func(f *os.File, from, to int64) error // makes the file so long, with all of its blocks

	Taken int64 // length of the file up to which all blocks are there; 0 where the system has no such thing
	Step  int64 // bytes that are taken ahead
}

// Preallocate takes the first room. Where it cannot be taken for want of space the store opens all
// the same: it can be read, and things can be deleted.
func (s *Store) Preallocate(floor int64) error {
	r := &Preallocation{File: s.File, Floor: floor, Look: DiskSpace, Take: takeBlocks, Step: PreallocStep}
	info, err := s.File.Stat()
	if err != nil {
		return fmt.Errorf("cannot look at the database: %w", err)
	}
	r.Taken = info.Size()
	switch err := r.Take(s.File, 0, r.Taken); {
	case errors.Is(err, errors.ErrUnsupported):
		r.Taken, s.Ahead = 0, r
		return nil
	case NoSpace(err), errors.Is(err, syscall.EROFS):
		if r.Taken, err = s.Used(); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("cannot take room for the database: %w", err)
	}
	s.Ahead = r
	r.bound(s.DB)
	return nil
}

// Used is how many bytes of the file have been in use.
func (s *Store) Used() (n int64, err error) {
	err = s.View(func(tx *bbolt.Tx) error { n = tx.Size(); return nil })
	return n, err
}

// bound lets bbolt use what was taken and no more.
func (r *Preallocation) bound(b *bbolt.DB) {
	b.AllocSize = b.Info().PageSize // it never makes the file longer itself
	b.MaxSize = int(r.Taken) + b.AllocSize
}

// Admit asks the file system.
func (s *Store) Admit() (ordinary, frees error) {
	space, err := s.Ahead.Look(s.Ahead.File)
	switch {
	case err != nil:
		err = fmt.Errorf("cannot tell what is free on the disk: %w", err)
		return err, err
	case space.ReadOnly:
		return kv.ErrReadOnly, kv.ErrReadOnly
	case space.Free < s.Ahead.Floor:
		return kv.ErrNoSpace, nil
	}
	return nil, nil
}

// ahead sees to it that there is room ahead of the pages in use, if the disk has any.
func (r *Preallocation) ahead(b *bbolt.DB, used int64) error {
	if r.Taken == 0 || r.Taken-used >= r.Step/2 {
		return nil
	}
	_, err := r.extend(b, used+r.Step)
	return err
}

// widen makes more room for a commit that did not find enough, and reports whether it is worth
// trying again.
func (r *Preallocation) widen(b *bbolt.DB, used int64) (bool, error) {
	if r.Taken == 0 || r.Step >= preallocMost {
		return false, nil
	}
	r.Step *= 2
	more, err := r.extend(b, used+r.Step)
	if !more {
		r.Step /= 2
	}
	return more, err
}

// extend makes the file longer. An error that is not want of space leaves its state unknown.
func (r *Preallocation) extend(b *bbolt.DB, to int64) (bool, error) {
	if to <= r.Taken {
		return true, nil
	}
	err := r.Take(r.File, r.Taken, to)
	if NoSpace(err) || errors.Is(err, syscall.EROFS) {
		return false, nil
	}
	if err == nil {
		err = r.File.Sync()
	}
	if err != nil {
		return false, fmt.Errorf("cannot take room for the database: %w", err)
	}
	r.Taken = to
	r.bound(b)
	return true, nil
}

// NoSpace reports whether an error is want of space on the disk.
func NoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

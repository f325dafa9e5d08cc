package bucket

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"go.etcd.io/bbolt"
)

// A commit that meets a full disk has an unknown outcome, and the store would have to stop.
// So it never meets one: the file has room ahead of what is in it, taken from the disk before
// (Linux; ext4, xfs and others that write in place), and a commit that needs more than this
// preallocation is refused by bbolt before it writes a byte. Ordinary writes end when the disk has less
// than a floor left; what gives space back goes on until the room is used up.

// Errors of writes that were not made. The store goes on, and takes writes again by itself when
// the cause has gone.
var (
	ErrNoSpace  = errors.New("cannot write: the disk is full")
	ErrReadOnly = errors.New("cannot write: the file system can only be read")
	ErrBusy     = errors.New("cannot write: too many writes are waiting")
)

const (
	preallocStep = 4 << 20   // bytes that are taken ahead at first
	preallocMost = 256 << 20 // and at most, once a commit needed so much
)

type frees struct{}

// Frees marks the writes of a context as such that go on when the disk is nearly full: those
// that give space back, and those that finish what was acknowledged.
func Frees(ctx context.Context) context.Context { return context.WithValue(ctx, frees{}, true) }

// space is what the file system says of itself.
type space struct {
	free     int64 // bytes that this process may still take
	readOnly bool
}

// preallocation is the space that the database may use. It belongs to the writer.
type preallocation struct {
	file  *os.File
	floor int64
	look  func(*os.File) (space, error)
	take  func(f *os.File, from, to int64) error // makes the file so long, with all of its blocks

	taken int64 // length of the file up to which all blocks are there; 0 where the system has no such thing
	step  int64 // bytes that are taken ahead
}

// newPreallocation takes the first room. Where it cannot be taken for want of space the store opens all
// the same: it can be read, and things can be deleted.
func newPreallocation(b *bbolt.DB, file *os.File, floor int64) (*preallocation, error) {
	r := &preallocation{file: file, floor: floor, look: diskSpace, take: takeBlocks, step: preallocStep}
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot look at the database: %w", err)
	}
	r.taken = info.Size()
	switch err := r.take(file, 0, r.taken); {
	case errors.Is(err, errors.ErrUnsupported):
		r.taken = 0
		return r, nil
	case noSpace(err), errors.Is(err, syscall.EROFS):
		if r.taken, err = used(b); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, fmt.Errorf("cannot take room for the database: %w", err)
	}
	r.bound(b)
	return r, nil
}

// used is how many bytes of the file have been in use.
func used(b *bbolt.DB) (n int64, err error) {
	err = b.View(func(tx *bbolt.Tx) error { n = tx.Size(); return nil })
	return n, err
}

// bound lets bbolt use what was taken and no more.
func (r *preallocation) bound(b *bbolt.DB) {
	b.AllocSize = b.Info().PageSize // it never makes the file longer itself
	b.MaxSize = int(r.taken) + b.AllocSize
}

// refuses tells why a write cannot be made now, nil when it can.
func (r *preallocation) refuses(s space, frees bool) error {
	switch {
	case s.readOnly:
		return ErrReadOnly
	case s.free < r.floor && !frees:
		return ErrNoSpace
	}
	return nil
}

// ahead sees to it that there is room ahead of the pages in use, if the disk has any.
func (r *preallocation) ahead(b *bbolt.DB, used int64) error {
	if r.taken == 0 || r.taken-used >= r.step/2 {
		return nil
	}
	_, err := r.extend(b, used+r.step)
	return err
}

// widen makes more room for a commit that did not find enough, and reports whether it is worth
// trying again.
func (r *preallocation) widen(b *bbolt.DB, used int64) (bool, error) {
	if r.taken == 0 || r.step >= preallocMost {
		return false, nil
	}
	r.step *= 2
	more, err := r.extend(b, used+r.step)
	if !more {
		r.step /= 2
	}
	return more, err
}

// extend makes the file longer. An error that is not want of space leaves its state unknown.
func (r *preallocation) extend(b *bbolt.DB, to int64) (bool, error) {
	if to <= r.taken {
		return true, nil
	}
	err := r.take(r.file, r.taken, to)
	if noSpace(err) || errors.Is(err, syscall.EROFS) {
		return false, nil
	}
	if err == nil {
		err = r.file.Sync()
	}
	if err != nil {
		return false, fmt.Errorf("cannot take room for the database: %w", err)
	}
	r.taken = to
	r.bound(b)
	return true, nil
}

func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

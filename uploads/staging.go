// Package uploads takes files in parts, in any order and in parallel, and hands them to package
// blobs when they are whole and verified.
//
// On disk, below the data directory DIR, next to DIR/blobs and on the same file system:
//
//	DIR/uploads/        0700
//	    9660bbfd-…      0600, one file per upload, named by its token (a UUID) and made when the
//	                    first byte arrives; each part lies at its own offset, what has not arrived
//	                    is a hole; renamed into DIR/blobs at the end, so nothing is copied
//	    probe           there only while the store is being opened
//
// Which parts are complete, with their CRC-32C, is not kept here but in the caller's records, and
// a record must never be truer than the disk. To receive a part:
//
//  1. Begin takes the part's lock. Other callers get ErrLocked.
//  2. In one transaction: look up the upload again (it may have been removed), and clear the part's
//     record if it was complete. From here on the part's bytes count for nothing.
//  3. Writer.WriteFrom puts the bytes at their offset and syncs them.
//  4. In one transaction: record the part complete, with the CRC-32C that WriteFrom returned.
//  5. Writer.Release, whatever happened. A part whose WriteFrom failed just stays incomplete.
//
// To reset a part: steps 1, 2 and 5. To complete an upload:
//
//  1. Freeze locks the whole upload; ErrLocked while a part is being written.
//  2. Find every part recorded complete, and answer the client.
//  3. Frozen.Verify reads everything back from the disk. *PartDamaged names the parts to clear.
//  4. Record the sums, before the next step: after a crash they tell where the bytes went.
//  5. Frozen.Commit moves the file among the blobs. It may be repeated after a crash.
//  6. Record the file available; then Frozen.Release.
//
// To drop an upload: remove its record, then Remove. Locks live in memory and end with the
// process. Every holder of the token can write, so no error of this package shows it.
package uploads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"alcove/blobs"
	"alcove/latency"
)

const folder = "uploads"

// Errors that the caller tells apart with errors.Is.
var (
	ErrBadToken   = errors.New("cannot use upload token: not a UUID in lower case")
	ErrNoSuchPart = errors.New("cannot find part: the upload has no such part")
	ErrLocked     = errors.New("cannot lock: being written or completed by another request")
	ErrRemoved    = errors.New("cannot go on: the upload was removed")
	ErrShort      = errors.New("cannot accept part: the body ended early")
	ErrLong       = errors.New("cannot accept part: the body has more bytes than the part")
	ErrNotStaged  = errors.New("cannot find staged file: nothing arrived, or it was moved or removed")
)

// Store is what uploads need of a store of blobs: a folder on its own disk for what arrives, from which
// whole files are adopted without copying them.
type Store interface {
	// Stage makes the folder with a name, from which files can be adopted.
	Stage(name string) (*os.Root, error)
	// SyncDir makes the names in a folder durable.
	SyncDir(name string) error
	// Adopt makes a staged file of size bytes the blob ref.
	Adopt(staged string, ref blobs.Ref, size int64) error
	Put(ctx context.Context, r io.Reader) (blobs.Sums, error)
	Keep(blobs.Ref, *blobs.ChunkSums) error
}

// Staging is the uploads under way in one data directory. Its methods may be called from many
// goroutines.
type Staging struct {
	store Store
	root  *os.Root // DIR/uploads

	mu    sync.Mutex
	locks map[string]*lock // by token; only those with holders

	syncs latency.Histogram
	names sync.Mutex
	stale bool // a file was made in DIR/uploads since the directory was last synced
}

// Open opens the uploads of the store's data directory, makes DIR/uploads when it is missing, and
// fails when that is on another file system than DIR/blobs. It scans nothing.
func Open(store Store) (*Staging, error) {
	root, err := store.Stage(folder)
	if err != nil {
		return nil, err
	}
	// A file whose name the last process had no time to sync may be there: sync before first use.
	return &Staging{store: store, root: root, locks: map[string]*lock{}, stale: true}, nil
}

// Close lets go of DIR/uploads. No Writer or Frozen may be held any more.
func (s *Staging) Close() error { return s.root.Close() }

// Syncs is how long it took to bring the bytes of parts to the disk.
func (s *Staging) Syncs() *latency.Histogram { return &s.syncs }

// Staged is an upload of which bytes have arrived.
type Staged struct {
	Token    string
	Modified time.Time // when a byte was last written
}

// Walk calls fn for every staged file, in no particular order, holding at most a few hundred names
// at a time. Files that come or go meanwhile may be met or not; fn may call Remove. Whatever is not
// named by a token is passed over. The first error of fn ends the walk and is returned as it is,
// and so is the cause of ctx.
func (s *Staging) Walk(ctx context.Context, fn func(Staged) error) error {
	dir, err := s.root.Open(".")
	if err != nil {
		return fmt.Errorf("cannot list uploads: %w", bare(err))
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			info, err := s.root.Lstat(name)
			if err != nil || checkToken(name) != nil {
				continue // It was removed or committed since its name was read, or is not ours.
			}
			if err := fn(Staged{Token: name, Modified: info.ModTime()}); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot list uploads: %w", bare(err))
		}
	}
}

// Touched tells when a byte of an upload was last written, the zero time when none is staged.
func (s *Staging) Touched(token string) (time.Time, error) {
	if err := checkToken(token); err != nil {
		return time.Time{}, err
	}
	info, err := s.root.Lstat(token)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("cannot look at staged file: %w", bare(err))
	}
	return info.ModTime(), nil
}

// open opens the staged file, or gives ErrNotStaged. A symbolic link or anything else that is not a
// regular file is refused.
func (s *Staging) open(token string) (*os.File, error) {
	info, err := s.root.Lstat(token)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotStaged
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open staged file: %w", bare(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("cannot open staged file: not a regular file: %w", blobs.ErrDamaged)
	}
	f, err := s.root.OpenFile(token, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open staged file: %w", bare(err))
	}
	return f, nil
}

// create opens the staged file, makes it if it is missing, and sees to it that its name is durable.
// Every writer has a descriptor of its own, opened before it writes: the kernel tells each
// descriptor once of a write that failed in the background, so no writer misses one of its own.
func (s *Staging) create(token string) (*os.File, error) {
	s.names.Lock()
	defer s.names.Unlock()
	f, err := s.open(token)
	if errors.Is(err, ErrNotStaged) {
		s.stale = true
		f, err = s.root.OpenFile(token, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return nil, bare(err)
	}
	if s.stale {
		if err := s.store.SyncDir(folder); err != nil {
			f.Close()
			return nil, bare(err)
		}
		s.stale = false
	}
	return f, nil
}

// checkToken accepts one spelling of a UUID, so that a token has one file.
func checkToken(token string) error {
	if u, err := uuid.Parse(token); err != nil || u.String() != token {
		return ErrBadToken
	}
	return nil
}

// IsNoSpace reports whether err comes from a disk or a quota that is full, or from a file larger
// than the file system can hold: the client did nothing wrong, and the same request may succeed
// once there is space.
func IsNoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// bare takes the file names, and so the token, out of an error of package os.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	return err
}

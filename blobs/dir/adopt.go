package dir

import (
	"alcove/blobs"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Adopt moves a staged file into the store by renaming it. staged is a slash-separated path below
// the data directory, in a directory that Stage has proved; its bytes are synced, and the caller
// has just read them back and found size bytes with the digest ref. When Adopt returns nil the
// names are synced too and a record may point at ref.
//
// If the blob is there already the staged file takes its place: the same bytes are kept once, those
// that were just found right are the ones that stay, and how long it takes does not
// tell whether they were there before. One that was found damaged goes into quarantine. Adopt may be
// repeated after a crash or an error: when the staged file is gone and the blob is there with the
// right size, the work was done before. Errors never show the staged path, which may be a secret.
func (s *Store) Adopt(staged string, ref blobs.Ref, size int64) error {
	sh, err := s.lockShard(ref)
	if err != nil {
		return fmt.Errorf("cannot store blob %s: %w", ref, err)
	}
	defer sh.Unlock()
	if err := s.adopt(staged, ref, size); err != nil {
		return fmt.Errorf("cannot store blob %s: %w", ref, sameFileSystem(bare(err)))
	}
	return nil
}

func (s *Store) adopt(staged string, ref blobs.Ref, size int64) error {
	have, err := s.leases(ref, size)
	if err != nil {
		return err
	}
	from, err := s.root.Lstat(staged)
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case gone && !have:
		return fmt.Errorf("neither a staged file nor the blob is there: %w", fs.ErrNotExist)
	case !gone && err != nil:
		return err
	case !gone && !from.Mode().IsRegular():
		return fmt.Errorf("what is staged is not a regular file: %w", blobs.ErrDamaged)
	case !gone && from.Size() != size:
		return fmt.Errorf("the staged file has %d bytes, want %d: %w", from.Size(), size, blobs.ErrDamaged)
	}

	// The modification time is that of the last adoption: Remove goes by it.
	now := s.now()
	if gone {
		if err := s.root.Chtimes(pathOf(ref), now, now); err != nil {
			return err
		}
		return s.SyncDir(path.Dir(pathOf(ref)))
	}
	if err := s.root.Chtimes(staged, now, now); err != nil {
		return err
	}
	if err := s.clear(ref); err != nil {
		return err
	}
	defer s.letGo(ref)()
	if err := s.root.Rename(staged, pathOf(ref)); err != nil {
		return err
	}
	s.forgetRead(ref)
	return errors.Join(s.SyncDir(path.Dir(pathOf(ref))), s.SyncDir(path.Dir(staged)), s.ClearDamaged(ref))
}

// letGo keeps the space of the file that is about to be replaced, and gives it back when the caller
// has gone on: with a large file that takes a while.
func (s *Store) letGo(ref blobs.Ref) (later func()) {
	old, err := s.root.Open(pathOf(ref))
	if err != nil {
		return func() {} // mostly there is none
	}
	return func() { s.freeing.Go(func() { old.Close() }) }
}

// leases reports whether a regular file of that size is at the blob's place. A directory there is an
// error, as nothing can be renamed over it; a symbolic link counts as missing and is replaced.
func (s *Store) leases(ref blobs.Ref, size int64) (bool, error) {
	info, err := s.root.Lstat(pathOf(ref))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return false, fmt.Errorf("a directory is in its place: %w", blobs.ErrDamaged)
	}
	return info.Mode().IsRegular() && info.Size() == size && !s.isDamaged(ref, info), nil
}

// clear makes room at a blob's place: what was found damaged there is set aside.
func (s *Store) clear(ref blobs.Ref) error {
	info, err := s.root.Lstat(pathOf(ref))
	if err != nil || !s.isDamaged(ref, info) {
		return nil // what else there may be is replaced
	}
	return s.quarantine(ref)
}

// Put stores what r holds, at most MaxPut bytes, as durably as Adopt does, and returns its sums. An
// error of r is returned wrapped; nothing is kept then.
func (s *Store) Put(ctx context.Context, r io.Reader) (blobs.Sums, error) {
	return s.Copy(ctx, r, blobs.MaxPut, nil)
}

// Copy is Put of at most limit bytes, for the files that an operator brings. When tap is not nil it
// is given every piece in order; it must not keep or change it.
func (s *Store) Copy(ctx context.Context, r io.Reader, limit int64, tap func(piece []byte)) (blobs.Sums, error) {
	name := temp + "/" + rand.Text()
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return blobs.Sums{}, fmt.Errorf("cannot store blob: %w", err)
	}
	defer s.root.Remove(name) // Adopt has moved it by then, unless something failed.

	var chunkSums blobs.ChunkSums
	sums, err := blobs.Sum(ctx, io.TeeReader(io.LimitReader(r, limit+1), f), func(piece []byte) {
		chunkSums.Add(piece)
		if tap != nil {
			tap(piece)
		}
	})
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return blobs.Sums{}, fmt.Errorf("cannot store blob: %w", err)
	}
	if sums.Size > limit {
		return blobs.Sums{}, blobs.ErrTooLarge
	}
	if err := s.Adopt(name, sums.SHA256, sums.Size); err != nil {
		return blobs.Sums{}, err
	}
	_ = s.Keep(sums.SHA256, &chunkSums) // or they are made when they are needed
	return sums, nil
}

// lockShard locks the shard of ref and sees to it that its directory is there, durably.
func (s *Store) lockShard(ref blobs.Ref) (*shard, error) {
	sh := &s.shards[ref[0]]
	sh.Lock()
	if !sh.durable {
		if err := s.makeDir(path.Dir(pathOf(ref))); err != nil {
			sh.Unlock()
			return nil, err
		}
		sh.durable = true
	}
	return sh, nil
}

// pathOf is the place of a blob below the data directory.
func pathOf(r blobs.Ref) string {
	text := r.String()
	return top + "/" + text[:2] + "/" + text[2:]
}

// bare takes the file names out of an error of package os.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	return err
}

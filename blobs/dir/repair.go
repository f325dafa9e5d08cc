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
)

// Repair puts the bytes of a blob in its place again: from is read into a file of our own, and
// only when its SHA-256 is the blob's name does it take the place. The file that was there goes into
// quarantine, whatever it is; nothing is overwritten. Bytes with another digest are ErrDamaged.
// pace is called with each number of bytes before they are read, and may wait.
func (s *Store) Repair(ctx context.Context, ref blobs.Ref, from io.Reader, pace func(n int)) error {
	name := temp + "/" + rand.Text()
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("cannot repair blob %s: %w", ref, bare(err))
	}
	defer s.root.Remove(name) // Adopt has moved it by then, unless something failed.
	var chunkSums blobs.ChunkSums
	sums, err := blobs.Sum(ctx, io.TeeReader(waiting{from, pace}, f), chunkSums.Add)
	if err == nil && sums.SHA256 != ref {
		err = fmt.Errorf("what should hold its bytes has the SHA-256 %s: %w", sums.SHA256, blobs.ErrDamaged)
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("cannot repair blob %s: %w", ref, bare(err))
	}
	if err := s.setAside(ref); err != nil {
		return fmt.Errorf("cannot repair blob %s: %w", ref, bare(err))
	}
	if err := s.Adopt(name, ref, sums.Size); err != nil {
		return err
	}
	_ = s.Keep(ref, &chunkSums) // or they are made when they are needed
	return nil
}

// setAside takes whatever lies in a blob's place into quarantine.
func (s *Store) setAside(ref blobs.Ref) error {
	sh, err := s.lockShard(ref)
	if err != nil {
		return err
	}
	defer sh.Unlock()
	if _, err := s.root.Lstat(pathOf(ref)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := s.root.MkdirAll(damagedTop, 0o700); err != nil {
		return err
	}
	s.forgetRead(ref)
	return s.quarantine(ref)
}

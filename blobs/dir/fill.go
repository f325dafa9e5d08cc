package dir

import (
	"alcove/blobs"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// Fill stores a blob whose bytes are known elsewhere, as a copy of a store needs it. It reads r to
// its end and keeps nothing unless the bytes have the digest ref; then the error is ErrDamaged. An
// error of r is returned wrapped. It returns how many bytes it has read, and synced. The name is
// durable after SyncNames, not before. tap, unless it is nil, is given each piece in order.
//
// Whatever is at the blob's place is replaced, but for a directory.
func (s *Store) Fill(ctx context.Context, r io.Reader, ref blobs.Ref, tap func(piece []byte)) (int64, error) {
	name := temp + "/" + rand.Text()
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, fmt.Errorf("cannot store blob %s: %w", ref, bare(err))
	}
	defer s.root.Remove(name) // it has another name by then, unless something failed
	n, err := fill(ctx, f, r, ref, tap)
	if err == nil {
		if err = f.Sync(); err != nil {
			err = bare(err)
		}
	}
	forget(f, 0, 0)
	if err := errors.Join(err, f.Close()); err != nil {
		return n, fmt.Errorf("cannot store blob %s: %w", ref, err)
	}
	sh, err := s.lockShard(ref)
	if err != nil {
		return n, fmt.Errorf("cannot store blob %s: %w", ref, bare(err))
	}
	defer sh.Unlock()
	if err := s.root.Rename(name, pathOf(ref)); err != nil {
		return n, fmt.Errorf("cannot store blob %s: %w", ref, bare(err))
	}
	sh.filled = true
	s.forgetRead(ref)
	return n, nil
}

// fill copies r to f, and tells whether the bytes are those of ref.
func fill(ctx context.Context, f *os.File, r io.Reader, ref blobs.Ref, tap func(piece []byte)) (n int64, err error) {
	sha, buffer := sha256.New(), pieces.Get().(*[pieceSize]byte)
	defer pieces.Put(buffer)
	for {
		if ctx.Err() != nil {
			return n, context.Cause(ctx)
		}
		got, err := r.Read(buffer[:])
		piece := buffer[:got]
		n += int64(got)
		sha.Write(piece)
		if tap != nil {
			tap(piece)
		}
		if _, err := f.Write(piece); err != nil {
			return n, bare(err)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return n, bare(err)
		}
	}
	if sum := blobs.Ref(sha.Sum(nil)); sum != ref {
		return n, fmt.Errorf("its SHA-256 is %s: %w", sum, blobs.ErrDamaged)
	}
	return n, nil
}

// SyncNames makes the names of all blobs durable that Fill has stored.
func (s *Store) SyncNames() error {
	for i := range s.shards {
		if err := s.syncShard(i); err != nil {
			return fmt.Errorf("cannot sync blobs: %w", bare(err))
		}
	}
	return nil
}

func (s *Store) syncShard(i int) error {
	sh := &s.shards[i]
	sh.Lock()
	defer sh.Unlock()
	if !sh.filled {
		return nil
	}
	if err := s.SyncDir(path.Dir(pathOf(blobs.Ref{byte(i)}))); err != nil {
		return err
	}
	sh.filled = false
	return nil
}

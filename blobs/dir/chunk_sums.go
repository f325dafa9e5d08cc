package dir

import (
	"alcove/blobs"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// sumsTop is where the sums of blobs are kept.
const sumsTop = "sums"

// marked reports whether a blob of that size has a file of marks. A blob of one chunk needs
// none: its caller knows the CRC-32 of all of it.
func marked(size int64) bool { return size > blobs.Chunk }

// Keep stores the marks of a blob, made in the same pass over the bytes that gave ref. They
// are derived: what is not kept, for a full disk or a crash, is made from the blob when it is
// needed, so nothing is synced and an error costs no more than that pass.
func (s *Store) Keep(ref blobs.Ref, m *blobs.ChunkSums) error {
	if !marked(m.Size()) {
		return nil
	}
	name := temp + "/" + rand.Text()
	err := s.root.WriteFile(name, m.Encode(), 0o600)
	if err == nil {
		err = s.root.MkdirAll(path.Dir(marksPath(ref)), 0o700)
	}
	if err == nil {
		err = s.root.Rename(name, marksPath(ref))
	}
	if err != nil {
		s.root.Remove(name)
		return fmt.Errorf("cannot keep the sums of blob %s: %w", ref, bare(err))
	}
	return nil
}

// kept is the stored marks of a blob of that size, nil when there are none that can be read.
func (s *Store) kept(ref blobs.Ref, size int64) *blobs.ChunkSums {
	b, err := s.root.ReadFile(marksPath(ref))
	if err != nil {
		return nil
	}
	m, _ := blobs.DecodeChunkSums(b, size)
	return m
}

// chunkSums are the marks of an open blob. Where none are kept, the whole blob is read and must
// have the digest that is its name; one blob at a time, so that the disk has time for others.
func (s *Store) chunkSums(ctx context.Context, ref blobs.Ref, f *os.File, size int64) (*blobs.ChunkSums, error) {
	if m := s.kept(ref, size); m != nil {
		return m, nil
	}
	select {
	case s.measuring <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.measuring }()
	if m := s.kept(ref, size); m != nil {
		return m, nil // another reader has made them meanwhile
	}
	m, sha := new(blobs.ChunkSums), sha256.New()
	piece := pieces.Get().(*[pieceSize]byte)
	defer pieces.Put(piece)
	for in := (&io.LimitedReader{R: io.NewSectionReader(f, 0, size), N: size}); ; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n, err := in.Read(piece[:])
		m.Add(piece[:n])
		sha.Write(piece[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read blob %s: %w", ref, bare(err))
		}
	}
	if m.Size() != size || blobs.Ref(sha.Sum(nil)) != ref {
		return nil, s.markDamaged(ref, f, "its bytes have another SHA-256")
	}
	return m, s.Keep(ref, m)
}

// forgetMarks removes the marks of a blob that is gone.
func (s *Store) forgetMarks(ref blobs.Ref) error {
	if err := s.root.Remove(marksPath(ref)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return bare(err)
	}
	return nil
}

// marksPath is the place of a blob's marks below the data directory.
func marksPath(ref blobs.Ref) string {
	text := ref.String()
	return sumsTop + "/" + text[:2] + "/" + text[2:]
}

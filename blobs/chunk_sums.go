package blobs

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
)

// Chunk is how many bytes of a blob are checked together: before any of them is sent, all
// of them are read.
const Chunk = 1 << 20

// ChunkSums are the CRC-32s (IEEE) of the chunks of some bytes, in order. The zero Marks are
// those of no bytes. Add takes the bytes.
type ChunkSums struct {
	size int64
	sums []uint32
}

// Add takes the next piece of the bytes.
func (m *ChunkSums) Add(piece []byte) {
	for len(piece) > 0 {
		have := m.size % Chunk
		if have == 0 {
			m.sums = append(m.sums, 0)
		}
		n := min(len(piece), int(Chunk-have))
		last := len(m.sums) - 1
		m.sums[last] = crc32.Update(m.sums[last], crc32.IEEETable, piece[:n])
		m.size += int64(n)
		piece = piece[n:]
	}
}

// What is kept of a blob's marks is
//
//	marksHead (8) | size of the blob (8, big endian) | CRC-32 of each chunk (4 each) | CRC-32 of all that (4)
//
// A file that does not say so is taken for none: marks are made again from the blob.
const (
	sumsTop   = "sums"
	marksHead = "blobsum1"
)

// marked reports whether a blob of that size has a file of marks. A blob of one chunk needs
// none: its caller knows the CRC-32 of all of it.
func marked(size int64) bool { return size > Chunk }

func (m *ChunkSums) encode() []byte {
	b := make([]byte, 0, len(marksHead)+8+4*len(m.sums)+4)
	b = binary.BigEndian.AppendUint64(append(b, marksHead...), uint64(m.size))
	for _, s := range m.sums {
		b = binary.BigEndian.AppendUint32(b, s)
	}
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// decodeMarks reads the marks of a blob of that size; false when b does not hold them.
func decodeMarks(b []byte, size int64) (*ChunkSums, bool) {
	chunks := (size + Chunk - 1) / Chunk
	if int64(len(b)) != int64(len(marksHead))+8+4*chunks+4 || !bytes.HasPrefix(b, []byte(marksHead)) {
		return nil, false
	}
	body, sum := b[:len(b)-4], b[len(b)-4:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) || int64(binary.BigEndian.Uint64(body[len(marksHead):])) != size {
		return nil, false
	}
	m := &ChunkSums{size: size, sums: make([]uint32, 0, chunks)}
	for rest := body[len(marksHead)+8:]; len(rest) > 0; rest = rest[4:] {
		m.sums = append(m.sums, binary.BigEndian.Uint32(rest))
	}
	return m, true
}

// Keep stores the marks of a blob, made in the same pass over the bytes that gave ref. They
// are derived: what is not kept, for a full disk or a crash, is made from the blob when it is
// needed, so nothing is synced and an error costs no more than that pass.
func (s *Store) Keep(ref Ref, m *ChunkSums) error {
	if !marked(m.size) {
		return nil
	}
	name := temp + "/" + rand.Text()
	err := s.root.WriteFile(name, m.encode(), 0o600)
	if err == nil {
		err = s.root.MkdirAll(path.Dir(ref.marksPath()), 0o700)
	}
	if err == nil {
		err = s.root.Rename(name, ref.marksPath())
	}
	if err != nil {
		s.root.Remove(name)
		return fmt.Errorf("cannot keep the sums of blob %s: %w", ref, bare(err))
	}
	return nil
}

// kept is the stored marks of a blob of that size, nil when there are none that can be read.
func (s *Store) kept(ref Ref, size int64) *ChunkSums {
	b, err := s.root.ReadFile(ref.marksPath())
	if err != nil {
		return nil
	}
	m, _ := decodeMarks(b, size)
	return m
}

// chunkSums are the marks of an open blob. Where none are kept, the whole blob is read and must
// have the digest that is its name; one blob at a time, so that the disk has time for others.
func (s *Store) chunkSums(ctx context.Context, ref Ref, f *os.File, size int64) (*ChunkSums, error) {
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
		return m, nil // somebody else has made them meanwhile
	}
	m, sha := new(ChunkSums), sha256.New()
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
	if m.size != size || Ref(sha.Sum(nil)) != ref {
		return nil, s.markDamaged(ref, f, "its bytes have another SHA-256")
	}
	return m, s.Keep(ref, m)
}

// forgetMarks removes the marks of a blob that is gone.
func (s *Store) forgetMarks(ref Ref) error {
	if err := s.root.Remove(ref.marksPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return bare(err)
	}
	return nil
}

// marksPath is the place of a blob's marks below the data directory.
func (r Ref) marksPath() string {
	text := r.String()
	return sumsTop + "/" + text[:2] + "/" + text[2:]
}

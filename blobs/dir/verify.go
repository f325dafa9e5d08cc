package dir

import (
	"alcove/blobs"
	"context"
	"errors"
	"fmt"
	"io"
)

// Verify reads a whole blob, from the disk where the system lets us ask for that, and tells what
// it is: its sums, which the caller compares with those that it has recorded. A blob that has
// another SHA-256 than its name is ErrDamaged, and for every reader from now on; one that has it is
// taken for whole, whatever was found before. pace is called with each number of bytes before
// they are read, and may wait. Other errors are those of Open.
func (s *Store) Verify(ctx context.Context, ref blobs.Ref, pace func(n int)) (blobs.Sums, error) {
	f, _, err := s.file(ref)
	if err != nil {
		return blobs.Sums{}, err
	}
	defer f.Close()
	afresh(f)
	var chunkSums blobs.ChunkSums
	sums, err := blobs.Sum(ctx, waiting{f, pace}, chunkSums.Add)
	if err != nil {
		return blobs.Sums{}, fmt.Errorf("cannot verify blob %s: %w", ref, bare(err))
	}
	if sums.SHA256 != ref {
		s.forgetRead(ref)
		return sums, s.markDamaged(ref, f, fmt.Sprintf("its SHA-256 is %s", sums.SHA256))
	}
	return sums, errors.Join(s.ClearDamaged(ref), s.Keep(ref, &chunkSums))
}

// waiting waits before it reads.
type waiting struct {
	r    io.Reader
	pace func(n int)
}

func (w waiting) Read(b []byte) (int, error) {
	w.pace(len(b))
	return w.r.Read(b)
}

package uploads

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"alcove/blobs"
)

const (
	// HeadSize is how many bytes of a file's beginning Verify returns for DetectType.
	HeadSize = 3072

	// MaxDamaged is how many parts a PartDamaged names at most.
	MaxDamaged = 1000
)

// PartDamaged says that parts on the disk are not what arrived, or never arrived. The caller clears
// their records, and the client sends them again.
type PartDamaged struct {
	Parts []int // ascending, MaxDamaged at most
	More  bool  // there may be more after the last one named
}

func (e *PartDamaged) Error() string {
	more := ""
	if e.More {
		more = " and perhaps others"
	}
	return fmt.Sprintf("cannot complete upload: %d parts differ on disk from what arrived, the first is %d%s",
		len(e.Parts), e.Parts[0], more)
}

// Frozen holds a whole upload: no part of it is being written, and none can begin.
type Frozen struct {
	staging *Staging
	token   string
	held    *lock            // nil once released
	marks   *blobs.ChunkSums // that Verify made, nil before
}

// Freeze locks a whole upload to complete or to reset it. It fails with ErrLocked while a part is
// being written or the upload is frozen already, with ErrRemoved while it is going away, with
// ErrBadToken. It touches no file. The Frozen may be handed to another goroutine, which ends with
// Release.
func (s *Staging) Freeze(token string) (*Frozen, error) {
	l, err := s.take(token, 0)
	if err != nil {
		return nil, err
	}
	return &Frozen{staging: s, token: token, held: l}, nil
}

// Release unlocks the upload. It may be called again, to no effect. Its error is as that of
// Writer.Release.
func (f *Frozen) Release() error {
	if f.held == nil {
		return nil
	}
	l := f.held
	f.held = nil
	return f.staging.give(f.token, l, 0)
}

// usable fails when the upload was released, or removed.
func (f *Frozen) usable() error {
	if f.held == nil {
		return errors.New("cannot complete upload: its lock was released")
	}
	if f.staging.isRemoved(f.held) {
		return ErrRemoved
	}
	return nil
}

// Verify syncs the staged file, reads every byte back from the disk (not from the page cache, where
// the system lets us say so), and returns the sums and the first HeadSize bytes, or all of a
// shorter file. partCRC tells the CRC-32C recorded for a part, and whether there is one; it is
// called once for each part that is there, in order, until MaxDamaged were found.
//
// Parts without a record, with other bytes than recorded, or beyond the end of a file that is too
// short give *PartDamaged. A file that is too long gives blobs.ErrDamaged, none at all ErrNotStaged;
// an upload of no bytes needs no file. A context that ends gives its cause, Remove gives ErrRemoved.
// It takes about 0.5 MiB of memory and, for MD5, a core.
func (f *Frozen) Verify(ctx context.Context, layout Layout, partCRC func(n int) (uint32, bool)) (blobs.Sums, []byte, error) {
	if err := f.usable(); err != nil {
		return blobs.Sums{}, nil, err
	}
	file, err := f.staging.open(f.token)
	if errors.Is(err, ErrNotStaged) && layout.Size() == 0 {
		sums, err := blobs.Sum(ctx, bytes.NewReader(nil), nil)
		return sums, nil, err
	}
	if err != nil {
		return blobs.Sums{}, nil, err
	}
	defer file.Close()
	if !plantNoBlobSync {
		if err := file.Sync(); err != nil {
			return blobs.Sums{}, nil, fmt.Errorf("cannot verify upload: %w", bare(err))
		}
	}
	info, err := file.Stat()
	if err != nil {
		return blobs.Sums{}, nil, fmt.Errorf("cannot verify upload: %w", bare(err))
	}
	if info.Size() > layout.Size() {
		return blobs.Sums{}, nil, fmt.Errorf("cannot verify upload: the staged file has %d bytes, want %d: %w",
			info.Size(), layout.Size(), blobs.ErrDamaged)
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := check{layout: layout, recorded: partCRC, part: 1}
	marks := new(blobs.ChunkSums)
	sums, err := blobs.Sum(ctx, fromDisk(file), func(piece []byte) {
		if f.staging.isRemoved(f.held) {
			cancel(ErrRemoved)
		}
		c.add(piece)
		marks.Add(piece)
	})
	if err != nil {
		return blobs.Sums{}, nil, fmt.Errorf("cannot verify upload: %w", bare(err))
	}
	if err := c.end(); err != nil {
		return blobs.Sums{}, nil, err
	}
	f.marks = marks
	return sums, c.head, nil
}

// Commit moves the staged file, whose sums Verify has returned, among the blobs; then a record may
// name them. The caller has recorded the sums before, so that it can call Commit again after a
// crash or an error: if the file was moved already, that is success. An upload of no bytes becomes
// the empty blob.
func (f *Frozen) Commit(ctx context.Context, sums blobs.Sums) error {
	if err := f.usable(); err != nil {
		return err
	}
	if sums.Size == 0 {
		_, err := f.staging.store.Put(ctx, bytes.NewReader(nil))
		return err
	}
	if err := f.staging.store.Adopt(folder+"/"+f.token, sums.SHA256, sums.Size); err != nil {
		return err
	}
	if f.marks != nil {
		_ = f.staging.store.Keep(sums.SHA256, f.marks) // or they are made when they are needed
	}
	return nil
}

// check follows the parts of a plan through one pass over the file.
type check struct {
	layout   Layout
	recorded func(n int) (uint32, bool)
	part     int    // the one being read, from 1
	done     int64  // bytes of it read
	crc      uint32 // of those
	head     []byte
	damaged  []int
}

// add takes the next piece of the file.
func (c *check) add(piece []byte) {
	if len(c.head) < HeadSize {
		c.head = append(c.head, piece[:min(len(piece), HeadSize-len(c.head))]...)
	}
	for len(piece) > 0 && len(c.damaged) < MaxDamaged {
		part, ok := c.layout.Part(c.part)
		if !ok {
			return
		}
		n := min(int64(len(piece)), part.Len()-c.done)
		c.crc = crc32.Update(c.crc, castagnoli, piece[:n])
		if c.done += n; c.done == part.Len() {
			want, ok := c.recorded(c.part)
			c.close(ok && want == c.crc)
		}
		piece = piece[n:]
	}
}

// close goes on to the next part.
func (c *check) close(good bool) {
	if !good {
		c.damaged = append(c.damaged, c.part)
	}
	c.part, c.done, c.crc = c.part+1, 0, 0
}

// end counts the parts that the file is too short for as damaged, and tells the outcome.
func (c *check) end() error {
	for c.part <= c.layout.Count() && len(c.damaged) < MaxDamaged {
		c.close(false)
	}
	if len(c.damaged) == 0 {
		return nil
	}
	return &PartDamaged{Parts: c.damaged, More: c.part <= c.layout.Count()}
}

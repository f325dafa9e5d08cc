package dir

import (
	"alcove/blobs"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"
)

// blob is a file that is open to be sent.
type blob struct {
	*openFile // nil once it was closed
	store     *Store
	size      int64
	crc       uint32
	chunks    *chunks // nil until the first Check
}

// Read opens a blob to be sent: of size bytes with that CRC-32 (IEEE), as its record says. The
// errors are those of Open; a file of another size, and one that was found to be damaged before,
// gives ErrDamaged. The caller closes it.
func (s *Store) Read(ref blobs.Ref, size int64, crc uint32) (blobs.Blob, error) {
	if have := s.openFiles.take(ref); have != nil {
		if have.info.Size() == size && s.inPlace(have) && !s.isDamaged(ref, have.info) {
			return &blob{openFile: have, store: s, size: size, crc: crc}, nil
		}
		s.openFiles.drop(ref)
		s.openFiles.give(have)
	}
	f, have, err := s.file(ref)
	if err != nil {
		return nil, err
	}
	if have != size {
		f.Close()
		return nil, fmt.Errorf("cannot read blob %s: it has %d bytes and should have %d: %w", ref, have, size, blobs.ErrDamaged)
	}
	info, err := f.Stat()
	if err == nil && s.isDamaged(ref, info) {
		err = fmt.Errorf("it was found damaged before: %w", blobs.ErrDamaged)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot read blob %s: %w", ref, err)
	}
	return &blob{openFile: s.openFiles.add(&openFile{File: f, ref: ref, info: info}), store: s, size: size, crc: crc}, nil
}

// Close lets go of the blob.
func (b *blob) Close() error {
	f := b.openFile
	if f == nil {
		return fs.ErrClosed
	}
	b.openFile = nil
	return b.store.openFiles.give(f)
}

// Size is how many bytes the blob has.
func (b *blob) Size() int64 { return b.size }

// From is the file, at an offset.
func (b *blob) From(at int64) (io.Reader, error) {
	if _, err := b.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	return b.File, nil
}

// Check makes sure that the bytes from one offset to before another are those that were stored,
// together with the rest of the chunks that they lie in; it is cheapest some chunks at a time. Bytes that
// it has read before and is still in the memory of the system is not read again, for a day. It
// moves no offset. When they are others the blob is damaged for every reader from now on, and the
// error is ErrDamaged.
func (b *blob) Check(ctx context.Context, from, to int64) error {
	if from >= to {
		return nil
	}
	if b.chunks == nil {
		if err := b.load(ctx); err != nil {
			return err
		}
	}
	if b.checkedBefore(from, min(to, b.size)) {
		return nil
	}
	for i := from / blobs.Chunk; i*blobs.Chunk < min(to, b.size); i++ {
		start := i * blobs.Chunk
		n := min(blobs.Chunk, b.size-start)
		if b.chunks.trusted(i) && resident(b.File, start, n) {
			continue
		}
		good, err := b.sound(i, start, n)
		if err == nil && !good {
			// Perhaps only memory was at fault: the disk is asked once more.
			forget(b.File, start, n)
			good, err = b.sound(i, start, n)
		}
		if err != nil {
			return fmt.Errorf("cannot read blob %s: %w", b.ref, bare(err))
		}
		if !good {
			b.store.forgetRead(b.ref)
			return b.store.markDamaged(b.ref, b.File, fmt.Sprintf("bytes %d to %d are not what was stored", start, start+n-1))
		}
		b.chunks.trust(i)
	}
	return nil
}

// readAhead is how much the system takes from the disk behind what is read, unless it is set otherwise.
const readAhead = 128 << 10

// checkedBefore reports whether all chunks that some bytes lie in were checked, and these bytes are still in the
// memory of the system, with those of their last chunk that reading them may bring there unchecked.
func (b *blob) checkedBefore(from, to int64) bool {
	end := (to + blobs.Chunk - 1) / blobs.Chunk
	for i := from / blobs.Chunk; i < end; i++ {
		if !b.chunks.trusted(i) {
			return false
		}
	}
	return from < to && resident(b.File, from, min(to+readAhead, end*blobs.Chunk, b.size)-from)
}

// sound reports whether a chunk has its CRC-32. A file that has become shorter has not.
func (b *blob) sound(i, start, n int64) (bool, error) {
	piece := pieces.Get().(*[pieceSize]byte)
	defer pieces.Put(piece)
	crc := uint32(0)
	for at := start; at < start+n; {
		got, err := b.ReadAt(piece[:min(pieceSize, start+n-at)], at)
		crc = crc32.Update(crc, crc32.IEEETable, piece[:got])
		at += int64(got)
		if errors.Is(err, io.EOF) && at < start+n {
			return false, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
	}
	return crc == b.chunks.sums[i], nil
}

// load finds what the chunks of the blob should be, and what is known of them.
func (b *blob) load(ctx context.Context) error {
	if b.chunks = b.store.checked.get(b.ref, b.info); b.chunks != nil {
		return nil
	}
	sums := []uint32{b.crc}
	if marked(b.size) {
		m, err := b.store.chunkSums(ctx, b.ref, b.File, b.size)
		if m == nil {
			return err // otherwise the marks are good, though they could not be kept
		}
		sums = m.Sums()
	}
	b.chunks = newChunks(sums, b.info)
	b.store.checked.put(b.ref, b.chunks)
	return nil
}

// pieceSize is how much of a chunk is read at a time.
const pieceSize = 128 << 10

var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// forgetRead forgets what is known of a blob that is found damaged, goes or is replaced.
func (s *Store) forgetRead(ref blobs.Ref) {
	s.checked.drop(ref)
	s.openFiles.drop(ref)
}

// trustFor is how long a chunk is believed to be what it was when it was checked, as long as it
// stays in the memory of the system.
const trustFor = 24 * time.Hour

// chunks is what is known of the chunks of one blob, as it was at one time. Its methods may be
// called from many goroutines.
type chunks struct {
	sums     []uint32
	modified time.Time // of the file
	since    time.Time
	good     []atomic.Uint64 // a bit for each chunk that was checked
}

func newChunks(sums []uint32, info fs.FileInfo) *chunks {
	return &chunks{sums: sums, modified: info.ModTime(), since: time.Now(), good: make([]atomic.Uint64, len(sums)/64+1)}
}

func (c *chunks) trusted(i int64) bool { return c.good[i/64].Load()&(1<<(i%64)) != 0 }
func (c *chunks) trust(i int64)        { c.good[i/64].Or(1 << (i % 64)) }

// cost is about how many bytes it takes.
func (c *chunks) cost() int { return 256 + 4*len(c.sums) + len(c.sums)/8 }

// maxChecked bounds what all that is known of chunks takes together, in bytes: enough for some
// 30,000 small blobs or 2 TiB of large ones. The one that was asked for last is always kept.
const maxChecked = 8 << 20

// checked is what is known of the chunks of blobs that were read.
type checked struct {
	sync.Mutex
	of   map[blobs.Ref]*chunks
	cost int
}

// get is what is known of a blob whose file is as info says, nil for nothing.
func (k *checked) get(ref blobs.Ref, info fs.FileInfo) *chunks {
	k.Lock()
	defer k.Unlock()
	c := k.of[ref]
	if c == nil || !c.modified.Equal(info.ModTime()) || time.Since(c.since) > trustFor {
		return nil
	}
	return c
}

func (k *checked) put(ref blobs.Ref, c *chunks) {
	k.Lock()
	defer k.Unlock()
	k.remove(ref)
	for old := range k.of { // in no order
		if k.cost+c.cost() <= maxChecked {
			break
		}
		k.remove(old)
	}
	if k.of == nil {
		k.of = map[blobs.Ref]*chunks{}
	}
	k.of[ref] = c
	k.cost += c.cost()
}

func (k *checked) drop(ref blobs.Ref) {
	k.Lock()
	defer k.Unlock()
	k.remove(ref)
}

func (k *checked) remove(ref blobs.Ref) {
	if c := k.of[ref]; c != nil {
		k.cost -= c.cost()
		delete(k.of, ref)
	}
}

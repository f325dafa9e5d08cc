package index

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// verifyAtOnce is how many bytes of an index are checked before it is used; a larger one
// is checked while it is used.
const verifyAtOnce = 256 << 20

// sift removes the damaged segments of a directory before Bleve sees them: it believes
// the lengths that it finds in one, and a wrong one can make it ask for more memory than
// there is, which ends the process. An index that misses a segment does not open, or
// opens as it was before; a segment that a crash has left half written is missed by
// none. It reports false, and does nothing, when there is too much to read at a start.
func sift(ctx context.Context, dir string) (checked bool, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.zap"))
	if err != nil {
		return false, err
	}
	size := int64(0)
	for _, p := range paths {
		if info, err := os.Lstat(p); err == nil {
			size += info.Size()
		}
	}
	if size > verifyAtOnce {
		return false, nil
	}
	for _, p := range paths {
		bad := verifySegment(ctx, p)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if bad != nil {
			if err := os.RemoveAll(p); err != nil {
				return false, fmt.Errorf("cannot remove a damaged part of the search index: %w", err)
			}
		}
	}
	return true, nil
}

// segments are the files that the index consists of now.
func (g *generation) segments() (paths []string, err error) {
	r, err := g.reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s, ok := r.(*scorch.IndexSnapshot)
	if !ok {
		return nil, fmt.Errorf("cannot list segments of a %T", r)
	}
	for _, segment := range s.Segments() {
		if file, ok := segment.Segment().(interface{ Path() string }); ok {
			paths = append(paths, file.Path())
		}
	}
	return paths, nil
}

// verify reads segments and compares their checksums, which Bleve writes but does not
// read. It fails when one is damaged, or when ctx ends.
func verify(ctx context.Context, paths []string) error {
	for _, p := range paths {
		if err := verifySegment(ctx, p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err // one that is gone was merged into another meanwhile
		}
	}
	return nil
}

// verifySegment checks one file of the zap format, which ends with the CRC-32 (IEEE, big
// endian) of all bytes before it.
func verifySegment(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < 4 {
		return fmt.Errorf("cannot use %s: it is cut off", path)
	}
	sum := crc32.NewIEEE()
	r := bufio.NewReaderSize(f, 1<<18)
	for left := info.Size() - 4; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(sum, r, min(left, 8<<20))
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", path, err)
		}
		left -= n
	}
	var want [4]byte
	if _, err := io.ReadFull(r, want[:]); err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	if binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
		return fmt.Errorf("cannot use %s: its checksum is wrong", path)
	}
	return nil
}

package segments

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

	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
)

// Readable reports whether a reader shows the segments of an index. Bleve gives a nil one
// for an index that was closed.
func Readable(r api.IndexReader) bool {
	s, ok := r.(*scorch.IndexSnapshot)
	return ok && s != nil
}

// Share makes a reader outlive one more Close.
func Share(r api.IndexReader) { r.(*scorch.IndexSnapshot).AddRef() }

// Files are the paths of the segments that a reader sees and that are on the disk.
func Files(r api.IndexReader) (paths []string, err error) {
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

// VerifyAll reads segments and compares their checksums, which Bleve writes but does not
// read. It fails when one is damaged, or when ctx ends.
func VerifyAll(ctx context.Context, paths []string) error {
	for _, p := range paths {
		if err := Verify(ctx, p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err // one that is gone was merged into another meanwhile
		}
	}
	return nil
}

// Verify checks one file of the zap format, which ends with the CRC-32 (IEEE, big
// endian) of all bytes before it.
func Verify(ctx context.Context, path string) error {
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

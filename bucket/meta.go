package bucket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// The first two pages of a bbolt file say in turn where the last transaction stands. When one of
// them is damaged bbolt goes on from the other without a word, and the last commit is lost if the
// damaged one was newer, which nobody can tell. So whoever opens the store looks at both.

// Layout of bbolt's meta page, behind a header of 16 bytes, in the byte order of the machine:
// magic, version, page size, flags (4 bytes each), root page, root sequence, free list, number of
// pages, transaction, checksum (8 bytes each).
const (
	metaAt    = 16
	metaSum   = 56
	metaMagic = 0xED0CDAED
)

var errEmpty = errors.New("the file is empty")

type metaPage struct{ pageSize, pages int64 }

func parseMeta(page []byte) (m metaPage, ok bool) {
	if len(page) < metaAt+metaSum+8 {
		return m, false
	}
	page = page[metaAt:]
	sum := fnv.New64a()
	sum.Write(page[:metaSum])
	m.pageSize = int64(binary.NativeEndian.Uint32(page[8:]))
	m.pages = int64(binary.NativeEndian.Uint64(page[40:]))
	ok = binary.NativeEndian.Uint32(page) == metaMagic && binary.NativeEndian.Uint64(page[metaSum:]) == sum.Sum64()
	return m, ok && m.pageSize >= 1<<10 && m.pageSize <= 1<<20
}

// inspect looks at the file of a store that nobody writes to, and tells what is wrong with it.
func inspect(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return errEmpty
	}
	head := make([]byte, 128<<10)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return err
	}
	head = head[:n]
	first, whole := parseMeta(head)
	second, seconded := metaPage{}, false
	for size := int64(1 << 10); size < int64(n) && !seconded; size *= 2 {
		if second, seconded = parseMeta(head[size:]); second.pageSize != size {
			seconded = false
		}
	}
	switch {
	case !whole && !seconded:
		return errors.New("it is not one of Alcove's, or both of its first pages are damaged")
	case !whole:
		return errors.New("its first page is damaged, so that its last commit may be missing")
	case !seconded:
		return errors.New("its second page is damaged, so that its last commit may be missing")
	}
	if least := max(first.pages, second.pages) * first.pageSize; info.Size() < least {
		return fmt.Errorf("the file is cut off: it has %d bytes of %d", info.Size(), least)
	}
	return nil
}

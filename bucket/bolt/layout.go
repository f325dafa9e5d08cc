package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// The layout of bbolt's file, for reading it without bbolt, which believes what it reads:
// a wrong length there is a panic, a fault or a loop. Integers are in the order of the
// machine. Every page begins with
//
//	its number (8) | flags (2) | count (2) | overflow: pages that belong to it behind it (4)
//
// Pages 0 and 1 hold the metas of the last two commits in turn,
//
//	magic (4) | version (4) | page size (4) | flags (4) | root page (8) | sequence (8) |
//	page of the free list (8) | pages in the file (8) | transaction (8) | FNV-64a of that (8)
//
// a branch page has for each child, and a leaf page for each key,
//
//	offset of the key (4) | its length (4) | page (8)
//	flags (4) | offset of the key (4) | its length (4) | length of the value (4)
//
// and behind all of these the keys, and values, in the same order without gaps. An offset
// counts from where it stands. A bucket is a value, its root page (8) and sequence (8); with
// root page 0 the page stands behind them.
const (
	pageHead    = 16
	elementSize = 16
	metaSize    = 64
	bucketHead  = 16

	branchFlag   = 0x01
	leafFlag     = 0x02
	metaFlag     = 0x04
	freelistFlag = 0x10

	boltMagic   = 0xED0CDAED
	boltVersion = 2
	manyFree    = 0xFFFF // then the first number of a free list is how many follow

	smallestPage = 1 << 10
	largestPage  = 64 << 10
	deepest      = 64 // levels of a tree; a real one has less than ten
)

var native = binary.NativeEndian

// errNoMeta says that a file has no page that leads to its contents.
var errNoMeta = errors.New("neither of its first two pages can be read")

// commitMeta is what leads to all other pages, as of one commit.
type commitMeta struct {
	pageSize              int64
	root, freelist, pages uint64
	commit                uint64 // the number of the transaction
}

// parseCommit reads the meta in the page with a number, and says what is wrong with it.
func parseCommit(b []byte, number uint64) (m commitMeta, wrong string) {
	if len(b) < pageHead+metaSize {
		return m, "it is cut off"
	}
	b = b[pageHead : pageHead+metaSize]
	m = commitMeta{
		pageSize: int64(native.Uint32(b[8:])), root: native.Uint64(b[16:]), freelist: native.Uint64(b[32:]),
		pages: native.Uint64(b[40:]), commit: native.Uint64(b[48:]),
	}
	sum := fnv.New64a()
	sum.Write(b[:metaSize-8])
	switch {
	case native.Uint32(b) != boltMagic:
		return m, "it does not begin as a database does"
	case native.Uint32(b[4:]) != boltVersion:
		return m, fmt.Sprintf("its version is %d", native.Uint32(b[4:]))
	case native.Uint64(b[metaSize-8:]) != sum.Sum64():
		return m, "its checksum is wrong"
	case m.pageSize < smallestPage || m.pageSize > largestPage || m.pageSize&(m.pageSize-1) != 0:
		return m, fmt.Sprintf("its pages have %d bytes", m.pageSize)
	case m.commit%2 != number:
		return m, "it belongs in the other's place"
	}
	return m, ""
}

// oddHead reports whether the head of the page of a meta is not as bbolt writes it, which
// goes by the meta all the same.
func oddHead(b []byte, number uint64) bool {
	return len(b) < pageHead || native.Uint64(b) != number || native.Uint16(b[8:]) != metaFlag || native.Uint16(b[10:]) != 0 || native.Uint32(b[12:]) != 0
}

// repairMeta is a meta in which one bit is not what it was, as it was; false when that is not
// what is wrong with it.
func repairMeta(b []byte, number uint64) (repaired []byte, m commitMeta, ok bool) {
	if len(b) < pageHead+metaSize {
		return nil, m, false
	}
	repaired = bytes.Clone(b[:pageHead+metaSize])
	for bit := 8 * pageHead; bit < 8*len(repaired); bit++ {
		repaired[bit/8] ^= 1 << (bit % 8)
		if m, wrong := parseCommit(repaired, number); wrong == "" {
			return repaired, m, true
		}
		repaired[bit/8] ^= 1 << (bit % 8)
	}
	return nil, m, false
}

// heads are the first two pages of a file.
type heads struct {
	page  [2]int64 // where they begin
	raw   [2][]byte
	meta  [2]commitMeta
	wrong [2]string
}

// newest is the meta that bbolt goes by.
func (h *heads) newest() (commitMeta, bool) {
	best := -1
	for i := range h.meta {
		if h.wrong[i] == "" && (best < 0 || h.meta[i].commit > h.meta[best].commit) {
			best = i
		}
	}
	if best < 0 {
		return commitMeta{}, false
	}
	return h.meta[best], true
}

// readHeads reads the metas of a file. It fails when the file cannot be read; what is wrong
// with what is there stands in the result.
func readHeads(f io.ReaderAt) (h *heads, err error) {
	h = &heads{}
	read := func(at int64) ([]byte, error) {
		b := make([]byte, pageHead+metaSize)
		n, err := f.ReadAt(b, at)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return b[:n], err
	}
	if h.raw[0], err = read(0); err != nil {
		return nil, err
	}
	size := int64(os.Getpagesize())
	if h.meta[0], h.wrong[0] = parseCommit(h.raw[0], 0); h.wrong[0] == "" {
		size = h.meta[0].pageSize
	}
	for _, at := range []int64{size, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10} {
		b, err := read(at)
		if err != nil {
			return nil, err
		}
		m, wrong := parseCommit(b, 1)
		if h.raw[1] == nil || wrong == "" && m.pageSize == at {
			h.page[1], h.raw[1], h.meta[1], h.wrong[1] = at, b, m, wrong
		}
		if wrong == "" && m.pageSize == at || h.wrong[0] == "" {
			break
		}
	}
	return h, nil
}

// pageFile reads the pages of a database file.
type pageFile struct {
	from  io.ReaderAt
	size  int64  // of a page
	pages uint64 // in the file, by its meta
	pace  func(n int)
	buf   []byte // for the next page; what is read into it stays until then
}

// page reads a page with those that belong to it. The error says what keeps it from being read.
func (p *pageFile) page(number uint64) ([]byte, error) {
	if number < 2 || number >= p.pages {
		return nil, fmt.Errorf("it is none of the %d pages of the file", p.pages)
	}
	b, err := p.read(number, 1)
	if err != nil {
		return nil, err
	}
	if native.Uint64(b) != number {
		return nil, fmt.Errorf("it says that it is page %d", native.Uint64(b))
	}
	more := uint64(native.Uint32(b[12:]))
	if more >= p.pages-number {
		return nil, fmt.Errorf("it says that %d pages belong to it", more)
	}
	if more > 0 {
		return p.read(number, int64(more)+1)
	}
	return b, nil
}

// read reads n pages.
func (p *pageFile) read(number uint64, n int64) ([]byte, error) {
	p.pace(int(n * p.size))
	if int64(len(p.buf)) < n*p.size {
		p.buf = aligned(int(n * p.size))
	}
	b := p.buf[:n*p.size]
	got, err := p.from.ReadAt(b, int64(number)*p.size)
	if got == len(b) {
		return b, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = errors.New("the file ends before it")
	}
	return nil, err
}

// aligned is room for bytes that come from the disk directly, which must begin at a multiple
// of the size of its blocks.
func aligned(n int) []byte {
	const block = 4096
	b := make([]byte, n+block)
	return b[alignment(b, block):][:n]
}

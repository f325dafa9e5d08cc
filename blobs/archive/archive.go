// Package archive lays files side by side in a zip without compressing them. Their sizes
// and CRC-32s are known beforehand, so the whole layout is: the size of the archive can be
// announced before its first byte, any range of it can be written without what comes
// before, and the same files always make the same bytes. Nothing is kept on disk.
//
// An archive is, for each file, a local header and its bytes; then the central directory,
// which has a record for each file; then the end records (APPNOTE.TXT 6.3.10, 4.3). Sizes,
// offsets and counts that do not fit into their old fields stand in zip64 fields (4.3.14,
// 4.5.3). archive/zip of the standard library cannot write this: it counts offsets by the
// bytes that pass through it, so a range at the end would cost a pass over all before it.
package archive

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"time"
)

// Entry is a file of an archive.
type Entry struct {
	Name  string // folders and the name of the file, with / between them
	Size  int64  // bytes
	CRC32 uint32 // of the bytes, IEEE
}

// Plan is the layout of an archive. It does not change, and takes some 100 bytes for each
// entry.
type Plan struct {
	entries  []Entry
	offsets  []int64 // of each local header, and of the central directory
	modified stamp
	size     int64
}

// Format changes when the same entries make other bytes than before.
const Format = 1

// New lays out files in their order. It keeps the list, and makes the names safe and
// unique (Rename). Every file counts as modified at one time.
func New(entries []Entry, modified time.Time) (*Plan, error) {
	Rename(entries)
	return Renamed(entries, modified)
}

// Renamed is New for entries whose names Rename has made.
func Renamed(entries []Entry, modified time.Time) (*Plan, error) {
	p := &Plan{entries: entries, offsets: make([]int64, 0, len(entries)+1), modified: newStamp(modified)}
	for i := range entries {
		if entries[i].Size < 0 {
			return nil, fmt.Errorf("cannot put %d bytes into an archive", entries[i].Size)
		}
		p.offsets = append(p.offsets, p.size)
		p.size += int64(localSize(&entries[i])) + entries[i].Size
		if p.size < 0 {
			return nil, errors.New("cannot lay out an archive of so many bytes")
		}
	}
	p.offsets = append(p.offsets, p.size)
	for i := range entries {
		p.size += int64(centralSize(&entries[i], p.offsets[i]))
	}
	p.size += int64(len(p.end()))
	return p, nil
}

// Size is how many bytes the archive has.
func (p *Plan) Size() int64 { return p.size }

// Len is how many files the archive has.
func (p *Plan) Len() int { return len(p.entries) }

// FileSize is how many bytes a file of the archive has.
func (p *Plan) FileSize(i int) int64 { return p.entries[i].Size }

// CRC32 is the sum of a file of the archive.
func (p *Plan) CRC32(i int) uint32 { return p.entries[i].CRC32 }

// Name is the name of a file in the archive.
func (p *Plan) Name(i int) string { return p.entries[i].Name }

// batch is how many bytes of the central directory are written at a time.
const batch = 32 << 10

// WriteRange writes the bytes of the archive from one offset to before another. send writes the
// wanted bytes of a file to w, and nothing else: those of file i from one offset in it to before
// another, at least one. WriteRange fails with what send or w fail with.
func (p *Plan) WriteRange(w io.Writer, from, to int64, send func(w io.Writer, i int, from, to int64) error) error {
	if from < 0 || to > p.size || from > to {
		return fmt.Errorf("cannot write bytes %d to %d of an archive of %d", from, to, p.size)
	}
	out := &slicer{w: w, from: from, to: to}
	directory := p.offsets[len(p.entries)]
	first := sort.Search(len(p.entries), func(i int) bool { return p.offsets[i+1] > from })
	var b []byte
	for i := first; i < len(p.entries) && p.offsets[i] < to; i++ {
		b = p.appendLocal(b[:0], i)
		out.at = p.offsets[i]
		if err := out.write(b); err != nil {
			return err
		}
		lo, hi := out.window(p.entries[i].Size)
		if lo == hi {
			continue
		}
		if err := send(w, i, lo, hi); err != nil {
			return err
		}
	}
	if to <= directory {
		return nil
	}
	out.at, b = directory, b[:0]
	for i := range p.entries {
		b = p.appendCentral(b, i)
		if len(b) >= batch {
			if err := out.write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	return out.write(append(b, p.end()...))
}

// slicer writes what lies between two offsets of what passes through it.
type slicer struct {
	w        io.Writer
	from, to int64
	at       int64 // offset of what comes next
}

func (s *slicer) write(b []byte) error {
	lo, hi := s.window(int64(len(b)))
	s.at += int64(len(b))
	if lo == hi {
		return nil
	}
	_, err := s.w.Write(b[lo:hi])
	return err
}

// window is which part of the next n bytes is wanted.
func (s *slicer) window(n int64) (lo, hi int64) {
	lo = min(max(s.from-s.at, 0), n)
	return lo, max(min(s.to-s.at, n), lo)
}

// errBehind ends the making of bytes behind the last one that is wanted.
var errBehind = errors.New("no more bytes are wanted")

// WritePart writes, of the bytes that all writes, those from one offset to before another. all is
// ended by an error of its writer where the rest is not wanted.
func WritePart(w io.Writer, from, to int64, all func(io.Writer) error) error {
	out := &slicer{w: w, from: from, to: to}
	err := all(partWriter{out})
	switch {
	case errors.Is(err, errBehind):
		return nil
	case err == nil && out.at < to:
		return fmt.Errorf("cannot write bytes %d to %d of %d", from, to, out.at)
	}
	return err
}

type partWriter struct{ *slicer }

func (p partWriter) Write(b []byte) (int, error) {
	if p.at >= p.to {
		return 0, errBehind
	}
	if err := p.write(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

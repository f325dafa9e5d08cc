package preview

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"time"
)

// Member is a file in an archive.
type Member struct {
	Name   string
	Number int       // for Extract, 0 where it cannot be opened
	Size   int64     // bytes
	Time   time.Time // of its last change, zero for unknown
}

const (
	memberMost   = 1000
	memberName   = 300      // characters
	zipMost      = 50_000   // members of an archive that is looked at
	archiveBytes = 16 << 20 // that are read of an archive
	unpackedMost = 64 << 20 // that are unpacked of one
)

var errEnough = errors.New("enough was read")

// budget reads until enough was read.
type budget struct {
	io.ReaderAt
	left int64
}

func (b *budget) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errEnough
	}
	return b.ReaderAt.ReadAt(p, at)
}

func zipMembers(f File) (*Preview, error) {
	if err := zipEnd(f); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(&budget{f, archiveBytes}, f.Size)
	if err != nil {
		return nil, ErrBroken
	}
	p := &Preview{}
	for i, m := range z.File {
		if strings.HasSuffix(m.Name, "/") {
			continue
		}
		if len(p.Members) == memberMost {
			p.Cut = true
			break
		}
		number := 0
		if inflatable(m) {
			number = i + 1
		}
		p.Members = append(p.Members, Member{clean(m.Name, memberName), number, int64(min(m.UncompressedSize64, 1<<62)), m.Modified})
	}
	return p, nil
}

// zipEnd refuses an archive whose end promises more members than are looked at: the library makes
// room for as many as it promises.
func zipEnd(f File) error {
	tail := make([]byte, min(f.Size, 65<<10+22))
	if _, err := f.ReadAt(tail, f.Size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for i := len(tail) - 22; i >= 0; i-- {
		if bytes.HasPrefix(tail[i:], []byte("PK\x05\x06")) {
			if n := binary.LittleEndian.Uint16(tail[i+10:]); n > zipMost || n == 0xffff {
				return ErrNone
			}
			if i >= 20 && bytes.HasPrefix(tail[i-20:], []byte("PK\x06\x07")) {
				return ErrNone // of the large form, whose numbers stand elsewhere
			}
		}
	}
	return nil
}

func tarMembers(f File) (*Preview, error) {
	var start [2]byte
	if _, err := f.ReadAt(start[:], 0); err != nil {
		return nil, ErrBroken
	}
	source := io.NewSectionReader(&budget{f, archiveBytes}, 0, f.Size)
	if start == [2]byte{0x1f, 0x8b} {
		unpacked, err := gzip.NewReader(bufio.NewReader(source))
		if err != nil {
			return nil, ErrBroken
		}
		return PackedTar(unpacked)
	}
	return tarList(source, true) // which goes over the bytes of members without reading them
}

// PackedTar lists the members of a TAR that is unpacked while it is read, as far as is read of one.
func PackedTar(unpacked io.Reader) (*Preview, error) {
	return tarList(io.LimitReader(unpacked, unpackedMost), false)
}

// tarList lists the members of a TAR, with their numbers where it is plain.
func tarList(r io.Reader, plain bool) (*Preview, error) {
	p := &Preview{}
	in := tar.NewReader(r)
	for n := 1; ; n++ {
		h, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return p, nil
		case err != nil && len(p.Members) > 0:
			p.Cut = true
			return p, nil
		case err != nil:
			return nil, ErrBroken
		case len(p.Members) == memberMost:
			p.Cut = true
			return p, nil
		case h.Typeflag == tar.TypeReg:
			number := 0
			if plain && plainMember(h) {
				number = n
			}
			p.Members = append(p.Members, Member{clean(h.Name, memberName), number, h.Size, h.ModTime})
		}
	}
}

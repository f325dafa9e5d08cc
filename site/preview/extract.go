package preview

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"path"
	"strings"
)

// A member may be inflated to so many times its size in the archive, and to one more megabyte.
const inflatedMost = 250

// Extracted is a member of an archive, open to be read to its end.
type Extracted struct {
	io.Reader
	Name string // without folders
	Size int64  // bytes
}

var errMember = errors.New("a member is not what its archive says")

// Extract opens a member of a ZIP or a plain TAR by its number in the list of members. It is ErrNone
// where there is no such member or it is of no kind that is opened, and ErrBroken as Of is. Reading it
// gives as many bytes as its size says; where they are not those that the archive promises, it ends in
// an error before the last of them.
func Extract(f File, number int) (*Extracted, error) {
	if number < 1 || !Possible(f.Name, f.MIME, f.Size) {
		return nil, ErrNone
	}
	switch strings.ToLower(path.Ext(f.Name)) {
	case ".zip", ".jar":
		return zipExtract(f, number)
	case ".tar":
		return tarExtract(f, number)
	}
	return nil, ErrNone
}

func zipExtract(f File, number int) (*Extracted, error) {
	if err := zipEnd(f); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(&budget{f, archiveBytes}, f.Size)
	if err != nil {
		return nil, ErrBroken
	}
	if number > len(z.File) || !inflatable(z.File[number-1]) {
		return nil, ErrNone
	}
	m := z.File[number-1]
	at, err := m.DataOffset()
	packed := int64(m.CompressedSize64)
	if err != nil || at < 0 || at > f.Size-packed {
		return nil, ErrBroken
	}
	var source io.Reader = io.NewSectionReader(f, at, packed)
	if m.Method == zip.Deflate {
		source = flate.NewReader(source)
	}
	size := int64(m.UncompressedSize64)
	return &Extracted{&promised{source, size, m.CRC32, crc32.NewIEEE()}, memberBase(m.Name), size}, nil
}

// inflatable reports whether a member of a ZIP is opened: one that is neither encrypted nor in the
// large form, and that does not promise to become very much of very little.
func inflatable(m *zip.File) bool {
	return !strings.HasSuffix(m.Name, "/") && m.Flags&1 == 0 && (m.Method == zip.Store || m.Method == zip.Deflate) &&
		m.CompressedSize64 < math.MaxUint32 && m.UncompressedSize64 < math.MaxUint32 && m.UncompressedSize64 <= inflatedMost*m.CompressedSize64+1<<20
}

// promised reads what a ZIP promises of a member.
type promised struct {
	source io.Reader
	left   int64 // bytes
	crc    uint32
	sum    hash.Hash32
}

// Read holds the last bytes back until all of them are known to be right, so that no reader takes
// wrong ones for the whole member.
func (p *promised) Read(b []byte) (n int, err error) {
	if p.left > 0 {
		n, err = p.source.Read(b[:min(int64(len(b)), p.left)])
		p.sum.Write(b[:n])
		p.left -= int64(n)
		if p.left > 0 && errors.Is(err, io.EOF) {
			err = errMember // of fewer bytes
		}
		if p.left > 0 || err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
	}
	var more [1]byte
	if extra, err := io.ReadFull(p.source, more[:]); extra > 0 || !errors.Is(err, io.EOF) {
		return 0, errMember
	}
	if p.sum.Sum32() != p.crc {
		return 0, errMember
	}
	return n, io.EOF
}

func tarExtract(f File, number int) (*Extracted, error) {
	source := io.NewSectionReader(&budget{f, archiveBytes}, 0, f.Size)
	in := tar.NewReader(source)
	for n := 1; ; n++ {
		h, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, ErrNone
		case err != nil:
			return nil, ErrBroken
		case n < number:
			continue
		case !plainMember(h):
			return nil, ErrNone
		}
		at, err := source.Seek(0, io.SeekCurrent) // behind its header, as nothing is read ahead
		if err != nil || h.Size < 0 || at > f.Size-h.Size {
			return nil, ErrBroken
		}
		return &Extracted{io.NewSectionReader(f, at, h.Size), memberBase(h.Name), h.Size}, nil
	}
}

// plainMember reports whether the bytes of a member of a TAR stand behind its header as they are.
func plainMember(h *tar.Header) bool {
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return false
		}
	}
	return h.Typeflag == tar.TypeReg
}

// memberBase is the name of a member for the disk of a reader.
func memberBase(name string) string {
	base := path.Base(strings.ReplaceAll(clean(name, memberName), `\`, "/"))
	if strings.Trim(base, "./ ") == "" {
		return "member"
	}
	return base
}

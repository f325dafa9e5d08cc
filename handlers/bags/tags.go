package bags

import (
	"bufio"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"alcove/formats"
	"alcove/handlers/bags/bagit"
)

// made is a file of the bag itself, whose bytes are made each time that they are wanted.
type made struct {
	path   string // in the bag
	write  func(io.Writer) error
	size   int64
	crc32  uint32
	sha256 [sha256.Size]byte
	md5    [md5.Size]byte
}

// newMade makes a file once, for its sums.
func newMade(path string, write func(io.Writer) error) (made, error) {
	m := made{path: path, write: write}
	crc, sha, short := crc32.NewIEEE(), sha256.New(), md5.New()
	count := new(counter)
	if err := write(io.MultiWriter(count, crc, sha, short)); err != nil {
		return m, fmt.Errorf("cannot make %s of a bag: %w", path, err)
	}
	m.size, m.crc32 = int64(*count), crc.Sum32()
	sha.Sum(m.sha256[:0])
	short.Sum(m.md5[:0])
	return m, nil
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// text is a file that is in memory.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// algorithm is that of the sums in a manifest.
type algorithm int

const (
	inSHA256 algorithm = iota
	inMD5
)

func (m *made) sum(a algorithm) string {
	if a == inMD5 {
		return hex.EncodeToString(m.md5[:])
	}
	return hex.EncodeToString(m.sha256[:])
}

// manifest writes the sums of all files below data (RFC 8493, 2.1.3).
func (b *builder) manifest(to io.Writer, crate made, a algorithm) error {
	w := bufio.NewWriterSize(to, 16<<10)
	w.WriteString(bagit.Line(crate.sum(a), crate.path))
	for i, f := range b.stored {
		sum := f.md5
		if a == inSHA256 {
			sum = b.refs[i].String()
		}
		w.WriteString(bagit.Line(sum, b.path(i)))
	}
	return w.Flush()
}

// tagManifest has the sums of the files outside data (2.2.1).
func tagManifest(files []made, a algorithm) string {
	var b strings.Builder
	for _, m := range files {
		b.WriteString(bagit.Line(m.sum(a), m.path))
	}
	return b.String()
}

// about is what bag-info.txt says of an item (2.2.2). The date of the bag is that of the last change of what is in it,
// so that its bytes stay the same. sender names the item within this repository.
func about(it formats.Item, sender string) []bagit.Field {
	list := []bagit.Field{{Label: "Source-Organization", Value: it.Publisher}, {Label: "External-Description", Value: it.Title}}
	if !it.Modified.IsZero() {
		list = append(list, bagit.Field{Label: "Bagging-Date", Value: it.Modified.UTC().Format("2006-01-02")})
	}
	if it.DOI != "" {
		list = append(list, bagit.Field{Label: "External-Identifier", Value: "https://doi.org/" + it.DOI})
	}
	if it.Handle != "" {
		list = append(list, bagit.Field{Label: "External-Identifier", Value: "https://hdl.handle.net/" + it.Handle})
	}
	return append(list, bagit.Field{Label: "External-Identifier", Value: it.URL}, bagit.Field{Label: "Internal-Sender-Identifier", Value: sender})
}

package pack

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"alcove/handlers/bags/bagit"
)

// bag writes the members of a zip and keeps their sums for the manifests, which come last.
type bag struct {
	zip   *zip.Writer
	top   string // folder of the bag, with a / at its end
	stamp time.Time
	list  []member
}

type member struct {
	path        string
	size        int64
	sha256, md5 string
}

func newBag(to io.Writer, top string, stamp time.Time) *bag {
	if stamp.Year() < 1980 { // the first that a zip can say
		stamp = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return &bag{zip: zip.NewWriter(to), top: top, stamp: stamp.UTC()}
}

// text adds a member that is in memory.
func (b *bag) text(path string, text []byte) error { return b.add(path, bytes.NewReader(text)) }

// add adds a member. Its size stands behind its bytes.
func (b *bag) add(path string, r io.Reader) error {
	h := &zip.FileHeader{Name: b.top + path, Method: zip.Store, Modified: b.stamp}
	h.SetMode(0o644)
	w, err := b.zip.CreateHeader(h)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	sha, short := sha256.New(), md5.New()
	size, err := io.Copy(io.MultiWriter(w, sha, short), r)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	b.list = append(b.list, member{path, size, hex.EncodeToString(sha.Sum(nil)), hex.EncodeToString(short.Sum(nil))})
	return nil
}

// finish writes the tag files that a bag has of itself, and ends the zip.
func (b *bag) finish(info []bagit.Field) error {
	octets, count := int64(0), 0
	for _, m := range b.list {
		if payload(m.path) {
			octets, count = octets+m.size, count+1
		}
	}
	info = append(info, bagit.Field{Label: "Bag-Size", Value: bagit.RoundSize(octets)},
		bagit.Field{Label: "Payload-Oxum", Value: fmt.Sprintf("%d.%d", octets, count)})
	if err := b.text("bag-info.txt", []byte(bagit.Info(info))); err != nil {
		return err
	}
	for _, m := range []struct {
		name string
		is   func(path string) bool
	}{{"manifest", payload}, {"tagmanifest", func(path string) bool { return !payload(path) && !strings.HasPrefix(path, "tagmanifest-") }}} {
		var sha, short strings.Builder
		for _, f := range b.list {
			if m.is(f.path) {
				sha.WriteString(bagit.Line(f.sha256, f.path))
				short.WriteString(bagit.Line(f.md5, f.path))
			}
		}
		if err := b.text(m.name+"-sha256.txt", []byte(sha.String())); err != nil {
			return err
		}
		if err := b.text(m.name+"-md5.txt", []byte(short.String())); err != nil {
			return err
		}
	}
	return b.zip.Close()
}

// payload reports whether a path is below data, rather than that of a tag file.
func payload(path string) bool { return strings.HasPrefix(path, "data/") }

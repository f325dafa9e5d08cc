package archive

import (
	"archive/zip"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"time"
)

// lazy is the bytes of an archive as a file has them: those of its files are made when
// they are read.
type lazy struct {
	p       *Plan
	content func(i int, at int64) byte
}

// upTo takes so many bytes.
type upTo struct{ b []byte }

func (w *upTo) Write(b []byte) (int, error) {
	n := copy(w.b, b)
	if w.b = w.b[n:]; n < len(b) {
		return n, errors.New("more than was asked for")
	}
	return n, nil
}

func (s lazy) ReadAt(b []byte, at int64) (int, error) {
	to := min(at+int64(len(b)), s.p.Size())
	if at >= to {
		return 0, io.EOF
	}
	err := s.p.WriteRange(&upTo{b}, at, to, func(w io.Writer, i int, from, to int64) error {
		part := make([]byte, to-from)
		for n := range part {
			part[n] = s.content(i, from+int64(n))
		}
		_, err := w.Write(part)
		return err
	})
	if n := int(to - at); err != nil || n == len(b) {
		return n, err
	}
	return int(to - at), io.EOF
}

// The archive of any names and any sizes is one that the standard library reads: every file with
// its name, its size and, where they are few enough to read, its bytes (security.md D24, G10).
func FuzzLayout(f *testing.F) {
	f.Add("a.txt\nb/c.txt\nb/c.txt", []byte{0, 5, 1, 1, 0, 9}, int64(1_700_000_000))
	f.Add("x", []byte{40, 255}, int64(0))
	f.Add("large\nlarger\nlast", []byte{31, 255, 32, 1, 3, 3}, int64(-1))
	f.Add("\xff\n..\n\u202e\n"+strings.Repeat("n", 300), []byte{9, 9}, int64(1)<<40)
	f.Add("over\nflow", []byte{63, 255, 62, 255}, int64(5))
	f.Fuzz(func(t *testing.T, text string, sizes []byte, seconds int64) {
		names := strings.Split(text, "\n")
		if len(names) > 200 {
			return
		}
		var entries []Entry
		for i, name := range names {
			e := Entry{Name: name}
			if 2*i+1 < len(sizes) { // a power of two, and a little more or less
				e.Size = int64(1)<<(sizes[2*i]%63) + int64(int8(sizes[2*i+1]))
			}
			e.Size = max(e.Size, 0)
			if e.Size <= 4096 {
				sum := crc32.NewIEEE()
				for n := range e.Size {
					sum.Write([]byte{content(i, n)})
				}
				e.CRC32 = sum.Sum32()
			}
			entries = append(entries, e)
		}
		given := append([]Entry{}, entries...)
		p, err := New(entries, time.Unix(seconds%(1<<40), 0))
		if err != nil {
			return // more bytes than there are numbers for
		}
		z, err := zip.NewReader(lazy{p, content}, p.Size())
		if err != nil || len(z.File) != len(given) {
			t.Fatalf("%q %v: %v", names, sizes, err)
		}
		for i, file := range z.File {
			if file.Name != p.Name(i) || file.UncompressedSize64 != uint64(given[i].Size) || file.CompressedSize64 != uint64(given[i].Size) || file.CRC32 != given[i].CRC32 || file.NonUTF8 {
				t.Fatalf("%q of %d bytes is %+v", given[i].Name, given[i].Size, file.FileHeader)
			}
			if _, err := file.DataOffset(); err != nil {
				t.Fatalf("%q: %v", file.Name, err)
			}
			if given[i].Size > 4096 {
				continue
			}
			r, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(r); err != nil || int64(len(b)) != given[i].Size { // it checks the CRC-32
				t.Fatalf("%q: %d bytes, %v", file.Name, len(b), err)
			}
		}
	})
}

func content(i int, at int64) byte { return byte(i*31 + int(at)*7) }

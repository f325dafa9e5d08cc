package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

var published = time.Date(2024, 5, 17, 11, 22, 34, 0, time.UTC)

// memory is a file that lies in memory.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// files makes an archive of bodies, and what opens them.
func files(t testing.TB, names []string, bodies [][]byte) (*Plan, func(int) (io.ReadSeekCloser, error)) {
	t.Helper()
	var entries []Entry
	for i, b := range bodies {
		entries = append(entries, Entry{names[i], int64(len(b)), crc32.ChecksumIEEE(b)})
	}
	p, err := New(entries, published)
	if err != nil {
		t.Fatal(err)
	}
	return p, func(i int) (io.ReadSeekCloser, error) { return memory{bytes.NewReader(bodies[i])}, nil }
}

var errShort = errors.New("a file ended early")

// sending sends what open opens.
func sending(open func(int) (io.ReadSeekCloser, error)) func(io.Writer, int, int64, int64) error {
	return func(w io.Writer, i int, from, to int64) error {
		f, err := open(i)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(w, f, to-from); errors.Is(err, io.EOF) {
			return errShort
		} else if err != nil {
			return err
		}
		return nil
	}
}

func whole(t testing.TB, p *Plan, open func(int) (io.ReadSeekCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteRange(&b, 0, p.Size(), sending(open)); err != nil {
		t.Fatal(err)
	}
	if int64(b.Len()) != p.Size() {
		t.Fatalf("%d bytes, announced were %d", b.Len(), p.Size())
	}
	return b.Bytes()
}

// The standard library, unzip and Python read of an archive the bytes that were put in, and every
// range of it is a piece of the whole.
func TestArchive(t *testing.T) {
	names := []string{"a.txt", "folder/b.bin", "Ünïcode/日本語 😀.txt", "empty", "folder/b.bin"}
	bodies := [][]byte{[]byte("hello"), bytes.Repeat([]byte("xyz"), 30_000), []byte("1"), nil, []byte("another")}
	p, open := files(t, names, bodies)
	b := whole(t, p, open)
	if again := whole(t, p, open); !bytes.Equal(again, b) {
		t.Error("the same archive has other bytes the second time")
	}
	z, err := zip.NewReader(bytes.NewReader(b), p.Size())
	if err != nil || len(z.File) != len(bodies) || p.Len() != len(bodies) {
		t.Fatalf("%d files, %v", len(z.File), err)
	}
	want := []string{"a.txt", "folder/b.bin", "Ünïcode/日本語 😀.txt", "empty", "folder/b (1).bin"}
	for i, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r) // checks the CRC-32
		if err != nil || !bytes.Equal(got, bodies[i]) || f.Name != want[i] || p.Name(i) != want[i] || !f.Modified.Equal(published) || f.NonUTF8 || f.Method != zip.Store || f.Mode() != 0o644 {
			t.Errorf("%s: %d bytes, %v, %v, %v", f.Name, len(got), err, f.Modified, f.Mode())
		}
		if at, err := f.DataOffset(); err != nil || !bytes.Equal(b[at:at+int64(len(bodies[i]))], bodies[i]) {
			t.Errorf("%s begins at %d: %v", f.Name, at, err)
		}
	}
	path := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, check := range [][]string{{"unzip", "-tqq", path}, {"python3", "-m", "zipfile", "-t", path}} {
		if _, err := exec.LookPath(check[0]); err != nil {
			continue
		}
		if out, err := exec.Command(check[0], check[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%q: %v: %s", check, err, out)
		}
	}
	seed := uint64(7)
	for range 2000 {
		seed = seed*6364136223846793005 + 1442695040888963407
		from := int64(seed>>33) % p.Size()
		to := min(from+int64(seed>>20)%5000, p.Size())
		var part bytes.Buffer
		if err := p.WriteRange(&part, from, to, sending(open)); err != nil || !bytes.Equal(part.Bytes(), b[from:to]) {
			t.Fatalf("bytes %d to %d: %v", from, to, err)
		}
	}
	for _, r := range [][2]int64{{-1, 5}, {0, p.Size() + 1}, {5, 4}} {
		if err := p.WriteRange(io.Discard, r[0], r[1], sending(open)); err == nil {
			t.Errorf("bytes %d to %d were written", r[0], r[1])
		}
	}
}

// Of no files there is an archive too, and of sizes that cannot be there is none.
func TestArchiveBounds(t *testing.T) {
	p, open := files(t, nil, nil)
	if b := whole(t, p, open); len(b) != 22 {
		t.Errorf("an empty archive has %d bytes", len(b))
	}
	for _, sizes := range [][]int64{{-1}, {1 << 62, 1 << 62}} {
		var entries []Entry
		for _, n := range sizes {
			entries = append(entries, Entry{Name: "x", Size: n})
		}
		if _, err := New(entries, published); err == nil {
			t.Errorf("sizes %v were laid out", sizes)
		}
	}
	for _, year := range []int{1, 1979, 1980, 2037, 2038, 2200} {
		s := newStamp(time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC))
		if got := int(s.date>>9) + 1980; got != min(max(year, 1980), 2037) || time.Unix(int64(int32(s.unix)), 0).Year() != got {
			t.Errorf("the year %d became %d and %d", year, got, s.unix)
		}
	}
}

// A file that is shorter than announced, or not there, ends the writing with an error.
func TestArchiveShort(t *testing.T) {
	p, open := files(t, []string{"a", "b"}, [][]byte{make([]byte, 100), make([]byte, 100)})
	var got bytes.Buffer
	err := p.WriteRange(&got, 0, p.Size(), sending(func(i int) (io.ReadSeekCloser, error) {
		if i == 1 {
			return memory{bytes.NewReader(make([]byte, 99))}, nil
		}
		return open(i)
	}))
	if !errors.Is(err, errShort) || int64(got.Len()) >= p.offsets[2] {
		t.Errorf("%v after %d bytes", err, got.Len())
	}
	err = p.WriteRange(io.Discard, 0, p.Size(), sending(func(int) (io.ReadSeekCloser, error) { return nil, os.ErrNotExist }))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// zeros is a file of zeros that takes no space.
type zeros struct{ at, size int64 }

func (z *zeros) Read(b []byte) (int, error) {
	if z.at == z.size {
		return 0, io.EOF
	}
	n := min(int64(len(b)), z.size-z.at)
	clear(b[:n])
	z.at += n
	return int(n), nil
}

func (z *zeros) Seek(at int64, _ int) (int64, error) { z.at = at; return at, nil }
func (z *zeros) Close() error                        { return nil }

// large reads an archive that is never whole anywhere.
type large struct {
	p    *Plan
	open func(int) (io.ReadSeekCloser, error)
}

func (l large) ReadAt(b []byte, at int64) (int, error) {
	to := min(at+int64(len(b)), l.p.Size())
	if at >= to {
		return 0, io.EOF
	}
	out := bytes.NewBuffer(b[:0])
	err := l.p.WriteRange(out, at, to, sending(l.open))
	if err == nil && out.Len() < len(b) {
		err = io.EOF
	}
	return out.Len(), err
}

// APPNOTE 4.3.9.2, 4.5.3: files over 4 GiB, files behind 4 GiB, and both.
func TestArchiveOver4GiB(t *testing.T) {
	sizes := []int64{3, 5 << 30, 1<<32 - 2, 1<<32 - 1, 1 << 32, 7, 1 << 40}
	var entries []Entry
	for i, n := range sizes {
		entries = append(entries, Entry{fmt.Sprint("file ", i), n, uint32(i)})
	}
	p, err := New(entries, published)
	if err != nil {
		t.Fatal(err)
	}
	l := large{p, func(i int) (io.ReadSeekCloser, error) { return &zeros{size: sizes[i]}, nil }}
	z, err := zip.NewReader(l, p.Size())
	if err != nil || len(z.File) != len(sizes) {
		t.Fatal(err)
	}
	for i, f := range z.File {
		at, err := f.DataOffset() // reads the local header too
		if err != nil || f.UncompressedSize64 != uint64(sizes[i]) || f.CompressedSize64 != uint64(sizes[i]) || f.CRC32 != uint32(i) {
			t.Errorf("%s has %d bytes: %v", f.Name, f.UncompressedSize64, err)
		}
		if next := p.offsets[i+1]; at+sizes[i] != next {
			t.Errorf("%s ends at %d, the next begins at %d", f.Name, at+sizes[i], next)
		}
	}
	if _, err := exec.LookPath("python3"); err == nil { // takes the local headers into account too
		path := filepath.Join(t.TempDir(), "large.zip")
		sparse(t, path, p, l)
		out, err := exec.Command("python3", "-c", "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nfor i in z.infolist():\n    z.open(i).close()\n    print(i.file_size)", path).CombinedOutput()
		want := ""
		for _, n := range sizes {
			want += fmt.Sprintln(n)
		}
		if err != nil || string(out) != want {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// sparse writes an archive of zeros without its bodies.
func sparse(t *testing.T, path string, p *Plan, l large) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range p.entries {
		if _, err := f.WriteAt(p.appendLocal(nil, i), p.offsets[i]); err != nil {
			t.Fatal(err)
		}
	}
	start := p.offsets[len(p.entries)]
	b := make([]byte, p.Size()-start)
	if _, err := l.ReadAt(b, start); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(b, start); err != nil {
		t.Fatal(err)
	}
}

// APPNOTE 4.4.1.4: more files than the old count can say, in little memory.
func TestArchiveManyFiles(t *testing.T) {
	for _, count := range []int{65_534, 65_535, 65_536, 100_000} {
		var before, after runtime.MemStats
		entries := make([]Entry, 0, count)
		for i := range count {
			entries = append(entries, Entry{fmt.Sprintf("folder %d/file %d", i%100, i), 1, crc32.ChecksumIEEE([]byte{byte(i)})})
		}
		p, err := New(entries, published)
		if err != nil {
			t.Fatal(err)
		}
		open := func(i int) (io.ReadSeekCloser, error) { return memory{bytes.NewReader([]byte{byte(i)})}, nil }
		b := bytes.NewBuffer(make([]byte, 0, p.Size()))
		runtime.GC()
		runtime.ReadMemStats(&before)
		if err := p.WriteRange(b, 0, p.Size(), sending(open)); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
			t.Errorf("writing %d files took %d bytes", count, grown)
		}
		z, err := zip.NewReader(bytes.NewReader(b.Bytes()), p.Size())
		if err != nil || len(z.File) != count {
			t.Fatalf("%d files: %v", count, err)
		}
		last := z.File[count-1]
		r, err := last.Open()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || got[0] != byte(count-1) || last.Name != fmt.Sprintf("folder %d/file %d", (count-1)%100, count-1) {
			t.Errorf("%s: %v, %v", last.Name, got, err)
		}
		from := p.Size() - 100_000
		if allocs := testing.AllocsPerRun(1, func() { p.WriteRange(io.Discard, from, p.Size(), sending(open)) }); allocs > 100 {
			t.Errorf("the last 100,000 bytes took %v allocations", allocs)
		}
	}
}

package dir

import (
	"alcove/blobs"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// readAll reads all of a blob, each byte checked.
func (s *Store) readAll(t *testing.T, sums blobs.Sums) ([]byte, error) {
	t.Helper()
	b, err := s.Read(sums.SHA256, sums.Size, sums.CRC32)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := b.Check(t.Context(), 0, sums.Size); err != nil {
		return nil, err
	}
	from, err := b.From(0)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(from)
}

// An open file is never given for another that has come into its place, or for one that has gone.
func TestReadLooksAtThePlace(t *testing.T) {
	data := noise(2*blobs.Chunk+5, 21)
	aside := filepath.Join(t.TempDir(), "aside")
	for what, c := range map[string]struct {
		then func(s *Store, sums blobs.Sums, place string) error
		want error
	}{
		"nothing": {func(*Store, blobs.Sums, string) error { return nil }, nil},
		"removed": {func(_ *Store, _ blobs.Sums, p string) error { return os.Remove(p) }, fs.ErrNotExist},
		"renamed": {func(_ *Store, _ blobs.Sums, p string) error { return os.Rename(p, aside) }, fs.ErrNotExist},
		"shorter": {func(_ *Store, _ blobs.Sums, p string) error { return os.Truncate(p, 5) }, blobs.ErrDamaged},
		"a link": {func(_ *Store, _ blobs.Sums, p string) error {
			return errors.Join(os.Rename(p, aside), os.Symlink(aside, p))
		}, blobs.ErrDamaged},
		"condemned": {func(s *Store, sums blobs.Sums, _ string) error { return s.MarkDamaged(sums.SHA256, "said so") }, blobs.ErrDamaged},
		"stored again": {func(s *Store, _ blobs.Sums, _ string) error {
			_, err := s.Put(t.Context(), bytes.NewReader(data))
			return err
		}, nil},
		"changed": {func(_ *Store, _ blobs.Sums, p string) error {
			flip(t, p, 5)
			return os.Chtimes(p, time.Now(), time.Now())
		}, blobs.ErrDamaged},
		"another, damaged": {func(_ *Store, _ blobs.Sums, p string) error {
			return errors.Join(os.Remove(p), os.WriteFile(p, noise(len(data), 22), 0o600))
		}, blobs.ErrDamaged},
		"swept": {func(s *Store, sums blobs.Sums, _ string) error {
			_, err := s.Remove(sums.SHA256, time.Now().Add(time.Hour))
			return err
		}, fs.ErrNotExist},
	} {
		s, sums, place := kept(t, data)
		for range 2 {
			if got, err := s.readAll(t, sums); err != nil || !bytes.Equal(got, data) {
				t.Fatal(err)
			}
		}
		if err := c.then(s, sums, place); err != nil {
			t.Fatal(what, err)
		}
		got, err := s.readAll(t, sums)
		if !errors.Is(err, c.want) || err == nil && !bytes.Equal(got, data) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func take(t *testing.T, s *Store, sums blobs.Sums) *blob {
	t.Helper()
	b, err := s.Read(sums.SHA256, sums.Size, sums.CRC32)
	if err != nil {
		t.Fatal(err)
	}
	return b.(*blob)
}

func isOpen(f *os.File) bool {
	_, err := f.Stat()
	return err == nil
}

// A file that was read stays open for the next reader, and has one at a time: each reads from its own offset.
func TestOpenFileHasOneReader(t *testing.T) {
	data := noise(5000, 25)
	s, sums, _ := kept(t, data)
	one := take(t, s, sums)
	f := one.File
	one.Close()
	one = take(t, s, sums)
	if one.File != f {
		t.Error("a file that stayed open was opened again")
	}
	two := take(t, s, sums)
	if two.File == f {
		t.Fatal("two readers have the same file")
	}
	var got [2][]byte
	for i, b := range []*blob{one, two} {
		from, err := b.From(int64(1000 * i))
		if err != nil {
			t.Fatal(err)
		}
		got[i] = make([]byte, 10)
		if _, err := io.ReadFull(from, got[i]); err != nil {
			t.Fatal(err)
		}
	}
	rest, err := io.ReadAll(one)
	if err != nil || !bytes.Equal(append(got[0], rest...), data) || !bytes.Equal(got[1], data[1000:1010]) {
		t.Error("a reader has moved the place of another", err)
	}
	one.Close()
	two.Close()
	if len(s.openFiles.idle) != 2 || len(s.openFiles.busy) != 0 {
		t.Errorf("%d files are open without a reader, %d with one", len(s.openFiles.idle), len(s.openFiles.busy))
	}
}

// A file that is replaced or removed is closed when its reader is done, and at once where it has
// none: its space is free then.
func TestOpenFileIsClosed(t *testing.T) {
	data := noise(5000, 23)
	s, sums, _ := kept(t, data)
	again := func() {
		t.Helper()
		if _, err := s.Put(t.Context(), bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	one, two := take(t, s, sums), take(t, s, sums)
	f, unread := one.File, two.File
	two.Close()
	if removed, err := s.Remove(sums.SHA256, time.Now().Add(time.Hour)); !removed || err != nil {
		t.Fatal(err)
	}
	if !isOpen(f) {
		t.Error("closed while it is read")
	}
	if isOpen(unread) {
		t.Error("open after it was removed")
	}
	one.Close()
	if isOpen(f) {
		t.Error("open after its reader")
	}
	if one.Close() == nil || len(s.openFiles.busy)+len(s.openFiles.idle) != 0 {
		t.Error("closed twice")
	}

	again()
	one = take(t, s, sums)
	f = one.File
	one.Close()
	if !isOpen(f) {
		t.Error("closed although it may be asked for again")
	}
	again()
	if isOpen(f) {
		t.Error("open after it was replaced")
	}
	one, two = take(t, s, sums), take(t, s, sums)
	f, unread = one.File, two.File
	two.Close()
	s.Close()
	if isOpen(unread) || !isOpen(f) {
		t.Error("after the store is closed, a file without a reader is open, or one with a reader is not")
	}
	one.Close()
	if isOpen(f) {
		t.Error("open after the store and its reader")
	}
}

func TestOpenFilesAreBounded(t *testing.T) {
	s := open(t, t.TempDir())
	var first *blob
	var files []*os.File
	for i := range 3 * maxIdle {
		sums, err := s.Put(t.Context(), bytes.NewReader(noise(100+i, byte(i))))
		if err != nil {
			t.Fatal(err)
		}
		b := take(t, s, sums)
		if first == nil {
			first = b
			continue
		}
		files = append(files, b.File)
		b.Close()
	}
	for i, f := range files {
		if isOpen(f) != (i >= len(files)-maxIdle) {
			t.Errorf("of %d files that were read one after another, number %d is open: %v", len(files), i, isOpen(f))
		}
	}
	if _, err := first.ReadAt(make([]byte, 100), 0); err != nil {
		t.Errorf("closed while it is read: %v", err)
	}
	first.Close()
}

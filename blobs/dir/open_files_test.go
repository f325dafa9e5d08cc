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

// share reads all of a blob through a descriptor that others may have.
func (s *Store) share(t *testing.T, sums blobs.Sums) ([]byte, error) {
	t.Helper()
	b, err := s.Share(sums.SHA256, sums.Size, sums.CRC32)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := b.Check(t.Context(), 0, sums.Size); err != nil {
		return nil, err
	}
	got := make([]byte, sums.Size)
	_, err = b.ReadAt(got, 0)
	return got, err
}

// An open file is never given for another that has come into its place, or for one that has gone.
func TestShareLooksAtThePlace(t *testing.T) {
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
			if got, err := s.share(t, sums); err != nil || !bytes.Equal(got, data) {
				t.Fatal(err)
			}
		}
		if err := c.then(s, sums, place); err != nil {
			t.Fatal(what, err)
		}
		got, err := s.share(t, sums)
		if !errors.Is(err, c.want) || err == nil && !bytes.Equal(got, data) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A file that is replaced or removed is closed when the last of those who read it is done, and at
// once where none does: its space is free then.
func TestSharedIsClosed(t *testing.T) {
	s, sums, _ := kept(t, noise(5000, 23))
	take := func() blobs.Blob {
		t.Helper()
		b, err := s.Share(sums.SHA256, sums.Size, sums.CRC32)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	open := func(f *os.File) bool {
		_, err := f.Stat()
		return err == nil
	}
	one, two := take(), take()
	f := one.(*blob).File
	if two.(*blob).File != f {
		t.Fatal("the same blob was opened twice")
	}
	if err := two.Alone(); err != nil || two.(*blob).File == f {
		t.Fatal("still shared", err)
	}
	if got, err := io.ReadAll(two.(*blob)); err != nil || len(got) != 5000 {
		t.Error(len(got), err)
	}
	two.Close()
	if removed, err := s.Remove(sums.SHA256, time.Now().Add(time.Hour)); !removed || err != nil {
		t.Fatal(err)
	}
	if !open(f) {
		t.Error("closed while it is read")
	}
	one.Close()
	if open(f) {
		t.Error("open after the last reader")
	}
	if one.Close() == nil || len(s.openFiles.of) != 0 {
		t.Error("closed twice")
	}

	if _, err := s.Put(t.Context(), bytes.NewReader(noise(5000, 23))); err != nil {
		t.Fatal(err)
	}
	one = take()
	f = one.(*blob).File
	one.Close()
	if !open(f) {
		t.Error("closed although it may be asked for again")
	}
	if _, err := s.Put(t.Context(), bytes.NewReader(noise(5000, 23))); err != nil {
		t.Fatal(err)
	}
	if open(f) {
		t.Error("open after it was replaced")
	}
	one = take()
	f = one.(*blob).File
	one.Close()
	s.Close()
	if open(f) {
		t.Error("open after the store")
	}
}

func TestSharedIsBounded(t *testing.T) {
	s := open(t, t.TempDir())
	var first blobs.Blob
	for i := range 3 * maxShared {
		sums, err := s.Put(t.Context(), bytes.NewReader(noise(100+i, byte(i))))
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Share(sums.SHA256, sums.Size, sums.CRC32)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
			continue
		}
		b.Close()
		if n := len(s.openFiles.of); n > maxShared {
			t.Fatalf("%d files are open", n)
		}
		if s.openFiles.of[sums.SHA256] == nil {
			t.Fatal("the one that was asked for last is closed")
		}
	}
	if _, err := first.ReadAt(make([]byte, 100), 0); err != nil {
		t.Errorf("closed while it is read: %v", err)
	}
	f := first.(*blob).File
	first.Close()
	if _, err := f.Stat(); err == nil {
		t.Error("crowded out and still open")
	}
}

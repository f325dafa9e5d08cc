package dir

import (
	"alcove/blobs"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// stage opens a store with a staging directory and returns a function that stages bytes there.
func stage(t *testing.T) (s *Store, dir string, add func(name string, data []byte) string) {
	t.Helper()
	dir = t.TempDir()
	s = open(t, dir)
	root, err := s.Stage("in")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return s, dir, func(name string, data []byte) string {
		t.Helper()
		if err := root.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return "in/" + name
	}
}

func mustHold(t *testing.T, s *Store, data []byte) {
	t.Helper()
	f, size, err := s.file(sumsOf(data).SHA256)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || size != int64(len(data)) || !bytes.Equal(got, data) {
		t.Errorf("the blob has %d bytes (%d read, %v), want %d others", size, len(got), err, len(data))
	}
}

func mustBeGone(t *testing.T, dir, staged string) {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(dir, staged)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", staged, err)
	}
}

func TestAdopt(t *testing.T) {
	s, dir, add := stage(t)
	data := noise(5000, 1)
	ref, size := sumsOf(data).SHA256, int64(len(data))

	staged := add("one", data)
	if err := s.Adopt(staged, ref, size); err != nil {
		t.Fatal(err)
	}
	mustHold(t, s, data)
	mustBeGone(t, dir, staged)

	// As after a crash between the rename and the record.
	if err := s.Adopt(staged, ref, size); err != nil {
		t.Error(err)
	}
	mustHold(t, s, data)

	// The same bytes again: what was just found right takes the place.
	first, _ := os.Stat(filepath.Join(dir, pathOf(ref)))
	staged = add("two", data)
	if err := s.Adopt(staged, ref, size); err != nil {
		t.Error(err)
	}
	second, _ := os.Stat(filepath.Join(dir, pathOf(ref)))
	if os.SameFile(first, second) {
		t.Error("the old file stayed")
	}
	mustHold(t, s, data)
	mustBeGone(t, dir, staged)
}

func TestAdoptHeals(t *testing.T) {
	data := noise(5000, 2)
	ref := sumsOf(data).SHA256
	for name, spoil := range map[string]func(place string) error{
		"truncated": func(p string) error { return os.WriteFile(p, data[:4999], 0o600) },
		"extended":  func(p string) error { return os.WriteFile(p, append(bytes.Clone(data), 0), 0o600) },
		"link":      func(p string) error { return os.Symlink("/etc/passwd", p) },
	} {
		s, dir, add := stage(t)
		place := filepath.Join(dir, pathOf(ref))
		if err := errors.Join(os.Mkdir(filepath.Dir(place), 0o700), spoil(place)); err != nil {
			t.Fatal(err)
		}
		if err := s.Adopt("in/gone", ref, 5000); err == nil {
			t.Errorf("%s: taken for the blob", name)
		}
		if err := s.Adopt(add("one", data), ref, 5000); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		mustHold(t, s, data)
	}
}

func TestAdoptRefuses(t *testing.T) {
	s, dir, add := stage(t)
	data := noise(5000, 3)
	ref := sumsOf(data).SHA256

	refused := func(staged string, want error) {
		t.Helper()
		err := s.Adopt(staged, ref, 5000)
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || !strings.HasPrefix(err.Error(), "cannot ")) {
			t.Error(err)
		}
		if _, err := s.Stat(ref); err == nil {
			t.Error("the blob is there")
		}
	}
	refused("in/secret", fs.ErrNotExist)
	refused(add("secret-short", data[1:]), blobs.ErrDamaged)
	if err := os.Symlink("secret-short", dir+"/in/secret-link"); err != nil {
		t.Fatal(err)
	}
	refused("in/secret-link", blobs.ErrDamaged)
	if err := s.Adopt("../secret", ref, 5000); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, pathOf(ref)), 0o700); err != nil {
		t.Fatal(err)
	}
	staged := add("secret-whole", data)
	refused(staged, blobs.ErrDamaged)
	if _, err := os.Stat(filepath.Join(dir, staged)); err != nil {
		t.Error("the staged file was lost:", err)
	}
}

func TestAdoptSideBySide(t *testing.T) {
	s, dir, add := stage(t)
	data := noise(5000, 4)
	var wg sync.WaitGroup
	for i := range 8 {
		staged := add(string(rune('a'+i)), data)
		wg.Go(func() {
			if err := s.Adopt(staged, sumsOf(data).SHA256, 5000); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	mustHold(t, s, data)
	if left, _ := os.ReadDir(dir + "/in"); len(left) > 0 {
		t.Errorf("left staged: %v", left)
	}
}

func TestPut(t *testing.T) {
	s, dir, _ := stage(t)
	for _, n := range []int{0, 1, 300 << 10} {
		data := noise(n, 5)
		for range 2 {
			got, err := s.Put(t.Context(), bytes.NewReader(data))
			if err != nil || got != sumsOf(data) {
				t.Fatalf("%+v, %v", got, err)
			}
			mustHold(t, s, data)
		}
	}
	broken := errors.New("broken")
	if _, err := s.Put(t.Context(), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := s.Copy(t.Context(), strings.NewReader("12345"), 5, nil); err != nil {
		t.Error(err)
	}
	if _, err := s.Copy(t.Context(), strings.NewReader("123456"), 5, nil); !errors.Is(err, blobs.ErrTooLarge) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, temp)); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestRemoveSparesWhatWasAdoptedAgain(t *testing.T) {
	s, dir, add := stage(t)
	data := noise(5000, 6)
	ref := sumsOf(data).SHA256
	old := time.Now().Add(-time.Hour)
	if err := s.Adopt(add("one", data), ref, 5000); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, pathOf(ref)), old, old); err != nil {
		t.Fatal(err)
	}
	sighting := old.Add(time.Minute)
	if err := s.Adopt(add("two", data), ref, 5000); err != nil {
		t.Fatal(err)
	}
	if removed, err := s.Remove(ref, sighting); removed || err != nil {
		t.Errorf("removed although the same bytes had just arrived again: %v", err)
	}
	mustHold(t, s, data)

	// A file that lay staged for long is young as a blob.
	other := noise(5000, 7)
	staged := add("three", other)
	if err := os.Chtimes(filepath.Join(dir, staged), old, old); err != nil {
		t.Fatal(err)
	}
	if err := s.Adopt(staged, sumsOf(other).SHA256, 5000); err != nil {
		t.Fatal(err)
	}
	if removed, err := s.Remove(sumsOf(other).SHA256, sighting); removed || err != nil {
		t.Error(removed, err)
	}
}

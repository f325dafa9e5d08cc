package thumbs

import (
	"alcove/blobs"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

const key = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

func opened(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// file is a function that opens a file with some bytes, and a count of its calls.
func file(t *testing.T, data []byte) (func() (blobs.Reader, error), *atomic.Int32) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "picture")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int32
	return func() (blobs.Reader, error) { calls.Add(1); return os.Open(name) }, &calls
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	picture, calls := file(t, asPNG(t, flag(100, 100)))
	if _, err := s.Read(key); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	first, err := s.Get(t.Context(), key, picture)
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(dir, "thumbs", key[:2], key[2:]+".png")
	for name, spoil := range map[string]func() error{
		"nothing":        func() error { return nil },
		"all deleted":    func() error { return os.RemoveAll(filepath.Join(dir, "thumbs")) },
		"cut short":      func() error { return os.Truncate(place, 50) },
		"emptied":        func() error { return os.Truncate(place, 0) },
		"opened again":   func() error { s = opened(t, dir); return nil },
		"folder deleted": func() error { return os.RemoveAll(filepath.Dir(place)) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if b, err := s.Get(t.Context(), key, picture); err != nil || !bytes.Equal(b, first) {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
	if n := calls.Load(); n != 5 {
		t.Errorf("the picture was opened %d times, want 5", n)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "thumbs", "*", "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	for _, bad := range []string{"", "../../etc/passwd", strings.ToUpper(key), key + "0", key[1:] + "/"} {
		if _, err := s.Get(t.Context(), bad, picture); err == nil {
			t.Errorf("key %q was taken", bad)
		}
	}
}

// Making a thumbnail of a picture that is known already takes the same work.
func TestRenew(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	picture, calls := file(t, asPNG(t, flag(100, 100)))
	first, err := s.Get(t.Context(), key, picture)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Renew(t.Context(), key, picture); err != nil || calls.Load() != 2 {
		t.Errorf("the picture was opened %d times, want 2: %v", calls.Load(), err)
	}
	if b, err := s.Read(key); err != nil || !bytes.Equal(b, first) {
		t.Errorf("the thumbnail has %d bytes: %v", len(b), err)
	}
	text, calls := file(t, []byte("no picture"))
	for want := range int32(2) {
		if err := s.Renew(t.Context(), key[1:]+"0", text); !Final(err) || calls.Load() != want+1 {
			t.Errorf("%v after %d looks", err, calls.Load())
		}
	}
	if err := s.Renew(t.Context(), "../x", picture); err == nil {
		t.Error("a key that is no digest was taken")
	}
}

// A picture that the process has died of twice is not tried again, whatever was tried between,
// and one that cannot be read is not decoded for every request.
func TestStoreGivesUp(t *testing.T) {
	dir := t.TempDir()
	picture, calls := file(t, asPNG(t, flag(100, 100)))
	for n := range maxBegun {
		s := opened(t, dir)
		if _, err := s.begin(key); err != nil { // and dies
			t.Fatalf("attempt %d: %v", n, err)
		}
		if _, err := s.Get(t.Context(), strings.Repeat("0", 64), picture); err != nil {
			t.Fatal(err)
		}
	}
	before := calls.Load()
	if _, err := opened(t, dir).Get(t.Context(), key, picture); !errors.Is(err, ErrFatal) || !Final(err) || calls.Load() != before {
		t.Errorf("%v, opened %d times", err, calls.Load()-before)
	}

	s := opened(t, dir)
	none, calls := file(t, []byte("none"))
	for range 3 {
		if _, err := s.Get(t.Context(), strings.Repeat("1", 64), none); !errors.Is(err, ErrNoPicture) {
			t.Error(err)
		}
	}
	if calls.Load() != 1 {
		t.Errorf("opened %d times", calls.Load())
	}
	if _, err := s.Get(t.Context(), strings.Repeat("2", 64), func() (blobs.Reader, error) { return nil, fs.ErrPermission }); !errors.Is(err, fs.ErrPermission) || Final(err) {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, begun, "*")); len(left) != 1 {
		t.Errorf("notes left behind: %v", left)
	}
}

// One picture is decoded at a time; a caller that waits may give up, and gets the result of
// another.
func TestStoreTurns(t *testing.T) {
	s := opened(t, t.TempDir())
	picture, calls := file(t, asPNG(t, flag(500, 500)))
	s.slot <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Get(ctx, key, picture); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := s.Get(t.Context(), key, picture); err != nil {
				t.Error(err)
			}
		})
	}
	<-s.slot
	all.Wait()
	if calls.Load() != 1 {
		t.Errorf("decoded %d times", calls.Load())
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	if err := s.Sweep(t.Context(), nil); err != nil {
		t.Error(err)
	}
	picture, _ := file(t, asPNG(t, flag(10, 10)))
	gone := strings.Repeat("a", 64)
	for _, k := range []string{key, gone} {
		if _, err := s.Get(t.Context(), k, picture); err != nil {
			t.Fatal(err)
		}
		if _, err := s.begin(k); err != nil {
			t.Fatal(err)
		}
	}
	alien := filepath.Join(dir, "thumbs", "aa", "alien")
	if err := os.WriteFile(alien, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(t.Context(), func(k string) (bool, error) { return k == key, nil }); err != nil {
		t.Error(err)
	}
	if _, err := s.Read(key); err != nil {
		t.Error(err)
	}
	if _, err := s.Read(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, begun, "*")); len(left) != 1 {
		t.Errorf("notes left behind: %v", left)
	}
	if _, err := os.Stat(alien); err != nil {
		t.Error("what is not ours was dropped:", err)
	}
	why := errors.New("why")
	if err := s.Sweep(t.Context(), func(string) (bool, error) { return false, why }); err != why {
		t.Error(err)
	}
}

package dir

import (
	"alcove/blobs"
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// flip changes one bit of a file and leaves its times as they were, as a disk would.
func flip(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at)
	b[0] ^= 4
	if _, werr := f.WriteAt(b, at); errors.Join(err, werr, f.Sync(), os.Chtimes(path, info.ModTime(), info.ModTime())) != nil {
		t.Fatal(err, werr)
	}
}

// kept is a store with one blob, whose bytes are at place.
func kept(t *testing.T, data []byte) (s *Store, sums blobs.Sums, place string) {
	t.Helper()
	dir := t.TempDir()
	s = open(t, dir)
	sums, err := s.Put(t.Context(), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s, sums, filepath.Join(dir, pathOf(sums.SHA256))
}

func (s *Store) check(t *testing.T, sums blobs.Sums, from, to int64) error {
	t.Helper()
	b, err := s.Read(sums.SHA256, sums.Size, sums.CRC32)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.Check(t.Context(), from, to)
}

// Every flipped bit is found in the chunk that it is in and nowhere else, with marks from the
// arrival of the bytes and with marks that are made afterwards.
func TestCheckFindsFlippedBits(t *testing.T) {
	for _, size := range []int64{1, 1000, blobs.Chunk - 1, blobs.Chunk, blobs.Chunk + 1, 3*blobs.Chunk + 77} {
		data := noise(int(size), byte(size))
		for _, at := range []int64{0, size / 2, size - 1} {
			s, sums, place := kept(t, data)
			if err := s.check(t, sums, 0, size); err != nil {
				t.Fatalf("%d bytes, none changed: %v", size, err)
			}
			s.checked.drop(sums.SHA256)
			flip(t, place, at)
			first, last := at/blobs.Chunk*blobs.Chunk, min((at/blobs.Chunk+1)*blobs.Chunk, size)
			for _, r := range [][2]int64{{0, first}, {last, size}} {
				if err := s.check(t, sums, r[0], r[1]); err != nil {
					t.Errorf("%d bytes, byte %d changed, %d to %d: %v", size, at, r[0], r[1], err)
				}
			}
			if err := s.check(t, sums, last-1, last); !errors.Is(err, blobs.ErrDamaged) || !strings.Contains(err.Error(), sums.SHA256.String()) {
				t.Errorf("%d bytes, byte %d changed: %v", size, at, err)
			}
			if _, err := s.Read(sums.SHA256, sums.Size, sums.CRC32); !errors.Is(err, blobs.ErrDamaged) {
				t.Errorf("a blob that was found damaged is opened again: %v", err)
			}
		}
	}
}

// Without marks, with marks of something else and with damaged ones the whole blob is read.
func TestCheckWithoutMarks(t *testing.T) {
	data := noise(2*blobs.Chunk+5, 9)
	for what, spoil := range map[string]func(path string) error{
		"none":      os.Remove,
		"empty":     func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"truncated": func(p string) error { return os.Truncate(p, 20) },
		"of another size": func(p string) error {
			var m blobs.ChunkSums
			m.Add(data[1:])
			return os.WriteFile(p, m.Encode(), 0o600)
		},
		"flipped": func(p string) error {
			b, err := os.ReadFile(p)
			if err == nil {
				b[20] ^= 1
				err = os.WriteFile(p, b, 0o600)
			}
			return err
		},
	} {
		s, sums, place := kept(t, data)
		chunkSums := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(place))), marksPath(sums.SHA256))
		good, err := os.ReadFile(chunkSums)
		if err != nil || spoil(chunkSums) != nil {
			t.Fatal(what, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		b, err := s.Read(sums.SHA256, sums.Size, sums.CRC32)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Check(ended, 0, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
		b.Close()
		if err := s.check(t, sums, 0, 1); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if again, err := os.ReadFile(chunkSums); !bytes.Equal(again, good) {
			t.Errorf("%s: the marks were not made again: %v", what, err)
		}
		s.checked.drop(sums.SHA256)
		if err := spoil(chunkSums); err != nil {
			t.Fatal(err)
		}
		flip(t, place, 2*blobs.Chunk)
		if err := s.check(t, sums, 0, 1); !errors.Is(err, blobs.ErrDamaged) {
			t.Errorf("%s, with a changed byte elsewhere: %v", what, err)
		}
	}
}

// A chunk that was checked is not read again, until the file is another, a day is over, or the system
// has dropped it from memory.
func TestCheckReadsOnce(t *testing.T) {
	data := noise(2*blobs.Chunk, 10)
	for what, c := range map[string]struct {
		then  func(s *Store, sums blobs.Sums, place string) error
		found bool
	}{
		"at once":  {func(*Store, blobs.Sums, string) error { return nil }, false},
		"new time": {func(_ *Store, _ blobs.Sums, p string) error { return os.Chtimes(p, time.Now(), time.Now()) }, true},
		"next day": {func(s *Store, sums blobs.Sums, _ string) error {
			s.checked.of[sums.SHA256].since = time.Now().Add(-trustFor - time.Second)
			return nil
		}, true},
		"crowded out": {func(s *Store, _ blobs.Sums, _ string) error {
			s.checked.put(blobs.Ref{1}, &chunks{sums: make([]uint32, maxChecked)})
			return nil
		}, true},
	} {
		s, sums, place := kept(t, data)
		if err := s.check(t, sums, 0, sums.Size); err != nil {
			t.Fatal(err)
		}
		flip(t, place, 5)
		if err := c.then(s, sums, place); err != nil {
			t.Fatal(err)
		}
		if err := s.check(t, sums, 0, sums.Size); errors.Is(err, blobs.ErrDamaged) != c.found {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestCheckedIsBounded(t *testing.T) {
	var k checked
	for i := range 100 {
		k.put(blobs.Ref{byte(i)}, &chunks{sums: make([]uint32, 100_000)})
		if k.cost > maxChecked || k.of[blobs.Ref{byte(i)}] == nil {
			t.Fatalf("after %d: %d bytes", i, k.cost)
		}
	}
	k.put(blobs.Ref{200}, &chunks{sums: make([]uint32, maxChecked)})
	if len(k.of) != 1 {
		t.Errorf("%d beside one that is too large for the bound", len(k.of)-1)
	}
	for ref := range k.of {
		k.drop(ref)
	}
	if k.cost != 0 {
		t.Errorf("%d bytes of nothing", k.cost)
	}
}

// Damage is remembered over a restart; the same bytes stored again take the place of the damaged
// ones, which are kept aside; whole bytes that an operator has put there count at once.
func TestDamageIsRemembered(t *testing.T) {
	data := noise(3000, 11)
	s, sums, place := kept(t, data)
	dir := filepath.Dir(filepath.Dir(filepath.Dir(place)))
	flip(t, place, 100)
	if err := s.check(t, sums, 0, 1); !errors.Is(err, blobs.ErrDamaged) {
		t.Fatal(err)
	}
	s.Close()
	s = open(t, dir)
	list := s.Damaged()
	if len(list) != 1 || list[0].Ref != sums.SHA256 || !strings.Contains(list[0].Reason, "bytes 0 to 2999") || time.Since(list[0].Found) > time.Minute {
		t.Fatalf("%+v", list)
	}
	if _, err := s.Read(sums.SHA256, sums.Size, sums.CRC32); !errors.Is(err, blobs.ErrDamaged) {
		t.Error(err)
	}
	if err := s.Adopt("in/none", sums.SHA256, sums.Size); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the damaged blob counts as stored: %v", err)
	}
	if _, err := s.Put(t.Context(), bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	mustHold(t, s, data)
	if err := s.check(t, sums, 0, 3000); err != nil || len(s.Damaged()) != 0 {
		t.Errorf("stored again: %v, %v", err, s.Damaged())
	}
	aside, _ := filepath.Glob(filepath.Join(dir, damagedTop, "*"))
	if len(aside) != 1 {
		t.Fatalf("set aside: %v", aside)
	}
	if b, err := os.ReadFile(aside[0]); err != nil || bytes.Equal(b, data) || len(b) != len(data) {
		t.Error("other bytes were set aside")
	}

	flip(t, place, 200)
	s.checked.drop(sums.SHA256)
	if err := s.check(t, sums, 0, 1); !errors.Is(err, blobs.ErrDamaged) {
		t.Fatal(err)
	}
	if err := os.WriteFile(place, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.check(t, sums, 0, 3000); err != nil {
		t.Errorf("repaired: %v", err)
	}
	if err := s.ClearDamaged(sums.SHA256); err != nil || len(s.Damaged()) != 0 {
		t.Error(err, s.Damaged())
	}
	if err := s.MarkDamaged(sums.SHA256, "said so"); err != nil || len(s.Damaged()) != 1 {
		t.Error(err, s.Damaged())
	}
	if err := s.MarkDamaged(blobs.Ref{1}, "said so"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if removed, err := s.Remove(sums.SHA256, time.Now().Add(time.Hour)); !removed || err != nil || len(s.Damaged()) != 0 {
		t.Error(removed, err, s.Damaged())
	}
	s.Close()
	if s = open(t, dir); len(s.Damaged()) != 0 {
		t.Error(s.Damaged())
	}
}

func TestReadRefuses(t *testing.T) {
	s, sums, place := kept(t, noise(2*blobs.Chunk, 12))
	if _, err := s.Read(blobs.Ref{1}, 1, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := s.Read(sums.SHA256, sums.Size-1, sums.CRC32); !errors.Is(err, blobs.ErrDamaged) {
		t.Error(err)
	}
	b, err := s.Read(sums.SHA256, sums.Size, sums.CRC32)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got, err := io.ReadAll(b.(*blob)); err != nil || crc32.ChecksumIEEE(got) != sums.CRC32 || b.Size() != sums.Size {
		t.Error(len(got), err)
	}
	if err := os.Truncate(place, blobs.Chunk+5); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(t.Context(), 0, blobs.Chunk); err != nil {
		t.Error(err)
	}
	if err := b.Check(t.Context(), blobs.Chunk, blobs.Chunk+1); !errors.Is(err, blobs.ErrDamaged) {
		t.Errorf("a chunk of a file that became shorter: %v", err)
	}
}

func FuzzMarks(f *testing.F) {
	var m blobs.ChunkSums
	m.Add(make([]byte, blobs.Chunk+1))
	f.Add(m.Encode(), int64(blobs.Chunk+1))
	f.Add([]byte("blobsum1"), int64(0))
	f.Fuzz(func(t *testing.T, b []byte, size int64) {
		size = max(size, 0) % (1 << 42)
		if m, ok := blobs.DecodeChunkSums(b, size); ok && !bytes.Equal(m.Encode(), b) {
			t.Errorf("%x was read as the marks of other bytes", b)
		}
	})
}

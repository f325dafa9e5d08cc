package dir

import (
	"alcove/blobs"
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A chunk that the system has dropped from its memory comes from the disk again, and is checked again.
func TestCheckAgainFromDisk(t *testing.T) {
	s, sums, place := kept(t, noise(2*blobs.Chunk, 13))
	if err := s.check(t, sums, 0, sums.Size); err != nil {
		t.Fatal(err)
	}
	flip(t, place, 5)
	if err := s.check(t, sums, 0, sums.Size); err != nil {
		t.Fatal("read again although it is in memory:", err)
	}
	f, err := os.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	forget(f, 0, 0)
	if resident(f, 0, blobs.Chunk) {
		t.Log("the file system keeps its files in memory, or the system cannot tell what is there")
		return
	}
	if err := s.check(t, sums, blobs.Chunk, sums.Size); err != nil {
		t.Error("the other chunk:", err)
	}
	if err := s.check(t, sums, 0, 1); !errors.Is(err, blobs.ErrDamaged) {
		t.Errorf("a bit that changed on the disk: %v", err)
	}
}

// A part of a chunk that was dropped is checked again when it is read, and when what is read may bring it along.
func TestCheckPartFromDisk(t *testing.T) {
	s, sums, place := kept(t, noise(blobs.Chunk, 13))
	if err := s.check(t, sums, 0, sums.Size); err != nil {
		t.Fatal(err)
	}
	flip(t, place, 700<<10)
	f, err := os.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	forget(f, 0, 0)
	control(f, func(fd uintptr) { err = unix.Fadvise(int(fd), 0, 0, unix.FADV_RANDOM) })
	_, first := f.ReadAt(make([]byte, 640<<10), 0)
	if _, last := f.ReadAt(make([]byte, 256<<10), 768<<10); errors.Join(err, first, last) != nil {
		t.Fatal(err, first, last)
	}
	if resident(f, 640<<10, 128<<10) {
		t.Log("the file system keeps its files in memory, or the system cannot tell what is there")
		return
	}
	if resident(f, 639<<10, 1025) || !resident(f, 639<<10, 1024) {
		t.Error("what is in memory is told of other pages than were asked for")
	}
	for _, from := range []int64{0, 448 << 10, 800 << 10} {
		if err := s.check(t, sums, from, from+(64<<10)); err != nil {
			t.Errorf("bytes that are in memory, from %d: %v", from, err)
		}
	}
	if err := s.check(t, sums, 576<<10, 577<<10); !errors.Is(err, blobs.ErrDamaged) {
		t.Errorf("bytes before a bit that changed on the disk: %v", err)
	}
}

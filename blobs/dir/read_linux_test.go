package dir

import (
	"alcove/blobs"
	"errors"
	"os"
	"testing"
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

package dir

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A blob that was in use when it lost its last name stays until that use ends; later uses keep
// nothing.
func TestHold(t *testing.T) {
	s, dir, add := stage(t)
	data := noise(5000, 8)
	ref := sumsOf(data).SHA256
	if err := s.Adopt(add("one", data), ref, 5000); err != nil {
		t.Fatal(err)
	}
	sighting := time.Now().Add(-time.Hour)
	old := sighting.Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, pathOf(ref)), old, old); err != nil {
		t.Fatal(err)
	}
	early, later := s.Lease(sighting.Add(-time.Minute)), s.Lease(sighting.Add(time.Minute))
	defer later()
	if removed, err := s.Remove(ref, sighting); removed || err != nil {
		t.Errorf("removed while it was held: %v", err)
	}
	mustHold(t, s, data)
	early()
	early()
	if removed, err := s.Remove(ref, sighting); !removed || err != nil {
		t.Errorf("not removed when it was not held any more: %v", err)
	}
}

// A reader of a blob reads on while the same bytes arrive again, and a new one finds it.
func TestReadWhileAdoptedAgain(t *testing.T) {
	s, _, add := stage(t)
	data := noise(5000, 9)
	ref := sumsOf(data).SHA256
	if err := s.Adopt(add("first", data), ref, 5000); err != nil {
		t.Fatal(err)
	}
	held, _, err := s.Open(ref)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					mustHold(t, s, data)
				}
			}
		})
	}
	for range 200 {
		if err := s.Adopt(add("again", data), ref, 5000); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	readers.Wait()
	if got, err := io.ReadAll(held); err != nil || sumsOf(got).SHA256 != ref {
		t.Errorf("an open blob changed: %d bytes, %v", len(got), err)
	}
}

package dir

import (
	"testing"
	"time"
)

// The directory of a shard stays open no longer than the blob whose place is looked at through it.
func TestPlaceIsClosed(t *testing.T) {
	s, sums, _ := kept(t, noise(5000, 24))
	take(t, s, sums).Close()
	b := take(t, s, sums)
	at := b.place
	if at == nil || !at.still() {
		t.Fatal("the place of a blob that is open is not known")
	}
	if removed, err := s.Remove(sums.SHA256, time.Now().Add(time.Hour)); !removed || err != nil {
		t.Fatal(removed, err)
	}
	if at.still() {
		t.Error("a blob that has gone is still there")
	}
	if _, err := at.dir.Stat(); err != nil {
		t.Errorf("the directory is closed while the blob is read: %v", err)
	}
	b.Close()
	if _, err := at.dir.Stat(); err == nil {
		t.Error("the directory stays open")
	}
}

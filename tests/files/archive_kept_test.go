package files

import (
	"bytes"
	"sync"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// Ranges of an archive are read from a cached layout, and never from one of before a change, of
// another version or folder, or after the right to it has ended.
func TestArchiveRangesAfterChanges(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "In one", "authors": [{"name": "A B"}]}`)
	s.Ada.Upload(at, "one.bin", disk.Random(200<<10, 61))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	const latest = "/v2/articles/1/download"
	same := func(path string) []byte {
		t.Helper()
		whole := s.Anon.Get(path).Is(200)
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for _, r := range []struct {
					text     string
					from, to int
				}{{"bytes=0-99", 0, 100}, {"bytes=500-", 500, len(whole.Bytes)}, {"bytes=-77", len(whole.Bytes) - 77, len(whole.Bytes)}} {
					part := s.Anon.Get(path, "Range", r.text, "If-Range", whole.Header.Get("ETag"))
					if part.StatusCode != 206 || !bytes.Equal(part.Bytes, whole.Bytes[r.from:r.to]) {
						t.Errorf("%s of %s: %d with %d bytes", r.text, path, part.StatusCode, len(part.Bytes))
					}
				}
			})
		}
		readers.Wait()
		return whole.Bytes
	}
	first := same(latest)
	if folder := s.Anon.Get(latest+"?folder_path=none", "Range", "bytes=0-99"); folder.StatusCode != 404 {
		t.Errorf("a folder that is not there: %d", folder.StatusCode)
	}
	s.Ada.Upload(at, "two.bin", disk.Random(100<<10, 62))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if second := same(latest); len(second) <= len(first) {
		t.Errorf("the archive of the latest version has %d bytes, that of the first %d", len(second), len(first))
	}
	if again := same("/v2/articles/1/versions/1/download"); !bytes.Equal(again, first) {
		t.Error("the archive of the first version is another")
	}
	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	for _, path := range []string{latest, "/v2/articles/1/versions/1/download"} {
		if got := s.Anon.Get(path, "Range", "bytes=0-99"); got.StatusCode != 404 {
			t.Errorf("%s, withdrawn: %d", path, got.StatusCode)
		}
	}
}

package crash

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// Bytes that nothing names any more go after the grace, and the log tells which: those of deleted
// files, and those of a server that died between moving them and recording it. Blobs of a
// version, a draft or another account stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) { c.SweepGrace = time.Hour })
	s.Harmed = "a file that is not a blob lies among them"
	place := func(data []byte) string {
		sum := sha256.Sum256(data)
		name := hex.EncodeToString(sum[:])
		return name[:2] + "/" + name[2:]
	}
	mine, shared, published, drafted := disk.Random(5000, 31), disk.Random(5000, 32), disk.Random(5000, 33), disk.Random(5000, 34)
	at := s.Ada.Article(`{"title": "Comes and goes", "authors": [{"name": "Grace Hopper"}]}`)
	gone := s.Ada.Upload(at, "mine", mine)
	both := s.Ada.Upload(at, "shared", shared)
	public := s.Ada.Article(`{"title": "Stays", "authors": [{"name": "Grace Hopper"}]}`)
	version := s.Ada.Upload(public, "published", published)
	s.Ada.Do("POST", public+"/publish", nil).Is(201)
	bens := s.Ben.Article(`{"title": "Also"}`)
	s.Ben.Upload(bens, "shared", shared)
	s.Ben.Upload(bens, "drafted", drafted)
	for _, file := range []string{gone, both, version} {
		s.Ada.Do("DELETE", file, nil).Is(204)
	}
	// As kill -9 leaves it after the rename, when the file is deleted before the next start,
	// and in the middle of storing something whole.
	s.Stop()
	orphan := disk.Random(7000, 35)
	at2 := filepath.Join(s.Cfg.Data, "blobs", place(orphan))
	if err := os.MkdirAll(filepath.Dir(at2), 0o700); err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, at2, orphan)
	disk.WriteFile(t, filepath.Join(s.Cfg.Data, "blobs", "tmp", "HALF"), orphan[:10])
	foreign := filepath.Join(filepath.Dir(at2), "README")
	disk.WriteFile(t, foreign, []byte("put here by another program"))
	s.Cfg.SweepGrace = 200 * time.Millisecond
	s.Boot()
	s.Eventually("nothing but what is needed stays", func() bool {
		list := strings.Join(s.FileDisk("blobs"), " ")
		return !strings.Contains(list, place(mine)) && !strings.Contains(list, place(orphan))
	})
	list := strings.Join(s.FileDisk("blobs"), " ")
	for what, data := range map[string][]byte{"shared": shared, "published": published, "drafted": drafted} {
		if !strings.Contains(list, place(data)) {
			t.Errorf("%s was removed: %s", what, list)
		}
	}
	if strings.Contains(list, "HALF") || !strings.Contains(list, "README") {
		t.Errorf("among the blobs there is %s", list)
	}
	if got := s.Anon.Get(fmt.Sprint("/files/", world.LastNumber(t, version))).Is(200); !bytes.Equal(got.Bytes, published) {
		t.Error("other bytes came back")
	}
	s.Stop()
	told := s.Logs.String()
	for _, data := range [][]byte{mine, orphan} {
		if !strings.Contains(told, strings.ReplaceAll(place(data), "/", "")) {
			t.Errorf("the log does not name what was removed: %s", told)
		}
	}
	// Removed bytes can come again.
	s.Boot()
	again := s.Ada.Upload(at, "mine", mine)
	if got := s.Ada.Get(fmt.Sprint("/files/", world.LastNumber(t, again))).Is(200); !bytes.Equal(got.Bytes, mine) {
		t.Error("what came again is something else")
	}
}

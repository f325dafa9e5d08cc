package crash

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/blobs/ocfl"
	"alcove/tests/disk"
	"alcove/tests/world"
)

var (
	ocflItems = flag.Int("ocfl-items", 200, "items of TestOCFLKilled")
	ocflKills = flag.Int("ocfl-kills", 6, "times that it kills the server")
)

// objects tests that a storage root is valid, and counts its objects.
func objects(t *testing.T, dir string) (n int) {
	t.Helper()
	root, _, err := ocfl.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	err = root.Validate(t.Context(), ocfl.Validation{
		Found:  func(f ocfl.Fault) { t.Error(f) },
		Object: func(string, *ocfl.Inventory) { n++ },
	})
	if err != nil {
		t.Error(err)
	}
	return n
}

// ocflFollowed waits until the storage root is what the repository is, as long as anything moves: each object is synced
// several times, which a busy disk makes slow.
func ocflFollowed(s *world.Server) {
	s.T.Helper()
	type progress struct {
		Waiting, Behind int64
		Dir             string
	}
	var last progress
	for done := false; !done; {
		s.Soon("the storage root follows", func() bool {
			var r progress
			s.Operate("ocfl", struct{}{}, &r)
			moved := r != last
			last, done = r, r == progress{Dir: s.Cfg.OCFLDir}
			return done || moved
		})
	}
}

// The first start takes what is public. However often it is killed, it comes to its end, and what it leaves is valid.
func TestOCFLKilled(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range *ocflItems {
		at := s.Ada.Article(fmt.Sprintf(`{"title": "Item %d", "authors": [{"name": "A B"}]}`, n))
		s.Ada.Send("POST", at+"/publish", "").Is(201)
	}
	at := s.Ada.PublicFile("data.bin", disk.Random(300_000, 7))
	s.Stop()
	dir := filepath.Join(t.TempDir(), "ocfl")
	killed := 0
	for n := range *ocflKills {
		begun := func() bool {
			_, err := os.Stat(filepath.Join(dir, "extensions"))
			return err == nil
		}
		if killedAt(t, time.Duration(n*n)*30*time.Millisecond, begun, "serve", "--data", s.Cfg.Data, "--listen", "127.0.0.1:0", "--tls", "off", "--ocfl-dir", dir) {
			killed++
		}
	}
	if killed < *ocflKills/2 {
		t.Errorf("only %d were killed", killed)
	}
	s.Cfg.OCFLDir = dir
	s.Boot()
	ocflFollowed(s)
	if n := objects(t, dir); n != *ocflItems+1 {
		t.Errorf("%d objects of %d items (%s)", n, *ocflItems+1, at)
	}
	if r, status := s.Checked(); status != 0 {
		t.Errorf("the check: %+v", r.Problems)
	}
}

// An erased file is in no version of any object, and no link keeps its bytes; what is not of it stays.
func TestOCFLErased(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Stop()
	s.Cfg.OCFLDir = filepath.Join(t.TempDir(), "ocfl")
	s.Boot()
	at := s.Ada.Article(`{"title": "With secrets", "authors": [{"name": "Grace Hopper"}]}`)
	file := s.Ada.Upload(at, "perspicacious.txt", []byte("serendipitous bytes"))
	s.Ada.Upload(at, "other.txt", []byte("stays"))
	s.Ada.Send("POST", at+"/publish", "").Is(201)
	s.Ada.Send("POST", at+"/publish", "").Is(201)
	s.Ada.Published("Something else")
	ocflFollowed(s)
	s.Stop()
	if n := objects(t, s.Cfg.OCFLDir); n != 2 || len(holding(t, s.Cfg.OCFLDir, "serendipitous")) == 0 {
		t.Fatalf("%d objects before", n)
	}
	leftover := filepath.Join(s.Cfg.OCFLDir, "extensions", "alcove", "work", "object", "v1", "content", "files", "x") // of a killed server
	if err := os.MkdirAll(filepath.Dir(leftover), 0o700); err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, leftover, []byte("serendipitous bytes"))
	id := fmt.Sprint(world.LastNumber(t, file))
	args := []string{"erase", "file", id, "--yes", "--data", s.Cfg.Data, "--ocfl-dir", s.Cfg.OCFLDir}
	away := s.Cfg.OCFLDir + "-away"
	if err := os.Rename(s.Cfg.OCFLDir, away); err != nil {
		t.Fatal(err)
	}
	if _, msg, status := world.AlcoveRun(t, args...); status == 0 || !strings.Contains(msg, "erase resume") {
		t.Errorf("without the directory: %d, %s", status, msg)
	}
	if err := os.Rename(away, s.Cfg.OCFLDir); err != nil {
		t.Fatal(err)
	}
	if out, msg, status := world.AlcoveRun(t, "erase", "resume", "--data", s.Cfg.Data, "--ocfl-dir", s.Cfg.OCFLDir); status != 0 {
		t.Fatalf("%d: %s%s", status, out, msg)
	}
	for _, dir := range []string{s.Cfg.Data, s.Cfg.OCFLDir} {
		if found := holding(t, dir, "serendipitous", "perspicacious"); len(found) > 0 {
			t.Errorf("after it %q", found)
		}
	}
	if n := objects(t, s.Cfg.OCFLDir); n != 1 {
		t.Errorf("%d objects after", n)
	}
	s.Boot()
	s.Ada.Send("POST", at+"/publish", "").Is(201)
	ocflFollowed(s)
	if n := objects(t, s.Cfg.OCFLDir); n != 2 {
		t.Errorf("%d objects after it was published again", n)
	}
	if found := holding(t, s.Cfg.OCFLDir, "serendipitous", "perspicacious"); len(found) > 0 {
		t.Errorf("published again: %q", found)
	}
}

package search

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// finds checks that a search, once it is answered, finds so many items: 200 with less is an error,
// 503 with Retry-After is not.
func finds(s *world.Server, words string, items int) (answered bool) {
	s.T.Helper()
	r := s.Anon.Send("POST", "/v2/articles/search", fmt.Sprintf(`{"search_for": %q, "limit": 100}`, words))
	if r.StatusCode == 503 {
		if r.Header.Get("Retry-After") == "" || r.Object()["code"] != "Unavailable" {
			s.T.Errorf("503 with Retry-After %q: %s", r.Header.Get("Retry-After"), r.Bytes)
		}
		return false
	}
	if n := len(r.Is(200).List()); n != items {
		s.T.Errorf("the search for %s finds %d, want %d", words, n, items)
	}
	return true
}

// unwritable takes the directory of the search index away and leaves nothing in its place where a
// file could be made. The function that it returns puts a directory there again.
func unwritable(s *world.Server) (undo func()) {
	s.T.Helper()
	at := filepath.Join(s.Cfg.Data, "index")
	if err := errors.Join(os.Rename(at, filepath.Join(s.Cfg.Data, "gone")), os.WriteFile(at, nil, 0o600)); err != nil {
		s.T.Fatal(err)
	}
	return func() {
		s.T.Helper()
		if err := errors.Join(os.Remove(at), os.Mkdir(at, 0o700)); err != nil {
			s.T.Fatal(err)
		}
	}
}

func measured(c *config.Config) { c.MetricsListen = "127.0.0.1:0" }

// An index that cannot be written goes on in memory: what was acknowledged is found, every time,
// and what is changed there is not lost when it can be written again.
func TestSearchWithIndexInMemory(t *testing.T) {
	t.Parallel()
	s := world.Start(t, measured)
	s.Ada.Published("Glacier number0")
	finds(s, "glacier", 1)
	undo := unwritable(s)
	for n := 1; n <= 10; n++ {
		s.Ada.Published(fmt.Sprintf("Glacier number%d", n))
		if !finds(s, "glacier", n+1) {
			t.Fatalf("after %d items the search is not answered: %s", n, s.Logs)
		}
	}
	if !strings.Contains(s.Logs.String(), "the search index failed") {
		t.Error("the index did not fail; this shows nothing")
	}
	undo()
	s.Soon("the index is built again", s.IndexWhole)
	if !finds(s, "glacier", 11) {
		t.Error("the search is not answered afterwards")
	}
}

// Where there is no index that could follow, a search says so: an answer of what it knows
// would be one with too little.
func TestSearchWithoutIndex(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 5 {
		s.Ada.Published(fmt.Sprintf("Glacier number%d", n))
	}
	s.Restart() // now everything is in files
	undo := unwritable(s)
	paths, err := filepath.Glob(filepath.Join(s.Cfg.Data, "gone", "*", "*.zap"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, p := range paths {
		if err := os.Truncate(p, 0); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	s.Soon("the damage is met", func() bool { return !finds(s, "glacier", 5) })
	s.Ada.Published("Glacier number5")
	for range 20 { // at once: none of these waits for what does not come
		if finds(s, "glacier", 6) {
			t.Error("a search is answered")
		}
		s.Ada.Send("POST", "/v2/account/articles/search", `{"search_for": "glacier"}`).Is(503)
		s.Ada.Send("POST", "/v2/account/projects/search", `{"search_for": "glacier"}`).Is(503)
	}
	if r := s.Anon.Get("/search?q=glacier", "Accept", "text/html").Is(503); !strings.Contains(string(r.Bytes), "Out of service for the moment") || r.Header.Get("Retry-After") != "1" {
		t.Errorf("the page is %s", r.Bytes)
	}
	if n := len(s.Anon.Send("POST", "/v2/articles/search", `{"item_type": 3, "institution": 1}`).Is(200).List()); n != 6 {
		t.Errorf("a search without words finds %d in the store", n)
	}
	for _, at := range []string{"/", "/search", "/search?sort=oldest"} { // lists without counts
		if r := s.Anon.Get(at, "Accept", "text/html").Is(200); !strings.Contains(string(r.Bytes), "Glacier number5") || strings.Contains(string(r.Bytes), " results<") {
			t.Errorf("%s is %s", at, r.Bytes)
		}
	}
	undo()
	s.Soon("searches are answered again", func() bool { return finds(s, "glacier", 6) })
	s.Soon("results are counted again", func() bool {
		return strings.Contains(string(s.Anon.Get("/search", "Accept", "text/html").Is(200).Bytes), "6 results<")
	})
}

// A disk without room, or without inodes, and no floor: every search that is answered finds all
// that was acknowledged. Needs to mount small disks.
func TestSearchOnFullDisk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options string
		fill    func(dir string) error
	}{
		"no inodes": {"size=256m,nr_inodes=200", func(dir string) error {
			for n := 0; ; n++ {
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(n)), nil, 0o600); err != nil {
					return err
				}
			}
		}},
		"no room": {"size=64m", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "large"), make([]byte, 64<<20), 0o600)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := t.TempDir()
			if out, err := exec.Command("mount", "-t", "tmpfs", "-o", c.options, "tmpfs", disk).CombinedOutput(); err != nil {
				t.Skipf("no small disk can be mounted: %v: %s", err, out)
			}
			t.Cleanup(func() { exec.Command("umount", "-l", disk).Run() })
			s := world.Start(t, measured, func(cfg *config.Config) { cfg.Data, cfg.DiskFloor = filepath.Join(disk, "data"), 0 })
			items := 0
			publish := func() {
				t.Helper()
				at := s.Ada.Send("POST", "/v2/account/articles", fmt.Sprintf(`{"title": "Glacier number%d", "authors": [{"name": "A B"}]}`, items))
				if at.StatusCode != 201 {
					at.Is(507)
					return
				}
				if r := s.Ada.Do("POST", strings.TrimPrefix(at.Header.Get("Location"), s.URL)+"/publish", nil); r.StatusCode == 201 {
					items++
				}
				finds(s, "glacier", items)
			}
			publish()
			full := filepath.Join(disk, "full")
			if err := os.Mkdir(full, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := c.fill(full); err == nil {
				t.Fatal("the disk is not full")
			}
			for range 30 {
				publish()
			}
			if items < 2 {
				t.Error("nothing was acknowledged on the full disk; this shows nothing")
			}
			if err := os.RemoveAll(full); err != nil {
				t.Fatal(err)
			}
			s.Soon("the index is whole", s.IndexWhole)
			if !finds(s, "glacier", items) {
				t.Error("the search is not answered afterwards")
			}
		})
	}
}

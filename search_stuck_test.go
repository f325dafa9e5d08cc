package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"alcove/config"
)

// finds checks that a search, once it is answered, finds so many items: 200 with less is an error,
// 503 with Retry-After is not.
func (s *server) finds(words string, items int) (answered bool) {
	s.t.Helper()
	r := s.Anon.send("POST", "/v2/articles/search", fmt.Sprintf(`{"search_for": %q, "limit": 100}`, words))
	if r.StatusCode == 503 {
		if r.Header.Get("Retry-After") == "" || r.object()["code"] != "Unavailable" {
			s.t.Errorf("503 with Retry-After %q: %s", r.Header.Get("Retry-After"), r.body)
		}
		return false
	}
	if n := len(r.is(200).list()); n != items {
		s.t.Errorf("the search for %s finds %d, want %d", words, n, items)
	}
	return true
}

// unwritable takes the directory of the search index away and leaves nothing in its place where a
// file could be made. The function that it returns puts a directory there again.
func (s *server) unwritable() (undo func()) {
	s.t.Helper()
	at := filepath.Join(s.cfg.Data, "index")
	if err := errors.Join(os.Rename(at, filepath.Join(s.cfg.Data, "gone")), os.WriteFile(at, nil, 0o600)); err != nil {
		s.t.Fatal(err)
	}
	return func() {
		s.t.Helper()
		if err := errors.Join(os.Remove(at), os.Mkdir(at, 0o700)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// indexWhole reports whether neither index is failing or being built.
func (s *server) indexWhole() bool {
	figures, sum := s.scrape(), 0.0
	for _, name := range []string{"public", "private"} {
		sum += figures[`alcove_index_rebuilding{index="`+name+`"}`] + figures[`alcove_index_failing{index="`+name+`"}`]
	}
	return sum == 0
}

func measured(c *config.Config) { c.MetricsListen = "127.0.0.1:0" }

// An index that cannot be written goes on in memory: what was acknowledged is found, every time,
// and what is changed there is not lost when it can be written again.
func TestSearchWithIndexInMemory(t *testing.T) {
	t.Parallel()
	s := start(t, measured)
	s.Ada.published("Glacier number0")
	s.finds("glacier", 1)
	undo := s.unwritable()
	for n := 1; n <= 10; n++ {
		s.Ada.published(fmt.Sprintf("Glacier number%d", n))
		if !s.finds("glacier", n+1) {
			t.Fatalf("after %d items the search is not answered: %s", n, s.logs)
		}
	}
	if !strings.Contains(s.logs.String(), "the search index failed") {
		t.Error("the index did not fail; this shows nothing")
	}
	undo()
	s.soon("the index is built again", s.indexWhole)
	if !s.finds("glacier", 11) {
		t.Error("the search is not answered afterwards")
	}
}

// Where there is no index that could follow, a search says so: an answer of what it knows
// would be one with too little.
func TestSearchWithoutIndex(t *testing.T) {
	t.Parallel()
	s := start(t)
	for n := range 5 {
		s.Ada.published(fmt.Sprintf("Glacier number%d", n))
	}
	s.restart() // now everything is in files
	undo := s.unwritable()
	paths, err := filepath.Glob(filepath.Join(s.cfg.Data, "gone", "*", "*.zap"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, p := range paths {
		if err := os.Truncate(p, 0); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	s.soon("the damage is met", func() bool { return !s.finds("glacier", 5) })
	s.Ada.published("Glacier number5")
	for range 20 { // at once: none of these waits for what does not come
		if s.finds("glacier", 6) {
			t.Error("a search is answered")
		}
		s.Ada.send("POST", "/v2/account/articles/search", `{"search_for": "glacier"}`).is(503)
		s.Ada.send("POST", "/v2/account/projects/search", `{"search_for": "glacier"}`).is(503)
	}
	if n := len(s.Anon.send("POST", "/v2/articles/search", `{"item_type": 3, "institution": 1}`).is(200).list()); n != 6 {
		t.Errorf("a search without words finds %d in the store", n)
	}
	undo()
	s.soon("searches are answered again", func() bool { return s.finds("glacier", 6) })
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
			s := start(t, measured, func(cfg *config.Config) { cfg.Data, cfg.DiskFloor = filepath.Join(disk, "data"), 0 })
			items := 0
			publish := func() {
				t.Helper()
				at := s.Ada.send("POST", "/v2/account/articles", fmt.Sprintf(`{"title": "Glacier number%d", "authors": [{"name": "A B"}]}`, items))
				if at.StatusCode != 201 {
					at.is(507)
					return
				}
				if r := s.Ada.do("POST", strings.TrimPrefix(at.Header.Get("Location"), s.URL)+"/publish", nil); r.StatusCode == 201 {
					items++
				}
				s.finds("glacier", items)
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
			s.soon("the index is whole", s.indexWhole)
			if !s.finds("glacier", items) {
				t.Error("the search is not answered afterwards")
			}
		})
	}
}

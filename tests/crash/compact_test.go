package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/compaction"
	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
	"go.etcd.io/bbolt"
)

// bloat makes the database of a server that was stopped larger by pages that nothing uses.
func bloat(s *world.Server, mib int) {
	s.T.Helper()
	b, err := bbolt.Open(filepath.Join(s.Cfg.Data, bucket.FileName), 0o600, &bbolt.Options{NoSync: true, Timeout: time.Second})
	if err != nil {
		s.T.Fatal(err)
	}
	defer b.Close()
	for _, change := range []func(*bbolt.Tx) error{
		func(tx *bbolt.Tx) error {
			large, err := tx.CreateBucket([]byte("large"))
			if err == nil {
				err = large.Put([]byte("x"), make([]byte, mib<<20))
			}
			return err
		},
		func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("large")) },
		func(*bbolt.Tx) error { return nil }, // gives the pages free
	} {
		if err := b.Update(change); err != nil {
			s.T.Fatal(err)
		}
	}
}

// After compacting, by the command as an operator calls it, the same requests
// get the same answers with the same tags and cursors, the search index goes on where it was, and
// a check finds nothing. Before it the log and the metrics say that it is worth it.
func TestCompactAnswers(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0" })
	for n := range 12 {
		s.Ada.Published(fmt.Sprintf("Glacier %d", n))
	}
	at := s.Ada.Article(`{"title": "With files", "authors": [{"name": "Grace Hopper"}], "description": "ice cores"}`)
	s.Ada.Upload(at, "large.bin", disk.Random(3<<20, 7))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	gone := s.Ada.Article(`{"title": "Glacier draft that goes"}`)
	s.Ada.Do("DELETE", gone, nil).Is(204)
	id := world.LastNumber(t, at)
	requests := [][3]string{
		{"", "/v2/articles?page_size=5", ""}, {"", fmt.Sprint("/v2/articles/", id), ""}, {"", fmt.Sprint("/v2/articles/", id, "/files"), ""},
		{"ada", "/v2/account/articles", ""}, {"ada", at, ""}, {"ada", "/v2/account", ""}, {"ada", gone, ""},
		{"", "/v2/articles/search", `{"search_for": "glacier", "page_size": 5}`}, {"ada", "/v2/account/articles/search", `{"search_for": "ice cores"}`},
	}
	s.Cfg.Listen = strings.TrimPrefix(s.URL, "http://") // answers have the address in them
	before := answersOf(s, requests)
	if m := s.Scrape(); m["alcove_store_bytes{}"] < 1<<16 || m["alcove_store_free_bytes{}"] > m["alcove_store_bytes{}"] {
		t.Errorf("the metrics say that of %v bytes %v are free", m["alcove_store_bytes{}"], m["alcove_store_free_bytes{}"])
	}
	if out, msg, status := world.AlcoveRun(t, "compact", "--data", s.Cfg.Data); status != 1 || out != "" || msg != "alcove compact: a server or another command uses "+s.Cfg.Data+"; stop it, compact, and start it again\n" {
		t.Errorf("while a server runs: %d: %s%s", status, out, msg)
	}
	const advice = "more than half of the database is free pages"
	if strings.Contains(s.Logs.String(), advice) {
		t.Error("the log advises to compact a new database")
	}
	s.Stop()
	bloat(s, 80)
	s.Boot()
	if m := s.Scrape(); !strings.Contains(s.Logs.String(), advice) || m["alcove_store_bytes{}"] < 80<<20 || m["alcove_store_free_bytes{}"] < 80<<20 {
		t.Errorf("of %v bytes %v are free, and the log says %s", m["alcove_store_bytes{}"], m["alcove_store_free_bytes{}"], s.Logs)
	}
	s.Stop()

	out, msg, status := world.AlcoveRun(t, "compact", "--data", s.Cfg.Data, "--json")
	var r compaction.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 || msg != "" || r.Before < 80<<20 || r.After > 10<<20 || r.Free < 80<<20 || r.Entries < 100 {
		t.Errorf("%d: %s%s", status, out, msg)
	}
	if out, msg, status := world.AlcoveRun(t, "compact", "--data", s.Cfg.Data); status != 0 || msg != "" || !strings.HasPrefix(out, fmt.Sprintf("alcove.db had %d bytes, ", r.After)) {
		t.Errorf("again: %d: %s%s", status, out, msg)
	}
	if r, status := s.Checked(); status != 0 || r.Found != 0 {
		t.Errorf("a check after it: %d, %+v", status, r)
	}
	s.Boot()
	for i, got := range answersOf(s, requests) {
		if got != before[i] {
			t.Errorf("after it %s\nbefore it %s", got, before[i])
		}
	}
	m := s.Scrape()
	for _, index := range []string{"public", "private"} {
		for _, name := range []string{"built_total", "failures_total", "rebuilding", "lag_changes"} {
			if v, there := m["alcove_index_"+name+`{index="`+index+`"}`]; !there || v != 0 {
				t.Errorf("the %s index: %s is %v", index, name, v)
			}
		}
	}
	if strings.Contains(s.Logs.String(), advice) || m["alcove_store_bytes{}"] > 10<<20 {
		t.Errorf("it is advised again with %v bytes", m["alcove_store_bytes{}"])
	}
	if next := s.Ada.Article(`{"title": "The next one"}`); world.LastNumber(t, next) != world.LastNumber(t, gone)+1 {
		t.Errorf("after %s comes %s", gone, next)
	}
}

// A compaction that is impossible is an error with its reason, and makes and changes nothing.
func TestCompactRefuses(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Harmed = "bits of its database are flipped"
	s.Ada.Published("Here")
	s.Stop()
	path := filepath.Join(s.Cfg.Data, bucket.FileName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, status int, words string, args ...string) {
		t.Helper()
		out, msg, got := world.AlcoveRun(t, append([]string{"compact"}, args...)...)
		if got != status || out != "" || !strings.HasPrefix(msg, "alcove compact: ") || !strings.Contains(msg, words) {
			t.Errorf("%s: %d: %s%s", what, got, out, msg)
		}
	}
	none := filepath.Join(t.TempDir(), "none")
	refused("no directory", 1, "there is no repository in", "--data", none)
	if _, err := os.Stat(none); err == nil {
		t.Error("the data directory was made")
	}
	refused("an empty directory", 1, "there is no repository in", "--data", t.TempDir())
	refused("an argument", 2, "usage: alcove compact", "--data", s.Cfg.Data, "more")
	refused("no room above the floor", 1, "MiB stay free (disk_floor), but only", "--data", s.Cfg.Data, "--disk-floor", "900TiB")
	if now, _ := os.ReadFile(path); !bytes.Equal(now, good) {
		t.Error("a refusal changed the database")
	}
	at := -1
	for _, u := range usedOf(t, good) { // there are older copies in pages that nothing uses
		if i := bytes.Index(good[u.from:u.from+u.n], []byte(`"Here"`)); i >= 0 && at < 0 {
			at = int(u.from) + i
		}
	}
	bad := bytes.Clone(good)
	bad[at+1] ^= 1
	disk.WriteFile(t, path, bad)
	refused("a damaged record", 1, "a page of the database is damaged; alcove check --data DIR tells what", "--data", s.Cfg.Data)
	if now, _ := os.ReadFile(path); !bytes.Equal(now, bad) {
		t.Error("a damaged database was changed")
	}
}

// Kill -9 on the way leaves a repository that starts with all that it had.
func TestCompactKilled(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 30 {
		s.Ada.Published(fmt.Sprintf("Glacier %d %s", n, strings.Repeat("and a long title ", 50)))
	}
	requests := [][3]string{{"", "/v2/articles?page_size=50", ""}, {"ada", "/v2/account/articles?page_size=50", ""}, {"", "/v2/articles/search", `{"search_for": "glacier"}`}}
	s.Cfg.Listen = strings.TrimPrefix(s.URL, "http://")
	before := answersOf(s, requests)
	s.Stop()
	bloat(s, 20)
	old, err := os.Stat(filepath.Join(s.Cfg.Data, bucket.FileName))
	if err != nil {
		t.Fatal(err)
	}
	half, killed := filepath.Join(s.Cfg.Data, ".new-db-compact"), 0
	for n := range 6 {
		there := func() bool { _, err := os.Lstat(half); return n < 2 || err == nil }
		if killedAt(t, time.Duration(n%3)*3*time.Millisecond, there, "compact", "--data", s.Cfg.Data) {
			killed++
		}
		s.Boot()
		for i, got := range answersOf(s, requests) {
			if got != before[i] {
				t.Errorf("after kill %d %s\nbefore it %s", n, got, before[i])
			}
		}
		if _, err := os.Lstat(half); err == nil {
			t.Error("the start has not removed what was left")
		}
		s.Stop()
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
	if out, msg, status := world.AlcoveRun(t, "compact", "--data", s.Cfg.Data); status != 0 {
		t.Errorf("%s%s", out, msg)
	}
	if now, err := os.Stat(filepath.Join(s.Cfg.Data, bucket.FileName)); err != nil || now.Size() > old.Size()/2 {
		t.Errorf("%v, %v", now, err)
	}
	s.Boot()
}

package crash

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/soak"
	"alcove/tests/world"
)

var (
	soakItems = flag.Int("soak-items", 400, "items of TestIndexSurvives")
	soakKills = flag.Int("soak-kills", 4, "how often TestIndexSurvives kills the server")
	soakSeed  = flag.Uint64("soak-seed", 1, "what TestIndexSurvives does by chance")
)

// stepper drives a soak: one server process, killed, damaged and started again.
type stepper struct {
	*soak.Soak
	*world.Process
	r       *rand.Rand
	dead    chan error // the end of the process
	deaths  int        // by itself
	harms   map[string]int
	midways int // kills with changes that the index on the disk did not have
}

func (s *stepper) alcove(args ...string) string {
	s.Soak.T.Helper()
	out, err := exec.Command("alcove", args...).CombinedOutput()
	if err != nil {
		s.Soak.T.Fatalf("alcove %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *stepper) begin() {
	s.Start()
	s.dead = make(chan error, 1)
	cmd, dead := s.Cmd, s.dead
	go func() { dead <- cmd.Wait() }() // ends with the process
	s.Mu.Lock()
	s.Down = false
	s.Mu.Unlock()
}

// end kills the server. One that had ended by itself is an error.
func (s *stepper) end() {
	s.Mu.Lock()
	s.Down = true
	s.Epoch++
	s.Mu.Unlock()
	select {
	case err := <-s.dead:
		s.deaths++
		log, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
		at := max(0, strings.Index(string(log), "\ngoroutine")-600)
		s.Wrong("the server ended by itself: %v: %.3000s", err, log[at:])
	default:
		s.Cmd.Process.Kill()
		<-s.dead
	}
	s.Soak.HTTP.CloseIdleConnections()
}

// during lets the clients work for a while; a server that ends by itself is started again.
func (s *stepper) during(d time.Duration) {
	select {
	case <-time.After(d):
	case err := <-s.dead:
		s.dead <- err
		s.end()
		s.begin()
	}
}

func (s *stepper) index() string { return filepath.Join(s.Dir, "data", "index") }

// files are the files of the index, with something in them.
func (s *stepper) files() (paths []string) {
	filepath.WalkDir(s.index(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(path, "dropped-") {
			if info, err := d.Info(); err == nil && info.Size() > 0 {
				paths = append(paths, path)
			}
		}
		return nil // gone meanwhile
	})
	return paths
}

// harm damages the index in one of the ways that there are.
func (s *stepper) harm(when string, how int) {
	paths := s.files()
	name := []string{"deleted", "one file deleted", "cut off", "byte flipped"}[how]
	var err error
	if how == 0 {
		err = os.RemoveAll(s.index())
	} else if len(paths) > 0 {
		path := paths[s.r.IntN(len(paths))]
		name += ", " + filepath.Ext(path)
		var size int64
		if info, err := os.Stat(path); err == nil {
			size = info.Size()
		}
		switch how {
		case 1:
			err = os.Remove(path)
		case 2:
			err = os.Truncate(path, s.r.Int64N(size+1))
		case 3:
			err = disk.Flip(path, s.r.Int64N(size+1))
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "not empty") {
		s.Soak.T.Fatal(err)
	}
	s.harms[when+": "+name]++
}

// waitIdle waits until both indexes are in use and have every change that was there when it was
// called. Clients go on writing, so an index is seldom at the very end of the log.
func (s *stepper) waitIdle() {
	s.Soak.T.Helper()
	var ends []uint64
	for deadline := time.Now().Add(3 * time.Minute); ; <-time.After(100 * time.Millisecond) {
		said := s.alcove("index", "status", "--json", "--data", filepath.Join(s.Dir, "data"))
		var indexes []struct {
			State         string
			Position, Lag uint64
		}
		if err := json.Unmarshal([]byte(said), &indexes); err != nil || len(indexes) != 2 {
			s.Soak.T.Fatalf("%v: %s", err, said)
		}
		done := ends != nil
		for i, x := range indexes {
			if ends == nil || len(ends) <= i {
				ends = append(ends, x.Position+x.Lag)
			}
			done = done && x.State == "live" && x.Position >= ends[i]
		}
		if done {
			return
		}
		if time.Now().After(deadline) {
			s.Soak.T.Fatalf("the index has not caught up: %s", said)
		}
	}
}

// answers are what all saved searches find.
func (s *stepper) answers(searches []soak.SavedSearch) (found []string, hits int) {
	for _, q := range searches {
		ids, _ := s.IDs(q)
		found, hits = append(found, fmt.Sprint(ids)), hits+len(ids)
	}
	return found, hits
}

// The index is deleted, cut off and damaged, under load and at rest, and its server is killed
// again and again while it writes. No client sees an error or an answer without what was
// acknowledged, and in the end every saved search answers as from an index that was built afresh.
// make soak-index does it with 20,000 items and 100 kills.
func TestIndexSurvives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &stepper{
		Soak: &soak.Soak{T: t, HTTP: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: time.Minute}, Done: make(chan struct{}),
			Lenient: *soakItems < 10_000, // where other tests may take all the time there is
			Known:   map[string]soak.Marked{}, Slowest: map[string]time.Duration{}},
		Process: &world.Process{T: t, Dir: dir, Port: "0"}, r: rand.New(rand.NewPCG(*soakSeed, 5)), harms: map[string]int{},
	}
	data := filepath.Join(dir, "data")
	s.alcove("init", "--data", data, "--config", data+".toml")
	s.alcove("account", "add", "--data", data, "--email", "a@example.org", "--first-name", "A", "--last-name", "B", "--admin")
	s.Token = s.alcove("token", "add", "--data", data, "--account", "a@example.org")
	disk.WriteFile(t, filepath.Join(dir, "items.jsonl"), []byte(soak.Lines(*soakSeed, *soakItems)))
	begun := time.Now()
	s.alcove("import", "--data", data, "--account", "a@example.org", filepath.Join(dir, "items.jsonl"))
	t.Logf("%d items loaded in %s", *soakItems, time.Since(begun).Round(time.Millisecond))
	s.begin()
	defer func() { s.end() }()
	s.Base = s.URL
	s.others()
	searches := soak.SavedSearches(*soakSeed, 200)
	begun = time.Now()
	var clients sync.WaitGroup
	for n := range 3 {
		clients.Go(func() { s.Writer(n) })
		clients.Go(func() { s.Reader(n, searches) })
	}
	short := 300 * time.Millisecond
	heals := func() time.Duration { // mostly long enough for that
		return short + time.Duration(s.r.IntN(*soakItems))*time.Millisecond*2/3
	}
	for n := range *soakKills {
		s.during(time.Duration(20+s.r.IntN(400)) * time.Millisecond)
		if n%5 == 4 { // under load
			s.harm("in use", n/5%4)
			s.during(heals())
		}
		s.end()
		if said := strings.ReplaceAll(s.alcove("index", "status", "--json", "--data", data), " ", ""); strings.Count(said, `"lag":0,`) < 2 {
			s.midways++
		}
		if n%5 == 2 { // at rest
			s.harm("at rest", n/5%4)
		}
		s.begin()
		if n%5 == 2 {
			s.during(heals())
		}
	}
	s.during(short)
	worked := time.Since(begun)
	s.latency("with kills and damage")
	s.waitIdle()
	s.latency("")
	s.during(short + time.Duration(*soakItems)*time.Millisecond/2)
	s.latency("without")
	begun = time.Now()
	s.alcove("index", "rebuild", "--data", data)
	t.Logf("built again in %s, under load", time.Since(begun).Round(time.Millisecond))
	s.latency("while it is built again")
	close(s.Done)
	clients.Wait()
	s.waitIdle()
	got, hits := s.answers(searches)
	s.report(worked, hits)

	s.end()
	if err := os.RemoveAll(s.index()); err != nil {
		t.Fatal(err)
	}
	s.begin()
	s.waitIdle()
	fresh, _ := s.answers(searches)
	for i, q := range searches {
		if got[i] != fresh[i] {
			t.Errorf("%s finds %.200s, and in a fresh index %.200s", q, got[i], fresh[i])
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for i, e := range s.Errors {
		if i == 20 {
			t.Errorf("and %d more", len(s.Errors)-i)
			break
		}
		t.Error(e)
	}
}

// others makes some collections and projects.
func (s *stepper) others() {
	words := soak.Words()
	for range 20 {
		body := world.AsJSON(map[string]any{"title": soak.Phrase(s.r, words, 5), "description": soak.Phrase(s.r, words, 20), "authors": []map[string]string{{"name": "A B"}}})
		at := strings.TrimPrefix(world.LastField(s.Want(201, "POST", s.Base+"/v2/account/collections", s.Token, body)), s.Base)
		s.Want(201, "POST", s.Base+at+"/publish", s.Token, "")
		project := world.AsJSON(map[string]any{"title": soak.Phrase(s.r, words, 5), "description": soak.Phrase(s.r, words, 20)})
		at = strings.TrimPrefix(world.LastField(s.Want(201, "POST", s.Base+"/v2/account/projects", s.Token, project)), s.Base)
		s.Want(201, "POST", s.Base+at+"/publish", s.Token, "")
	}
}

func (s *stepper) report(worked time.Duration, hits int) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	t := s.Soak.T
	t.Logf("%d kills in %s, %d of them with changes that were not in the index on the disk; harm: %v", *soakKills, worked.Round(time.Second), s.midways, s.harms)
	t.Logf("%d writes, %d searches, %d errors, %d ends by itself; saved searches find %d items", s.Writes, s.Reads, len(s.Errors), s.deaths, hits)
	t.Logf("%d searches waited in vain", s.Late)
	t.Logf("slowest answers: %v", s.Slowest)
}

// latency tells, and forgets, how long it took until publications were found.
func (s *stepper) latency(when string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	slices.Sort(s.Waits)
	if n := len(s.Waits); n > 0 && when != "" {
		s.Soak.T.Logf("found after a publication %s: p50 %s, p99 %s, at most %s of %d", when, s.Waits[n/2], s.Waits[n*99/100], s.Waits[n-1], n)
	}
	s.Waits = nil
}

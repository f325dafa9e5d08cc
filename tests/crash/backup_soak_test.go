package crash

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/cli/backup"
	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

var backupCount = flag.Int("backups", 3, "hot backups of TestHotBackups")

// backupDeed is one thing that a writer does and that changes what the repository shows: the
// state of its item afterwards, in the words of describe. An item that is gone is "".
type backupDeed struct {
	item, after string
	sent        time.Time
	done        time.Time // when the answer, or the file, was there; zero until then
}

// depositor does one thing after another and keeps a record of it.
type depositor struct {
	world.Client
	name  string
	mu    sync.Mutex
	deeds []backupDeed
	items map[string]*deposited
}

// deposited is an item as its depositor knows it.
type deposited struct {
	path, text string
	files      []string // of the working copy
	version    int
	public     string // what the newest version shows
}

func (d *deposited) String() string {
	return fmt.Sprintf("%s [%s] version %d: %s", d.text, strings.Join(slices.Sorted(slices.Values(d.files)), " "), d.version, d.public)
}

// fileBytes are the bytes of a file of that name. The text behind a dash is only in the name, so
// that files have the same bytes.
func fileBytes(name string) []byte {
	name, _, _ = strings.Cut(name, "-")
	h := fnv.New64a()
	h.Write([]byte(name))
	n := h.Sum64()
	return disk.Random(int(n%150_000)+1, n|1)
}

// does notes a deed before it is done, and when it was.
func (w *depositor) does(item, after string, do func()) {
	w.mu.Lock()
	at := len(w.deeds)
	w.deeds = append(w.deeds, backupDeed{item: item, after: after, sent: time.Now()})
	w.mu.Unlock()
	do()
	w.mu.Lock()
	w.deeds[at].done = time.Now()
	w.mu.Unlock()
}

// known is a copy of the deeds until now.
func (w *depositor) known() []backupDeed {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.deeds)
}

// round works on one of five items that stay, and makes a draft that goes again.
func (w *depositor) round(n int) {
	title := fmt.Sprintf("%s item %d", w.name, n%5)
	it := w.items[title]
	if it == nil {
		it = &deposited{text: "first"}
		w.does(title, it.String(), func() {
			it.path = w.Article(fmt.Sprintf(`{"title": %q, "description": "first", "authors": [{"name": "Grace Hopper"}]}`, title))
		})
		w.items[title] = it
	}
	w.file(title, it, fmt.Sprintf("%s%d.bin", w.name, n))
	if n%3 == 0 {
		w.file(title, it, fmt.Sprintf("shared%d.bin-%s", n/7, w.name))
	}
	it.text = fmt.Sprint("text ", n)
	w.does(title, it.String(), func() { w.Send("PATCH", it.path, fmt.Sprintf(`{"description": "text %d"}`, n)).Is(205) })
	it.version++
	it.public = fmt.Sprintf("%s [%s]", it.text, strings.Join(slices.Sorted(slices.Values(it.files)), " "))
	w.does(title, it.String(), func() { w.Do("POST", it.path+"/publish", nil).Is(201) })
	for len(it.files) > 4 {
		gone := it.files[0]
		it.files = it.files[1:]
		w.does(title, it.String(), func() { w.Do("DELETE", w.fileOf(it.path, gone), nil).Is(204) })
	}
	draft, name := &deposited{text: "soon gone"}, fmt.Sprintf("%s draft %d", w.name, n)
	w.does(name, draft.String(), func() { draft.path = w.Article(fmt.Sprintf(`{"title": %q, "description": "soon gone"}`, name)) })
	w.file(name, draft, fmt.Sprintf("%sdraft%d.bin", w.name, n))
	w.does(name, "", func() { w.Do("DELETE", draft.path, nil).Is(204) })
}

func (w *depositor) file(title string, it *deposited, name string) {
	it.files = append(it.files, name)
	w.does(title, it.String(), func() { w.Upload(it.path, name, fileBytes(name)) })
}

func (w *depositor) fileOf(path, name string) string {
	for _, f := range w.Get(path + "/files?page_size=1000").Is(200).List() {
		if f["name"] == name {
			return fmt.Sprintf("%s/files/%v", path, f["id"])
		}
	}
	w.Server.T.Errorf("%s has no file %s", path, name)
	return path
}

// describe tells in the words of deposited what a server shows of a depositor's items.
func (w *depositor) describe(s *world.Server) map[string]string {
	s.T.Helper()
	c, shown := world.Client{Server: s, Token: w.Token}, map[string]string{}
	for _, a := range c.Get("/v2/account/articles?page_size=100").Is(200).List() {
		path := fmt.Sprintf("/v2/account/articles/%v", a["id"])
		is := deposited{}
		o := c.Get(path).Is(200).Object()
		is.text, _ = o["description"].(string)
		for _, f := range c.Get(path + "/files?page_size=1000").Is(200).List() {
			if f["status"] == "available" { // unfinished answers have reached no client yet
				is.files = append(is.files, f["name"].(string))
			}
		}
		if r := c.Get(fmt.Sprintf("/v2/articles/%v", a["id"])); r.StatusCode == 200 {
			o := r.Object()
			is.version = int(o["version"].(float64))
			var files []string
			for _, f := range o["files"].([]any) {
				f := f.(map[string]any)
				files = append(files, f["name"].(string))
				if got := c.Get(fmt.Sprintf("/files/%v", f["id"])).Is(200); !bytes.Equal(got.Bytes, fileBytes(f["name"].(string))) {
					s.T.Errorf("%s has other bytes", f["name"])
				}
			}
			slices.Sort(files)
			is.public = fmt.Sprintf("%s [%s]", o["description"], strings.Join(files, " "))
		}
		for _, name := range is.files {
			if is.version > 0 && strings.Contains(is.public, name) {
				continue // compared above
			}
			if got := c.Get(fileID(c, path, name)).Is(200); !bytes.Equal(got.Bytes, fileBytes(name)) {
				s.T.Errorf("%s has other bytes", name)
			}
		}
		shown[o["title"].(string)] = is.String()
	}
	return shown
}

func fileID(c world.Client, path, name string) string {
	for _, f := range c.Get(path + "/files?page_size=1000").Is(200).List() {
		if f["name"] == name {
			return fmt.Sprintf("/files/%v", f["id"])
		}
	}
	return "/files/0"
}

// prefixes are the numbers of deeds after which a depositor's items were what is shown.
func prefixes(deeds []backupDeed, shown map[string]string) (list []int) {
	now := map[string]string{}
	for n := 0; ; n++ {
		same := len(now) == len(shown)
		for item, text := range now {
			same = same && shown[item] == text
		}
		if same {
			list = append(list, n)
		}
		if n == len(deeds) {
			return list
		}
		if d := deeds[n]; d.after == "" {
			delete(now, d.item)
		} else {
			now[d.item] = d.after
		}
	}
}

// restored restores a snapshot as it was into a new directory and starts a server on it. change may
// alter its configuration.
func restored(s *world.Server, dest, snapshot string, change ...func(*config.Config)) *world.Server {
	s.T.Helper()
	dir := filepath.Join(s.T.TempDir(), "restored")
	if out, msg, status := world.AlcoveRun(s.T, "restore", dest, dir, "--snapshot", snapshot, "--as-it-was"); status != 0 {
		s.T.Fatalf("the restore failed: %s%s", out, msg)
	}
	r := &world.Server{T: s.T, Cfg: s.Cfg, Within: s.Within}
	r.Cfg.Data, r.Cfg.BackupDir = dir, ""
	for _, c := range change {
		c(&r.Cfg)
	}
	r.Boot()
	r.Anon, r.Ada = world.Client{Server: r, Token: ""}, world.Client{Server: r, Token: s.Ada.Token}
	return r
}

// Backups that are made while clients write are each a prefix of what was acknowledged: all that
// was before the backup began, nothing without what was acknowledged before it was asked for,
// nothing half, and every file with its bytes (security.md M01, M05).
func TestHotBackups(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) { c.SweepGrace = 50 * time.Millisecond })
	dest := filepath.Join(t.TempDir(), "backups")
	var writers []*depositor
	for i := range 3 {
		name := string(rune('a' + i))
		writers = append(writers, &depositor{Client: s.Person("Writer"+name, false), name: name, items: map[string]*deposited{}})
	}
	var stop atomic.Bool
	var writing sync.WaitGroup
	for _, w := range writers {
		writing.Go(func() {
			for n := 0; !stop.Load() && !t.Failed(); n++ {
				w.round(n)
			}
		})
	}
	defer writing.Wait()
	defer stop.Store(true)
	s.Eventually("there is something to lose", func() bool { return len(writers[0].known()) > 10 })
	var copied, looked int64
	var longest time.Duration
	included := 0
	for n := range *backupCount {
		begun := time.Now()
		r := s.BackedUp(dest, "--keep", "4")
		longest = max(longest, time.Since(begun))
		copied, looked = copied+r.Copied, looked+r.Blobs
		inLog(s, dest, r)
		other := restored(s, dest, r.Snapshot)
		included += comparePrefix(t, writers, other, begun)
		other.Stop()
		if t.Failed() {
			t.Fatalf("backup %d of %d, %s", n+1, *backupCount, r.Snapshot)
		}
		os.RemoveAll(other.Cfg.Data)
	}
	stop.Store(true)
	writing.Wait()
	if *backupCount > 2 && copied >= looked {
		t.Errorf("%d of %d blobs were copied: not only what is new", copied, looked)
	}
	if out, msg, status := world.AlcoveRun(t, "backup", "verify", dest); status != 0 {
		t.Errorf("verify: %s%s", out, msg)
	}
	t.Logf("%d backups, the longest %v; %d deeds compared; %d of %d blobs copied", *backupCount, longest.Round(time.Millisecond), included, copied, looked)
}

// comparePrefix compares what a restored server shows with the deeds that were acknowledged before
// the backup began, and with their order. It returns how many are there. Where a depositor's items
// were the same more than once, the earliest time is meant that goes with everything else.
func comparePrefix(t *testing.T, writers []*depositor, other *world.Server, begun time.Time) (included int) {
	t.Helper()
	fits, all := make([][]int, len(writers)), make([][]backupDeed, len(writers))
	for i, w := range writers {
		shown := w.describe(other)
		all[i] = w.known()
		if fits[i] = prefixes(all[i], shown); len(fits[i]) == 0 {
			t.Errorf("what %s has was never so: %v", w.name, shown)
			return 0
		}
	}
	for again := true; again; {
		again = false
		last := begun // what was acknowledged before must be there
		for i := range fits {
			for _, d := range all[i][:fits[i][0]] {
				if d.sent.After(last) {
					last = d.sent
				}
			}
		}
		for i, w := range writers {
			n := fits[i][0]
			if n == len(all[i]) || all[i][n].done.IsZero() || !all[i][n].done.Before(last) {
				continue
			}
			if again = true; len(fits[i]) == 1 {
				t.Errorf("of %s %d deeds are there; %s was acknowledged before the backup began, or before something that is there was asked for", w.name, n, all[i][n].item)
				return 0
			}
			fits[i] = fits[i][1:]
		}
	}
	for i := range fits {
		included += fits[i][0]
	}
	return included
}

// inLog compares where the change log of a snapshot ends with the log of the server, which is
// chained: the snapshot has the first entries of it, and those as they are.
func inLog(s *world.Server, dest string, r backup.Report) {
	s.T.Helper()
	var m backup.Manifest
	b, err := os.ReadFile(filepath.Join(dest, "snapshots", r.Snapshot, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		s.T.Fatal(err)
	}
	s.Eventually("the log goes on", func() bool { return s.Sequence() > m.Sequence })
	err = s.DB().View(func(tx *bucket.Tx) error {
		for c, err := range tx.Changes(m.Sequence) {
			if err == nil && fmt.Sprintf("%x", c.Previous) != m.Head {
				err = fmt.Errorf("entry %s of the log does not follow from the snapshot", strconv.FormatUint(c.Sequence, 10))
			}
			return err
		}
		return fmt.Errorf("the snapshot has %d entries of the log", m.Sequence)
	})
	if err != nil {
		s.T.Error(err)
	}
}

package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// machine is the real program on a data directory that an earlier build has made: a published
// article with a file, a draft with an open upload, and an administrator.
type machine struct {
	process
	data string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{process: process{t: t, dir: t.TempDir(), port: "0"}}
	m.data = filepath.Join(m.dir, "data")
	unpack(t, "testdata/earlier/data.tar.gz", m.data)
	t.Cleanup(func() {
		if m.cmd != nil && m.cmd.ProcessState == nil {
			m.kill()
		}
	})
	return m
}

// unpack makes a directory of an archive.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || !filepath.IsLocal(h.Name) {
			t.Fatal(h, err)
		}
		to := filepath.Join(dir, h.Name)
		if h.FileInfo().IsDir() {
			err = os.MkdirAll(to, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
			var b []byte
			if b, err = io.ReadAll(in); err == nil {
				err = os.WriteFile(to, b, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// stop asks the server to end, and waits for it.
func (m *machine) stop() {
	m.t.Helper()
	m.cmd.Process.Signal(os.Interrupt)
	if err := m.cmd.Wait(); err != nil {
		m.t.Errorf("the server ended with %v: %s", err, m.log())
	}
}

func (m *machine) log() string {
	b, _ := os.ReadFile(filepath.Join(m.dir, "log"))
	return string(b)
}

// run runs a command to its end and tells what it said and whether it succeeded.
func (m *machine) run(args ...string) (said string, good bool) {
	m.t.Helper()
	cmd := exec.Command("alcove", args...)
	cmd.Env = append(os.Environ(), m.env...)
	b, err := cmd.CombinedOutput()
	if _, exit := errors.AsType[*exec.ExitError](err); err != nil && !exit {
		m.t.Fatal(err)
	}
	return string(b), err == nil
}

func (m *machine) good(args ...string) string {
	m.t.Helper()
	said, good := m.run(args...)
	if !good {
		m.t.Fatalf("alcove %v: %s", args, said)
	}
	return strings.TrimSpace(said)
}

// refused checks that a command fails and says why.
func (m *machine) refused(says []string, args ...string) {
	m.t.Helper()
	said, good := m.run(args...)
	for _, s := range says {
		if good || !strings.Contains(said, s) {
			m.t.Errorf("alcove %s: %v, it does not say %q: %s", strings.Join(args, " "), good, s, said)
		}
	}
}

// identity is what the directory says whose it is.
func (m *machine) identity() (id string) {
	m.t.Helper()
	var of struct{ ID, Created string }
	b, err := os.ReadFile(filepath.Join(m.data, "repository.json"))
	if err == nil {
		err = json.Unmarshal(b, &of)
	}
	if err != nil || of.ID == "" || of.Created == "" {
		m.t.Fatal(of, err)
	}
	return of.ID
}

// whole checks that what the earlier build has stored is there: what is public, and the bytes of the
// open upload.
func (m *machine) whole() {
	m.t.Helper()
	m.want(200, "GET", m.URL+"/v2/articles/1", "", "")
	if got := m.want(200, "GET", m.URL+"/files/1", "", ""); got != "bytes of an earlier build" {
		m.t.Errorf("the file is %q", got)
	}
	if names, err := filepath.Glob(filepath.Join(m.data, "uploads", "????????-*")); len(names) != 1 {
		m.t.Errorf("of the open upload there is %v, %v", names, err)
	}
}

// serving is the arguments of a server that is about to be refused.
func (m *machine) serving(dir string, more ...string) []string {
	return append([]string{"serve", "--data", dir, "--listen", "127.0.0.1:0", "--tls", "off"}, more...)
}

// A data directory of an earlier build gets an identity at its first start, which stays; commands
// that work on it meanwhile and later know it as well.
func TestDirectoryOfEarlierBuild(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.start()
	id := m.identity()
	m.whole()
	m.stop()
	if strings.Contains(m.log(), "made a new repository") {
		t.Errorf("the log says that it is new: %s", m.log())
	}
	m.args = []string{"--repository", strings.ToUpper(strings.ReplaceAll(id, "-", ""))}
	m.start()
	m.whole()
	m.stop()
	m.good("check", "--data", m.data)
	if again := m.identity(); again != id {
		t.Errorf("the identity was %s and is %s", id, again)
	}
}

// A directory whose database is lost, or is another's, and one whose disk is not mounted are refused
// with what to do, and nothing in them is touched.
func TestDirectoryWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	m, other := newMachine(t), filepath.Join(t.TempDir(), "other")
	m.start()
	m.whole()
	m.stop()
	id := m.identity()
	o := &machine{process: process{t: t, dir: filepath.Dir(other), port: "0"}, data: filepath.Join(filepath.Dir(other), "data")}
	o.harmed = "its database is put elsewhere"
	o.start()
	o.stop()
	if first, _, _ := strings.Cut(o.log(), "\n"); !strings.Contains(first, "made a new repository") || !strings.Contains(first, o.identity()) {
		t.Errorf("the first line of a new one is %s", first)
	}
	db := filepath.Join(m.data, "alcove.db")
	before := m.disk()
	same := func(what string) {
		t.Helper()
		if now := m.disk(); now != before {
			t.Errorf("%s: there was\n%s\nand is\n%s", what, before, now)
		}
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(db, other)
	lost := []string{m.data, "the database is missing", "blobs", id, "check --rebuild", "alcove restore"}
	for _, c := range [][]string{m.serving(m.data), {"account", "list", "--data", m.data}, {"check", "--data", m.data}, {"sweep", "allow", "--data", m.data}} {
		m.refused(lost, c...)
		same("without a database")
	}
	move(filepath.Join(o.data, "alcove.db"), db)
	m.refused([]string{m.data, "another repository", id, o.identity(), "check --rebuild"}, m.serving(m.data)...)
	m.refused([]string{id, o.identity()}, "account", "list", "--data", m.data)
	same("with another's database")
	move(other, db)

	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "absent")} {
		m.refused([]string{dir, "mounted", id}, m.serving(dir, "--repository", id)...)
	}
	if names, _ := os.ReadDir(empty); len(names) != 0 {
		t.Errorf("the mount point has %v", names)
	}
	m.refused([]string{m.data, id, "the setting repository names " + o.identity()}, m.serving(m.data, "--repository", o.identity())...)
	m.start()
	m.whole()
	m.stop()
}

// disk is what the blobs and uploads of the directory are.
func (m *machine) disk() string {
	m.t.Helper()
	var list strings.Builder
	for _, top := range []string{"blobs", "uploads"} {
		err := filepath.WalkDir(filepath.Join(m.data, top), func(path string, e os.DirEntry, err error) error {
			list.WriteString(strings.TrimPrefix(path, m.data) + "\n")
			return err
		})
		if err != nil {
			m.t.Fatal(err)
		}
	}
	return list.String()
}

// at puts the clock of the programs that the test starts off.
func (m *machine) at(off time.Duration) { m.env = []string{clockOff + "=" + off.String()} }

// swept waits until the sweeper has looked at a time that is not before off from now.
func (m *machine) swept(off time.Duration) {
	m.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(20 * time.Millisecond) {
		var state struct{ Last time.Time }
		if err := json.Unmarshal([]byte(m.good("sweep", "status", "--json", "--data", m.data)), &state); err != nil {
			m.t.Fatal(err)
		}
		if time.Since(state.Last.Add(-off)).Abs() < time.Minute {
			return
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("it looked last %v: %s", state.Last, m.log())
		}
	}
}

// A clock that is a year ahead at a start is a pause: what waits waits on, and nothing is swept. One
// that is put back behind that, or is too far ahead, is not gone by, and the log and the metrics
// say so, until the operator says that it is right.
func TestDirectoryWithWrongClock(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	m := newMachine(t)
	lost := filepath.Join(m.data, "blobs", "ab", strings.Repeat("c", 62))
	if err := os.MkdirAll(filepath.Dir(lost), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, lost, []byte("named by nothing"))
	m.args = []string{"--sweep-grace", "1h", "--metrics-listen", "127.0.0.1:0"}
	all := func() {
		t.Helper()
		m.whole()
		if _, err := os.Stat(lost); err != nil {
			t.Error("it was swept:", err)
		}
	}
	doubted := func(want bool) {
		t.Helper()
		said := m.good("clock", "status", "--data", m.data)
		if got := !strings.Contains(said, " ok ") && !strings.Contains(said, "\nok "); got != want {
			t.Errorf("in doubt: %v, want %v: %s", got, want, said)
		}
		if in := strings.Contains(m.log(), "the clock of this machine is "); in != want {
			t.Errorf("the log tells it: %v, want %v: %s", in, want, m.log())
		}
	}
	m.start()
	token := m.good("token", "add", "--data", m.data, "--account", "1")
	end := time.Now().Add(450 * 24 * time.Hour).UTC().Format(time.DateOnly)
	m.want(201, "POST", m.URL+"/v2/account/articles", token, `{"title": "Held", "authors": [{"name": "Ada Earlier"}]}`)
	m.want(205, "PUT", m.URL+"/v2/account/articles/3/embargo", token, `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "`+end+`"}`)
	m.want(201, "POST", m.URL+"/v2/account/articles/3/publish", token, "")
	m.swept(0)
	doubted(false)
	m.stop()

	m.at(year)
	m.start()
	m.swept(year)
	doubted(false)
	all()
	m.stop()

	m.at(0)
	m.start()
	doubted(true)
	all()
	m.good("clock", "accept", "--data", m.data)
	m.swept(0)
	all()
	m.stop()
	m.start()
	doubted(false)
	m.stop()

	m.at(500 * 24 * time.Hour) // the embargo would have ended
	m.start()
	doubted(true)
	m.want(404, "GET", m.URL+"/v2/articles/3", "", "")
	all()
	m.good("clock", "accept", "--data", m.data)
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(50 * time.Millisecond) {
		if status, _ := m.call(http.MethodGet, m.URL+"/v2/articles/3", "", strings.NewReader("")); status == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the embargo does not end: %s", m.log())
		}
	}
	m.swept(500 * 24 * time.Hour)
	all()
	m.stop()
}

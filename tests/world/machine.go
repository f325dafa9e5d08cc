package world

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/tests/disk"
)

// Machine is the real program on a data directory that an earlier build has made: a published
// article with a file, a draft with an open upload, and an administrator.
type Machine struct {
	Process
	Data string
}

func NewMachine(t *testing.T) *Machine {
	t.Helper()
	m := &Machine{Process: Process{T: t, Dir: t.TempDir(), Port: "0"}}
	m.Data = filepath.Join(m.Dir, "data")
	unpack(t, disk.Testdata("earlier/data.tar.gz"), m.Data)
	t.Cleanup(func() {
		if m.Cmd != nil && m.Cmd.ProcessState == nil {
			m.Kill()
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

// Stop asks the server to end, and waits for it.
func (m *Machine) Stop() {
	m.T.Helper()
	m.Cmd.Process.Signal(os.Interrupt)
	if err := m.Cmd.Wait(); err != nil {
		m.T.Errorf("the server ended with %v: %s", err, m.Log())
	}
}

func (m *Machine) Log() string {
	b, _ := os.ReadFile(filepath.Join(m.Dir, "log"))
	return string(b)
}

// run runs a command to its end and tells what it said and whether it succeeded.
func (m *Machine) run(args ...string) (said string, good bool) {
	m.T.Helper()
	cmd := exec.Command("alcove", args...)
	cmd.Env = append(os.Environ(), m.env...)
	b, err := cmd.CombinedOutput()
	if _, exit := errors.AsType[*exec.ExitError](err); err != nil && !exit {
		m.T.Fatal(err)
	}
	return string(b), err == nil
}

func (m *Machine) Good(args ...string) string {
	m.T.Helper()
	said, good := m.run(args...)
	if !good {
		m.T.Fatalf("alcove %v: %s", args, said)
	}
	return strings.TrimSpace(said)
}

// Refused checks that a command fails and says why.
func (m *Machine) Refused(says []string, args ...string) {
	m.T.Helper()
	said, good := m.run(args...)
	for _, s := range says {
		if good || !strings.Contains(said, s) {
			m.T.Errorf("alcove %s: %v, it does not say %q: %s", strings.Join(args, " "), good, s, said)
		}
	}
}

// Identity is what the directory says whose it is.
func (m *Machine) Identity() (id string) {
	m.T.Helper()
	var of struct{ ID, Created string }
	b, err := os.ReadFile(filepath.Join(m.Data, "repository.json"))
	if err == nil {
		err = json.Unmarshal(b, &of)
	}
	if err != nil || of.ID == "" || of.Created == "" {
		m.T.Fatal(of, err)
	}
	return of.ID
}

// Whole checks that what the earlier build has stored is there: what is public, and the bytes of the
// open upload.
func (m *Machine) Whole() {
	m.T.Helper()
	m.Want(200, "GET", m.URL+"/v2/articles/1", "", "")
	if got := m.Want(200, "GET", m.URL+"/files/1", "", ""); got != "bytes of an earlier build" {
		m.T.Errorf("the file is %q", got)
	}
	if names, err := filepath.Glob(filepath.Join(m.Data, "uploads", "????????-*")); len(names) != 1 {
		m.T.Errorf("of the open upload there is %v, %v", names, err)
	}
}

// Serving is the arguments of a server that is about to be refused.
func (m *Machine) Serving(dir string, more ...string) []string {
	return append([]string{"serve", "--data", dir, "--listen", "127.0.0.1:0", "--tls", "off"}, more...)
}

// Disk is what the blobs and uploads of the directory are.
func (m *Machine) Disk() string {
	m.T.Helper()
	var list strings.Builder
	for _, top := range []string{"blobs", "uploads"} {
		err := filepath.WalkDir(filepath.Join(m.Data, top), func(path string, e os.DirEntry, err error) error {
			list.WriteString(strings.TrimPrefix(path, m.Data) + "\n")
			return err
		})
		if err != nil {
			m.T.Fatal(err)
		}
	}
	return list.String()
}

// At puts the clock of the programs that the test starts off.
func (m *Machine) At(off time.Duration) { m.env = []string{"TEST_CLOCK_OFF=" + off.String()} }

// Swept waits until the sweeper has looked at a time that is not before off from now.
func (m *Machine) Swept(off time.Duration) {
	m.T.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(20 * time.Millisecond) {
		var state struct{ Last time.Time }
		if err := json.Unmarshal([]byte(m.Good("sweep", "status", "--json", "--data", m.Data)), &state); err != nil {
			m.T.Fatal(err)
		}
		if time.Since(state.Last.Add(-off)).Abs() < time.Minute {
			return
		}
		if time.Now().After(deadline) {
			m.T.Fatalf("it looked last %v: %s", state.Last, m.Log())
		}
	}
}

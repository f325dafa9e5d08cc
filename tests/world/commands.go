package world

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/cli/backup"
)

// AlcoveRun runs the program, and returns what it printed and its exit status.
func AlcoveRun(t testing.TB, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return AlcoveIn(t, "", args...)
}

// AlcoveIn is Alcove in a working directory, empty for that of the tests.
func AlcoveIn(t testing.TB, dir string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command("alcove", args...)
	cmd.Dir = dir
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	if err := cmd.Run(); err != nil {
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
	}
	return out.String(), msg.String(), cmd.ProcessState.ExitCode()
}

// BackedUp makes a backup of a server's data and returns its report; it must go well.
func (s *Server) BackedUp(dest string, args ...string) (r backup.Report) {
	s.T.Helper()
	out, msg, status := AlcoveRun(s.T, append([]string{"backup", "create", dest, "--data", s.Cfg.Data, "--json"}, args...)...)
	if status != 0 {
		s.T.Fatalf("the backup failed: %s%s", out, msg)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		s.T.Fatal(err, out)
	}
	return r
}

// WaitLimit is how long a test waits for what must happen, on a machine that is busy with other tests.
const WaitLimit = time.Minute

// WaitFor looks again and again: at what another process does, or what no commit tells of.
func WaitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(WaitLimit); !done(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not: %s", what)
		}
	}
}

// Imports runs alcove import on the data of a server that was stopped.
func (s *Server) Imports(account, file string, flags ...string) (said string, err error) {
	s.T.Helper()
	args := append([]string{"import", "--data", s.Cfg.Data, "--account", account}, flags...)
	out, err := exec.Command("alcove", append(args, file)...).CombinedOutput()
	return string(out), err
}

// Lines writes a file of lines and returns its path.
func (s *Server) Lines(lines ...string) string {
	s.T.Helper()
	path := filepath.Join(s.T.TempDir(), "items.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		s.T.Fatal(err)
	}
	return path
}

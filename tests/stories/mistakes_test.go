package stories

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// rawWords are what Go's packages say, which leaves a person without what to do.
var rawWords = regexp.MustCompile(`strconv\.|x509|context canceled|context deadline|connection refused|no such host|permission denied|no such file|dial tcp|goroutine`)

// Each typical mistake is told in a sentence that says what, where and what to do, with at most two lines and the right
// status.
func TestMistakes(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	token := s.Ada.Token
	foreign := httptest.NewTLSServer(http.NotFoundHandler())
	defer foreign.Close()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	dir := t.TempDir()
	if out, msg, status := world.AlcoveIn(t, dir, "init", "--admin", "you@example.org"); status != 0 {
		t.Fatal(out, msg)
	}
	for name, text := range map[string]string{"items.jsonl": "{\"title\": \"Run\"}\n", "bad.toml": "colour = \"red\"\n", "token": token + "\n", "empty": "", "wrong": "alc_wrong\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	places := strings.NewReplacer("$URL", s.URL, "$TLS", foreign.URL, "$CLOSED", closed.Addr().String(), "$BUSY", busy.Addr().String())
	f, err := os.Open(disk.Testdata("mistakes.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		row := strings.Split(places.Replace(lines.Text()), "\t")
		if len(row) != 4 {
			t.Fatalf("%d columns: %s", len(row), lines.Text())
		}
		rows++
		t.Run(row[0], func(t *testing.T) {
			cmd := exec.Command("alcove", strings.Fields(row[0])[1:]...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
			var said strings.Builder
			cmd.Stderr = &said
			out, _ := cmd.Output()
			if status := strconv.Itoa(cmd.ProcessState.ExitCode()); status != row[1] {
				t.Errorf("status %s, want %s: %s", status, row[1], said.String())
			}
			rest := said.String()
			for _, part := range strings.Split(row[2], "…") {
				_, behind, found := strings.Cut(rest, part)
				if !found {
					t.Errorf("it does not say %q: %s", part, said.String())
				}
				rest = behind
			}
			if raw := rawWords.FindString(said.String()); raw != "" {
				t.Errorf("it says %q: %s", raw, said.String())
			}
			if len(out) > 0 {
				t.Errorf("it prints an answer: %s", out)
			}
			if n := strings.Count(said.String(), "\n"); n > 2 {
				t.Errorf("it says %d lines: %s", n, said.String())
			}
		})
	}
	if rows < 40 {
		t.Errorf("%d mistakes", rows)
	}
}

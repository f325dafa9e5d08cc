package world

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Process is a server in a process of its own, which can be killed.
type Process struct {
	T    *testing.T
	Dir  string
	Port string
	URL  string
	Args []string     // of serve, beyond the usual ones
	Wrap []string     // a command that runs it, with its arguments
	env  []string     // of the program, besides the usual
	HTTP *http.Client // that calls are made with, nil for the usual one
	Cmd  *exec.Cmd
	// harmed is why what it stores is damaged, or odd, at the end of the test.
	Harmed    string
	willCheck bool
	Peak      atomic.Int64 // KiB of anonymous memory, the most that a sample saw
}

var rssAnon = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// Sample looks how much anonymous memory the process has.
func (p *Process) Sample() {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Cmd.Process.Pid)) // gone is nothing
	if m := rssAnon.FindSubmatch(b); m != nil {
		n, _ := strconv.ParseInt(string(m[1]), 10, 64)
		for old := p.Peak.Load(); n > old && !p.Peak.CompareAndSwap(old, n); old = p.Peak.Load() {
		}
	}
}

func (p *Process) Start() {
	p.T.Helper()
	if !p.willCheck {
		p.willCheck = true
		p.T.Cleanup(func() {
			if p.Harmed == "" {
				checkStore(p.T, filepath.Join(p.Dir, "data"))
			}
		})
	}
	log := filepath.Join(p.Dir, "log")
	os.Remove(log)
	out, err := os.Create(log)
	if err != nil {
		p.T.Fatal(err)
	}
	defer out.Close()
	words := append(slices.Clone(p.Wrap), "alcove", "serve", "--data", filepath.Join(p.Dir, "data"), "--listen", "127.0.0.1:"+p.Port, "--tls", "off")
	words = append(words, p.Args...)
	p.Cmd = exec.Command(words[0], words[1:]...)
	p.Cmd.Stderr = out
	p.Cmd.Env = append(os.Environ(), p.env...)
	if err := p.Cmd.Start(); err != nil {
		p.T.Fatal(err)
	}
	for deadline := time.Now().Add(WaitLimit); ; <-time.After(10 * time.Millisecond) {
		b, _ := os.ReadFile(log)
		if m := servingAt.FindSubmatch(b); m != nil {
			p.URL = string(m[1])
			p.Port = p.URL[strings.LastIndexByte(p.URL, ':')+1:]
			return
		}
		if time.Now().After(deadline) {
			p.T.Fatalf("the server does not start: %s", b)
		}
	}
}

func (p *Process) Kill() {
	p.Cmd.Process.Kill()
	p.Cmd.Wait()
}

// Call sends a request; an error of the connection is no failure here.
func (p *Process) Call(method, url, token string, body io.Reader) (status int, reply []byte) {
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		p.T.Error(err)
		return 0, nil
	}
	if token != "" {
		req.Header.Set("Authorization", "token "+token)
	}
	client := p.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	return res.StatusCode, b
}

func (p *Process) Want(status int, method, url, token, body string) string {
	p.T.Helper()
	got, reply := p.Call(method, url, token, strings.NewReader(body))
	if got != status {
		p.T.Fatalf("%s %s answered %d, want %d: %s", method, url, got, status, reply)
	}
	return string(reply)
}

// Watch samples the memory of the server until the end.
func (p *Process) Watch() (end func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.Sample()
			case <-stop:
				return
			}
		}
	}()
	return func() { close(stop); <-stopped }
}

// Fetch downloads a file, and returns how many bytes it has and their SHA-256.
func (p *Process) Fetch(url, token string) (n int64, sum []byte) {
	p.T.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		p.T.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.T.Fatal(err)
	}
	defer res.Body.Close()
	sha := sha256.New()
	if n, err = io.Copy(sha, res.Body); err != nil {
		p.T.Error(err)
	}
	return n, sha.Sum(nil)
}

// RunTool runs a program in a directory and tells how it ended, with what it said.
func RunTool(t *testing.T, dir string, name string, args ...string) error {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %q: %w: %s", name, args, err, out)
	}
	return nil
}

// Breaking is the address of something in front of the server that passes on so many bytes of
// the first answer and then cuts the connection.
func (s *Server) Breaking(after int) string {
	s.T.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { l.Close() })
	go func() { // ends with the first connection, or with the listener
		from, err := l.Accept()
		if err != nil {
			return
		}
		defer from.Close()
		to, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			return
		}
		defer to.Close()
		go io.Copy(to, from)
		io.CopyN(from, to, int64(after))
	}()
	return "http://" + l.Addr().String()
}

// Owner makes an account and returns a token of it.
func (p *Process) Owner() string {
	p.T.Helper()
	alcove := func(args ...string) string {
		out, err := exec.Command("alcove", args...).Output()
		if err != nil {
			p.T.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	alcove("init", "--data", p.Dir+"/data", "--config", p.Dir+"/data.toml")
	alcove("account", "add", "--data", p.Dir+"/data", "--email", "a@example.org", "--first-name", "A", "--last-name", "B")
	return alcove("token", "add", "--data", p.Dir+"/data", "--account", "a@example.org")
}

// LastField is the address in the answer to a create.
func LastField(reply string) string {
	_, at, _ := strings.Cut(reply, `"location": "`)
	at, _, _ = strings.Cut(at, `"`)
	return at
}

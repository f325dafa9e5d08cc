package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// server is the program under test on one data directory. It listens at the same address
// over all its starts.
type server struct {
	bin    string   // the program
	data   string   // its data directory
	log    string   // file that gets what it says, over all its starts
	listen string   // host:port
	wrap   []string // a command that runs it, with its arguments, such as strace
	env    []string // besides that of this process
	args   []string // further flags of "alcove serve"

	cmd   *exec.Cmd
	gone  chan struct{} // closed when it has ended
	err   error         // how it ended, once gone is closed
	ready time.Duration // from its start until it was ready, of the last start
}

// newServer is a server that does not run yet.
func newServer(bin, data, log string) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot find a free port: %w", err)
	}
	defer l.Close()
	return &server{bin: bin, data: data, log: log, listen: l.Addr().String()}, nil
}

func (s *server) base() string { return "http://" + s.listen }

// launch starts the server and does not wait. It runs in a process group of its own, with
// whatever wraps it.
func (s *server) launch() error {
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write the log: %w", err)
	}
	defer log.Close()
	line := append([]string{}, s.wrap...)
	line = append(line, s.bin, "serve", "--data", s.data, "--listen", s.listen, "--base-url", s.base(), "--tls", "off")
	line = append(line, s.args...)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), s.env...)
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot start the server: %w", err)
	}
	s.cmd, s.gone, s.err = cmd, make(chan struct{}), nil
	go func(gone chan struct{}) { // ends with the process
		s.err = cmd.Wait()
		close(gone)
	}(s.gone)
	return nil
}

// errNotReady says that the server did not come to serve.
var errNotReady = errors.New("the server does not become ready")

// start runs the server until it is ready, and notes how long that took.
func (s *server) start(ctx context.Context) error {
	begun := time.Now()
	if err := s.launch(); err != nil {
		return err
	}
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		resp, err := client.Get(s.base() + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				s.ready = time.Since(begun)
				return nil
			}
		}
		select {
		case <-s.gone:
			return fmt.Errorf("%w: it ended (%v):\n%s", errNotReady, s.err, s.tail())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
		if time.Since(begun) > time.Minute {
			return fmt.Errorf("%w within a minute:\n%s", errNotReady, s.tail())
		}
	}
}

// kill ends the server at once, as kill -9 does, if it runs.
func (s *server) kill() {
	if s.cmd == nil {
		return
	}
	killGroup(s.cmd.Process.Pid)
	<-s.gone
	s.cmd = nil
}

// stopTime is how long a server may take to stop; it gives its clients ten seconds.
const stopTime = 15 * time.Second

// stop asks the server to end. An exit status other than 0 is an error.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the server had ended before: %w", err)
	}
	select {
	case <-s.gone:
		s.cmd = nil
		return s.err
	case <-time.After(stopTime):
		s.kill()
		return fmt.Errorf("the server did not stop within %s of SIGTERM", stopTime)
	}
}

// ended reports whether the server has ended by itself.
func (s *server) ended() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// tail is the end of the server's log.
func (s *server) tail() string {
	text, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// run runs another command of the program to its end and returns what it printed.
func (s *server) run(ctx context.Context, args ...string) (string, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, s.bin, args...)
	cmd.Stderr = &said
	cmd.Env = append(os.Environ(), s.env...)
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("alcove %s: %w: %s", strings.Join(args[:min(2, len(args))], " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// people makes accounts in the data directory, while no server runs, and returns a token
// of each.
func (s *server) people(ctx context.Context, n int) ([]string, error) {
	var tokens []string
	for i := range n {
		email := fmt.Sprintf("writer%d@example.org", i)
		id, err := s.run(ctx, "account", "add", "--data", s.data, "--email", email, "--first-name", "Writer", "--last-name", fmt.Sprint(i))
		if err != nil {
			return nil, err
		}
		token, err := s.run(ctx, "token", "add", "--data", s.data, "--account", id)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

// harmed is what the indexes of the running server had that was of no use when they were
// opened; empty for nothing.
func (s *server) harmed(ctx context.Context) string {
	out, err := s.run(ctx, "index", "status", "--json", "--data", s.data)
	if err != nil {
		return err.Error()
	}
	var sides []struct {
		Name    string `json:"index"`
		Failed  int    `json:"failed"`
		Problem string `json:"problem"`
	}
	if err := json.Unmarshal([]byte(out), &sides); err != nil || len(sides) != 2 {
		return fmt.Sprintf("the status of the index cannot be read: %v: %s", err, out)
	}
	for _, side := range sides {
		if side.Failed > 0 {
			return fmt.Sprintf("the %s index was found of no use %d times: %s", side.Name, side.Failed, side.Problem)
		}
	}
	return ""
}

// check runs "alcove check" on the data directory, in the server when it runs, and
// returns what it has found; empty when all is whole.
func (s *server) check(ctx context.Context) string {
	out, err := s.run(ctx, "check", "--json", "--data", s.data)
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%v: %.3000s", err, out)
}

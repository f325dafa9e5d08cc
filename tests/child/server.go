// Package child runs the program alcove from outside, as its users do: a server that is
// started, stopped and killed, and the other commands beside it.
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Server is the program on one data directory. It listens at the same address over all its
// starts, without TLS. Its fields up to Args may be changed while it does not run.
type Server struct {
	Program string   // the path of alcove
	Data    string   // its data directory
	Log     string   // file that gets what it says, over all its starts
	Listen  string   // host:port
	Wrap    []string // a command that runs it, with its arguments, such as strace
	Env     []string // besides that of this process
	Args    []string // further flags of "alcove serve"

	cmd   *exec.Cmd
	gone  chan struct{} // closed when it has ended
	err   error         // how it ended, once gone is closed
	ready time.Duration
}

// New is a server that does not run yet, with a loopback port that is free now.
func New(program, data, log string) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot find a free port: %w", err)
	}
	defer l.Close()
	return &Server{Program: program, Data: data, Log: log, Listen: l.Addr().String()}, nil
}

// Base is the address of the server, without a slash at its end.
func (s *Server) Base() string { return "http://" + s.Listen }

// Launch starts the server and does not wait. It runs in a process group of its own, with
// whatever wraps it.
func (s *Server) Launch() error {
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write the log: %w", err)
	}
	defer log.Close()
	line := append([]string{}, s.Wrap...)
	line = append(line, s.Program, "serve", "--data", s.Data, "--listen", s.Listen, "--base-url", s.Base(), "--tls", "off")
	line = append(line, s.Args...)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), s.Env...)
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

// ErrNotReady says that the server did not come to serve.
var ErrNotReady = errors.New("the server does not become ready")

// Start runs the server until it is ready, a minute at most.
func (s *Server) Start(ctx context.Context) error {
	begun := time.Now()
	if err := s.Launch(); err != nil {
		return err
	}
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		resp, err := client.Get(s.Base() + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				s.ready = time.Since(begun)
				return nil
			}
		}
		select {
		case <-s.gone:
			return fmt.Errorf("%w: it ended (%v):\n%s", ErrNotReady, s.err, s.Tail())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
		if time.Since(begun) > time.Minute {
			return fmt.Errorf("%w within a minute:\n%s", ErrNotReady, s.Tail())
		}
	}
}

// Ready is how long the last Start took until the server was ready.
func (s *Server) Ready() time.Duration { return s.ready }

// PID is the process of the server, which runs.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Gone is closed when the server that was started last has ended, and Err says how.
func (s *Server) Gone() <-chan struct{} { return s.gone }

// Err is how the server has ended, once Gone is closed.
func (s *Server) Err() error { return s.err }

// Kill ends the server at once, as kill -9 does, if it runs.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	killGroup(s.cmd.Process.Pid)
	<-s.gone
	s.cmd = nil
}

// stopTime is how long a server may take to stop; it gives its clients ten seconds.
const stopTime = 15 * time.Second

// Stop asks the server to end. An exit status other than 0 is an error.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the server had ended before: %w", err)
	}
	select {
	case <-s.gone:
		s.cmd = nil
		return s.err
	case <-time.After(stopTime):
		s.Kill()
		return fmt.Errorf("the server did not stop within %s of SIGTERM", stopTime)
	}
}

// Ended reports whether the server has ended by itself.
func (s *Server) Ended() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// Tail is the end of the server's log.
func (s *Server) Tail() string {
	text, err := os.ReadFile(s.Log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// Run runs another command of the program to its end and returns what it printed, trimmed.
func (s *Server) Run(ctx context.Context, args ...string) (string, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, s.Program, args...)
	cmd.Stderr = &said
	cmd.Env = append(os.Environ(), s.Env...)
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("alcove %s: %w: %s", strings.Join(args[:min(2, len(args))], " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// Init makes the repository, if there is none.
func (s *Server) Init(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.Data, "alcove.db")); err == nil {
		return nil
	}
	config := filepath.Clean(s.Data) + ".toml"
	_ = os.Remove(config) // of a directory that was removed
	_, err := s.Run(ctx, "init", "--data", s.Data, "--config", config)
	return err
}

// Signed makes an account, whether the server runs or not, and returns a token of it.
func (s *Server) Signed(ctx context.Context, email, first, last string) (string, error) {
	if err := s.Init(ctx); err != nil {
		return "", err
	}
	id, err := s.Run(ctx, "account", "add", "--data", s.Data, "--email", email, "--first-name", first, "--last-name", last)
	if err != nil {
		return "", err
	}
	return s.Run(ctx, "token", "add", "--data", s.Data, "--account", id)
}

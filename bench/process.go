package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// server is a contender that runs as a process of its own.
type server struct {
	name   string
	listen string // host:port
	secure bool
	ready  time.Duration // from starting it to its first good answer
	cmd    *exec.Cmd
	gone   chan struct{} // closed when it has ended
	err    error         // how it ended, once gone is closed
	log    string
}

// freeAddress finds a loopback port that is free now.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("cannot find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// startServer runs a program until a GET of path is answered with 200, a minute at most. Its
// output goes to NAME.log in dir.
func startServer(ctx context.Context, dir, name, listen, path string, secure bool, program string, args ...string) (*server, error) {
	s := &server{name: name, listen: listen, secure: secure, gone: make(chan struct{}), log: filepath.Join(dir, name+".log")}
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write the log of %s: %w", name, err)
	}
	defer log.Close()
	s.cmd = exec.Command(program, args...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	started := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	go func() { // ends with the process
		s.err = s.cmd.Wait()
		close(s.gone)
	}()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // our own, on loopback
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, Timeout: 10 * time.Second}
	deadline := time.After(time.Minute)
	for {
		res, err := client.Get(s.base() + path)
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				s.ready = time.Since(started)
				return s, nil
			}
		}
		select {
		case <-s.gone:
			return nil, fmt.Errorf("%s ended at once (%v):\n%s", name, s.err, s.tail())
		case <-ctx.Done():
			s.stop()
			return nil, ctx.Err()
		case <-deadline:
			s.stop()
			return nil, fmt.Errorf("%s is not ready after a minute:\n%s", name, s.tail())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (s *server) base() string {
	if s.secure {
		return "https://" + s.listen
	}
	return "http://" + s.listen
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// stop asks the server to end, and ends it after 15 seconds.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // an error means that it has ended
	select {
	case <-s.gone:
	case <-time.After(15 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.gone
	}
}

// alive fails when the server has ended.
func (s *server) alive() error {
	select {
	case <-s.gone:
		return fmt.Errorf("%s has ended (%v):\n%s", s.name, s.err, s.tail())
	default:
		return nil
	}
}

// tail is the end of the log.
func (s *server) tail() string {
	text, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// command runs a program to its end and returns what it printed.
func command(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var said []byte
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			said = exit.Stderr
		}
		return "", fmt.Errorf("cannot run %s %v: %w: %s", filepath.Base(program), args, err, said)
	}
	return string(out), nil
}

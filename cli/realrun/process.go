package main

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
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// bench is the folder of a run and the programs in it:
//
//	dir/alcove       the program, unless another was named
//	dir/data/        the server's data directory
//	dir/server.log   what it said, over all its starts
//	dir/token        the depositor's token
//	dir/items.jsonl, dir/files/  see lay
type bench struct {
	dir    string
	alcove string
	listen string // host:port
	server *exec.Cmd
	gone   chan struct{} // closed when the server has ended
	err    error         // how it ended, once gone is closed
	most   atomic.Int64  // bytes of RssAnon, the most that was seen
}

func (b *bench) base() string { return "http://" + b.listen }

// freeAddress finds a loopback port that is free now. The server keeps it over
// its restarts.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("cannot find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// start runs the server until it is ready.
func (b *bench) start(ctx context.Context) error {
	log, err := os.OpenFile(filepath.Join(b.dir, "server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write the log: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(b.alcove, "serve", "--data", filepath.Join(b.dir, "data"),
		"--listen", b.listen, "--base-url", b.base(), "--tls", "off")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("cannot start the server: %w", err)
	}
	b.server, b.gone = cmd, make(chan struct{})
	go func(gone chan struct{}) { // ends with the process
		b.err = cmd.Wait()
		close(gone)
	}(b.gone)
	go b.watch(cmd.Process.Pid, b.gone) // ends with the process

	client := http.Client{Timeout: 5 * time.Second}
	deadline := time.Now().Add(time.Minute)
	for {
		resp, err := client.Get(b.base() + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-b.gone:
			return fmt.Errorf("the server ended at once (%v):\n%s", b.err, b.tail())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server is not ready after a minute:\n%s", b.tail())
		}
	}
}

// watch keeps the most anonymous memory that the process has had.
func (b *bench) watch(pid int, gone chan struct{}) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-gone:
			return
		case <-tick.C:
			if now := rssAnon(pid); now > b.most.Load() {
				b.most.Store(now)
			}
		}
	}
}

// rssAnon is the anonymous memory of a process in bytes, 0 if it is not known.
func rssAnon(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && fields[0] == "RssAnon:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// kill ends the server as a power failure would, if it runs.
func (b *bench) kill() {
	if b.server == nil {
		return
	}
	_ = b.server.Process.Kill() // an error means that it has ended
	<-b.gone
	b.server = nil
}

// stop asks the server to end and waits for it, 15 seconds at most.
func (b *bench) stop() error {
	if err := b.server.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the server had ended before: %w", err)
	}
	select {
	case <-b.gone:
		b.server = nil
		return b.err
	case <-time.After(15 * time.Second):
		b.kill()
		return errors.New("the server did not stop within 15 seconds of SIGTERM")
	}
}

// tail is the end of the server's log.
func (b *bench) tail() string {
	text, err := os.ReadFile(filepath.Join(b.dir, "server.log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// command runs the program to its end and returns what it printed, trimmed.
func (b *bench) command(ctx context.Context, args ...string) (string, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, b.alcove, args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("alcove %s: %w: %s", strings.Join(args[:2], " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// account makes an account and leaves its token in the file "token".
func (b *bench) account(ctx context.Context) error {
	data := filepath.Join(b.dir, "data")
	id, err := b.command(ctx, "account", "add", "--data", data, "--email", "depositor@example.org", "--first-name", "Real", "--last-name", "Run")
	if err != nil {
		return err
	}
	token, err := b.command(ctx, "token", "add", "--data", data, "--account", id)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.dir, "token"), []byte(token+"\n"), 0o600); err != nil {
		return fmt.Errorf("cannot write the token: %w", err)
	}
	return nil
}

// depositor is the account of the deposit, signed in.
func (b *bench) depositor() (*person, error) {
	token, err := os.ReadFile(filepath.Join(b.dir, "token"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the token: %w", err)
	}
	return &person{site: newSite(b.base()), name: "the depositor", token: strings.TrimSpace(string(token))}, nil
}

// deposit runs the depositor. If until is not 0, server and depositor are killed
// as soon as that many items are complete, and killed is true.
func (b *bench) deposit(ctx context.Context, until int) (killed bool, err error) {
	items := filepath.Join(b.dir, "items.jsonl")
	cmd := exec.CommandContext(ctx, b.alcove, "deposit", "--to", b.base(), "--token-file", filepath.Join(b.dir, "token"), items)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("cannot start the depositor: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the process
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("alcove deposit: %w", err)
			}
			return false, err
		case <-b.gone:
			_ = cmd.Process.Kill() // an error means that it has ended
			<-ended
			return false, fmt.Errorf("the server ended (%v):\n%s", b.err, b.tail())
		case <-tick.C:
			if until == 0 || complete(items+".deposit-state") < until {
				continue
			}
			b.kill()
			_ = cmd.Process.Kill() // an error means that it has ended
			<-ended
			return true, nil
		}
	}
}

// complete counts the items that a state file calls done.
func complete(state string) int {
	text, err := os.ReadFile(state)
	if err != nil {
		return 0
	}
	return bytes.Count(text, []byte(`{"op":"done"`))
}

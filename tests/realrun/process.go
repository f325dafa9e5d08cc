package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"alcove/tests/child"
)

// bench is the folder of a run and the server in it:
//
//	dir/alcove       the program, unless another was named
//	dir/data/        the server's data directory
//	dir/server.log   what it said, over all its starts
//	dir/token        the depositor's token
//	dir/items.jsonl, dir/files/  see lay
type bench struct {
	*child.Server
	dir  string
	most atomic.Int64 // bytes of RssAnon, the most that was seen
}

// start runs the server until it is ready, and watches its memory.
func (b *bench) start(ctx context.Context) error {
	if err := b.Start(ctx); err != nil {
		return err
	}
	go b.watch(b.PID(), b.Gone()) // ends with the process
	return nil
}

// watch keeps the most anonymous memory that the process has had.
func (b *bench) watch(pid int, gone <-chan struct{}) {
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

// account makes an account and leaves its token in the file "token".
func (b *bench) account(ctx context.Context) error {
	token, err := b.Signed(ctx, "depositor@example.org", "Real", "Run")
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
	return &person{site: newSite(b.Base()), name: "the depositor", token: strings.TrimSpace(string(token))}, nil
}

// deposit runs the depositor. If until is not 0, server and depositor are killed
// as soon as that many items are complete, and killed is true.
func (b *bench) deposit(ctx context.Context, until int) (killed bool, err error) {
	items := filepath.Join(b.dir, "items.jsonl")
	cmd := exec.CommandContext(ctx, b.Program, "deposit", "--to", b.Base(), "--token-file", filepath.Join(b.dir, "token"), items)
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
		case <-b.Gone():
			_ = cmd.Process.Kill() // an error means that it has ended
			<-ended
			return false, fmt.Errorf("the server ended (%v):\n%s", b.Err(), b.Tail())
		case <-tick.C:
			if until == 0 || complete(items+".deposit-state") < until {
				continue
			}
			b.Kill()
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

// Package sandbox runs a function on bytes that are not trusted in a process of its own, which can do
// nothing but compute: it is this program again, with an empty environment and three pipes, and before
// it reads anything it gives up opening files, sockets, other programs and other processes (seccomp,
// no new privileges) and bounds its memory and its processor time. The input comes to it piece by
// piece, as it asks; its parent has checked every byte, and says how many it may have.
//
//	sandbox.go       the parent: starts a child, answers what it reads, takes its result
//	child.go         the child
//	limits_linux.go  what the child gives up
//
// A process that fails in any way harms no other. It costs some 20 ms to start one.
package sandbox

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Limits are those of every child.
const (
	Children   = 2               // at once
	waiting    = 2 * time.Second // for one of them
	processor  = 2               // seconds of processor time
	memory     = 512 << 20       // bytes that it may write to; the runtime of Go takes some 80 MiB of them, with the race detector more than 300
	gcAt       = "128MiB"        // from which on it collects garbage more often
	inputMost  = 64 << 20        // bytes that it reads in all, some of them twice
	pieceMost  = 1 << 20         // at once
	outputMost = 1 << 20         // bytes of the result
	jobMost    = 64 << 10        // bytes of what it is asked for
)

// Errors of Wait and Run, besides those of reading the input.
var (
	ErrOff    = errors.New("this system cannot hold a child process back")
	ErrBusy   = errors.New("as many child processes as may run do so")
	ErrFailed = errors.New("the child process failed")
)

// Word begins the arguments of a child.
const Word = "preview-child"

// What a child says. A piece is asked for with its offset and its length, 8 and 4 bytes; a result comes
// with its length, 4 bytes, and its bytes.
const (
	saysHeld   = 'h' // it has given up everything, and reads its job
	saysPiece  = 'p'
	saysResult = 'r'
)

var slots = make(chan struct{}, Children)

// Slot is the right to one child at a time.
type Slot struct{}

// Wait waits a while for a slot, which the caller releases.
func Wait(ctx context.Context) (Slot, error) {
	if !possible {
		return Slot{}, ErrOff
	}
	patience := time.NewTimer(waiting)
	defer patience.Stop()
	select {
	case slots <- struct{}{}:
		return Slot{}, nil
	case <-patience.C:
		return Slot{}, ErrBusy
	case <-ctx.Done():
		return Slot{}, ctx.Err()
	}
}

// Release lets another have the slot.
func (Slot) Release() { <-slots }

// Run lets a child do a job on an input, and returns its result: that of the function of Main. A child
// that has not ended when ctx has is killed.
func (Slot) Run(ctx context.Context, job []byte, input io.ReaderAt) ([]byte, error) {
	if len(job) > jobMost {
		return nil, fmt.Errorf("%w: it is asked for too much", ErrFailed)
	}
	limited, stop := context.WithTimeout(ctx, wall)
	defer stop()
	result, err := run(limited, job, input)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return result, err
}

func run(ctx context.Context, job []byte, input io.ReaderAt) (result []byte, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOff, err)
	}
	cmd := exec.CommandContext(ctx, self, Word)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = "/", []string{"GOMEMLIMIT=" + gcAt}, attributes()
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start a child process: %w", err)
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("cannot start a child process: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start a child process: %w", err)
	}
	result, err = serve(bufio.NewReader(from), to, job, input)
	_ = cmd.Process.Kill() // it has nothing left to do
	ended := cmd.Wait()
	if errors.Is(err, ErrFailed) && ended != nil {
		return nil, fmt.Errorf("%w (%w)", err, ended)
	}
	return result, err
}

// serve answers what a child reads until it has a result.
func serve(from io.Reader, to io.Writer, job []byte, input io.ReaderAt) ([]byte, error) {
	var said [1]byte
	if _, err := io.ReadFull(from, said[:]); err != nil || said[0] != saysHeld {
		return nil, ErrOff // or it was killed for trying
	}
	if err := send(to, job); err != nil {
		return nil, ErrFailed
	}
	piece := make([]byte, 0, 64<<10)
	for left := int64(inputMost); ; {
		if _, err := io.ReadFull(from, said[:]); err != nil {
			return nil, ErrFailed
		}
		switch said[0] {
		case saysPiece:
			var asked [12]byte
			if _, err := io.ReadFull(from, asked[:]); err != nil {
				return nil, ErrFailed
			}
			at, n := int64(binary.LittleEndian.Uint64(asked[:8])), int64(binary.LittleEndian.Uint32(asked[8:]))
			if left -= n; at < 0 || n < 1 || n > pieceMost || left < 0 {
				return nil, fmt.Errorf("%w: it reads too much", ErrFailed)
			}
			if int64(cap(piece)) < n {
				piece = make([]byte, n)
			}
			got, err := input.ReadAt(piece[:n], at)
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
			if send(to, piece[:got]) != nil {
				return nil, ErrFailed
			}
		case saysResult:
			return receive(from, outputMost)
		default:
			return nil, ErrFailed
		}
	}
}

// send writes bytes behind their number.
func send(to io.Writer, b []byte) error {
	if _, err := to.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(b)))); err != nil {
		return err
	}
	_, err := to.Write(b)
	return err
}

// receive reads what send has written.
func receive(from io.Reader, most uint32) ([]byte, error) {
	var n [4]byte
	if _, err := io.ReadFull(from, n[:]); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFailed, err)
	}
	size := binary.LittleEndian.Uint32(n[:])
	if size > most {
		return nil, fmt.Errorf("%w: it says too much", ErrFailed)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(from, b); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return b, nil
}

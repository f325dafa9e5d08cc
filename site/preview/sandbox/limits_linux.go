//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const supported = true

// attributes let a child end with its parent.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// descriptor reads and writes a pipe by nothing but the two calls that a child has left.
type descriptor int

func (d descriptor) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(d), p)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (d descriptor) Write(p []byte) (written int, err error) {
	for written < len(p) {
		n, err := unix.Write(int(d), p[written:])
		if err != nil && err != unix.EINTR {
			return written, err
		}
		written += max(n, 0)
	}
	return written, nil
}

// hold gives up, for all threads of this process and for ever, what a computation does not need.
func hold() error {
	giveWay()
	closeInherited()
	for _, l := range []struct {
		what       int
		soft, hard uint64
	}{{unix.RLIMIT_CPU, processor, processor}, {unix.RLIMIT_DATA, memory, memory}, {unix.RLIMIT_CORE, 0, 0}, {unix.RLIMIT_FSIZE, 0, 0}} {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.soft, Max: l.hard}); err != nil {
			return fmt.Errorf("cannot limit a child process: %w", err)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot keep a child process from new privileges: %w", err)
	}
	filter := callFilter(uint32(os.Getpid()))
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("cannot filter the calls of a child process: %w", errno)
	}
	if thread != 0 {
		return fmt.Errorf("cannot filter the calls of thread %d of a child process", thread)
	}
	return nil
}

// giveWay lets the server go before its children where both want the processor. Threads that begin later
// inherit it. A refusal of the system is ignored.
func giveWay() {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, 15)
		}
	}
}

// closeInherited closes what this program was started with besides the three pipes, and was handed on. What
// the runtime of Go has to wait on timers stays.
func closeInherited() {
	open, _ := os.ReadDir("/proc/self/fd") // without /proc there is nothing to tell them by
	for _, f := range open {
		number, err := strconv.Atoi(f.Name())
		if to, _ := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && number > 2 && !strings.HasPrefix(to, "anon_inode:") {
			_ = unix.Close(number) // the directory that was just read is closed already
		}
	}
}

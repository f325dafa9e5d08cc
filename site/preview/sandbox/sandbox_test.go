//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The children of these tests are this program again.
func TestMain(m *testing.M) {
	Main(func(job []byte, input io.ReaderAt) []byte { return probes[string(job)](input) })
	os.Exit(m.Run())
}

var kept [][]byte

// probes are what a child does here.
var probes = map[string]func(io.ReaderAt) []byte{
	"sum": func(input io.ReaderAt) []byte {
		b, err := io.ReadAll(io.NewSectionReader(input, 0, 1<<40))
		return fmt.Append(nil, len(b), err)
	},
	"environment": func(io.ReaderAt) []byte {
		return []byte(strings.Join(os.Environ(), "\n"))
	},
	"reach": reach,
	"panic": func(io.ReaderAt) []byte { panic("of a library") },
	"spin": func(io.ReaderAt) []byte {
		n := 0
		for n >= 0 {
			n ^= 1
		}
		return nil
	},
	"grow": func(io.ReaderAt) []byte {
		for {
			b := make([]byte, 16<<20)
			for i := range b {
				b[i] = 1
			}
			kept = append(kept, b)
		}
	},
	"map":  func(io.ReaderAt) []byte { return make([]byte, 4<<30)[:1] },
	"deep": func(io.ReaderAt) []byte { return []byte(fmt.Sprint(down(1))) },
	"long": func(io.ReaderAt) []byte { return make([]byte, outputMost+1) },
	"much": func(input io.ReaderAt) []byte {
		for b := make([]byte, pieceMost); ; {
			if _, err := input.ReadAt(b, 0); err != nil {
				return []byte(err.Error())
			}
		}
	},
	"sleep": func(io.ReaderAt) []byte { time.Sleep(time.Hour); return nil },
	"many": func(io.ReaderAt) []byte { // threads, timers and collections of garbage
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { time.Sleep(time.Millisecond); _ = make([]byte, 1<<20) })
		}
		all.Wait()
		return []byte("done")
	},
}

func down(n int) int {
	var room [1 << 10]byte
	if room[n%len(room)] = 1; n < 0 {
		return n
	}
	return down(n+1) + int(room[0])
}

// reach tries what a child must not have, and names what it got.
func reach(io.ReaderAt) []byte {
	var got []string
	try := func(what string, err error) {
		if !errors.Is(err, syscall.EPERM) {
			got = append(got, fmt.Sprint(what, ": ", err))
		}
	}
	_, err := os.Open("/etc/passwd")
	try("a file", err)
	try("a new file", os.WriteFile(filepath.Join(os.TempDir(), "sandbox-test"), nil, 0o600))
	_, err = os.ReadDir("/")
	try("a directory", err)
	_, err = os.Stat("/etc/passwd")
	try("a name", err)
	try("removal", os.Remove("/nonexistent"))
	_, err = net.Dial("tcp", "127.0.0.1:1")
	try("a connection", err)
	_, err = net.Listen("tcp", "127.0.0.1:0")
	try("a listener", err)
	_, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	try("a pair of sockets", err)
	_, err = os.StartProcess("/bin/true", nil, &os.ProcAttr{})
	try("a process", err)
	try("another program", syscall.Exec("/bin/true", nil, nil))
	_, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	try("a copy of itself", errno)
	try("a signal", syscall.Kill(os.Getppid(), 0))
	try("a signal to a thread", unix.Tgkill(os.Getppid(), os.Getppid(), 0))
	try("tracing", unix.PtraceAttach(os.Getppid()))
	_, err = unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
	try("memory to run", err)
	try("another limit", unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: 9, Max: 9}))
	_, err = unix.Dup(0)
	try("another descriptor", err)
	if len(got) == 0 {
		return []byte("nothing")
	}
	return []byte(strings.Join(got, "\n"))
}

func inSlot(ctx context.Context, job string, input io.ReaderAt) ([]byte, error) {
	slot, err := Wait(ctx)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	return slot.Run(ctx, []byte(job), input)
}

func child(t *testing.T, probe, input string) (string, error) {
	t.Helper()
	result, err := inSlot(t.Context(), probe, strings.NewReader(input))
	return string(result), err
}

// A child reads its input piece by piece, and works as programs in Go do.
func TestChildWorks(t *testing.T) {
	if got, err := child(t, "sum", strings.Repeat("x", 3<<20+1)); got != fmt.Sprint(3<<20+1, error(nil)) || err != nil {
		t.Errorf("it read %s: %v", got, err)
	}
	if got, err := child(t, "many", ""); got != "done" || err != nil {
		t.Errorf("%q: %v", got, err)
	}
}

// A child has nothing of its parent but its input, and reaches nothing.
func TestChildReachesNothing(t *testing.T) {
	t.Setenv("SANDBOX_TEST_SECRET", "secret")
	if got, err := child(t, "environment", ""); got != "GOMEMLIMIT="+gcAt || err != nil {
		t.Errorf("its environment is %q: %v", got, err)
	}
	if got, err := child(t, "reach", ""); got != "nothing" || err != nil {
		t.Errorf("it got\n%s: %v", got, err)
	}
	secret, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	seen := false
	_, err = inSlot(t.Context(), "sum", whileReading(func() {
		for _, pid := range children(t) {
			seen = true
			open, err := os.ReadDir("/proc/" + pid + "/fd")
			if err != nil {
				t.Error(err)
			}
			for _, f := range open {
				to, err := os.Readlink("/proc/" + pid + "/fd/" + f.Name())
				if n := f.Name(); err != nil || n != "2" && !strings.HasPrefix(to, "pipe:") && !strings.HasPrefix(to, "anon_inode:") || n == "2" && to != os.DevNull {
					t.Errorf("its descriptor %s is %s: %v", n, to, err)
				}
			}
			status, err := os.ReadFile("/proc/" + pid + "/status")
			if err != nil || !strings.Contains(string(status), "NoNewPrivs:\t1\nSeccomp:\t2\n") {
				t.Errorf("it is not held: %v\n%s", err, status)
			}
			if at, err := os.Readlink("/proc/" + pid + "/cwd"); at != "/" || err != nil {
				t.Errorf("it stands in %s: %v", at, err)
			}
		}
	}))
	if err != nil || !seen {
		t.Errorf("%v, seen %v", err, seen)
	}
}

// whileReading is an input of no bytes that runs a function when it is read.
type whileReading func()

func (w whileReading) ReadAt([]byte, int64) (int, error) { w(); return 0, io.EOF }

// children are the numbers of the processes that this one has begun.
func children(t *testing.T) (pids []string) {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lists {
		b, _ := os.ReadFile(l) // of a thread that has ended is nothing
		pids = append(pids, strings.Fields(string(b))...)
	}
	return pids
}

// Whatever goes wrong in a child, its parent hears that it failed, soon, and nothing stays behind.
func TestChildFails(t *testing.T) {
	for _, probe := range []string{"panic", "grow", "map", "deep", "spin", "long", "much", "none"} {
		start := time.Now()
		got, err := child(t, probe, strings.Repeat("x", pieceMost))
		if !errors.Is(err, ErrFailed) || got != "" {
			t.Errorf("%s: %q, %v", probe, got, err)
		}
		t.Logf("%s took %v: %v", probe, time.Since(start), err)
		if took := time.Since(start); took > wall+2*time.Second {
			t.Errorf("%s took %v", probe, took)
		}
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("these are left: %v", left)
	}
}

// An input that cannot be read is no fault of the child.
func TestChildCannotRead(t *testing.T) {
	damaged := errors.New("damaged")
	_, err := inSlot(t.Context(), "sum", unreadable{damaged})
	if !errors.Is(err, damaged) || errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

type unreadable struct{ error }

func (u unreadable) ReadAt([]byte, int64) (int, error) { return 0, u.error }

// There are never more children than may be; others wait for a while. A caller that goes away takes its
// child with it.
func TestChildrenAreFew(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	errs := make([]error, Children+2)
	for i := range errs {
		all.Go(func() { _, errs[i] = inSlot(ctx, "sleep", strings.NewReader("")) })
	}
	for end := time.Now().Add(waiting + time.Second); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if n := len(children(t)); n > Children {
			t.Fatalf("there are %d", n)
		}
	}
	stop()
	all.Wait()
	busy, gone := 0, 0
	for _, err := range errs {
		switch {
		case errors.Is(err, ErrBusy):
			busy++
		case errors.Is(err, context.Canceled):
			gone++
		default:
			t.Error(err)
		}
	}
	if busy != 2 || gone != Children {
		t.Errorf("%d were told to wait, %d were ended: %v", busy, gone, errs)
	}
	if left := children(t); len(left) > 0 {
		t.Errorf("these are left: %v", left)
	}
}

// A child ends with its parent, however that ends.
func TestChildrenEndWithTheirParent(t *testing.T) {
	if os.Getenv("SANDBOX_TEST_PARENT") != "" {
		_, err := inSlot(t.Context(), "sum", whileReading(func() {
			fmt.Println("child", children(t))
			<-time.After(time.Hour)
		}))
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildrenEndWithTheirParent$")
	cmd.Env = append(os.Environ(), "SANDBOX_TEST_PARENT=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanf(out, "child [%d]", &pid); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it lives on")
		}
	}
}

// Where a child cannot give up what it should, it does nothing, and its parent hears why.
func TestChildCannotBeHeld(t *testing.T) {
	if os.Getenv("SANDBOX_TEST_UNHELD") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestChildCannotBeHeld$")
		cmd.Env = append(os.Environ(), "SANDBOX_TEST_UNHELD=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	// A service may be kept from seccomp by a filter that it runs under.
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: callNumber},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SECCOMP, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))); errno != 0 {
		t.Fatal(errno)
	}
	if got, err := child(t, "environment", ""); !errors.Is(err, ErrOff) || got != "" {
		t.Errorf("%q, %v", got, err)
	}
}

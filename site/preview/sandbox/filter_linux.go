//go:build linux && (amd64 || arm64)

package sandbox

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// allowed are the system calls that a child has: what the runtime of Go needs to compute, and reading
// and writing of what is open. Every other fails with EPERM, so that a library that tries one goes on.
var allowed = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETRANDOM, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, // of timers
}

// Where the parts of a call lie that a filter sees (struct seccomp_data). Both processors have the lower
// half of an argument first.
const (
	callNumber = 0
	callArch   = 4
	callArgs   = 16
)

const prSetVMA = 0x53564d41 // the runtime names its memory

// callFilter is the program for seccomp of a process of this number.
func callFilter(pid uint32) []unix.SockFilter {
	arch := uint32(unix.AUDIT_ARCH_X86_64)
	if runtime.GOARCH == "arm64" {
		arch = unix.AUDIT_ARCH_AARCH64
	}
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		anyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		result = unix.BPF_RET | unix.BPF_K
		allow  = unix.SECCOMP_RET_ALLOW
		refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	)
	f := []unix.SockFilter{
		{Code: load, K: callArch}, {Code: equal, K: arch, Jt: 1}, {Code: result, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: callNumber},
	}
	for _, number := range allowed {
		f = append(f, unix.SockFilter{Code: equal, K: number, Jf: 1}, unix.SockFilter{Code: result, K: allow})
	}
	// These depend on an argument.
	for _, c := range []struct {
		number uint32
		arg    uint32
		test   uint16
		k      uint32
		yes    uint32 // where the test holds
		no     uint32
	}{
		{unix.SYS_MMAP, 2, anyBit, unix.PROT_EXEC, refuse, allow},
		{unix.SYS_MPROTECT, 2, anyBit, unix.PROT_EXEC, refuse, allow},
		{unix.SYS_CLONE, 0, anyBit, unix.CLONE_THREAD, allow, refuse}, // threads, and no processes
		{unix.SYS_TGKILL, 0, equal, pid, allow, refuse},               // the runtime interrupts its threads
		{unix.SYS_PRCTL, 0, equal, prSetVMA, allow, refuse},
	} {
		f = append(f, unix.SockFilter{Code: equal, K: c.number, Jf: 4}, unix.SockFilter{Code: load, K: callArgs + 8*c.arg},
			unix.SockFilter{Code: c.test, K: c.k, Jf: 1}, unix.SockFilter{Code: result, K: c.yes}, unix.SockFilter{Code: result, K: c.no})
	}
	// The C library asks this first, and takes clone where there is no such call; its flags lie where a
	// filter cannot read them.
	return append(f, unix.SockFilter{Code: equal, K: unix.SYS_CLONE3, Jf: 1}, unix.SockFilter{Code: result, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		unix.SockFilter{Code: result, K: refuse})
}

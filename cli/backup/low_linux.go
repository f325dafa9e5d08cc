package backup

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// low lets the calling goroutine give way to all others, on the processor and on the disk. It
// cannot be taken back: the thread that it has from now on ends with it. A refusal of the system
// is ignored.
func low() {
	const (
		toThread   = 1       // IOPRIO_WHO_PROCESS, which means a thread
		bestEffort = 2 << 13 // IOPRIO_CLASS_BE
		lowest     = 7
	)
	runtime.LockOSThread()
	thread := unix.Gettid()
	_ = unix.Setpriority(unix.PRIO_PROCESS, thread, 15)
	_, _, _ = unix.Syscall(unix.SYS_IOPRIO_SET, toThread, uintptr(thread), bestEffort|lowest)
}

// FreeBytes is how many bytes of the disk under a directory are free for all users.
func FreeBytes(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil
}

// afresh asks the system to read a file from the disk, and early.
func afresh(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) {
			_ = unix.Fadvise(int(fd), 0, 0, unix.FADV_DONTNEED)
			_ = unix.Fadvise(int(fd), 0, 0, unix.FADV_SEQUENTIAL)
		})
	}
}
